// The snake in space from a scenario to a finished run.

#include "coluber/scenario/scenario.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/core/code_path.hpp"
#include "coluber/core/error.hpp"
#include "coluber/gait/keys.hpp"
#include "coluber/nonsmooth/keys.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/simulation/simulation.hpp"
#include "coluber/spatial/system.hpp"

#include "sample/spatial.hpp"

namespace coluber {
namespace scenario_test {

using spatial::sample::kDegree;

simulation::Simulation load(const std::string& name, const scenario::Overrides& overrides = {}) {
  return simulation::make_simulation(
      scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + name + ".toml", overrides));
}

const spatial::SpatialSystem& spatial_of(const simulation::Simulation& simulation) {
  return dynamic_cast<const spatial::SpatialSystem&>(*simulation.system);
}

spatial::Pose start_pose(const simulation::Simulation& simulation) {
  spatial::Pose pose;
  spatial::compute_pose_at_time(spatial_of(simulation).model(), spatial_of(simulation).state(), 0.0,
                                pose);
  return pose;
}

double heading_of(const spatial::Pose& pose, int i) {
  return std::atan2(pose.e_z(1, i), pose.e_z(0, i)) / kDegree;
}

// The closed form of the planar runs: both models start alike.
TEST(SpatialScenario, TheCourseStartsInThePoseOfThePlanarRun) {
  const spatial::Pose pose = start_pose(load("aiko_spatial_course"));
  EXPECT_NEAR(pose.centre(0).x(), 1.0206, 5e-5);
  EXPECT_NEAR(pose.centre(0).y(), 0.1314, 5e-5);
  EXPECT_NEAR(heading_of(pose, 0) + 360.0, 222.89, 5e-3);
  EXPECT_NEAR(pose.centre(10).head<2>().norm(), 0.0, 1e-15);
  for (int i = 0; i < 11; ++i) EXPECT_NEAR(pose.centre(i).z(), 0.0525, 1e-15) << i;
}

TEST(SpatialScenario, ARobotWithoutAHeightLiesOnTheFloor) {
  const auto simulation = load("aiko_drop", {"start.z=0.5"});
  EXPECT_NEAR(start_pose(simulation).centre(0).z(), 0.5, 1e-15);
  const auto lying = simulation::make_simulation(scenario::parse(
      "[robot]\nmodel='spatial'\nname='aiko'\n[start]\npitch_deg=30\nheading_deg=20\n"));
  const spatial::Pose pose = start_pose(lying);
  // link 1 is lowest: its rear sphere touches, 0.0393 sin 30° below its centre
  EXPECT_NEAR(pose.centre(0).z(), 0.0525 + 0.0393 * 0.5, 1e-15);
  EXPECT_NEAR(pose.e_z(2, 5), 0.5, 1e-15);
  EXPECT_NEAR(heading_of(pose, 0), 20.0, 1e-12);
}

// Transeth 7.3.1: 0.3 m of air below link 1, the others above it.
TEST(SpatialScenario, TheDropStartsPitchedWithLinkOneLowest) {
  const spatial::Pose pose = start_pose(load("aiko_drop"));
  EXPECT_NEAR(pose.centre(0).z(), 0.3525, 1e-15);
  EXPECT_NEAR(pose.centre(5).x(), -5.0 * 0.122 * std::cos(30.0 * kDegree), 1e-12);
  EXPECT_NEAR(pose.centre(10).z(), 0.3525 + 10.0 * 0.122 * 0.5, 1e-12);
}

// Rolled by a quarter turn, the pitch joints bend the body in the ground plane.
TEST(SpatialScenario, TheRollingRobotLiesOnItsSideWithEveryLinkOnTheFloor) {
  const spatial::Pose pose = start_pose(load("aiko_lateral_rolling"));
  for (int i = 0; i < 11; ++i) {
    EXPECT_NEAR(pose.centre(i).z(), 0.0525, 1e-12) << i;
    EXPECT_NEAR(pose.e_x(2, i), -1.0, 1e-12) << "closed end leads: e_x is down, link " << i + 1;
  }
  // a U about the heading, 10° a joint
  EXPECT_NEAR(std::abs(heading_of(pose, 5)), 180.0, 1e-9);
  EXPECT_NEAR(std::abs(std::remainder(heading_of(pose, 0) - heading_of(pose, 10), 360.0)), 100.0,
              1e-9);
}

TEST(SpatialScenario, EveryGaitHasItsOwnDefaults) {
  const auto gait_of = [](const std::string& lines) {
    const scenario::Scenario s =
        scenario::parse("[robot]\nmodel='spatial'\nname='aiko'\n[gait]\n" + lines);
    return std::pair(s.get<gait::HarmonicKeys>(), s.get<gait::VerticalKeys>());
  };
  const auto [sidewinding, sidewinding_vertical] = gait_of("name='sidewinding'\nomega_deg=60.0\n");
  EXPECT_EQ(sidewinding.amplitude_deg, 30.0);
  EXPECT_EQ(sidewinding_vertical.amplitude_deg, 10.0);
  EXPECT_EQ(sidewinding_vertical.omega_deg, 60.0);
  EXPECT_EQ(sidewinding_vertical.phase_deg, -50.0);
  EXPECT_EQ(sidewinding_vertical.offset_phase_deg, 90.0);
  const auto [rolling, rolling_vertical] = gait_of("name='lateral_rolling'\n");
  EXPECT_EQ(rolling.amplitude_deg, 10.0);
  EXPECT_EQ(rolling.phase_deg, 0.0);
  EXPECT_EQ(rolling_vertical.phase_deg, 0.0);
  const auto [lifting, lifting_vertical] = gait_of("name='sinus_lifting'\n");
  EXPECT_EQ(lifting.amplitude_deg, 40.0);
  EXPECT_EQ(lifting_vertical.omega_deg, 160.0);
  EXPECT_EQ(lifting_vertical.phase_deg, -100.0);
  EXPECT_EQ(gait_of("amplitude_deg=20.0\n").second.amplitude_deg, 0.0);
}

// The thesis' r_T is another in space; both are only defaults.
TEST(SpatialScenario, TheThesisFactorsAreThoseOfItsTable) {
  const auto r = [](const std::string& lines) {
    return scenario::parse("[robot]\nname='aiko'\n" + lines)
        .get<nonsmooth::SolverKeys>()
        .thesis.r_T;
  };
  EXPECT_EQ(r(""), 1.3);
  EXPECT_EQ(r("model='spatial'\n"), 0.01);
  EXPECT_EQ(r("model='spatial'\n[solver.thesis]\nr_T=0.3\n"), 0.3);
}

std::uint64_t hash_after(const std::string& name, double seconds) {
  auto simulation = load(name, {"duration=" + std::to_string(seconds)});
  record::TrajectorySink sink;
  const std::array<simulation::FrameSink*, 1> sinks{&sink};
  EXPECT_EQ(simulation::run(simulation, sinks).status, simulation::RunStatus::completed);
  return simulation.system->state_hash();
}

// Bit-identical from g++ and clang, with and without optimisation, and on every code path.
TEST(SpatialScenario, RunsGiveTheSameBitsFromEveryCompilerAndOnEveryPath) {
  EXPECT_EQ(hash_after("aiko_sidewinding", 2.0), 0xbf769c815a5eb1fdU) << code_path();
  EXPECT_EQ(hash_after("aiko_spatial_course", 2.0), 0x9e578e9f65d4bbfaU) << code_path();
}

}  // namespace scenario_test
}  // namespace coluber
