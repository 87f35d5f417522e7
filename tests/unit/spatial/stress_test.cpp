// Random scenes: nothing fails, every step is exact. tests/tools/stress_spatial runs them by the
// hundred thousand.

#include <gtest/gtest.h>

#include "sample/spatial_stress.hpp"

namespace coluber::spatial {
namespace {

void run_scenes(const sample::StressRange& range) {
  sample::StressTally tally;
  for (std::uint64_t seed = 1000; seed < 1030; ++seed) {
    sample::run_stress(sample::make_stress_scene(seed, range), 0.3, tally);
  }
  EXPECT_EQ(tally.failed, 0) << "of " << tally.steps;
  EXPECT_LE(tally.residual, 1e-9);
  if (range.law == nonsmooth::Law::rigid) {
    EXPECT_LE(tally.rigid_residual, 2e-8);
  }
  EXPECT_GT(tally.steps, 2000);
  EXPECT_GT(tally.touched, tally.steps / 10) << "the cylinders were meant to be hit";
  EXPECT_GT(tally.in_flight, tally.steps / 100) << "some were meant to fly";
}

TEST(SpatialStress, RandomScenesMeetTheToleranceOnEveryStep) { run_scenes({}); }

TEST(SpatialStress, RandomScenesMeetTheRigidLawOnEveryStep) {
  // Robots jammed between rough cylinders are left out: there the rigid law's impulses, which many
  // points share, can move on from pass to pass. stress_spatial counts them.
  sample::StressRange range;
  range.law = nonsmooth::Law::rigid;
  range.rough = false;
  run_scenes(range);
}

}  // namespace
}  // namespace coluber::spatial
