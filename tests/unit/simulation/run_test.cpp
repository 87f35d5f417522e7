#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/control/pd.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/gait/harmonic.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/simulation/simulation.hpp"

#include "support/one_joint.hpp"

namespace coluber::simulation {
namespace run_test {

using testing::HasSubstr;
using testing::Not;

// A wheel that a servo turns from 0 to `target`.
Simulation make_wheel(double dt, double duration, double rate_hz, double target = 0.5,
                      control::PdOptions servo = {.kp = 100.0, .kd = 20.0}) {
  Simulation simulation;
  simulation.scenario.duration = duration;
  simulation.scenario.record.rate_hz = rate_hz;
  simulation.system = std::make_unique<test::OneJoint>(dt);
  simulation.gait = std::make_unique<gait::Held>(Eigen::VectorXd::Constant(1, target));
  simulation.controller = std::make_unique<control::Pd>(servo);
  return simulation;
}

test::OneJoint& wheel(Simulation& simulation) {
  return dynamic_cast<test::OneJoint&>(*simulation.system);
}

double summary(const RunOutcome& outcome, const std::string& name) {
  for (const SummaryItem& item : outcome.summary) {
    if (item.name == name) return item.number();
  }
  ADD_FAILURE() << "no " << name << " in the summary";
  return 0.0;
}

RunOutcome::StepMean figure(const RunOutcome& outcome, const std::string& name) {
  for (const RunOutcome::StepMean& mean : outcome.step_figures) {
    if (mean.name == name) return mean;
  }
  ADD_FAILURE() << "steps have no " << name;
  return {};
}

void continue_after_failures(Simulation& simulation) {
  simulation.scenario.options.of(drive::stepping_keys()) =
      drive::Stepping{.on_failure = drive::OnFailure::warn};
}

RunOutcome run_into(Simulation& simulation, record::TrajectorySink& sink,
                    const RunOptions& options = {}) {
  FrameSink* const sinks[] = {&sink};
  return run(simulation, sinks, options);
}

TEST(Run, CriticallyDampedServoFollowsItsClosedForm) {
  // phi'' = k_P (target - phi) - k_D phi', k_D = 2 sqrt(k_P): phi = target (1 - (1 + w t) e^(-w t))
  const double w = 10.0;
  const auto error = [&](double dt) {
    Simulation simulation = make_wheel(dt, 1.0, 100.0);
    record::TrajectorySink sink;
    EXPECT_EQ(run_into(simulation, sink).status, RunStatus::completed);
    double worst = 0.0;
    for (std::size_t k = 0; k < sink.trajectory().frames(); ++k) {
      const double t = sink.trajectory().time[k];
      const double exact = 0.5 * (1.0 - (1.0 + w * t) * std::exp(-w * t));
      worst = std::max(worst, std::abs(sink.trajectory().at("joint_angle", k) - exact));
    }
    return worst;
  };
  const double coarse = error(1e-3);
  const double fine = error(5e-4);
  EXPECT_LT(fine, 5e-3);
  EXPECT_NEAR(coarse / fine, 2.0, 0.1) << "the wheel's scheme is of first order";
}

TEST(Run, FrameKIsTheStepNearestToKOverTheRate) {
  // 3 ms steps and 100 frames a second do not fit: 0, 10, 20 ms … are steps 0, 3, 7, 10, 13, 17 …
  Simulation simulation = make_wheel(3e-3, 1.0, 100.0);
  record::TrajectorySink sink;
  ASSERT_EQ(run_into(simulation, sink).status, RunStatus::completed);
  const auto& time = sink.trajectory().time;
  ASSERT_EQ(time.size(), 101U) << "frame 100 is nearest to the last step, 0.999 s";
  for (std::size_t k = 0; k < time.size(); ++k) {
    const auto step = std::llround(static_cast<double>(k) / 100.0 / 3e-3);
    EXPECT_EQ(time[k], static_cast<double>(step) * 3e-3) << k;
    EXPECT_LE(std::abs(time[k] - static_cast<double>(k) / 100.0), 1.5e-3 + 1e-12) << k;
  }
}

TEST(Run, RecordsBothEndsOfTheRun) {
  Simulation simulation = make_wheel(1e-3, 0.5, 100.0);
  record::TrajectorySink sink;
  const RunOutcome outcome = run_into(simulation, sink);
  EXPECT_EQ(sink.trajectory().frames(), 51U);
  EXPECT_EQ(sink.trajectory().time.front(), 0.0);
  EXPECT_EQ(sink.trajectory().time.back(), 0.5);
  EXPECT_EQ(summary(outcome, "steps"), 500.0);
}

TEST(Run, TakesEveryStepOnceWhereFramesAreAskedForMoreOften) {
  Simulation simulation = make_wheel(1e-2, 0.1, 1000.0);
  record::TrajectorySink sink;
  ASSERT_EQ(run_into(simulation, sink).status, RunStatus::completed);
  EXPECT_EQ(sink.trajectory().frames(), 11U);
}

TEST(Run, FrameForcesSumToTheExactImpulse) {
  Simulation simulation = make_wheel(1e-3, 0.3, 30.0);  // frames 33 or 34 steps apart
  record::TrajectorySink sink;
  ASSERT_EQ(run_into(simulation, sink).status, RunStatus::completed);
  const record::Trajectory& trajectory = sink.trajectory();
  double impulse = 0.0;
  for (std::size_t k = 1; k < trajectory.frames(); ++k) {
    impulse += trajectory.at("joint_torque", k) * (trajectory.time[k] - trajectory.time[k - 1]);
  }
  const double momentum = std::sqrt(2.0 * trajectory.at("energy", trajectory.frames() - 1));
  EXPECT_NEAR(impulse, momentum, 1e-14) << "J = 1: the impulse is the end speed";
}

TEST(Run, GivesTheControllerTheReferencesOfBothEndsOfTheStep) {
  struct Spy final : control::Controller {
    void update(const control::ControlInput& in, JointCommand&) override {
      rows.push_back({in.t, in.phi_d_A(0), in.phi_d_E(0), in.phidot_d_A(0), in.phidot_d_E(0)});
    }
    std::vector<std::array<double, 5>> rows;
  };
  Simulation simulation = make_wheel(1e-2, 0.2, 100.0);
  const gait::HarmonicOptions options{.amplitude = 0.3, .omega = 2.0};
  simulation.gait = std::make_unique<gait::Harmonic>(1, options);
  auto owned = std::make_unique<Spy>();
  const Spy& spy = *owned;
  simulation.controller = std::move(owned);
  record::TrajectorySink sink;
  ASSERT_EQ(run_into(simulation, sink).status, RunStatus::completed);
  ASSERT_EQ(spy.rows.size(), 20U);
  for (std::size_t k = 0; k < spy.rows.size(); ++k) {
    const double t_A = static_cast<double>(k) * 1e-2;
    const double t_E = static_cast<double>(k + 1) * 1e-2;
    EXPECT_EQ(spy.rows[k][0], t_A);
    EXPECT_NEAR(spy.rows[k][1], 0.3 * std::sin(2.0 * t_A), 1e-16);
    EXPECT_NEAR(spy.rows[k][2], 0.3 * std::sin(2.0 * t_E), 1e-16);
    EXPECT_NEAR(spy.rows[k][3], 0.6 * std::cos(2.0 * t_A), 2e-16);
    EXPECT_NEAR(spy.rows[k][4], 0.6 * std::cos(2.0 * t_E), 2e-16);
  }
}

TEST(Run, StopsAtAStepThatDidNotConverge) {
  Simulation simulation = make_wheel(1e-3, 1.0, 100.0);
  wheel(simulation).info = [](std::int64_t k) {
    return k == 42 ? nonsmooth::ContactStepInfo{Status::not_converged, 8, 0, 0.5, 0.6,
                                                "link impulse",        3}
                   : nonsmooth::ContactStepInfo{Status::ok, 1, 0, 1e-11, 1e-5, "", 0};
  };
  record::TrajectorySink sink;
  const RunOutcome outcome = run_into(simulation, sink);
  EXPECT_EQ(outcome.status, RunStatus::failed);
  EXPECT_THAT(outcome.message, HasSubstr("t = 0.042 s"));
  EXPECT_THAT(outcome.message, HasSubstr("link impulse 3"));
  EXPECT_EQ(summary(outcome, "failed_steps"), 1.0);
  EXPECT_EQ(summary(outcome, "steps"), 42.0);
  EXPECT_EQ(figure(outcome, "iterations").largest, 8.0);
  EXPECT_NEAR(figure(outcome, "iterations").mean, (41.0 + 8.0) / 42.0, 1e-15);
}

TEST(Run, GoesOnAfterAFailedStepIfAskedAndSaysSo) {
  Simulation simulation = make_wheel(1e-3, 1.0, 100.0);
  continue_after_failures(simulation);
  wheel(simulation).info = [](std::int64_t k) {
    return k % 100 == 50 ? nonsmooth::ContactStepInfo{Status::not_converged, 8, 0, 0.5, 0.6, "", 0}
                         : nonsmooth::ContactStepInfo{Status::ok, 1, 0, 1e-11, 1e-5, "", 0};
  };
  record::TrajectorySink sink;
  const RunOutcome outcome = run_into(simulation, sink);
  EXPECT_EQ(outcome.status, RunStatus::completed);
  EXPECT_EQ(summary(outcome, "failed_steps"), 10.0);
  EXPECT_EQ(summary(outcome, "residual_max"), 0.5);
  EXPECT_EQ(summary(outcome, "rigid_residual_max"), 0.6);
  ASSERT_EQ(outcome.warnings.size(), 1U);
  EXPECT_THAT(outcome.warnings[0], HasSubstr("10 of 1000 steps"));
}

TEST(Run, WarnsWhereContactsAreOffByTheRigidLawSoThatItMatters) {
  const auto warnings = [](double usual, double at_impact, double own = 1e-11) {
    Simulation simulation = make_wheel(1e-3, 1.0, 100.0);
    wheel(simulation).info = [=](std::int64_t k) {
      return nonsmooth::ContactStepInfo{Status::ok, 1, 0, own, k == 500 ? at_impact : usual, "", 0};
    };
    record::TrajectorySink sink;
    return run_into(simulation, sink).warnings;
  };
  EXPECT_TRUE(warnings(1e-3, 2.0).empty()) << "a landing";
  EXPECT_TRUE(warnings(0.03, 0.1, 0.03).empty())
      << "a solver that leaves as much, whatever the law";
  for (const auto& [usual, at_impact] : {std::pair{0.03, 0.1}, std::pair{1e-5, 40.0}}) {
    const auto told = warnings(usual, at_impact);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0], HasSubstr("1 is the weight of the lightest link over one step"));
    EXPECT_THAT(told[0], HasSubstr("solver.law = \"rigid\""));
  }
  EXPECT_THAT(warnings(0.03, 0.1)[0], HasSubstr("0.03 on average and 0.1 at most"));
}

