// Links that start with a velocity and meet an obstacle before the middle of the first step.

#include "planar/start_impact.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/planar/system.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

#include "planar/start.hpp"
#include "sample/snake.hpp"

namespace coluber::planar {
namespace start_impact_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// One link across the way at 6 m/s, a peg 0.1 mm ahead of it.
simulation::Simulation make_head_on(double dt, double peg_radius = 0.0015, double gap = 1e-4) {
  return simulation::make_simulation(
      scenario::parse(fmt::format(R"(
duration = 0.03
[robot]
links = 1
link = {{ mass = 0.4, inertia = 5e-4, length = 0.12, half_core = 0.04, radius = 0.03 }}
[start]
shape = "straight"
heading_deg = 90
velocity = [6.0, 0.0]
[world]
friction = [0.2, 0.2]
[[world.obstacle]]
x = {}
y = 0.0
radius = {}
[solver]
dt = {}
)",
                                  0.03 + gap + peg_radius, peg_radius, dt)));
}

const PlanarSystem& system_of(const simulation::Simulation& simulation) {
  return dynamic_cast<const PlanarSystem&>(*simulation.system);
}

double x_of(const simulation::Simulation& simulation) {
  Eigen::VectorXd centres(2);
  system_of(simulation).link_centres(centres);
  return centres(0);
}

std::vector<std::string> warnings_of(const simulation::Simulation& simulation) {
  std::vector<std::string> texts;
  for (const drive::Warning& warning : simulation.warnings) texts.push_back(warning.text);
  return texts;
}

TEST(StartImpact, ALinkHeadOnAtAPegStopsThereWhateverTheStep) {
  // closed form of one link: it may come up to the peg within the half step, no farther
  for (const double dt : {1e-2, 1e-3, 5e-4, 1e-4}) {
    simulation::Simulation simulation = make_head_on(dt);
    EXPECT_THAT(warnings_of(simulation),
                Contains(HasSubstr("start.velocity: link 1 meets obstacle 1 at 6 m/s")));
    EXPECT_NEAR(x_of(simulation), 0.0, 1e-15) << "the start is where the scenario puts it";
    // a micrometre before the peg counts as a touch
    EXPECT_NEAR(system_of(simulation).state().u(0), 1e-4 / (0.5 * dt), 3e-6 / dt) << dt;
    ASSERT_EQ(simulation::run(simulation, {}).status, simulation::RunStatus::completed);
    // what the obstacles' compliance leaves of an approach; 10 mm and more without the impact
    EXPECT_NEAR(x_of(simulation), 1e-4, 1e-4) << dt;
  }
  // reached after the first half step: the steps do it, as before
  simulation::Simulation simulation = make_head_on(1e-5);
  EXPECT_THAT(warnings_of(simulation), Not(Contains(HasSubstr("meets obstacle"))));
  EXPECT_EQ(system_of(simulation).state().u(0), 6.0);
  ASSERT_EQ(simulation::run(simulation, {}).status, simulation::RunStatus::completed);
  EXPECT_NEAR(x_of(simulation), 1e-4, 1e-4);
}

TEST(StartImpact, FrictionOfTheGroundTakesNothingWithinTheImpact) {
  const double dt = 1e-3;
  const auto after_impact = [&](const Vector2d& viscous, double rotational) {
    Model model = sample::aiko(1);
    model.mu_V = viscous;
    model.c_R = rotational;
    // at 6 m/s along x, turning; a peg 0.1 mm ahead
    model.obstacles = {{{model.links[0].L_SC + 1e-4 + 0.01, 0.0}, 0.01, 0.0}};
    const State rest = make_state(model, VectorXd(0), 0, {0.0, 0.0}, 0.5 * std::numbers::pi);
    State state = rest;
    set_in_motion(model, VectorXd::Constant(1, 2.0), VectorXd::Ones(1), {6.0, 0.0}, dt, state);
    EXPECT_TRUE(take_start_impacts(model, rest, dt, state).has_value());
    return state.u;
  };
  const VectorXd smooth = after_impact({0.0, 0.0}, 0.0);
  EXPECT_LT(smooth(0), 1.0) << "m/s: the peg stops it";
  EXPECT_EQ(after_impact({0.0, 0.0}, 0.1), smooth) << "rotational friction";
  EXPECT_EQ(after_impact({3.0, 5.0}, 0.0), smooth) << "viscous friction";
}

TEST(StartImpact, AThinPegIsNotPassed) {
  for (const double dt : {5e-3, 1e-2, 2e-2}) {
    simulation::Simulation simulation = make_head_on(dt, 1e-3, 5e-4);
    ASSERT_EQ(simulation::run(simulation, {}).status, simulation::RunStatus::completed);
    EXPECT_LT(x_of(simulation), 2e-3) << dt << ": it went through";
  }
}

