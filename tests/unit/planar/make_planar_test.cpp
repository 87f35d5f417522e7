#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "coluber/planar/system.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {
namespace make_planar_test {

constexpr double degree = 0.017453292519943295;

// Link angles and middle link's place now.
planar::Pose pose_of(const Simulation& simulation) {
  const auto& system = dynamic_cast<const planar::PlanarSystem&>(*simulation.system);
  planar::Pose pose;
  planar::compute_pose_at_time(system.model(), system.state(), simulation.system->dt(), pose);
  return pose;
}

Simulation make_undulating(double heading_deg, double offset_deg, double phase_deg) {
  return make_simulation(scenario::parse(fmt::format(R"(
[robot]
name = "aiko"
[start]
heading_deg = {}
[gait]
name = "lateral_undulation"
amplitude_deg = 40.0
phase_deg = {}
offset_deg = {}
)",
                                                     heading_deg, phase_deg, offset_deg)));
}

TEST(MakePlanar, AnOffsetBendsTheRobotAboutItsHeading) {
  // theta_i = heading + wave_i + offset (i - (n + 1)/2), where the wave about its mean line is
  // -A cos((i - 3/2) beta) / (2 sin(beta/2)); summing the joint angles gives nothing else
  for (const double heading : {180.0, 30.0, -75.0}) {
    for (const double offset : {5.0, -12.0}) {
      for (const double phase : {-50.0, 40.0}) {
        const planar::Pose pose = pose_of(make_undulating(heading, offset, phase));
        ASSERT_EQ(pose.theta.size(), 11);
        double wave_mean = 0.0;  // deg
        for (int i = 1; i <= 11; ++i) {
          const double wave =
              -40.0 * std::cos((i - 1.5) * phase * degree) / (2.0 * std::sin(0.5 * phase * degree));
          wave_mean += wave / 11.0;
          EXPECT_NEAR(pose.theta(i - 1) / degree, heading + wave + offset * (i - 6), 1e-11)
              << "link " << i << ", heading " << heading << ", offset " << offset;
        }
        EXPECT_NEAR(pose.theta.mean() / degree, heading + wave_mean, 1e-11)
            << "the offset must not turn the mean link";
      }
    }
  }
}

/// The direction (deg) of the last link's centre as seen from the first's.
double chord_of(const planar::Pose& pose) {
  const Eigen::Vector2d chord = pose.r.col(pose.r.cols() - 1) - pose.r.col(0);
  return std::atan2(chord.y(), chord.x()) / degree;
}

Simulation make_short_wave(int links, double phase_deg, double amplitude_deg = 40.0) {
  return make_simulation(scenario::parse(fmt::format(
      "[robot]\nname = \"aiko\"\nlinks = {}\n[start]\nheading_deg = 30\nshape = \"gait\"\n[gait]\n"
      "amplitude_deg = {}\nphase_deg = {}\n",
      links, amplitude_deg, phase_deg)));
}

std::vector<std::string> heading_warnings(const Simulation& simulation) {
  std::vector<std::string> texts;
  for (const drive::Warning& warning : simulation.warnings) {
    if (warning.key == "start.heading_deg") texts.push_back(warning.text);
  }
  return texts;
}

TEST(MakePlanar, OfLessThanHalfAWaveTheHeadingIsTheMeanOfTheLinkAngles) {
  for (const auto& [links, phase] :
       {std::pair{8, -20.0}, std::pair{8, -10.0}, std::pair{8, -1.0}, std::pair{8, 1e-3},
        std::pair{8, 0.0}, std::pair{2, -50.0}, std::pair{8, 359.0}, std::pair{3, 60.0}}) {
    const planar::Pose pose = pose_of(make_short_wave(links, phase));
    EXPECT_NEAR(pose.theta.mean() / degree, 30.0, 1e-9) << links << " links, phase " << phase;
    EXPECT_LT(std::abs(chord_of(pose) - 30.0), 25.0) << links << " links, phase " << phase;
  }
}

TEST(MakePlanar, OfHalfAWaveAndMoreTheHeadingIsItsMeanLine) {
  for (const auto& [links, phase] : {std::pair{8, -26.0}, std::pair{4, 60.0}, std::pair{5, -45.0},
                                     std::pair{11, -50.0}, std::pair{5, 310.0}}) {
    const planar::Pose pose = pose_of(make_short_wave(links, phase));
    const double half = 0.5 * phase * degree;
    EXPECT_NEAR(pose.theta(0) / degree, 30.0 - 40.0 * std::cos(half) / (2.0 * std::sin(half)), 1e-9)
        << links << " links, phase " << phase;
  }
}

TEST(MakePlanar, ARobotThatLiesFarFromItsHeadingIsWarnedOf) {
  EXPECT_TRUE(heading_warnings(make_short_wave(11, -50.0)).empty());
  EXPECT_TRUE(heading_warnings(make_short_wave(8, -1.0)).empty());
  const Simulation bent = make_short_wave(4, -60.0, 90.0);
  const double chord = chord_of(pose_of(bent));
  ASSERT_GT(std::abs(chord - 30.0), 30.0) << "about half a wave, all on one side of its mean line";
  const auto warnings = heading_warnings(bent);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings.front().find(fmt::format(
                "start.heading_deg = 30: link 4 lies at {:.4g} deg as seen from link 1", chord)),
            std::string::npos)
      << warnings.front();
  EXPECT_NE(warnings.front().find("start.link_angle"), std::string::npos) << warnings.front();
}

TEST(MakePlanar, ARobotSlidesTowardsTheTiltDirectionWithTheAccelerationOfTheSlope) {
  // equal friction along and across, straight and rigid: g (sin tilt - mu cos tilt) downhill
  const double acceleration = 9.81 * (std::sin(20.0 * degree) - 0.2 * std::cos(20.0 * degree));
  for (const double direction : {0.0, 37.0, 90.0, -120.0}) {
    Simulation simulation = make_simulation(scenario::parse(fmt::format(R"(
duration = 0.5
[robot]
name = "aiko"
links = 4
[world]
friction = [0.2, 0.2]
tilt_deg = 20.0
tilt_direction_deg = {}
)",
                                                                        direction)));
    const Eigen::Vector2d from = pose_of(simulation).origin;
    ASSERT_EQ(run(simulation, {}).status, RunStatus::completed);
    const Eigen::Vector2d moved = pose_of(simulation).origin - from;
    const Eigen::Vector2d downhill(std::cos(direction * degree), std::sin(direction * degree));
    const double expected = 0.5 * acceleration * 0.5 * 0.5;
    // a midpoint rule's leapfrog is exact for constant acceleration up to half a step of speed
    EXPECT_NEAR(moved.dot(downhill), expected, 0.5 * 1e-3 * acceleration * 0.5 * 1.01) << direction;
    EXPECT_NEAR(moved.x() * downhill.y() - moved.y() * downhill.x(), 0.0, 1e-9) << direction;
  }
}

}  // namespace make_planar_test
}  // namespace coluber::simulation
