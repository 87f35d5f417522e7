// Rotational friction of the ground: closed forms of one link, laws of a chain, solvers and layouts
// against each other. Holden, Table V

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/core/random.hpp"

#include "planar/fast_step.hpp"
#include "planar/problem.hpp"
#include "planar/start.hpp"
#include "sample/snake.hpp"

namespace coluber::planar {
namespace rotational_friction_test {

constexpr double kG = 9.81;
constexpr double kC = 0.1;  // m s, Holden's

/// One link that only turning is resisted of.
Model one_link() {
  Model model = sample::aiko(1);
  model.mu_T.setZero();
  model.c_R = kC;
  return model;
}

/// A robot thrown and folding.
State thrown(const Model& model, std::uint64_t seed, double dt, double turned = 0.0) {
  Random random(seed);
  const int n = model.n();
  VectorXd phi(n - 1);
  for (double& angle : phi) angle = random.uniform(-0.7, 0.7);
  State state = make_state(model, phi, 0, {0.0, 0.0}, random.uniform(-3.0, 3.0) + turned);
  VectorXd rate(n);
  for (double& each : rate) each = random.uniform(-3.0, 3.0);
  const Vector2d v{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
  VectorXd weights = VectorXd::Constant(n, 1.0 / n);
  const Eigen::Rotation2Dd turn(turned);
  set_in_motion(model, rate, weights, turn * v, dt, state);
  return state;
}

double energy(const Model& model, const State& state) {
  double T = 0.0;
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const Vector3d u = state.u.segment<3>(3 * i);
    T += 0.5 * (link.m * u.head<2>().squaredNorm() + link.Theta * u(2) * u(2));
  }
  return T;
}

class RotationalInBothSteps : public testing::TestWithParam<bool> {
 protected:
  static StepOptions options(double dt = 1e-3) {
    StepOptions asked;
    asked.dt = dt;
    asked.law = nonsmooth::Law::rigid;
    asked.plain = GetParam();
    return asked;
  }
};

INSTANTIATE_TEST_SUITE_P(Planar, RotationalInBothSteps, testing::Bool(),
                         [](const auto& one) { return one.param ? "plain" : "fast"; });

TEST_P(RotationalInBothSteps, AStepDividesTheRateOfASpinningLink) {
  // Theta omega_E = Theta omega_A - dt c m g omega_E
  for (const double tilt : {0.0, 0.3}) {
    Model model = one_link();
    model.tilt = tilt;
    model.links[0].offset = 0.01;
    const Link& link = model.links[0];
    const double rate = kC * link.m * kG * std::cos(tilt) / link.Theta;
    State state = make_state(model, VectorXd(0), 0, {0.0, 0.0}, 0.4);
    state.twist << 6.0, 0.3, -0.2;
    state.u << 0.3, -0.2, 6.0;
    Data data(model);
    for (int k = 1; k <= 30; ++k) {
      const Vector3d before = state.u;
      const nonsmooth::ContactStepInfo info = step(model, state, data, JointCommand(0), options());
      ASSERT_EQ(info.status, Status::ok);
      ASSERT_LE(info.residual, 1e-13);
      ASSERT_NEAR(state.u(2), 6.0 * std::pow(1.0 + 1e-3 * rate, -k), 1e-13);
      ASSERT_TRUE(data.ground_impulse.isZero(0.0)) << "a torque pushes nothing";
      const double lost = 0.5 * link.Theta * (state.u(2) * state.u(2) - before(2) * before(2));
      ASSERT_NEAR(data.work.friction, lost, 1e-15);
      ASSERT_LE(std::abs(data.work.scheme), 1e-14);
      if (tilt == 0.0) {
        ASSERT_LE((state.u - before).head<2>().norm(), 1e-15);
      }
    }
  }
}

TEST_P(RotationalInBothSteps, ASpinningLinkFallsOffExponentiallyToFirstOrder) {
  std::vector<double> error;
  for (const double dt : {1e-4, 5e-5, 2.5e-5}) {
    const Model model = one_link();
    const double rate = kC * model.links[0].m * kG / model.links[0].Theta;
    State state = make_state(model, VectorXd(0), 0, {0.0, 0.0}, 0.4);
    state.twist(0) = state.u(2) = 6.0;
    Data data(model);
    const int steps = static_cast<int>(std::lround(4e-3 / dt));
    for (int k = 0; k < steps; ++k) {
      ASSERT_EQ(step(model, state, data, JointCommand(0), options(dt)).status, Status::ok);
    }
    error.push_back(state.u(2) - 6.0 * std::exp(-rate * 4e-3));
  }
  EXPECT_NEAR(error[0] / error[1], 2.0, 0.05);
  EXPECT_NEAR(error[1] / error[2], 2.0, 0.05);
  EXPECT_LE(std::abs(error[2]), 2e-2);
}

TEST_P(RotationalInBothSteps, TakesEnergyAndTheBalanceCloses) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Model model = sample::aiko(2 + static_cast<int>(seed % 8));
    model.friction_points = 1 + static_cast<int>(seed % 2);
    if (seed % 3 == 0) model.mu_T.setZero();
    if (seed % 4 == 0) model.mu_V = {0.1, 0.2};
    model.c_R = seed % 5 == 0 ? 10.0 : 0.01;
    State state = thrown(model, seed, 1e-3);
    Data data(model);
    const JointCommand free(model.n() - 1);
    double done = 0.0;
    for (int k = 0; k < 200; ++k) {
      const State last = state;
      const double T_A = energy(model, last);
      ASSERT_EQ(step(model, state, data, free, options()).status, Status::ok);
      ASSERT_LE(data.kinetic_energy, T_A + 1e-15) << "step " << k;
      ASSERT_NEAR(data.kinetic_energy, energy(model, state), 1e-13);
      ASSERT_NEAR(data.kinetic_energy - T_A, data.work.friction + data.work.scheme, 1e-14);
      ASSERT_LE(data.work.friction, 1e-15);
      done += data.work.friction;
      Vector2d change = Vector2d::Zero();
      for (int i = 0; i < model.n(); ++i) {
        change += model.links[static_cast<std::size_t>(i)].m * (state.u - last.u).segment<2>(3 * i);
      }
      // the solver's 1e-10 of the weight over a step
      ASSERT_LE((change - data.ground_impulse.rowwise().sum()).norm(), 1e-11);
    }
    EXPECT_LT(done, -0.01);
  }
}

