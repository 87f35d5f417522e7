// Motors with a largest torque, in the step (implicit servo) and before it (explicit).

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/planar/system.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

#include "planar/fast_step.hpp"
#include "planar/problem.hpp"
#include "sample/snake.hpp"

namespace coluber::planar {
namespace torque_limit_test {

/// Two free links, straight: lambda = 2/Theta turns a joint torque into a joint acceleration.
struct Pair {
  Model model = [] {
    Model two = sample::aiko(2);
    two.g = 0.0;
    return two;
  }();
  State state = make_state(model, Eigen::VectorXd::Zero(1), 0, {0.0, 0.0}, 0.0);
  Data data{model};
  double lambda = 2.0 / model.links[0].Theta;
};

TEST(TorqueLimit, ASaturatedServoAcceleratesTheJointWithTheLimitAndNoMore) {
  for (const double direction : {1.0, -1.0}) {
    Pair pair;
    JointCommand command = sample::hold(Eigen::VectorXd::Constant(1, 0.5 * direction));
    command.tau_max.setConstant(0.1);  // the servo would ask for 400 N m
    const StepOptions options;
    const nonsmooth::ContactStepInfo info =
        step(pair.model, pair.state, pair.data, command, options);
    ASSERT_EQ(info.status, Status::ok);
    EXPECT_LE(info.residual, 1e-10);
    EXPECT_NEAR(pair.state.phidot(0), direction * pair.lambda * 0.1 * options.dt, 1e-12);
    EXPECT_EQ(pair.data.tau(0), direction * 0.1);
  }
}

TEST(TorqueLimit, WhatIsRecordedAtTheLimitNeverExceedsItByABit) {
  // dt tau_max / dt may round up
  for (const bool plain : {false, true}) {
    for (const double dt : {1e-3, 7e-4, 3e-4, 1.7e-3}) {
      for (int tenth = 1; tenth < 100; ++tenth) {
        Pair pair;
        const double limit = 0.1 * tenth;
        JointCommand command = sample::hold(Eigen::VectorXd::Constant(1, tenth % 2 - 0.5));
        command.tau_max.setConstant(limit);
        StepOptions options;
        options.dt = dt;
        options.plain = plain;
        ASSERT_EQ(step(pair.model, pair.state, pair.data, command, options).status, Status::ok);
        EXPECT_LE(std::abs(pair.data.tau(0)), limit) << (plain ? "plain, " : "fast, ") << dt;
        EXPECT_NEAR(std::abs(pair.data.tau(0)), limit, 3e-16 * limit);
      }
    }
  }
}

TEST(TorqueLimit, ATorqueGivenAsANumberIsCutOffToo) {
  Pair pair;
  JointCommand command(1);
  command.tau(0) = -3.0;
  command.tau_max.setConstant(0.2);
  ASSERT_EQ(step(pair.model, pair.state, pair.data, command, {}).status, Status::ok);
  EXPECT_NEAR(pair.state.phidot(0), -pair.lambda * 0.2 * 1e-3, 1e-12);
  EXPECT_EQ(pair.data.tau(0), -0.2);
}

TEST(TorqueLimit, TheResidualCountsAJointThatGivesMoreThanItsMotorCan) {
  // The guess turns with the reference, so its servo idles; the robot is at rest, so the first
  // sweep asks far too much of the motor. Cut off there, the step is off by what exceeds the limit.
  for (const Solver solver : {Solver::newton, Solver::gauss_seidel, Solver::thesis}) {
    Pair pair;
    pair.state.phidot(0) = 3.0;
    JointCommand command(1);
    command.k_D(0) = 2.0;
    command.phidot_d(0) = 3.0;
    command.tau_max(0) = 0.1;
    StepOptions options;
    options.solver = solver;
    options.newton.max_sweeps = 1;
    options.newton.fallback = false;
    State state = pair.state;
    const double sd = 2.0 * options.dt;
    const double asked = 3.0 * sd / (1.0 + pair.lambda * sd);  // N m s, without a limit
    ASSERT_GT(asked, 10.0 * 0.1 * options.dt);
    const Link& link = pair.model.links[0];
    const double scaled =
        (asked - 0.1 * options.dt) / (2.0 * link.L) / (link.m * 9.81 * options.dt);
    if (solver == Solver::newton) {
      const nonsmooth::ContactStepInfo cut = step(pair.model, state, pair.data, command, options);
      EXPECT_EQ(cut.status, Status::not_converged);
      EXPECT_NEAR(cut.residual, scaled, 1e-9 * scaled);
      EXPECT_NEAR(cut.rigid_residual, scaled, 1e-9 * scaled);
      EXPECT_LE(std::abs(pair.data.tau(0)), 0.1) << "what is recorded never exceeds it";
      options.newton = {};
    }
    options.thesis.epsilon = 1e-15;
    State other = pair.state;
    find_contacts(pair.model, other, {}, pair.data);
    EXPECT_TRUE(step_fast(pair.model, other, pair.data, command, {})) << "settled by itself";
    const nonsmooth::ContactStepInfo info =
        step(pair.model, pair.state, pair.data, command, options);
    ASSERT_EQ(info.status, Status::ok);
    EXPECT_LE(info.residual, 1e-10);
    EXPECT_NEAR(pair.state.phidot(0), pair.lambda * 0.1 * options.dt, 1e-11);
    EXPECT_EQ(pair.data.tau(0), 0.1);
  }
}

TEST(TorqueLimit, EveryJointHasOneOfItsOwn) {
  // Bare floor, all joints asked to bend far: the weak one gives what it can, the others far more.
  const Model model = sample::aiko(6);
  for (const bool plain : {false, true}) {
    for (int weak = 0; weak < 5; ++weak) {
      SCOPED_TRACE(std::string(plain ? "plain" : "fast") + ", joint " + std::to_string(weak + 1));
      State state = make_state(model, Eigen::VectorXd::Zero(5), 0, {0.0, 0.0}, 0.0);
      Data data(model);
      StepOptions options;
      options.plain = plain;
      JointCommand command = sample::hold(Eigen::VectorXd::Constant(5, 0.3));
      command.tau_max(weak) = 0.05;
      if (plain) {
        ASSERT_EQ(step(model, state, data, command, options).status, Status::ok);
      } else {
        find_contacts(model, state, options, data);
        ASSERT_TRUE(step_fast(model, state, data, command, options)) << "left to the plain step";
      }
      for (int j = 0; j < 5; ++j) {
        if (j == weak) {
          EXPECT_EQ(std::abs(data.tau(j)), 0.05);
        } else {
          EXPECT_GT(std::abs(data.tau(j)), 0.2) << "joint " << j + 1;
        }
      }
    }
  }
}

TEST(TorqueLimit, BelowTheLimitItChangesNoBit) {
  Model model = sample::aiko();
  model.obstacles = sample::course();
  const auto end = [&](double limit) {
    PlanarSystem system(model, sample::course_start(model), {});
    JointCommand command(10);
    command.tau_max.setConstant(limit);
    for (int k = 0; k < 2000; ++k) {
      sample::follow({}, (k + 1) * 1e-3, command);
      EXPECT_EQ(system.step(command).status, Status::ok);
    }
    return system.state_hash();
  };
  EXPECT_EQ(end(std::numeric_limits<double>::infinity()), end(1e6));
}

TEST(TorqueLimit, ALimitThatIsNoNumberIsNamed) {
  Pair pair;
  JointCommand command(1);
  command.tau_max(0) = std::nan("");
  const nonsmooth::ContactStepInfo info = step(pair.model, pair.state, pair.data, command, {});
  EXPECT_EQ(info.status, Status::non_finite);
  EXPECT_STREQ(info.quantity, "command of joint");
  EXPECT_EQ(info.index, 1);
  EXPECT_EQ(pair.state.k, 0);
}

record::Trajectory run(const std::string& file, const scenario::Overrides& overrides) {
  auto simulation = simulation::make_simulation(
      scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + file + ".toml", overrides));
  record::TrajectorySink sink;
  simulation::FrameSink* sinks[] = {&sink};
  const auto outcome = simulation::run(simulation, sinks);
  EXPECT_EQ(outcome.status, simulation::RunStatus::completed) << outcome.message;
  return sink.trajectory();
}

TEST(TorqueLimit, NoRecordedTorqueExceedsItAndMomentumKnowsIt) {
  // At the limit of 3 N m the course needs more at times. Recorded at every step, the joint torques
  // together with the forces must account for the motion: the work of the scheme stays small.
  for (const char* servo : {"controller.servo=implicit", "controller.servo=explicit"}) {
    const record::Trajectory t =
        run("aiko_course", {"duration=4", "controller.torque_limit=3.0", servo, "solver.dt=2.5e-4",
                            "record.rate_hz=4000"});
    long at_the_limit = 0;
    double servo_work = 0.0;
    for (std::size_t k = 1; k < t.frames(); ++k) {
      for (int j = 0; j < 10; ++j) {
        const double tau = t.at("joint_torque", k, j);
        ASSERT_LE(std::abs(tau), 3.0);
        at_the_limit += std::abs(tau) == 3.0 ? 1 : 0;
        servo_work += tau * (t.at("joint_angle", k, j) - t.at("joint_angle", k - 1, j));
      }
    }
    EXPECT_GT(at_the_limit, 50) << servo;
    EXPECT_NEAR(t.column("work_servo").back(), servo_work, 1e-9 * servo_work) << servo;
    // The discretisation's own share is first order in dt; a torque that acts but is not recorded
    // would have to show up in it.
    EXPECT_LE(std::abs(t.column("work_scheme").back()), 0.02 * servo_work) << servo;
  }
}

TEST(TorqueLimit, ExplicitAndImplicitServosAgreeToFirstOrder) {
  // Undulation on the floor, weak motors: the joints saturate again and again.
  const auto end = [](double dt, bool implicit) {
    Model model = sample::aiko();
    State state = sample::course_start(model);
    Data data(model);
    StepOptions options;
    options.dt = dt;
    JointCommand command(10);
    command.tau_max.setConstant(0.6);
    const sample::Wave wave;
    const int steps = static_cast<int>(std::lround(1.5 / dt));
    int saturated = 0;
    for (int k = 0; k < steps; ++k) {
      if (implicit) {
        sample::follow(wave, (k + 1) * dt, command, 200.0, 1.2);
      } else {
        for (int j = 0; j < 10; ++j) {
          const double phi = state.phi(j) - 0.5 * dt * state.phidot(j);
          command.tau(j) = 200.0 * (wave.angle(j, k * dt) - phi) +
                           1.2 * (wave.rate(j, k * dt) - state.phidot(j));
        }
      }
      EXPECT_EQ(step(model, state, data, command, options).status, Status::ok);
      saturated += data.tau.cwiseAbs().maxCoeff() >= 0.6 ? 1 : 0;
    }
    EXPECT_GT(saturated, steps / 10);
    return sample::link_positions(model, state, dt);
  };
  std::vector<double> apart;
  for (const double dt : {2e-4, 1e-4, 5e-5})
    apart.push_back((end(dt, true) - end(dt, false)).norm());
  EXPECT_LE(apart[0], 2e-3);
  EXPECT_NEAR(apart[0] / apart[1], 2.0, 0.5);
  EXPECT_NEAR(apart[1] / apart[2], 2.0, 0.5);
}

}  // namespace torque_limit_test
}  // namespace coluber::planar
