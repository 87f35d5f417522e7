#include "coluber/simulation/make_robot_model.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/planar/smooth_system.hpp"
#include "coluber/planar/system.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

scenario::Scenario linearised(scenario::Overrides set) {
  return scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/aiko_linearised.toml", set);
}

TEST(MakeRobotModel, TheFrictionLawDecidesHowItIsMoved) {
  const Simulation stepped = make_simulation(linearised({}));
  const auto* planar = dynamic_cast<const planar::PlanarSystem*>(stepped.system.get());
  ASSERT_NE(planar, nullptr);
  EXPECT_TRUE(planar->options().minimal_coordinates);
  EXPECT_EQ(planar->model().friction_points, 2);
  EXPECT_EQ(planar->model().mu_V, Eigen::Vector2d(0.1, 0.2));
  EXPECT_FALSE(stepped.system->takes_feedback());

  const Simulation integrated =
      make_simulation(linearised({"world.friction_law='smooth'", "solver.smooth.rtol=1e-7",
                                  "world.friction_smoothing=2e-3", "start.heading_deg=30"}));
  const auto* smooth = dynamic_cast<const planar::SmoothSystem*>(integrated.system.get());
  ASSERT_NE(smooth, nullptr);
  EXPECT_EQ(smooth->options().rtol, 1e-7);
  EXPECT_EQ(smooth->options().friction.eps_C, 2e-3);
  EXPECT_NEAR(smooth->q()(2), 30.0 * 0.017453292519943295, 1e-15);
  EXPECT_TRUE(integrated.system->takes_feedback());
}

TEST(MakeRobotModel, BothPlantsStartAtTheSamePlace) {
  for (const char* law : {"world.friction_law='set_valued'", "world.friction_law='smooth'"}) {
    const Simulation simulation =
        make_simulation(linearised({law, "start.heading_deg=50", "start.link=4",
                                    "start.position=[0.3, -0.2]", "start.shape='gait'"}));
    const System& system = *simulation.system;
    std::vector<double> frame(static_cast<std::size_t>(frame_size(system.observables())));
    system.observe(frame);
    EXPECT_NEAR(frame[6], 0.3, 1e-14) << law << ": x of link 4";
    EXPECT_NEAR(frame[7], -0.2, 1e-14) << law;
    BaseState base;
    ASSERT_TRUE(system.base_state(base));
    EXPECT_NEAR(base.theta, frame[22], 1e-14) << law << ": angle of link 1";
    const Eigen::Vector2d axis{std::cos(base.theta), std::sin(base.theta)};
    EXPECT_NEAR((base.r + 0.061 * axis - Eigen::Vector2d(frame[0], frame[1])).norm(), 0.0, 1e-14)
        << law << ": half a link from its end to its centre";
  }
}

TEST(Linearisation, AStepBeyondItsLimitIsWarnedOfAndRunsAway) {
  // 2/kd = 0.833 ms
  EXPECT_THAT(make_simulation(linearised({"solver.dt=8e-4"})).warnings,
              Not(Contains(HasSubstr("explicit"))));
  Simulation simulation = make_simulation(linearised({"solver.dt=9e-4", "duration=3.0"}));
  EXPECT_THAT(simulation.warnings, Contains(HasSubstr("stable for dt below 0.000833 s")));
  const RunOutcome outcome = run(simulation, {});
  EXPECT_EQ(outcome.status, RunStatus::failed);
  EXPECT_THAT(outcome.message, HasSubstr("stable for dt below 0.000833 s"));
  // each joint has its own limit; kp counts where kd is small: 2 kd/kp
  const std::string gains = "[2400, 2400, 2400, 2400, 20, 2400, 2400, 2400, 2400, 2400]";
  EXPECT_THAT(
      make_simulation(linearised({"controller.kd=" + gains})).warnings,
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

}  // namespace
}  // namespace coluber::simulation