TEST_P(RotationalInBothSteps, DoesNotDependOnTheHeading) {
  Model model = sample::aiko(7);
  model.c_R = kC;
  model.mu_T = {0.1, 0.4};
  const double turned = 1.234;
  State straight = thrown(model, 3, 1e-3);
  State other = thrown(model, 3, 1e-3, turned);
  Data data(model);
  Data turned_data(model);
  const Eigen::Rotation2Dd turn(turned);
  for (int k = 0; k < 100; ++k) {
    ASSERT_EQ(step(model, straight, data, JointCommand(6), options()).status, Status::ok);
    ASSERT_EQ(step(model, other, turned_data, JointCommand(6), options()).status, Status::ok);
    ASSERT_NEAR(data.work.friction, turned_data.work.friction, 1e-10);
  }
  EXPECT_LE((straight.phidot - other.phidot).norm(), 1e-8);
  for (int i = 0; i < 7; ++i) {
    EXPECT_LE((turn * straight.u.segment<2>(3 * i) - other.u.segment<2>(3 * i)).norm(), 1e-8);
  }
}

TEST_P(RotationalInBothSteps, WithoutLoadThereIsNone) {
  Model model = sample::aiko(5);
  model.g = 0.0;
  State state = thrown(model, 3, 1e-3);
  State same = state;
  Data dry(model);
  ASSERT_EQ(step(model, state, dry, JointCommand(4), options()).status, Status::ok);
  model.c_R = kC;
  Data wet(model);
  ASSERT_EQ(step(model, same, wet, JointCommand(4), options()).status, Status::ok);
  EXPECT_EQ(state.u, same.u);
  EXPECT_EQ(wet.work.friction, 0.0);
}

TEST_P(RotationalInBothSteps, HoweverStrongAStepStaysStable) {
  for (const double c : {1.0, 1e2, 1e4, 1e6}) {
    SCOPED_TRACE(c);
    Model model = sample::aiko();
    model.mu_T = {0.2, 0.5};
    model.c_R = c;
    State state = sample::course_start(model);
    Data data(model);
    JointCommand command(10);
    for (int k = 0; k < 300; ++k) {
      sample::follow({}, (k + 1) * 5e-3, command, 200.0, 1.2);
      const nonsmooth::ContactStepInfo info = step(model, state, data, command, options(5e-3));
      ASSERT_EQ(info.status, Status::ok) << "step " << k << ", residual " << info.residual;
      ASSERT_LT(state.u.cwiseAbs().maxCoeff(), 10.0);
    }
  }
}