TEST(Run, SaysWhatTheFallbackDidAndWhichPartOfTheResidualIsTheLargest) {
  Simulation simulation = make_wheel(1e-3, 1.0, 100.0);
  wheel(simulation).info = [](std::int64_t k) {
    nonsmooth::ContactStepInfo info{Status::ok, 3, 0, 2e-10, 1e-5, "", 0};
    info.residual_law = k == 10 ? 7e-11 : 1e-11;
    info.residual_momentum = k == 500 ? 2e-10 : 1e-12;
    if (k % 100 == 50) {
      info.fallback_sweeps = 20;
      info.fallback_passes = 2;
      info.gap = 1e-9 * static_cast<double>(k);
    }
    return info;
  };
  record::TrajectorySink sink;
  const RunOutcome anchored = run_into(simulation, sink);
  EXPECT_EQ(summary(anchored, "residual_law_max"), 7e-11);
  EXPECT_EQ(summary(anchored, "residual_momentum_max"), 2e-10);
  EXPECT_EQ(summary(anchored, "fallback_steps"), 10.0);
  EXPECT_EQ(summary(anchored, "fallback_sweeps"), 200.0);
  for (const SummaryItem& item : anchored.summary) {
    EXPECT_NE(item.name, "fallback_passes") << "the anchored law has none";
    EXPECT_NE(item.name, "fallback_gap_max");
  }

  Simulation again = make_wheel(1e-3, 1.0, 100.0);
  again.system = std::make_unique<test::OneJoint>(1e-3, 0.0, true);
  wheel(again).info = wheel(simulation).info;
  record::TrajectorySink other;
  const RunOutcome rigid = run_into(again, other);
  EXPECT_EQ(summary(rigid, "fallback_passes"), 20.0);
  EXPECT_EQ(summary(rigid, "fallback_gap_max"), 1e-9 * 950.0);
}

