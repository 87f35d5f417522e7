// Viscous friction beside the Coulomb law: closed forms of one link, laws of a chain, solvers
// against each other. Transeth (6.26)

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/core/random.hpp"

#include "planar/problem.hpp"
#include "sample/snake.hpp"

namespace coluber::planar {
namespace viscous_friction_test {

constexpr double kG = 9.81;

/// One link, two friction points.
Model one_link(const Vector2d& mu_T, const Vector2d& mu_V) {
  Model model = sample::aiko(1);
  model.friction_points = 2;
  model.mu_T = mu_T;
  model.mu_V = mu_V;
  return model;
}

/// Moves as (omega, v_x, v_y) says; axis at the angle `theta`.
State moving_link(const Model& model, double theta, const Vector3d& twist) {
  State state = make_state(model, VectorXd(0), 0, {0.0, 0.0}, theta);
  state.twist = twist;
  state.u << twist(1), twist(2), twist(0);
  return state;
}

/// A robot thrown and folding, every link's velocity that of its joints.
State thrown(const Model& model, std::uint64_t seed, double speed = 1.0) {
  Random random(seed);
  VectorXd phi(model.n() - 1);
  for (double& angle : phi) angle = random.uniform(-0.7, 0.7);
  State state = make_state(model, phi, 0, {0.0, 0.0}, random.uniform(-3.0, 3.0));
  for (double& rate : state.phidot) rate = speed * random.uniform(-3.0, 3.0);
  for (double& part : state.twist) part = speed * random.uniform(-1.0, 1.0);
  Data data(model);
  make_problem(model, state, JointCommand(model.n() - 1), {}, data);
  data.solution.root = state.twist;
  for (std::size_t k = 0; k + 1 < data.problem.nodes.size(); ++k) {
    const int i = data.link_of_node[k];
    data.solution.rate[k] = state.phidot(i > model.base() ? i - 1 : i);
  }
  update_twists(data.problem, data.solution);
  for (std::size_t k = 0; k < data.problem.nodes.size(); ++k) {
    const int i = data.link_of_node[k];
    const auto& u = data.solution.twist[k];
    state.u.segment<3>(3 * i) << u(1) - u(0) * data.pose.r(1, i), u(2) + u(0) * data.pose.r(0, i),
        u(0);
  }
  return state;
}

class ViscousInBothSteps : public testing::TestWithParam<bool> {
 protected:
  /// The rigid law where energy counts: the anchored law's compliance stores some.
  static StepOptions options(double dt = 1e-3, nonsmooth::Law law = nonsmooth::Law::anchored) {
    StepOptions asked;
    asked.dt = dt;
    asked.law = law;
    asked.plain = GetParam();
    return asked;
  }
};

INSTANTIATE_TEST_SUITE_P(Planar, ViscousInBothSteps, testing::Bool(),
                         [](const auto& one) { return one.param ? "plain" : "fast"; });

TEST_P(ViscousInBothSteps, AStepDividesTheSpeedOfASlidingLink) {
  // v_E = v_A - dt g mu_V v_E, each axis with its own coefficient, no Coulomb friction
  const Model model = one_link({0.0, 0.0}, {0.3, 0.8});
  const double theta = 0.4;
  const Vector2d along{std::cos(theta), std::sin(theta)};
  const Vector2d across{-along.y(), along.x()};
  State state = moving_link(model, theta, {0.0, 0.0, 0.0});
  state.u.head<2>() = 1.3 * along - 0.7 * across;
  state.twist.tail<2>() = state.u.head<2>();
  Data data(model);
  const StepOptions asked = options();
  for (int k = 1; k <= 500; ++k) {
    const Vector2d before = state.u.head<2>();
    const nonsmooth::ContactStepInfo info = step(model, state, data, JointCommand(0), asked);
    ASSERT_EQ(info.status, Status::ok);
    ASSERT_LE(info.residual, 1e-13);
    const Vector2d after = state.u.head<2>();
    ASSERT_NEAR(after.dot(along), 1.3 * std::pow(1.0 + 1e-3 * kG * 0.3, -k), 1e-13);
    ASSERT_NEAR(after.dot(across), -0.7 * std::pow(1.0 + 1e-3 * kG * 0.8, -k), 1e-13);
    ASSERT_LE((data.ground_impulse.col(0) - model.links[0].m * (after - before)).norm(), 1e-15);
    // one body, no joint: friction does all the work there is
    const double lost = 0.5 * model.links[0].m * (after.squaredNorm() - before.squaredNorm());
    ASSERT_NEAR(data.work.friction, lost, 1e-15);
    ASSERT_LE(std::abs(data.work.scheme), 1e-15);
  }
}

TEST_P(ViscousInBothSteps, ASlidingLinkFallsOffExponentiallyToFirstOrder) {
  std::vector<double> error;
  for (const double dt : {1e-3, 5e-4, 2.5e-4}) {
    const Model model = one_link({0.0, 0.0}, {0.3, 0.8});
    State state = moving_link(model, 0.0, {0.0, 2.0, 0.0});
    Data data(model);
    const int steps = static_cast<int>(std::lround(0.4 / dt));
    for (int k = 0; k < steps; ++k)
      ASSERT_EQ(step(model, state, data, JointCommand(0), options(dt)).status, Status::ok);
    error.push_back(state.u(0) - 2.0 * std::exp(-kG * 0.3 * 0.4));
  }
  EXPECT_NEAR(error[0] / error[1], 2.0, 0.01);
  EXPECT_NEAR(error[1] / error[2], 2.0, 0.01);
  EXPECT_LE(std::abs(error[2]), 3e-4);
}

TEST_P(ViscousInBothSteps, WithCoulombFrictionALinkStopsAtItsTimeAndSticks) {
  // v' = -g (mu + mu_V v): v(t) = (v_0 + mu/mu_V) exp(-g mu_V t) - mu/mu_V
  constexpr double mu = 0.2;
  constexpr double mu_V = 0.4;
  constexpr double v_0 = 1.5;
  const double stops = std::log(1.0 + v_0 * mu_V / mu) / (kG * mu_V);  // s
  for (const bool sideways : {false, true}) {
    std::vector<double> error;
    for (const double dt : {1e-3, 5e-4, 2.5e-4}) {
      const Model model =
          sideways ? one_link({0.6, mu}, {0.9, mu_V}) : one_link({mu, 0.6}, {mu_V, 0.9});
      State state =
          moving_link(model, 0.0, sideways ? Vector3d{0.0, 0.0, v_0} : Vector3d{0.0, v_0, 0.0});
      const int axis = sideways ? 1 : 0;
      Data data(model);
      double worst = 0.0;
      double stopped = 0.0;
      const int steps = static_cast<int>(std::lround(1.5 * stops / dt));
      double v = v_0;
      const StepOptions asked = options(dt, nonsmooth::Law::rigid);
      for (int k = 1; k <= steps; ++k) {
        ASSERT_EQ(step(model, state, data, JointCommand(0), asked).status, Status::ok);
        const double t = k * dt;
        v = (v - dt * kG * mu) / (1.0 + dt * kG * mu_V);
        if (v > 0.0) {
          ASSERT_NEAR(state.u(axis), v, 1e-12) << "the step's own closed form";
        }
        if (t < stops) {
          const double exact = (v_0 + mu / mu_V) * std::exp(-kG * mu_V * t) - mu / mu_V;
          worst = std::max(worst, std::abs(state.u(axis) - exact));
        }
        if (stopped == 0.0 && std::abs(state.u(axis)) < 1e-9) stopped = t;
      }
      error.push_back(worst);
      EXPECT_LE(std::abs(stopped - stops), 3.0 * dt);
      EXPECT_LE(state.u.norm(), 1e-14) << "the set-valued part of the law sticks";
    }
    EXPECT_NEAR(error[0] / error[1], 2.0, 0.02);
    EXPECT_NEAR(error[1] / error[2], 2.0, 0.02);
  }
}

TEST_P(ViscousInBothSteps, TwoPointsSlowASpinningLinkByTheSquareOfTheirArms) {
  for (const double offset : {0.0, 0.015, -0.02}) {
    Model model = one_link({0.0, 0.0}, {0.3, 0.8});
    model.links[0].offset = offset;
    const Link& link = model.links[0];
    const double rate = link.m * kG * 0.8 * (link.L_GS * link.L_GS - offset * offset) / link.Theta;
    State state = moving_link(model, 0.3, {6.0, 0.0, 0.0});
    Data data(model);
    for (int k = 1; k <= 300; ++k) {
      ASSERT_EQ(step(model, state, data, JointCommand(0), options()).status, Status::ok);
      ASSERT_NEAR(state.u(2), 6.0 * std::pow(1.0 + 1e-3 * rate, -k), 1e-12);
      ASSERT_LE(state.u.head<2>().norm(), 1e-14)
          << "unlike dry friction, which is not proportional, it does not push the link aside";
    }
    EXPECT_LT(state.u(2), 3.0);
  }
  Model one_point = one_link({0.0, 0.0}, {0.3, 0.8});
  one_point.friction_points = 1;
  State state = moving_link(one_point, 0.3, {6.0, 0.0, 0.0});
  Data data(one_point);
  for (int k = 0; k < 300; ++k)
    ASSERT_EQ(step(one_point, state, data, JointCommand(0), options()).status, Status::ok);
  EXPECT_NEAR(state.u(2), 6.0, 1e-12) << "a point in the centre of gravity has no arm";
}

TEST_P(ViscousInBothSteps, OnASlopeALinkSettlesAtItsTerminalSpeed) {
  // m g sin(tilt) = m g cos(tilt) mu_V v
  Model model = one_link({0.0, 0.0}, {0.9, 0.9});
  model.tilt = 0.2;
  model.tilt_direction = 0.7;
  State state = moving_link(model, -0.4, {0.0, 0.0, 0.0});
  Data data(model);
  for (int k = 0; k < 6000; ++k)
    ASSERT_EQ(step(model, state, data, JointCommand(0), options()).status, Status::ok);
  const double v = std::tan(0.2) / 0.9;
  EXPECT_NEAR(state.u(0), v * std::cos(0.7), 1e-12);
  EXPECT_NEAR(state.u(1), v * std::sin(0.7), 1e-12);
}

TEST_P(ViscousInBothSteps, ViscousFrictionTakesEnergyAndMomentumChangesByItsImpulses) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Model model = sample::aiko(2 + static_cast<int>(seed % 8));
    model.friction_points = 1 + static_cast<int>(seed % 2);
    model.mu_V = {0.2, 0.7};
    if (seed % 3 == 0) model.mu_T.setZero();
    State state = thrown(model, seed);
    Data data(model);
    const JointCommand free(model.n() - 1);
    double T_start = 0.0;
    for (int k = 0; k < 300; ++k) {
      const State last = state;
      double T_A = 0.0;
      for (int i = 0; i < model.n(); ++i) {
        const Link& link = model.links[static_cast<std::size_t>(i)];
        const Vector3d u = last.u.segment<3>(3 * i);
        T_A += 0.5 * (link.m * u.head<2>().squaredNorm() + link.Theta * u(2) * u(2));
      }
      if (k == 0) T_start = T_A;
      const StepOptions asked = options(1e-3, nonsmooth::Law::rigid);
      ASSERT_EQ(step(model, state, data, free, asked).status, Status::ok);
      ASSERT_LE(data.kinetic_energy, T_A + 1e-15) << "step " << k;
      ASSERT_NEAR(data.kinetic_energy - T_A, data.work.friction + data.work.scheme, 1e-14);
      Vector2d change = Vector2d::Zero();
      for (int i = 0; i < model.n(); ++i) {
        change += model.links[static_cast<std::size_t>(i)].m * (state.u - last.u).segment<2>(3 * i);
      }
      ASSERT_LE((change - data.ground_impulse.rowwise().sum()).norm(), 1e-12);
    }
    EXPECT_LT(data.kinetic_energy, 0.5 * T_start);
  }
}

