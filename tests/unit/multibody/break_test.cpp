// Rates of the shape that jump, as where a table starts or ends in motion: the limit of ever
// shorter ramps. Momentum is kept, wheels hold on, motors do what the ramps' motors do.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/bytes.hpp"
#include "coluber/multibody/system.hpp"

#include "sample/trees.hpp"

namespace coluber::multibody {
namespace break_test {

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// A gait that is held before it begins and after it ends, joints alone. With a ramp (s), the rates
/// go to it and from it in that time instead of at once, before the begin and after the end.
struct Stretch {
  Program gait;
  double begin = -1.0;
  double end = kNever;
  double ramp = 0.0;

  void operator()(double t, Input& input) const {
    Input held = input;
    gait(std::clamp(t, begin, end), held);
    gait(t, input);
    input.r = held.r;
    input.rdot = held.rdot;
    input.rddot = held.rddot;
    const double outside = t < begin ? begin - t : t - end;
    if (!(outside > 0.0)) return;
    const double sign = t < begin ? -1.0 : 1.0;
    const double s = std::min(outside, ramp);
    input.r += sign * (s - (ramp > 0.0 ? s * s / (2.0 * ramp) : 0.0)) * input.rdot;
    const VectorXd rate = input.rdot;
    input.rdot = outside < ramp ? VectorXd((1.0 - s / ramp) * rate) : VectorXd(0.0 * rate);
    input.rddot = outside < ramp ? VectorXd(-sign / ramp * rate) : VectorXd(0.0 * rate);
  }
  [[nodiscard]] double next_break(double t) const {
    for (double each : {begin - ramp, begin, end, end + ramp}) {
      if (each > t) return each;
    }
    return kNever;
  }
};

double number_of(const MultibodySystem& system, const std::string& name) {
  std::size_t size = 0;
  std::size_t found = 0;
  for (const Observable& each : system.observables()) {
    if (each.name == name) found = size;
    size += static_cast<std::size_t>(each.size());
  }
  std::vector<double> frame(size);
  system.observe(frame);
  return frame[found];
}

/// What a run ends with: pose, twist, followers, works, energy.
VectorXd end_of(const MultibodySystem& system) {
  const Configuration& at = system.configuration();
  const Eigen::Index followers = at.follower.size();
  const Eigen::Index wheels = system.data().thetadot.size();
  VectorXd values(9 + 6 + followers + wheels + 5);
  values.head<3>() = at.g.p;
  values.segment<3>(3) = at.g.R.col(0);
  values.segment<3>(6) = at.g.R.col(1);
  values.segment<6>(9) = system.data().eta_o;
  values.segment(15, followers) = at.follower;
  values.segment(15 + followers, wheels) = system.data().thetadot;
  values.tail<5>() << number_of(system, "work_servo"), number_of(system, "work_positive"),
      number_of(system, "work_friction"), number_of(system, "work_contact"),
      number_of(system, "energy");
  return values;
}

struct Robot {
  std::string name;
  Tree tree;
  Program gait;
  Vector6d twist = Vector6d::Zero();
  VectorXd passive = VectorXd::Zero(0);
  bool without_momentum = false;
};

constexpr double kDuration = 1.0;
constexpr double kDt = 0.01;

std::unique_ptr<MultibodySystem> make(const Robot& robot, const Model& model,
                                      const Stretch& stretch) {
  Start start;
  start.at = sample::at_origin(model);
  start.at.eta = robot.twist;
  start.at.passive = robot.passive;
  start.without_momentum = robot.without_momentum;
  SystemOptions options;
  options.dt = kDt;
  options.duration = kDuration;
  options.solver.integrator = Integrator::dopri5;
  options.solver.rtol = 1e-12;
  options.solver.atol = 1e-13;
  options.drawn.resize(model.bodies.size());
  options.next_break = [stretch](double t) { return stretch.next_break(t); };
  auto system = std::make_unique<MultibodySystem>(model, stretch, start, options);
  EXPECT_TRUE(system->start_outcome().ok()) << robot.name;
  return system;
}

VectorXd run(const Robot& robot, const Model& model, const Stretch& stretch) {
  auto system = make(robot, model, stretch);
  while (system->step_count() < std::llround(kDuration / kDt)) {
    if (system->step().status != Status::ok) {
      ADD_FAILURE() << robot.name << ", step " << system->step_count();
      break;
    }
    EXPECT_LE(system->data().constraint_residual, 1e-11) << robot.name;
  }
  EXPECT_LE(std::abs(number_of(*system, "work_scheme")), 1e-9) << robot.name;
  return end_of(*system);
}

/// All joints a sin(w t + phase).
Program waves(int joints, double a, double w) {
  return [=](double t, Input& input) {
    for (int k = 0; k < joints; ++k) {
      const double phase = w * t + 0.9 * k;
      input.r(k) = a * std::sin(phase);
      input.rdot(k) = a * w * std::cos(phase);
      input.rddot(k) = -a * w * w * std::sin(phase);
    }
  };
}

std::vector<Robot> robots() {
  std::vector<Robot> all;
  std::mt19937_64 random(11);
  const Tree free = sample::random_tree(random, 8);
  all.push_back({"free", free, waves(Model(free).coordinates, 0.4, 2.0),
                 sample::random_vector(random, 6, 0.5), VectorXd::Zero(0), false});
  Tree heavy = free;  // and with weight, drag and added mass, which give no impulse or are inertia
  heavy.gravity = 9.81;
  heavy.forces.push_back(
      {.law = ForceLaw::viscous, .c_along = 1.0, .c_across = 3.0, .c_turn = 2.0});
  for (Body& body : heavy.bodies) body.added << 0.1, 0.5, 0.3, 0.01, 0.02, 0.03;
  all.push_back({"falling", heavy, all[0].gait, all[0].twist, VectorXd::Zero(0), false});
  all.push_back({"snakeboard", sample::snakeboard(), sample::snakeboard_gait(0.7, 1.0, 0.3, 1.0),
                 Vector6d::Zero(), VectorXd::Zero(0), true});
  all.push_back({"sliding", sample::snakeboard(200.0), sample::snakeboard_gait(0.7, 1.0, 0.3, 1.0),
                 Vector6d::Zero(), VectorXd::Zero(0), true});
  // a frame with crank, coupler and rocker, wheels at its back and on the rocker
  Tree bars;
  const Vector3d slender{0.001, 0.001, 0.001};
  bars.bodies = {sample::body_at(-1, Vector3d::Zero(), 2.0, {0.1, 0.1, 0.15}),
                 sample::body_at(0, {0.2, 0.0, 0.0}, 0.2, slender),
                 sample::body_at(1, {0.1, 0.0, 0.0}, 0.2, slender),
                 sample::body_at(0, {0.2, 0.3, 0.0}, 0.2, slender)};
  bars.loops.push_back({2, 3, {0.3, 0.0, 0.0}, {0.12, 0.0, 0.0}});
  bars.roles = {Role::imposed, Role::loop, Role::loop};
  const Program crank = [](double t, Input& input) {
    input.r(0) = 0.4 * std::sin(t);
    input.rdot(0) = 0.4 * std::cos(t);
    input.rddot(0) = -0.4 * std::sin(t);
  };
  all.push_back({"bars", bars, crank, Vector6d::Zero(), Eigen::Vector2d(1.5, 0.0), true});
  bars.wheels = {sample::wheel_on(3, 0.06, 0.02), sample::wheel_on(0, -0.3, 0.0)};
  all.push_back({"wheeled bars", bars, crank, Vector6d::Zero(), Eigen::Vector2d(1.5, 0.0), true});
  Tree held = bars;
  held.wheels.clear();
  held.base_imposed = true;
  all.push_back({"held bars", held,
                 [crank](double t, Input& input) {
                   crank(t, input);
                   input.place.x() = 0.3 * t;
                   input.placedot.x() = 0.3;
                   input.yaw = 0.5 * t;
                   input.yawdot = 0.5;
                 },
                 Vector6d::Zero(), Eigen::Vector2d(1.5, 0.0), false});
  // one driven and one free wheel, and an arm
  Tree unicycle;
  unicycle.bodies = {sample::body_at(-1, Vector3d::Zero(), 3.0, {0.2, 0.2, 0.2}),
                     sample::body_at(0, {0.2, 0.0, 0.0}, 0.5, slender)};
  unicycle.bodies.back().c = {0.3, 0.0, 0.0};
  unicycle.wheels = {sample::wheel_on(0, 0.0, 0.15), sample::wheel_on(0, 0.0, -0.15)};
  unicycle.wheels[0].driven = true;
  all.push_back({"unicycle", unicycle,
                 [](double t, Input& input) {
                   waves(1, 0.5, 2.0)(t, input);
                   input.theta(0) = 2.0 * (1.0 - std::cos(t));
                   input.thetadot(0) = 2.0 * std::sin(t);
                   input.thetaddot(0) = 2.0 * std::cos(t);
                 },
                 Vector6d::Zero(), VectorXd::Zero(0), true});
  all.push_back({"snake", sample::wheeled_snake(),
                 [](double t, Input& input) { sample::snake_gait(t + 1.0, input); }});
  return all;
}

// Two ramps give the limit to second order in their length.
TEST(Break, IsTheLimitOfAShortRamp) {
  for (const Robot& robot : robots()) {
    const Model model(robot.tree);
    for (const Stretch& stretch :
         {Stretch{robot.gait, -1.0, 0.537}, Stretch{robot.gait, -1.0, 0.54},
          Stretch{robot.gait, 0.213, kNever}, Stretch{robot.gait, 0.2, 0.613}}) {
      // A start at rest that the wheels determine or that has no momentum; those with wheels on a
      // held shape at a singular instant have none.
      if (stretch.begin > 0.0 && robot.name == "snake") continue;
      const VectorXd found = run(robot, model, stretch);
      Stretch ramped = stretch;
      ramped.ramp = 2e-4;
      const VectorXd longer = run(robot, model, ramped);
      ramped.ramp = 1e-4;
      const VectorXd shorter = run(robot, model, ramped);
      const VectorXd limit = 2.0 * shorter - longer;
      Eigen::Index worst = 0;
      const double off = (found - limit).cwiseAbs().maxCoeff(&worst);
      EXPECT_LE(off, 2e-6) << robot.name << ", " << stretch.begin << " to " << stretch.end
                           << " s, value " << worst << ": " << found(worst) << ", " << limit(worst);
    }
  }
}

/// Of all bodies together, in world axes about the world's origin.
Vector6d momentum_of(const MultibodySystem& system, const Model& model) {
  std::vector<Vector6d> p;
  for (const Data::Body& body : system.data().body) p.push_back(body.momentum);
  for (int j = model.size() - 1; j >= 1; --j) {
    const auto at = static_cast<std::size_t>(j);
    p[static_cast<std::size_t>(model.body(j).parent)] +=
        math::to_parent(system.data().body[at].g, p[at]);
  }
  return math::to_parent(system.configuration().g, p[0]);
}

TEST(Break, KeepsTheMomentumOfAFreeTree) {
  const Robot robot = robots().front();
  const Model model(robot.tree);
  auto system = make(robot, model, {robot.gait, 0.2, 0.537});
  const Vector6d p = momentum_of(*system, model);
  Vector6d eta = system->data().eta_o;
  double jump = 0.0;
  while (system->step_count() < 100) {
    ASSERT_EQ(system->step().status, Status::ok);
    EXPECT_LE((momentum_of(*system, model) - p).norm(), 1e-10) << system->time() << " s";
    jump = std::max(jump, (system->data().eta_o - eta).norm());
    eta = system->data().eta_o;
  }
  EXPECT_GT(jump, 0.1) << "its twist jumps";
}

TEST(Break, AtTheEndOfAStepShowsTheSideBeforeIt) {
  const Robot robot = robots().front();
  const Model model(robot.tree);
  auto system = make(robot, model, {robot.gait, 0.2, 0.54});
  const auto step_to = [&](int k) {
    while (system->step_count() < k) ASSERT_EQ(system->step().status, Status::ok);
  };
  step_to(20);  // 0.2 s
  EXPECT_EQ(system->data().rdot.norm(), 0.0);
  step_to(54);
  EXPECT_GT(system->data().rdot.norm(), 0.1);
  step_to(55);
  EXPECT_EQ(system->data().rdot.norm(), 0.0);
}

TEST(Break, AStoppedSnakeStands) {
  const Robot robot = robots().back();
  const Model model(robot.tree);
  auto system = make(robot, model, {robot.gait, -1.0, 0.537});
  while (system->step_count() < 54) ASSERT_EQ(system->step().status, Status::ok);
  EXPECT_EQ(system->data().eta_o.norm(), 0.0);
  EXPECT_EQ(system->data().energy, 0.0) << "what it had went into its motors";
}

// Restored at any step, before, between and behind the breaks, it ends bit-identically.
TEST(Break, IsPassedByARestoredRunToo) {
  const Robot robot = robots().front();
  const Model model(robot.tree);
  const Stretch stretch{robot.gait, 0.2, 0.537};
  auto whole = make(robot, model, stretch);
  std::vector<ByteWriter> saved;
  while (whole->step_count() < 100) {
    if (whole->step_count() % 10 == 0 || whole->step_count() == 53) {
      ASSERT_TRUE(whole->save_state(saved.emplace_back()));
    }
    ASSERT_EQ(whole->step().status, Status::ok);
  }
  for (const ByteWriter& each : saved) {
    auto other = make(robot, model, stretch);
    ByteReader reader(each.bytes(), "state");
    other->restore_state(reader);
    while (other->step_count() < 100) ASSERT_EQ(other->step().status, Status::ok);
    EXPECT_EQ(other->state_hash(), whole->state_hash());
    EXPECT_EQ(number_of(*other, "work_servo"), number_of(*whole, "work_servo"));
  }
}

}  // namespace break_test
}  // namespace coluber::multibody