// A landing speed is a gap over dt, and two computations of a gap differ by its rounding: in short
// steps that is more than any tolerance. Frames are where the plain problem judges the fast step.
TEST(Run, ShortStepsInSpaceAreNotRefusedForTheRoundingOfPlaces) {
  for (const auto& [name, overrides] :
       {std::pair<std::string, scenario::Overrides>{"aiko_spatial_course",
                                                    {"duration=0.4", "solver.dt=5e-5"}},
        {"aiko_sidewinding", {"duration=0.7", "solver.dt=2e-4", "world.friction=[0.0, 0.5]"}},
        {"aiko_spatial_course",
         {"duration=0.8", "solver.dt=5e-4", "world.friction=[0.05, 0.6]"}}}) {
    Simulation simulation = make_simulation(scenario::load(
        std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + name + ".toml", overrides));
    record::TrajectorySink frames;
    FrameSink* const sinks[] = {&frames};
    const RunOutcome outcome = run(simulation, sinks);
    EXPECT_EQ(outcome.status, RunStatus::completed) << name << ": " << outcome.message;
  }
}

// With a friction ratio above 10 Newton aims at 1e-12; what is asked for is 1e-10.
TEST(Run, AStepWithinTheToleranceAskedForIsNoFailure) {
  for (const auto& [name, overrides] :
       {std::pair<std::string, scenario::Overrides>{
            "aiko_sinus_lifting", {"duration=0.003", "solver.dt=1e-5", "world.friction=[0.1, 3]"}},
        {"aiko_spatial_pegs", {"duration=0.04", "world.friction=[3, 0.1]"}}}) {
    Simulation simulation = make_simulation(scenario::load(
        std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + name + ".toml", overrides));
    record::TrajectorySink frames;
    const RunOutcome outcome = run_into(simulation, frames);
    EXPECT_EQ(outcome.status, RunStatus::completed) << name << ": " << outcome.message;
    EXPECT_LE(summary(outcome, "residual_max"), 1e-10) << name;
    EXPECT_GT(summary(outcome, "residual_max"), 1e-11) << name << ": the test tests nothing";
  }
}

