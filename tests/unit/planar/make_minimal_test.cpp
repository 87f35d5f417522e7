#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/control/servo.hpp"
#include "coluber/drive/feedback.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/nonsmooth/keys.hpp"
#include "coluber/planar/keys.hpp"
#include "coluber/planar/smooth_system.hpp"
#include "coluber/planar/system.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {
namespace make_minimal_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

scenario::Scenario linearised(scenario::Overrides set) {
  return scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/aiko_linearised.toml", set);
}

BaseState base_of(const System& system) {
  BaseState base;
  dynamic_cast<const MovingBase&>(system).base_state(base);
  return base;
}

/// What was said at load.
std::vector<std::string> warnings_of(const Simulation& simulation) {
  std::vector<std::string> texts;
  for (const drive::Warning& warning : simulation.warnings) texts.push_back(warning.text);
  return texts;
}

TEST(MakeMinimal, TheFrictionLawDecidesHowItIsMoved) {
  const Simulation stepped = make_simulation(linearised({}));
  const auto* planar = dynamic_cast<const planar::PlanarSystem*>(stepped.system.get());
  ASSERT_NE(planar, nullptr);
  EXPECT_TRUE(planar->options().minimal_coordinates);
  EXPECT_EQ(planar->model().friction_points, 2);
  EXPECT_EQ(planar->model().mu_V, Eigen::Vector2d(0.1, 0.2));
  EXPECT_EQ(dynamic_cast<const FeedbackDriven*>(stepped.system.get()), nullptr);

  const Simulation integrated =
      make_simulation(linearised({"world.friction_law='smooth'", "solver.smooth.rtol=1e-7",
                                  "world.friction_smoothing=2e-3", "start.heading_deg=30"}));
  const auto* smooth = dynamic_cast<const planar::SmoothSystem*>(integrated.system.get());
  ASSERT_NE(smooth, nullptr);
  EXPECT_EQ(smooth->options().rtol, 1e-7);
  EXPECT_EQ(smooth->options().friction.eps_C, 2e-3);
  EXPECT_NEAR(smooth->q()(2), 30.0 * 0.017453292519943295, 1e-15);
  EXPECT_NE(dynamic_cast<const FeedbackDriven*>(integrated.system.get()), nullptr);
}

TEST(MakeMinimal, BothPlantsStartAtTheSamePlace) {
  for (const char* law : {"world.friction_law='set_valued'", "world.friction_law='smooth'"}) {
    const Simulation simulation =
        make_simulation(linearised({law, "start.heading_deg=50", "start.link=4",
                                    "start.position=[0.3, -0.2]", "start.shape='gait'"}));
    const System& system = *simulation.system;
    std::vector<double> frame(static_cast<std::size_t>(frame_size(system.observables())));
    system.observe(frame);
    EXPECT_NEAR(frame[6], 0.3, 1e-14) << law << ": x of link 4";
    EXPECT_NEAR(frame[7], -0.2, 1e-14) << law;
    const BaseState base = base_of(system);
    EXPECT_NEAR(base.theta, frame[22], 1e-14) << law << ": angle of link 1";
    const Eigen::Vector2d axis{std::cos(base.theta), std::sin(base.theta)};
    EXPECT_NEAR((base.r + 0.061 * axis - Eigen::Vector2d(frame[0], frame[1])).norm(), 0.0, 1e-14)
        << law << ": half a link from its end to its centre";
  }
}

TEST(MakeMinimal, TheFirstLinkIsMeasuredAsItIsAtThatInstant) {
  // v and thetadot of the first link's end, against differences of where it is; both plants
  for (const char* law : {"world.friction_law='set_valued'", "world.friction_law='smooth'"}) {
    Simulation simulation = make_simulation(
        linearised({law, "start.shape='gait'", "gait.soft_start=false", "solver.dt=1e-4",
                    "duration=0.2", "start.heading_deg=70", "robot.link.cg_offset=0.01"}));
    EXPECT_EQ(run(simulation, {}).status, RunStatus::completed);
    const BaseState before = base_of(*simulation.system);
    simulation.scenario.duration = 0.2001;
    EXPECT_EQ(run(simulation, {}).status, RunStatus::completed);
    const BaseState after = base_of(*simulation.system);
    // the mean over the step, to first order in it
    EXPECT_NEAR(((after.r - before.r) / 1e-4 - 0.5 * (after.v + before.v)).norm(), 0.0, 2e-4)
        << law;
    EXPECT_NEAR((after.theta - before.theta) / 1e-4, 0.5 * (after.thetadot + before.thetadot), 2e-4)
        << law;
    EXPECT_GT(after.v.norm(), 0.01) << law;
    EXPECT_GT(std::abs(after.thetadot), 0.01) << law;
  }
}

