// Laws of mechanics over whole runs: momentum, energy, order of convergence, memory, bits.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/planar/system.hpp"

#include "sample/snake.hpp"

namespace coluber::planar {
namespace laws_test {

using sample::Wave;

Model course() {
  Model model = sample::aiko();
  model.obstacles = sample::course();
  return model;
}

/// Runs the wave for `seconds`, calling `each(info)` after every step.
template <typename Each>
State run(const Model& model, State state, Data& data, const StepOptions& options, double seconds,
          Each&& each, const Wave& wave = {}) {
  JointCommand command(model.n() - 1);
  const int steps = static_cast<int>(std::lround(seconds / options.dt));
  for (int k = 0; k < steps; ++k) {
    sample::follow(wave, (k + 1) * options.dt, command);
    each(step(model, state, data, command, options), state);
  }
  return state;
}

TEST(PlanarLaws, MomentumChangesByTheExternalImpulsesAlone) {
  Model model = course();
  model.tilt = 0.05;
  model.tilt_direction = 1.0;
  Data data(model);
  State last = sample::course_start(model);
  double worst = 0.0;
  double touched = 0.0;
  run(model, last, data, {}, 3.0, [&](const nonsmooth::ContactStepInfo&, const State& state) {
    Eigen::Vector2d change = Eigen::Vector2d::Zero();
    for (int i = 0; i < model.n(); ++i) {
      const double m = model.links[static_cast<std::size_t>(i)].m;
      change += m * (state.u - last.u).segment<2>(3 * i);
      change -= data.ground_impulse.col(i) + data.obstacle_impulse.col(i) + m * 1e-3 * data.pull;
    }
    touched += data.obstacle_impulse.colwise().norm().sum();
    worst = std::max(worst, change.norm());
    last = state;
  });
  EXPECT_LE(worst, 1e-12);
  EXPECT_GT(touched, 0.1) << "the scene was meant to touch pegs";
}

TEST(PlanarLaws, AngularMomentumIsKeptInFreeFlightToFirstOrder) {
  // No gravity, no friction: joint servos cannot turn the robot's angular momentum from zero.
  Model model = sample::aiko(7);
  model.g = 0.0;
  std::vector<double> drift;
  for (const double dt : {2e-3, 1e-3, 5e-4}) {
    StepOptions options;
    options.dt = dt;
    Data data(model);
    double L = 0.0;
    State start = make_state(model, Wave{}.angles(6), 3, {0.0, 0.0}, 0.0);
    run(model, start, data, options, 1.0,
        [&](const nonsmooth::ContactStepInfo&, const State& state) {
          const Eigen::Matrix2Xd r = sample::link_positions(model, state, dt);
          Eigen::Vector2d p = Eigen::Vector2d::Zero();
          L = 0.0;
          for (int i = 0; i < 7; ++i) {
            const Link& link = model.links[static_cast<std::size_t>(i)];
            const Eigen::Vector2d v = state.u.segment<2>(3 * i);
            p += link.m * v;
            L += link.Theta * state.u(3 * i + 2) + link.m * (r(0, i) * v.y() - r(1, i) * v.x());
          }
          EXPECT_LE(p.norm(), 1e-13);
        });
    drift.push_back(std::abs(L));
  }
  EXPECT_LE(drift[2], 1e-4);
  EXPECT_LE(drift[1] / drift[0], 0.62);
  EXPECT_LE(drift[2] / drift[1], 0.62);
}

TEST(PlanarLaws, TheSchemesShareOfTheWorkHalvesWithTheStep) {
  std::vector<double> scheme;
  for (const double dt : {1e-3, 5e-4, 2.5e-4}) {
    const Model model = sample::aiko();
    Data data(model);
    StepOptions options;
    options.dt = dt;
    double size = 0.0;  // sum of |W_scheme|: the sum itself changes sign between phases of the wave
    double servo = 0.0;
    double friction = 0.0;
    run(model, sample::course_start(model), data, options, 2.0,
        [&](const nonsmooth::ContactStepInfo&, const State&) {
          size += std::abs(data.work.scheme);
          servo += data.work.servo;
          friction += data.work.friction;
        });
    scheme.push_back(size);
    EXPECT_GT(servo, 0.0);
    EXPECT_LT(friction, 0.0);
  }
  EXPECT_NEAR(scheme[0] / scheme[1], 2.0, 0.05);
  EXPECT_NEAR(scheme[1] / scheme[2], 2.0, 0.05);
}

TEST(PlanarLaws, WithoutServosKineticEnergyNeverGrows) {
  Model model = course();
  Data data(model);
  StepOptions options;
  options.activation = Activation::gap;
  State state = sample::course_start(model);
  // thrown along e_x, so that links hit pegs
  for (int i = 0; i < model.n(); ++i) state.u.segment<3>(3 * i) << 1.0, 0.1, 0.0;
  state.twist << 0.0, 1.0, 0.1;
  const JointCommand off(10);
  double T = 0.0;
  double T_start = 0.0;
  for (const Link& link : model.links) T += 0.5 * link.m * 1.01;
  T_start = T;
  double touched = 0.0;
  for (int k = 0; k < 1500; ++k) {
    const std::vector<PointMemory> before = state.ground;
    ASSERT_EQ(step(model, state, data, off, options).status, Status::ok);
    double give_back = 0.0;  // what the anchor can return: sum c_T |P_T| |P_T - A|
    for (std::size_t i = 0; i < before.size(); ++i) {
      const Eigen::Vector2d P = model.mu_T.cwiseProduct(state.ground[i].x_1.T);
      const Eigen::Vector2d A = model.mu_T.cwiseProduct(before[i].x_1.T);
      give_back += 0.02 / model.links[i].m * P.norm() * (P - A).norm();
    }
    EXPECT_LE(data.kinetic_energy - T, 1e-12 * T_start + give_back) << "step " << k;
    T = data.kinetic_energy;
    touched += data.obstacle_impulse.norm();
  }
  EXPECT_GT(touched, 0.01);
}

TEST(PlanarLaws, ConvergesAtFirstOrderOnASmoothScene) {
  // Sliding undulation without obstacles: friction never sticks for long; positions at 1 s.
  const Model model = sample::aiko();
  const auto end = [&](double dt) {
    Data data(model);
    StepOptions options;
    options.dt = dt;
    const State state = run(model, sample::course_start(model), data, options, 1.0,
                            [](const nonsmooth::ContactStepInfo&, const State&) {});
    return sample::link_positions(model, state, dt);
  };
  const Eigen::Matrix2Xd fine = end(6.25e-5);
  const double coarse = (end(2e-3) - fine).norm();
  const double half = (end(1e-3) - fine).norm();
  const double quarter = (end(5e-4) - fine).norm();
  EXPECT_GE(std::log2(coarse / half), 0.9);
  EXPECT_GE(std::log2(half / quarter), 0.9);
}

TEST(PlanarLaws, EveryStepOfTheCourseMeetsTheTolerance) {
  const Model model = course();
  Data data(model);
  int failed = 0;
  double worst = 0.0;
  double deepest = 0.0;
  run(model, sample::course_start(model), data, {}, 15.0,
      [&](const nonsmooth::ContactStepInfo& info, const State&) {
        failed += info.status == Status::ok ? 0 : 1;
        worst = std::max(worst, info.residual);
        deepest = std::max(deepest, data.penetration);
      });
  EXPECT_EQ(failed, 0);
  EXPECT_LE(worst, 1e-9);
  EXPECT_LE(deepest, 1e-4);
}

TEST(PlanarLaws, TurningTheWholeSceneTurnsTheAnswer) {
  const double angle = 0.8;
  const Eigen::Rotation2Dd R(angle);
  const Model model = course();
  Model turned = model;
  for (Obstacle& obstacle : turned.obstacles) obstacle.H = R * obstacle.H;
  State state = sample::course_start(model);
  State turned_state = sample::course_start(turned);
  turned_state.base << R * state.base.head<2>(), state.base(2) + angle;
  Data data(model);
  Data turned_data(turned);
  const auto nothing = [](const nonsmooth::ContactStepInfo&, const State&) {};
  state = run(model, state, data, {}, 3.0, nothing);
  turned_state = run(turned, turned_state, turned_data, {}, 3.0, nothing);
  const Eigen::Matrix2Xd a = R.toRotationMatrix() * sample::link_positions(model, state, 1e-3);
  const Eigen::Matrix2Xd b = sample::link_positions(turned, turned_state, 1e-3);
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 1e-7) << "impacts multiply round-off";
}

TEST(PlanarLaws, TheFallbackAloneGivesTheSameRun) {
  const Model model = course();
  StepOptions newton;
  newton.newton.tolerance = 1e-12;
  StepOptions fallback = newton;
  fallback.newton.max_sweeps = 0;
  Data data(model);
  Data fallback_data(model);
  int failed = 0;
  const auto count = [&](const nonsmooth::ContactStepInfo& info, const State&) {
    failed += info.status == Status::ok ? 0 : 1;
  };
  const State a = run(model, sample::course_start(model), data, newton, 1.0, count);
  const State b = run(model, sample::course_start(model), fallback_data, fallback, 1.0, count);
  EXPECT_EQ(failed, 0);
  EXPECT_LE(
      (sample::link_positions(model, a, 1e-3) - sample::link_positions(model, b, 1e-3)).norm(),
      1e-8);
}

TEST(PlanarLaws, AReferenceBeyondDoublePrecisionIsAFailedStep) {
  const Model model = sample::aiko();
  State state = sample::course_start(model);
  Data data(model);
  JointCommand command = sample::hold(state.phi);
  command.phi_d(3) = 1e298;
  bool failed = false;
  for (int k = 0; k < 20 && !failed; ++k)
    failed = step(model, state, data, command, {}).status != Status::ok;
  EXPECT_TRUE(failed) << "nothing of that size may pass for a result";
}

TEST(PlanarLaws, ANonFiniteCommandIsNamedAndLeavesTheStateAlone) {
  const Model model = sample::aiko();
  State state = sample::course_start(model);
  const State before = state;
  Data data(model);
  JointCommand command = sample::hold(state.phi);
  command.phi_d(3) = std::nan("");
  const nonsmooth::ContactStepInfo info = step(model, state, data, command, {});
  EXPECT_EQ(info.status, Status::non_finite);
  EXPECT_STREQ(info.quantity, "command of joint");
  EXPECT_EQ(info.index, 4);
  EXPECT_EQ(state.k, before.k);
  EXPECT_EQ(state.phi, before.phi);
}

TEST(PlanarLaws, AnOverlapIsWorkedOffByAFifthAStepButNeverFasterThanItsCap) {
  // 0 <= P _|_ gamma + b + c P >= 0 with m gamma = P: gamma = -b/(1 + epsilon)
  for (const bool plain : {false, true}) {
    for (const double overlap : {1e-4, 0.02}) {
      Model model = sample::aiko(1);
      model.mu_T.setZero();
      model.obstacles = {{{0.0, -(model.links[0].L_SC + 0.05) + overlap}, 0.05}};
      State state = make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.0);
      Data data(model);
      StepOptions options;
      options.plain = plain;
      ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
      const double speed = overlap < 1e-3 ? 0.2 * overlap / options.dt : 0.3;
      EXPECT_NEAR(state.u(1), speed / 1.02, 1e-12) << "overlap " << overlap;
      EXPECT_NEAR(data.penetration, overlap, 1e-15);
    }
  }
}

}  // namespace laws_test
}  // namespace coluber::planar
