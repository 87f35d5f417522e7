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

}  // namespace stress_test
}  // namespace coluber::planar