/// Links at rest at the start, and moving.
struct Start {
  State rest, moving;
};

Start make_start_of(const Model& model, const VectorXd& phi, double theta, const VectorXd& rate,
                    const Vector2d& velocity, double dt) {
  Start start;
  start.rest = make_state(model, phi, 0, {0.0, 0.0}, theta);
  start.moving = start.rest;
  VectorXd weights = VectorXd::Zero(model.n());
  weights(0) = 1.0;
  set_in_motion(model, rate, weights, velocity, dt, start.moving);
  return start;
}

double energy_of(const Model& model, const VectorXd& u) {
  double T = 0.0;
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    T += 0.5 *
         (link.m * u.segment<2>(3 * i).squaredNorm() + link.Theta * u(3 * i + 2) * u(3 * i + 2));
  }
  return T;
}

double cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

TEST(StartImpact, TwoLinksKeepTheirMomentumAcrossTheNormalAndAboutThePoint) {
  std::mt19937_64 random(5);
  const double dt = 1e-3;
  for (int trial = 0; trial < 20; ++trial) {
    Model model = sample::odd_links(2, random);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    const VectorXd phi = VectorXd::Constant(1, number(random));
    const double theta = number(random);
    const Vector2d axis{std::cos(theta), std::sin(theta)};
    const Vector2d left{-axis.y(), axis.x()};
    // a peg 0.2 mm beside the core of link 1, which comes at it with 2 m/s and turns
    const double s = (-0.5 + 0.4 * number(random)) * model.links[0].L_GS - model.links[0].offset;
    model.obstacles = {{s * axis + (model.links[0].L_SC + 0.01 + 2e-4) * left, 0.01, 0.5}};
    const Vector2d rate{3.0 * number(random), 3.0 * number(random)};
    Start start = make_start_of(model, phi, theta, rate, 2.0 * left + number(random) * axis, dt);
    const VectorXd u_A = start.moving.u;
    const auto impact = take_start_impacts(model, start.rest, dt, start.moving);
    ASSERT_TRUE(impact.has_value());
    EXPECT_EQ(impact->link, 0);
    EXPECT_EQ(impact->obstacle, 0);
    const VectorXd& u_E = start.moving.u;
    Pose pose;
    pose.resize(2);
    compute_pose(model, start.rest.base, start.rest.phi, pose);
    // the normal is that of the touch; over 0.2 mm the link turns by some mrad
    Vector2d p = Vector2d::Zero();
    double about_joint = 0.0;  // momentum of link 2 about the joint: nothing else acts on it
    double about_peg = 0.0;
    const Vector2d joint =
        pose.origin + pose.r.col(0) + (0.5 * model.links[0].L - model.links[0].offset) * axis;
    for (int i = 0; i < 2; ++i) {
      const Link& link = model.links[static_cast<std::size_t>(i)];
      const Vector2d r = pose.origin + pose.r.col(i);
      const Vector2d dv = u_E.segment<2>(3 * i) - u_A.segment<2>(3 * i);
      const double dw = u_E(3 * i + 2) - u_A(3 * i + 2);
      p += link.m * dv;
      about_peg += link.Theta * dw + link.m * cross(r - model.obstacles[0].H, dv);
      if (i == 1) about_joint = link.Theta * dw + link.m * cross(r - joint, dv);
    }
    EXPECT_LT(p.dot(left), -0.1) << "pushed back";
    EXPECT_NEAR(cross(p, left), 0.0, 5e-3 * p.norm()) << "no impulse across the normal";
    EXPECT_NEAR(about_peg, 0.0, 1e-4 * p.norm()) << "the impulse goes through the peg";
    EXPECT_NEAR(about_joint, 0.0, 1e-12) << "the motor is free";
    EXPECT_LT(energy_of(model, u_E), energy_of(model, u_A)) << "inelastic";
    // both links still meet in their joint
    const Vector2d v_1 =
        u_E.head<2>() + u_E(2) * Vector2d{-(joint - pose.origin - pose.r.col(0)).y(),
                                          (joint - pose.origin - pose.r.col(0)).x()};
    const Vector2d arm = joint - pose.origin - pose.r.col(1);
    const Vector2d v_2 = u_E.segment<2>(3) + u_E(5) * Vector2d{-arm.y(), arm.x()};
    EXPECT_LT((v_1 - v_2).norm(), 1e-12);
    // it touches in the middle of the first step
    compute_pose(model, start.moving.base, start.moving.phi, pose);
    const Gap gap = compute_gap(model.links[0], pose.r.col(0) + pose.origin, pose.cos(0),
                                pose.sin(0), model.obstacles[0]);
    EXPECT_NEAR(gap.g, 0.0, 1e-5);
  }
}

