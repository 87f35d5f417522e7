// Random scenes: nothing fails, every step is exact. tests/tools/stress runs them by the million.

#include "sample/stress.hpp"

#include <gtest/gtest.h>

namespace coluber::planar {
namespace stress_test {

TEST(PlanarStress, RandomScenesMeetTheToleranceOnEveryStepWithBothLaws) {
  for (const nonsmooth::Law law : {nonsmooth::Law::anchored, nonsmooth::Law::rigid}) {
    sample::StressTally tally;
    sample::StressRange range;
    range.law = law;
    for (std::uint64_t seed = 1000; seed < 1030; ++seed) {
      sample::run_stress(sample::stress_scene(seed, range), 1.0, tally);
    }
    EXPECT_EQ(tally.failed, 0) << "of " << tally.steps;
    EXPECT_LE(tally.residual, 1e-9);
    if (law == nonsmooth::Law::rigid) {
      EXPECT_LE(tally.rigid_residual, 2e-8);
    }
    EXPECT_GT(tally.touched, tally.steps / 10) << "the pegs were meant to be hit";
  }
}

// References hold for 25 ms and then jump, as those of a path follower do.
TEST(PlanarStress, RobotsOnWheelsMeetTheToleranceOnEveryStepWithBothLaws) {
  for (const nonsmooth::Law law : {nonsmooth::Law::anchored, nonsmooth::Law::rigid}) {
    sample::StressTally tally;
    sample::StressRange range;
    range.law = law;
    range.wheels = true;
    range.mu_low = 0.05;
    range.mu_high = 0.9;
    for (std::uint64_t seed = 1000; seed < 1020; ++seed) {
      sample::run_stress(sample::stress_scene(seed, range), 1.0, tally);
    }
    EXPECT_EQ(tally.failed, 0) << "of " << tally.steps;
    EXPECT_LE(tally.law, 1e-9);
    if (law == nonsmooth::Law::anchored) {
      EXPECT_LE(tally.residual, 1e-9);
    } else {
      EXPECT_LE(tally.momentum, 1e-8);
      EXPECT_LE(1000 * tally.over, tally.steps);
    }
  }
}

}  // namespace stress_test
}  // namespace coluber::planar
