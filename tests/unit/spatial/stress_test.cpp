// Random scenes: nothing fails, every step is exact. tests/tools/stress_spatial runs them by the
// hundred thousand.

#include <gtest/gtest.h>

#include "sample/spatial_stress.hpp"

namespace coluber::spatial {
namespace {

TEST(SpatialStress, RandomScenesMeetTheToleranceOnEveryStepWithBothLaws) {
  for (const nonsmooth::Law law : {nonsmooth::Law::anchored, nonsmooth::Law::rigid}) {
    sample::StressTally tally;
    sample::StressRange range;
    range.law = law;
    for (std::uint64_t seed = 1000; seed < 1030; ++seed) {
      sample::run_stress(sample::make_stress_scene(seed, range), 0.3, tally);
    }
    EXPECT_EQ(tally.failed, 0) << "of " << tally.steps;
    EXPECT_LE(tally.residual, 1e-9);
    if (law == nonsmooth::Law::rigid) {
      EXPECT_LE(tally.rigid_residual, 2e-8);
    }
    EXPECT_GT(tally.steps, 2000);
    EXPECT_GT(tally.touched, tally.steps / 10) << "the cylinders were meant to be hit";
    EXPECT_GT(tally.in_flight, tally.steps / 100) << "some were meant to fly";
  }
}

}  // namespace
}  // namespace coluber::spatial
