// The planar model from a scenario to a finished run.

#include "coluber/scenario/scenario.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "coluber/core/error.hpp"
#include "coluber/planar/system.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/simulation/simulation.hpp"

#include "sample/forest.hpp"
#include "sample/snake.hpp"

namespace coluber {
namespace scenario_test {

using sample::kDegree;

simulation::Simulation load(const std::string& name, const scenario::Overrides& overrides = {}) {
  return simulation::make_simulation(
      scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + name + ".toml", overrides));
}

const planar::PlanarSystem& planar_of(const simulation::Simulation& simulation) {
  return dynamic_cast<const planar::PlanarSystem&>(*simulation.system);
}

TEST(PlanarScenario, TheCourseStartsInTheClosedFormPose) {
  const auto simulation = load("aiko_course");
  const auto& system = planar_of(simulation);
  const Eigen::Matrix2Xd ours = sample::link_positions(system.model(), system.state(), system.dt());
  const Eigen::Matrix2Xd exact =
      sample::link_positions(system.model(), sample::course_start(system.model()), system.dt());
  EXPECT_LE((ours - exact).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(PlanarScenario, HeadingIsTheMeanLinkAngleWhereThereIsNoWave) {
  const auto simulation =
      load("aiko_slope", {"start.shape=[10,20,-30,5,0,0,40,-10,5,1]", "start.heading_deg=30"});
  planar::Pose pose;
  planar::compute_pose_at_time(planar_of(simulation).model(), planar_of(simulation).state(), 0.0,
                               pose);
  EXPECT_NEAR(pose.theta.mean(), 30.0 * kDegree, 1e-14);
}

TEST(PlanarScenario, ThePeersStartPoseHasLinkOneAlongX) {
  // link 1 from the origin along +x: heading -A cos 25°/(2 sin 25°)
  const auto simulation = load(
      "aiko_floor", {"start.link=1", "start.position=[0.061, 0.0]", "start.heading_deg=-42.8901"});
  planar::Pose pose;
  planar::compute_pose_at_time(planar_of(simulation).model(), planar_of(simulation).state(), 0.0,
                               pose);
  EXPECT_NEAR(pose.theta(0), 0.0, 1e-6);
  EXPECT_NEAR((pose.r.col(0) + pose.origin - Eigen::Vector2d{0.061, 0.0}).norm(), 0.0, 1e-15);
}

TEST(PlanarScenario, AStartInsideAnObstacleIsRefusedWithItsPlace) {
  try {
    load("aiko_course", {"world.obstacle.2.y=0.13"});
    FAIL() << "link 6 lies across that peg";
  } catch (const InputError& error) {
    ASSERT_EQ(error.faults().size(), 1U);
    EXPECT_EQ(error.faults()[0].key, "world.obstacle.2");
    EXPECT_THAT(error.faults()[0].message, testing::HasSubstr("inside this obstacle"));
    EXPECT_FALSE(error.faults()[0].hint.empty());
  }
}

TEST(PlanarScenario, TheExplicitServoWarnsWithTheChainsLimit) {
  const auto simulation = load("aiko_floor", {"controller.servo=explicit", "solver.dt=4e-4"});
  ASSERT_EQ(simulation.warnings.size(), 1U);
  EXPECT_THAT(simulation.warnings[0].text, testing::HasSubstr("stable for dt below 0.000346"));
  EXPECT_TRUE(
      load("aiko_floor", {"controller.servo=explicit", "solver.dt=2.5e-4"}).warnings.empty());
  EXPECT_TRUE(load("aiko_floor").warnings.empty());
}

TEST(PlanarScenario, TheExplicitServoHoldsAtThreeTenthsOfAMillisecondAndIsStoppedAtFour) {
  for (const bool stable : {true, false}) {
    auto simulation = load("aiko_floor", {"controller.servo=explicit", "duration=2",
                                          stable ? "solver.dt=3e-4" : "solver.dt=4e-4"});
    const auto outcome = simulation::run(simulation, {});
    EXPECT_EQ(outcome.status,
              stable ? simulation::RunStatus::completed : simulation::RunStatus::failed);
    if (!stable) {
      EXPECT_THAT(outcome.message, testing::HasSubstr("runaway"));
    }
  }
}

TEST(PlanarScenario, ThesisIterationWarnsOfAProxFactorTooLargeForTwoFrictionPoints) {
  const scenario::Overrides thesis{"solver.name=thesis", "solver.activation=gap", "duration=0.5"};
  EXPECT_TRUE(load("aiko_floor", thesis).warnings.empty()) << "1.3 kg is below 2 m = 1.364 kg";
  scenario::Overrides two = thesis;
  two.emplace_back("robot.friction_points=2");
  const auto large = load("aiko_floor", two);
  ASSERT_EQ(large.warnings.size(), 1U);
  EXPECT_THAT(large.warnings[0].text, testing::HasSubstr("below 0.682 kg only"));  // m
  two.emplace_back("solver.thesis.r_T=0.2");
  auto small = load("aiko_floor", two);
  EXPECT_TRUE(small.warnings.empty());
  EXPECT_EQ(simulation::run(small, {}).status, simulation::RunStatus::completed);
}

TEST(PlanarScenario, ForcesTimesFrameTimesAreTheExactImpulses) {
  // Momentum gained by the whole robot over the run = sum over frames of (ground + contact) force ×
  // frame time.
  auto simulation = load("aiko_course", {"duration=2", "record.rate_hz=60"});
  record::TrajectorySink sink;
  simulation::FrameSink* sinks[] = {&sink};
  ASSERT_EQ(simulation::run(simulation, sinks).status, simulation::RunStatus::completed);
  const auto& t = sink.trajectory();
  const auto& state = planar_of(simulation).state();
  const auto& model = planar_of(simulation).model();
  Eigen::Vector2d impulse = Eigen::Vector2d::Zero();
  for (std::size_t k = 1; k < t.frames(); ++k) {
    for (int i = 0; i < 11; ++i) {
      for (int axis = 0; axis < 2; ++axis) {
        impulse(axis) += (t.time[k] - t.time[k - 1]) *
                         (t.at("contact_force", k, i, axis) + t.at("ground_force", k, i, axis));
      }
    }
  }
  Eigen::Vector2d momentum = Eigen::Vector2d::Zero();
  for (int i = 0; i < 11; ++i) momentum += model.links[0].m * state.u.segment<2>(3 * i);
  const double last = t.time.back();
  ASSERT_NEAR(last, simulation.system->time(), 1e-12) << "choose a duration that ends on a frame";
  EXPECT_LE((momentum - impulse).norm(), 1e-11);
}

TEST(PlanarScenario, GivesTheSameBitsFromEveryCompilerAndOptimisation) {
  // The golden hashes are those of g++ -O3; every preset, -O2 with sanitizers and clang included,
  // must meet them.
  auto course = load("aiko_course", {"duration=3"});
  EXPECT_EQ(simulation::run(course, {}).final_state, 0xf626d7b114110743ULL)
      << std::hex << course.system->state_hash();
  auto thesis =
      load("aiko_course", {"duration=1", "solver.name=thesis", "controller.servo=explicit",
                           "solver.activation=gap", "solver.dt=2.5e-4"});
  EXPECT_EQ(simulation::run(thesis, {}).final_state, 0xbe910532737c4747ULL)
      << std::hex << thesis.system->state_hash();
}

TEST(MinimalScenario, EndsInTheSameStateOnEveryMachine) {
  auto servos = load("aiko_minimal", {"duration=1"});
  EXPECT_EQ(simulation::run(servos, {}).final_state, 0xb594550e5a11dd97ULL)
      << std::hex << servos.system->state_hash();
  auto linearised =
      load("aiko_linearised", {"duration=1", "seed=3", "controller.noise.joint_deg=0.1"});
  EXPECT_EQ(simulation::run(linearised, {}).final_state, 0x815d93223ce44638ULL)
      << std::hex << linearised.system->state_hash();
}

TEST(PlanarScenario, ThousandsOfObstaclesOutOfReachChangeNoRecordedBit) {
  // As a user has them: the 20 circles in one table, those and 9980 more in another.
  planar::Model model = sample::aiko(10);
  model.obstacles = sample::circles(10);
  sample::plant_forest(model, 9980, 2.0);
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("forest_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto recorded = [&](std::size_t count) {
    std::ofstream table(folder / "pegs.csv");
    table << "x,y,radius\n" << std::setprecision(17);
    for (std::size_t j = 0; j < count; ++j) {
      const planar::Obstacle& peg = model.obstacles[j];
      table << peg.H.x() << ',' << peg.H.y() << ',' << peg.L_H << '\n';
    }
    table.close();
    auto simulation = simulation::make_simulation(scenario::parse(
        "duration = 2\n[robot]\nname = \"aiko\"\nlinks = 10\n[start]\nlink = 1\nposition = [0.061, "
        "0]\nheading_deg = -42.8901\n[gait]\n[world]\nobstacle_table = \"pegs.csv\"\n",
        folder));
    EXPECT_EQ(planar_of(simulation).model().obstacles.size(), count);
    record::TrajectorySink sink;
    simulation::FrameSink* sinks[] = {&sink};
    const auto outcome = simulation::run(simulation, sinks);
    EXPECT_EQ(outcome.status, simulation::RunStatus::completed) << outcome.message;
    return sink.trajectory();
  };
  const record::Trajectory few = recorded(20);
  const record::Trajectory many = recorded(10000);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(few.frames(), 201U);
  EXPECT_EQ(few.time, many.time);
  EXPECT_EQ(few.values, many.values);
  double pressed = 0.0;
  for (int i = 0; i < 10; ++i) {
    for (const double force : few.column("contact_force", i, 0)) pressed += std::abs(force);
  }
  EXPECT_GT(pressed, 10.0) << "the 20 were meant to be touched (N, over the frames)";
}

TEST(PlanarScenario, ThePlainStepGivesTheSameBitsFromEveryCompilerToo) {
  // Pegs with friction are not for the fast step: the sweeps of nonsmooth/ solve these steps.
  const scenario::Overrides seconds{"duration=3"};
  auto anchored = load("aiko_rough_pegs", seconds);
  EXPECT_EQ(simulation::run(anchored, {}).final_state, 0x347cf4d8582bea25ULL)
      << std::hex << anchored.system->state_hash();
  auto rigid = load("aiko_rough_pegs", {"duration=3", "solver.law=rigid", "robot.friction_points=2",
                                        "controller.torque_limit=4"});
  EXPECT_EQ(simulation::run(rigid, {}).final_state, 0x63cb58a97c38c427ULL)
      << std::hex << rigid.system->state_hash();
  auto seidel = load("aiko_rough_pegs", {"duration=0.5", "solver.name=gauss_seidel"});
  EXPECT_EQ(simulation::run(seidel, {}).final_state, 0x591fb23b46e2529dULL)
      << std::hex << seidel.system->state_hash();
}

}  // namespace scenario_test
}  // namespace coluber