TEST_P(ViscousInBothSteps, ItsWorkIsWhatARobotLosesToFirstOrder) {
  // Without motors friction takes all the energy; what the scheme leaves over halves with the step.
  Model model = sample::aiko(6);
  model.friction_points = 2;
  model.mu_T.setZero();
  model.mu_V = {0.2, 0.7};
  std::vector<double> left;
  for (const double dt : {5e-4, 2.5e-4, 1.25e-4}) {
    State state = thrown(model, 5);
    Data data(model);
    double friction = 0.0;
    double scheme = 0.0;
    const int steps = static_cast<int>(std::lround(0.3 / dt));
    for (int k = 0; k < steps; ++k) {
      ASSERT_EQ(step(model, state, data, JointCommand(5), options(dt)).status, Status::ok);
      ASSERT_LT(data.work.friction, 0.0);
      friction += data.work.friction;
      scheme += data.work.scheme;
    }
    EXPECT_LT(friction, -0.5);
    left.push_back(scheme);
  }
  EXPECT_NEAR(left[0] / left[1], 2.0, 0.1);
  EXPECT_NEAR(left[1] / left[2], 2.0, 0.1);
}

TEST_P(ViscousInBothSteps, WithoutLoadThereIsNone) {
  Model model = sample::aiko(5);
  model.g = 0.0;
  State state = thrown(model, 3);
  State same = state;
  Data dry(model);
  ASSERT_EQ(step(model, state, dry, JointCommand(4), options()).status, Status::ok);
  model.mu_V = {0.3, 0.8};
  Data wet(model);
  ASSERT_EQ(step(model, same, wet, JointCommand(4), options()).status, Status::ok);
  EXPECT_EQ(state.u, same.u);
  EXPECT_EQ(wet.work.friction, 0.0);
  EXPECT_TRUE(wet.ground_impulse.isZero(0.0));
}