TEST(Run, AFailedRunIsThatBeforeTheStepItFailedAt) {
  const scenario::Overrides slippery{"world.friction=[0.1, 3]", "solver.dt=1e-5",
                                     "solver.tolerance=1e-12"};
  const scenario::Overrides rough{"world.friction=[1000, 1000]"};
  const scenario::Overrides prescribed{"world.friction=[1000, 1000]",
                                       "controller.name='prescribed'"};
  for (const auto& [name, keys] :
       {std::pair{"aiko_spatial_floor", rough}, std::pair{"aiko_spatial_floor", prescribed},
        std::pair{"aiko_sinus_lifting", slippery}}) {
    const auto make = [&](double duration) {
      scenario::Overrides overrides = keys;
      overrides.push_back("duration=" + std::to_string(duration));
      return make_simulation(scenario::load(
          std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + name + ".toml", overrides));
    };
    Simulation failing = make(0.5);
    record::TrajectorySink frames;
    const RunOutcome failed = run_into(failing, frames);
    ASSERT_EQ(failed.status, RunStatus::failed) << name;
    EXPECT_THAT(failed.message, HasSubstr("solver.on_failure = \"warn\" continues"));
    EXPECT_THAT(failed.message, HasSubstr("is beyond what the solvers were tested with, 1.2"));
    EXPECT_EQ(summary(failed, "failed_steps"), 1.0);
    EXPECT_LE(summary(failed, "residual_max"), 1e-10) << "the refused step's is no part of it";

    const double steps = summary(failed, "steps");
    ASSERT_GT(steps, 0.0);
    Simulation shorter = make(steps * failing.system->dt());
    record::TrajectorySink other;
    const RunOutcome whole = run_into(shorter, other);
    EXPECT_EQ(whole.status, RunStatus::completed) << whole.message;
    EXPECT_EQ(failed.final_state, whole.final_state) << name;
    for (const char* figure : {"displacement", "work_net", "max_torque", "max_penetration",
                               "residual_max", "rigid_residual_max"}) {
      EXPECT_EQ(summary(failed, figure), summary(whole, figure)) << name << " " << figure;
    }
  }
}