TEST(MakeMinimal, HasTheThesisSettingsOfItsOwnColumn) {
  // Transeth table 7.2, robot model
  const scenario::Scenario scenario = scenario::parse(
      "[robot]\nmodel = 'minimal'\nname = 'aiko'\n[world]\nviscous_friction = [0.1, 0.2]\n"
      "[controller]\nname = 'input_output_linearisation'\n");
  EXPECT_EQ(scenario.get<nonsmooth::SolverKeys>().thesis.r_T, 0.2);
  EXPECT_EQ(scenario.get<nonsmooth::SolverKeys>().thesis.epsilon, 1e-5);
  EXPECT_EQ(scenario.get<drive::Stepping>().dt, 2.5e-4);
  EXPECT_EQ(scenario.get<control::ServoKeys>().kp, control::Gains(4e5));
  EXPECT_EQ(scenario.get<control::ServoKeys>().kd, control::Gains(2.4e3));
  EXPECT_EQ(scenario.get<planar::Keys>().friction_points, 2);
  EXPECT_EQ(scenario.get<control::ServoKeys>().servo, control::ServoTime::held);
}

/// Writes down what a controller is given in a run of one step.
class Witness final : public control::Controller {
 public:
  explicit Witness(std::unique_ptr<control::Controller> inner, Eigen::VectorXd& phidd)
      : inner_(std::move(inner)), phidd_(phidd) {}
  void update(const control::ControlInput& input, JointCommand& command) override {
    phidd_ = input.phidd_d_A;
    inner_->update(input, command);
  }
  [[nodiscard]] bool model_based() const override { return true; }

 private:
  std::unique_ptr<control::Controller> inner_;
  Eigen::VectorXd& phidd_;
};

TEST(Linearisation, LooksAtReferencesOfTheStepsStart) {
  Simulation simulation =
      make_simulation(linearised({"start.shape='gait'", "gait.soft_start=false", "duration=0.01",
                                  "solver.dt=0.01", "solver.on_failure='warn'"}));
  Eigen::VectorXd seen;
  simulation.controller = std::make_unique<Witness>(std::move(simulation.controller), seen);
  static_cast<void>(run(simulation, {}));
  Eigen::VectorXd at_start(10);
  simulation.gait->evaluate_acceleration(0.0, at_start);
  EXPECT_EQ(seen, at_start);
}

TEST(Noise, EveryWidthOfAScenarioGoesToItsMeasurement) {
  // Each width alone, by how far it throws the torques of a robot at rest about.
  const auto torque_spread = [](const std::string& key) {
    Simulation simulation = make_simulation(
        linearised({"controller.noise." + key, "start.shape='gait'", "gait.soft_start=false"}));
    JointCommand command(10);
    Eigen::VectorXd phi(10);
    Eigen::VectorXd phidot(10);
    dynamic_cast<const JointDriven&>(*simulation.system).joint_state(phi, phidot);
    Eigen::VectorXd phi_d(10);
    Eigen::VectorXd phidot_d(10);
    simulation.gait->evaluate(0.0, phi_d, phidot_d);
    Eigen::VectorXd zero = Eigen::VectorXd::Zero(10);
    const BaseState base = base_of(*simulation.system);
    Eigen::VectorXd low = Eigen::VectorXd::Constant(10, 1e9);
    Eigen::VectorXd high = -low;
    for (int k = 0; k < 200; ++k) {
      simulation.controller->update(
          {0.0, 2.5e-4, phi, phidot, phi, phidot, phi, phidot, zero, &base, *simulation.system},
          command);
      low = low.cwiseMin(command.tau);
      high = high.cwiseMax(command.tau);
    }
    return (high - low).maxCoeff();
  };
  EXPECT_EQ(torque_spread("position=1"), 0.0) << "position is not looked at";
  EXPECT_EQ(torque_spread("heading_deg=10"), 0.0) << "nor is the heading of a robot at rest";
  const double velocity = torque_spread("velocity=1");
  const double turning = torque_spread("heading_rate_deg=1");
  EXPECT_GT(velocity, 0.01);
  EXPECT_GT(turning, 0.01);
  // an angle counts kp, a rate kd: 4e5 against 2400 plus what friction adds
  EXPECT_NEAR(torque_spread("joint_deg=1") / torque_spread("joint_rate_deg=1"), 4e5 / 2400.0, 20.0);
}

TEST(Linearisation, ServoGainsWithoutDampingAreWarnedOf) {
  EXPECT_THAT(warnings_of(make_simulation(linearised({"controller.kp=200", "controller.kd=1.2"}))),
              Contains(HasSubstr("damping ratio of only 0.042")));
  EXPECT_THAT(warnings_of(make_simulation(linearised(
                  {"world.friction_law='smooth'", "controller.kp=200", "controller.kd=1.2"}))),
              Contains(HasSubstr("damping ratio of only 0.042")));
  EXPECT_THAT(warnings_of(make_simulation(linearised({}))), Not(Contains(HasSubstr("damping"))));
  EXPECT_THAT(warnings_of(make_simulation(linearised({"controller.kd=0"}))),
              Contains(HasSubstr("stable for no dt")));
}