struct TurningWay {
  const char* name;
  Solver solver;
  bool plain;
  int max_sweeps;
};

TEST(RotationalFriction, EverySolverGivesTheSameStep) {
  const nonsmooth::NewtonOptions usual;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Model model = sample::aiko(3 + static_cast<int>(seed % 9));
    model.friction_points = 1 + static_cast<int>(seed % 2);
    model.mu_T = seed % 4 == 0 ? Vector2d{0.0, 0.0} : Vector2d{0.2, 0.5};
    model.c_R = kC;
    const State start = thrown(model, seed, 1e-3);
    const JointCommand command = sample::hold(start.phi, 50.0, 0.5);
    VectorXd reference;
    double friction = 0.0;
    for (const TurningWay& way : {TurningWay{"newton", Solver::newton, false, usual.max_sweeps},
                                  TurningWay{"plain", Solver::newton, true, usual.max_sweeps},
                                  TurningWay{"fallback", Solver::newton, true, 0},
                                  TurningWay{"gauss_seidel", Solver::gauss_seidel, false, 0},
                                  TurningWay{"thesis", Solver::thesis, false, 0}}) {
      SCOPED_TRACE(std::string(way.name) + ", seed " + std::to_string(seed));
      StepOptions options;
      options.solver = way.solver;
      options.plain = way.plain;
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
      EXPECT_LE((state.u - reference).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_NEAR(data.work.friction, friction, 1e-10);
    }
  }
}

TEST(RotationalFriction, EveryLayoutGivesTheSameBits) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) GTEST_SUCCEED() << "this processor has one path only";
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Model model = sample::aiko(1 + static_cast<int>(seed));
    model.friction_points = 1 + static_cast<int>(seed % 2);
    if (seed % 3 == 0) model.mu_T.setZero();
    model.c_R = kC;
    State one = thrown(model, seed, 1e-3);
    State other = one;
    Data wide(model);
    Data narrow(model);
    narrow.fast->kernels = portable_fast_kernels(false);
    const JointCommand command = sample::hold(one.phi, 50.0, 0.5);
    for (int k = 0; k < 60; ++k) {
      const nonsmooth::ContactStepInfo a = step(model, one, wide, command, {});
      const nonsmooth::ContactStepInfo b = step(model, other, narrow, command, {});
      ASSERT_EQ(a.residual, b.residual);
      ASSERT_EQ(one.u, other.u);
      ASSERT_EQ(wide.work.friction, narrow.work.friction);
      ASSERT_EQ(wide.work.scheme, narrow.work.scheme);
    }
  }
#endif
}

TEST(RotationalFriction, TheResidualFromOutsideSeesAStepThatForgotIt) {
  Model model = sample::aiko(5);
  const State start = thrown(model, 2, 1e-3);
  const JointCommand command = sample::hold(start.phi);
  StepOptions plain;
  plain.plain = true;
  State state = start;
  Data dry(model);
  ASSERT_EQ(step(model, state, dry, command, plain).status, Status::ok);
  model.c_R = 0.01;
  Data wet(model);
  make_problem(model, start, command, plain, wet);
  nonsmooth::ResidualData<3> scratch;
  EXPECT_GT(compute_residual(wet.problem, dry.solution, scratch).momentum, 1e-3);
  state = start;
  ASSERT_EQ(step(model, state, wet, command, plain).status, Status::ok);
  EXPECT_LE(compute_residual(wet.problem, wet.solution, scratch).momentum, 1e-10);
}

TEST(RotationalFriction, LeavesTheLimitOfAnExplicitServoAlone) {
  Model model = sample::aiko();
  const State state = sample::course_start(model);
  const double limit = explicit_servo_limit(model, state, 200.0, 1.2);
  model.c_R = 10.0;
  EXPECT_EQ(explicit_servo_limit(model, state, 200.0, 1.2), limit);
}

TEST(RotationalFriction, IsRefusedIfNegativeOrNoNumber) {
  Model model = sample::aiko(2);
  model.c_R = kC;
  EXPECT_NO_THROW(require_valid(model));
  for (const double bad :
       {-1e-9, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    model.c_R = bad;
    EXPECT_THROW(require_valid(model), Error) << bad;
  }
}

}  // namespace rotational_friction_test
}  // namespace coluber::planar