TEST(Run, AGainBeyondDoublePrecisionIsNamedWithOneThatIsNot) {
  const auto light = [](const std::string& kd) {
    Simulation simulation = make_simulation(
        scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/aiko_floor.toml",
                       {"duration=0.5", "robot.link.mass=1e-3", "robot.link.inertia=1.93e-6",
                        "controller.kd=" + kd}));
    return run(simulation, {});
  };
  const RunOutcome outcome = light("1e9");
  ASSERT_EQ(outcome.status, RunStatus::failed);
  EXPECT_THAT(outcome.message, HasSubstr("controller.kd = 1e+09 is too large for double precision "
                                         "with this robot, up to about 4e+08"));
  EXPECT_EQ(light("4e8").status, RunStatus::completed);
}

TEST(Run, WarnsWhereTheTimeStepTookMuchOfTheWork) {
  for (const bool fast : {false, true}) {
    Simulation simulation = make_simulation(
        scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/aiko_floor.toml",
                       {"duration=0.5", "controller.name='prescribed'",
                        fast ? "gait.omega_deg=3600" : "gait.omega_deg=80"}));
    const RunOutcome outcome = run(simulation, {});
    bool told = false;
    for (const std::string& warning : outcome.warnings) {
      told = told || warning.find("figures of this run depend on solver.dt") != std::string::npos;
    }
    EXPECT_EQ(told, fast);
  }
}

TEST(Run, ANonFiniteValueStopsEvenWhereFailuresAreOnlyWarned) {
  Simulation simulation = make_wheel(1e-3, 1.0, 100.0);
  continue_after_failures(simulation);
  wheel(simulation).info = [](std::int64_t k) {
    return k == 7 ? nonsmooth::ContactStepInfo{Status::non_finite, 1, 0, 0.0, 0.0, "joint rate", 1}
                  : nonsmooth::ContactStepInfo{Status::ok, 1, 0, 1e-11, 1e-5, "", 0};
  };
  record::TrajectorySink sink;
  const RunOutcome outcome = run_into(simulation, sink);
  EXPECT_EQ(outcome.status, RunStatus::failed);
  EXPECT_THAT(outcome.message, HasSubstr("t = 0.007 s"));
  EXPECT_THAT(outcome.message, HasSubstr("joint rate 1"));
  EXPECT_EQ(summary(outcome, "failed_steps"), 1.0);
  EXPECT_EQ(summary(outcome, "steps"), 6.0) << "the state did not advance with the seventh";
}

TEST(Run, AnUnstableExplicitServoIsStoppedAndExplained) {
  // explicit Euler-like damping: unstable for dt k_D > 2
  Simulation simulation =
      make_wheel(1e-2, 10.0, 100.0, 0.5, {.kp = 100.0, .kd = 210.0, .implicit_servo = false});
  simulation.warnings = {{"robot.links", "of something else"},
                         {"controller.servo", "the explicit servo is stable below dt = 0.0095 s"}};
  record::TrajectorySink sink;
  const RunOutcome outcome = run_into(simulation, sink);
  EXPECT_EQ(outcome.status, RunStatus::failed);
  EXPECT_THAT(outcome.message, HasSubstr("runaway"));
  EXPECT_THAT(outcome.message, HasSubstr("dt = 0.01 s"));
  EXPECT_THAT(outcome.message, HasSubstr("0.0095"));
  EXPECT_THAT(outcome.message, Not(HasSubstr("something else")));
}