TEST_P(ViscousInBothSteps, HoweverThickTheGroundAStepStaysStable) {
  for (const double mu_V : {1.0, 1e2, 1e4, 1e8}) {
    SCOPED_TRACE(mu_V);
    Model model = sample::aiko();
    model.friction_points = 2;
    model.mu_T = {0.2, 0.5};
    model.mu_V = {0.01 * mu_V, mu_V};
    State state = sample::course_start(model);
    Data data(model);
    JointCommand command(10);
    for (int k = 0; k < 500; ++k) {
      sample::follow({}, (k + 1) * 5e-3, command, 200.0, 1.2);
      const nonsmooth::ContactStepInfo info = step(model, state, data, command, options(5e-3));
      ASSERT_EQ(info.status, Status::ok) << "step " << k << ", residual " << info.residual;
      ASSERT_LT(state.u.cwiseAbs().maxCoeff(), 10.0);
    }
  }
}

struct Way {
  const char* name;
  Solver solver;
  bool plain;
  int max_sweeps;
};

TEST(ViscousFriction, EverySolverGivesTheSameStep) {
  const nonsmooth::NewtonOptions usual;
  for (const nonsmooth::Law law : {nonsmooth::Law::anchored, nonsmooth::Law::rigid}) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      Model model = sample::aiko(3 + static_cast<int>(seed % 9));
      model.friction_points = 1 + static_cast<int>(seed % 2);
      model.mu_T = seed % 4 == 0 ? Vector2d{0.0, 0.0} : Vector2d{0.2, 0.5};
      model.mu_V = {0.1, 2.0};
      const State start =
          thrown(model, seed, seed % 3 == 1 ? 1e-2 : 1.0);  // slow: some points stick
      JointCommand command = sample::hold(start.phi, 50.0, 0.5);
      VectorXd reference;
      double friction = 0.0;
      for (const Way& way : {Way{"newton", Solver::newton, false, usual.max_sweeps},
                             Way{"newton, plain", Solver::newton, true, usual.max_sweeps},
                             Way{"newton, fallback alone", Solver::newton, true, 0},
                             Way{"gauss_seidel", Solver::gauss_seidel, false, 0},
                             Way{"thesis", Solver::thesis, false, 0}}) {
        SCOPED_TRACE(std::string(way.name) + ", seed " + std::to_string(seed));
        StepOptions options;
        options.solver = way.solver;
        options.plain = way.plain;
        options.law = law;
        options.newton.tolerance = 1e-13;
        options.newton.max_sweeps = way.max_sweeps;
        options.gauss_seidel.tolerance = 1e-13;
        options.gauss_seidel.max_iterations = 100000;
        options.thesis.r_T = 0.2;
        options.thesis.epsilon = 1e-16;
        options.thesis.max_iterations = 100000;
        State state = start;
        Data data(model);
        for (int k = 0; k < 5; ++k) {
          const nonsmooth::ContactStepInfo info = step(model, state, data, command, options);
          ASSERT_EQ(info.status, Status::ok) << info.residual;
          ASSERT_LE(info.residual, 1e-9);
        }
        if (reference.size() == 0) {
          reference = state.u;
          friction = data.work.friction;
          continue;
        }
        // rigid: what the proximal terms may leave, 1e-10 of the weight a step
        EXPECT_LE((state.u - reference).cwiseAbs().maxCoeff(), 1e-9);
        EXPECT_NEAR(data.work.friction, friction, 1e-10);
      }
    }
  }
}