TEST(SmoothRun, EndsWithinAStepOfTheIntegratorWhenInterrupted) {
  Simulation simulation = make_simulation(linearised({"world.friction_law='smooth'"}));
  std::atomic<bool> interrupt = false;
  struct Alarm final : public gait::Gait {  // sets the flag inside the eleventh step
    const gait::Gait* inner;
    std::atomic<bool>* flag;
    void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                  Eigen::Ref<Eigen::VectorXd> phidot_d) const override {
      if (t > 10.5 * 2.5e-4 && t < 10.9 * 2.5e-4) *flag = true;
      inner->evaluate(t, phi_d, phidot_d);
    }
    [[nodiscard]] double max_rate() const override { return inner->max_rate(); }
  };
  auto alarm = std::make_unique<Alarm>();
  const std::unique_ptr<gait::Gait> wave = std::move(simulation.gait);
  alarm->inner = wave.get();
  alarm->flag = &interrupt;
  simulation.gait = std::move(alarm);
  const RunOutcome outcome = run(simulation, {}, {.interrupt = &interrupt});
  EXPECT_EQ(outcome.status, RunStatus::interrupted);
  EXPECT_LE(simulation.system->step_count(), 11);
}

TEST(Linearisation, AStepBeyondItsLimitIsWarnedOfAndRunsAway) {
  // 2/kd = 0.833 ms
  EXPECT_THAT(warnings_of(make_simulation(linearised({"solver.dt=8e-4"}))),
              Not(Contains(HasSubstr("explicit"))));
  Simulation simulation = make_simulation(linearised({"solver.dt=9e-4", "duration=3.0"}));
  EXPECT_THAT(warnings_of(simulation), Contains(HasSubstr("stable for dt below 0.000833 s")));
  const RunOutcome outcome = run(simulation, {});
  EXPECT_EQ(outcome.status, RunStatus::failed);
  EXPECT_THAT(outcome.message, HasSubstr("stable for dt below 0.000833 s"));
  // each joint has its own limit; kp counts where kd is small: 2 kd/kp
  const std::string gains = "[2400, 2400, 2400, 2400, 20, 2400, 2400, 2400, 2400, 2400]";
  EXPECT_THAT(
      warnings_of(make_simulation(linearised({"controller.kd=" + gains}))),
      Contains(HasSubstr("stable for dt below 0.0001 s with kp = 400000, kd = those given")));
}

TEST(Linearisation, TorquesBeyondAnyMotorAreWarnedOfUnlessCutOff) {
  Simulation free = make_simulation(linearised({"duration=0.5"}));
  const RunOutcome outcome = run(free, {});
  EXPECT_EQ(outcome.status, RunStatus::completed);
  // Transeth 7.3.5 does not mention it; an outside check found 1325 N m in 7.5 s
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("joint torques of up to ")));
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("(98.7 N m)")));
  Simulation limited = make_simulation(linearised({"duration=0.5", "controller.torque_limit=10"}));
  EXPECT_THAT(run(limited, {}).warnings, Not(Contains(HasSubstr("joint torques"))));
}

TEST(Linearisation, OnSmoothGroundIsAtWorkAllTheTimeUnlessItsMeasurementsAreHeld) {
  // With the controller inside the integrator the error is the integrator's; held for a step of
  // 0.5 ms it is a hundred times that.
  const auto worst = [](const char* noise) {
    Simulation simulation = make_simulation(
        linearised({"world.friction_law='smooth'", "start.shape='gait'", "gait.soft_start=false",
                    "duration=1.0", "solver.dt=5e-4", noise}));
    record::TrajectorySink sink;
    FrameSink* const sinks[] = {&sink};
    EXPECT_EQ(run(simulation, sinks).status, RunStatus::completed);
    const record::Trajectory& t = sink.trajectory();
    double largest = 0.0;
    for (std::size_t k = t.frames() / 2; k < t.frames(); ++k) {
      largest =
          std::max(largest, std::abs(t.at("joint_angle", k, 4) - t.at("joint_reference", k, 4)));
    }
    return largest / 0.017453292519943295;
  };
  const double continuous = worst("controller.noise.joint_deg=0");
  const double held = worst("controller.noise.joint_deg=1e-12");
  EXPECT_LE(continuous, 5e-5) << "deg";
  EXPECT_GE(held, 10.0 * continuous) << "deg";
}

}  // namespace make_minimal_test
}  // namespace coluber::simulation