TEST(Run, AStableExplicitServoIsLeftAlone) {
  Simulation simulation =
      make_wheel(1e-2, 10.0, 100.0, 0.5, {.kp = 100.0, .kd = 20.0, .implicit_servo = false});
  record::TrajectorySink sink;
  EXPECT_EQ(run_into(simulation, sink).status, RunStatus::completed);
}

TEST(Run, AFastSpellShorterThanATenthOfASecondIsNoRunaway) {
  // 30 rad/s, above 20 × 1 rad/s, for 90 ms only
  struct Kick final : control::Controller {
    [[nodiscard]] bool holds_torques() const override { return true; }
    void update(const control::ControlInput& in, JointCommand& command) override {
      command.tau(0) = in.t < 0.0005 ? 30.0 / in.dt
                                     : (in.t > 0.0895 && in.phidot(0) > 1.0 ? -30.0 / in.dt : 0.0);
    }
  };
  Simulation simulation = make_wheel(1e-3, 0.5, 100.0, 0.0, {.implicit_servo = false});
  simulation.controller = std::make_unique<Kick>();
  record::TrajectorySink sink;
  EXPECT_EQ(run_into(simulation, sink).status, RunStatus::completed);
}

TEST(Run, ALimpRobotIsNoRunaway) {
  // the same wheel spins at 30 rad/s for 0.3 s, before the motors start and after
  struct Spin final : control::Controller {
    explicit Spin(double start) : start_(start) {}
    [[nodiscard]] bool holds_torques() const override { return true; }
    [[nodiscard]] double start_time() const override { return start_; }
    void update(const control::ControlInput& in, JointCommand& command) override {
      command.tau(0) = in.t < 0.0005 ? 30.0 / in.dt : 0.0;
    }

   private:
    double start_;
  };
  for (const double start_time : {1.0, 0.0}) {
    Simulation simulation = make_wheel(1e-3, 0.3, 100.0, 0.0, {.implicit_servo = false});
    simulation.controller = std::make_unique<Spin>(start_time);
    record::TrajectorySink sink;
    EXPECT_EQ(run_into(simulation, sink).status,
              start_time > 0.3 ? RunStatus::completed : RunStatus::failed)
        << "motors on from " << start_time << " s";
  }
}

TEST(Run, AnInterruptEndsItAfterTheStepWithWhatThereIs) {
  Simulation simulation = make_wheel(1e-3, 1.0, 100.0);
  std::atomic<bool> interrupt{false};
  wheel(simulation).info = [&](std::int64_t k) {
    if (k == 123) interrupt = true;
    return nonsmooth::ContactStepInfo{Status::ok, 1, 0, 1e-11, 1e-5, "", 0};
  };
  record::TrajectorySink sink;
  const RunOutcome outcome = run_into(simulation, sink, {.interrupt = &interrupt, .progress = {}});
  EXPECT_EQ(outcome.status, RunStatus::interrupted);
  EXPECT_EQ(summary(outcome, "steps"), 123.0);
  EXPECT_EQ(sink.trajectory().frames(), 13U);
}

TEST(Run, TheSameInputGivesTheSameFinalState) {
  Simulation first = make_wheel(1e-3, 1.0, 100.0);
  Simulation second = make_wheel(1e-3, 1.0, 10.0);
  Simulation other = make_wheel(1e-3, 1.0, 100.0, 0.5000001);
  record::TrajectorySink sink;
  const auto hash = run_into(first, sink).final_state;
  EXPECT_EQ(hash, run_into(second, sink).final_state) << "recording must not change the motion";
  EXPECT_NE(hash, run_into(other, sink).final_state);
}

}  // namespace run_test
}  // namespace coluber::simulation