TEST(ViscousFriction, TheResidualFromOutsideSeesAStepThatForgotIt) {
  Model model = sample::aiko(5);
  model.friction_points = 2;
  const State start = thrown(model, 2);
  const JointCommand command = sample::hold(start.phi);
  const StepOptions options;
  // the answer of a dry step, judged by the problem of the wet one
  State state = start;
  Data dry(model);
  StepOptions plain = options;
  plain.plain = true;
  ASSERT_EQ(step(model, state, dry, command, plain).status, Status::ok);
  model.mu_V = {0.1, 0.2};
  Data wet(model);
  make_problem(model, start, command, options, wet);
  nonsmooth::ResidualData<3> scratch;
  EXPECT_GT(compute_residual(wet.problem, dry.solution, scratch).momentum, 1e-3);
  state = start;
  ASSERT_EQ(step(model, state, wet, command, plain).status, Status::ok);
  EXPECT_LE(compute_residual(wet.problem, wet.solution, scratch).momentum, 1e-10);
}

TEST(ViscousFriction, LeavesTheLimitOfAnExplicitServoAlone) {
  Model model = sample::aiko();
  const State state = sample::course_start(model);
  const double limit = explicit_servo_limit(model, state, 200.0, 1.2);
  model.mu_V = {0.1, 1e3};
  EXPECT_EQ(explicit_servo_limit(model, state, 200.0, 1.2), limit)
      << "damping is no inertia: the limit is that of the robot off the ground";
}

TEST(ViscousFriction, IsRefusedIfNegativeOrNoNumber) {
  Model model = sample::aiko(2);
  model.mu_V = {0.1, 0.2};
  EXPECT_NO_THROW(require_valid(model));
  for (const double bad :
       {-1e-9, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    model.mu_V = {0.1, bad};
    EXPECT_THROW(require_valid(model), Error) << bad;
    model.mu_V = {bad, 0.1};
    EXPECT_THROW(require_valid(model), Error) << bad;
  }
}

}  // namespace viscous_friction_test
}  // namespace coluber::planar