TEST(StartImpact, WhatIsMetAfterTheFirstImpactStopsToo) {
  // its front cap glances off a peg, which throws it at another one beside it
  Model model = sample::aiko(1);
  const Link& link = model.links[0];
  const double dt = 1e-3;
  const double reach = link.L_SC + 0.01;
  const double half = std::sqrt(0.5);
  model.obstacles = {
      {{link.L_GS + half * (reach + 1e-4), -half * (reach + 1e-4)}, 0.01, 0.0},
      {{0.0, reach + 1e-5}, 0.01, 0.0},
  };
  const auto deepest = [&](const State& state) {
    Pose pose;
    pose.resize(1);
    compute_pose(model, state.base, state.phi, pose);
    double depth = 0.0;
    for (const Obstacle& obstacle : model.obstacles) {
      const Gap gap =
          compute_gap(link, pose.r.col(0) + pose.origin, pose.cos(0), pose.sin(0), obstacle);
      depth = std::max(depth, -gap.g);
    }
    return depth;
  };
  Start start = make_start_of(model, VectorXd(0), 0.0, VectorXd::Zero(1), {3.0, 0.0}, dt);
  EXPECT_GT(deepest(start.moving), 5e-4);
  const auto impact = take_start_impacts(model, start.rest, dt, start.moving);
  ASSERT_TRUE(impact.has_value());
  EXPECT_EQ(impact->obstacle, 0);
  EXPECT_NEAR(impact->speed, 3.0 * half, 0.05);
  EXPECT_LT(deepest(start.moving), 2e-5) << "second order in the way of half a step";
  // without the first peg, the second is not met at all
  model.obstacles.erase(model.obstacles.begin());
  Start beside = make_start_of(model, VectorXd(0), 0.0, VectorXd::Zero(1), {3.0, 0.0}, dt);
  EXPECT_FALSE(take_start_impacts(model, beside.rest, dt, beside.moving).has_value());
}

TEST(StartImpact, ALinkThatSlidesAlongAPegOrMeetsNoneIsLeftAlone) {
  Model model = sample::aiko(3);
  const Link& link = model.links[0];
  const double dt = 1e-3;
  const Eigen::Vector3d rate{0.1, -0.2, 0.3};
  const VectorXd phi = VectorXd::Constant(2, 0.2);
  const auto same = [&](const Start& start) {
    State state = start.moving;
    EXPECT_FALSE(take_start_impacts(model, start.rest, dt, state).has_value());
    EXPECT_EQ(state.base, start.moving.base);
    EXPECT_EQ(state.phi, start.moving.phi);
    EXPECT_EQ(state.u, start.moving.u);
    EXPECT_EQ(state.twist, start.moving.twist);
    EXPECT_EQ(state.phidot, start.moving.phidot);
  };
  same(make_start_of(model, phi, 0.0, rate, {6.0, 0.0}, dt));  // nothing there at all
  model.obstacles = {{{0.0, 0.5}, 0.02, 0.0}};
  same(make_start_of(model, phi, 0.0, rate, {6.0, 0.0}, dt));  // out of reach
  model.obstacles = {{{0.0, link.L_SC + 0.02}, 0.02, 0.0}};
  const VectorXd straight = VectorXd::Zero(2);
  const VectorXd at_rest = VectorXd::Zero(3);
  same(make_start_of(model, straight, 0.0, at_rest, {6.0, 0.0}, dt));    // along it
  same(make_start_of(model, straight, 0.0, at_rest, {6.0, -1.0}, dt));   // away from it
  same(make_start_of(model, straight, 0.0, at_rest, {6.0, 0.009}, dt));  // slower than 1 cm/s
  Start faster = make_start_of(model, straight, 0.0, at_rest, {6.0, 0.02}, dt);
  EXPECT_TRUE(take_start_impacts(model, faster.rest, dt, faster.moving).has_value());
}

TEST(StartImpact, WheelsKeepTheirRates) {
  const simulation::Simulation simulation = simulation::make_simulation(scenario::parse(R"(
[robot]
model = "wheeled"
name = "piko"
links = 3
[start]
shape = "straight"
heading_deg = 180
speed = 2.0
[[world.obstacle]]
x = 0.2
y = 0.0
radius = 0.05
[solver]
dt = 0.1
)"));
  EXPECT_THAT(warnings_of(simulation),
              Contains(HasSubstr("start.speed: link 1 meets obstacle 1 at 2 m/s")));
  const PlanarSystem& system = system_of(simulation);
  const State& state = system.state();
  EXPECT_LT(state.u(0), 1.99);
  for (Eigen::Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(state.omega(i), 2.0 / system.model().axles[static_cast<std::size_t>(i)].L_w, 1e-9);
  }
}

}  // namespace start_impact_test
}  // namespace coluber::planar
