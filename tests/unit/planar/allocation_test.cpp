// Nothing allocates in a step after the first. Eigen calls malloc, everything else operator new,
// which calls it too: malloc itself is counted. Sanitizers bring their own malloc; there the test
// has nothing to count.

#include <atomic>
#include <cstddef>

#include <gtest/gtest.h>

#include "sample/forest.hpp"
#include "sample/snake.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t size);  // NOLINT(bugprone-reserved-identifier)
void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
}

namespace coluber::planar {
namespace {

TEST(PlanarStep, AllocatesNothingAfterTheFirst) {
  Model model = sample::aiko();
  model.obstacles = sample::course();
  for (const Solver solver : {Solver::newton, Solver::thesis}) {
    StepOptions options;
    options.solver = solver;
    if (solver == Solver::thesis) {
      options.dt = 2.5e-4;
      options.activation = Activation::gap;
    }
    State state = sample::course_start(model);
    Data data(model);
    JointCommand command(10);
    const auto one_step = [&](int k) {
      sample::follow({}, (k + 1) * options.dt, command);
      return step(model, state, data, command, options).status;
    };
    ASSERT_EQ(one_step(0), Status::ok);
    const long before = allocations.load();
    ASSERT_GT(before, 0) << "the counter must count";
    int failed = 0;
    for (int k = 1; k < 12000; ++k) failed += one_step(k) == Status::ok ? 0 : 1;
    EXPECT_EQ(allocations.load() - before, 0);
    EXPECT_EQ(failed, 0);
  }
}

TEST(PlanarStep, NorDoesASearchAmongTenThousandObstacles) {
  // Two friction points, rough pegs, limited motors; the path leads to new neighbours again and
  // again.
  Model model = sample::aiko(10);
  model.obstacles = sample::circles(10);
  model.friction_points = 2;
  for (Obstacle& obstacle : model.obstacles) obstacle.mu = 0.3;
  sample::plant_forest(model, 9980, 3.0);
  State state = sample::peers_start(model);
  Data data(model);
  JointCommand command(9);
  command.tau_max.setConstant(20.0);
  int failed = 0;
  long before = 0;
  Eigen::Matrix2Xd built_at;
  int searches = 0;
  for (int k = 0; k < 3000; ++k) {
    sample::follow({}, (k + 1) * 1e-3, command);
    failed += step(model, state, data, command, {}).status == Status::ok ? 0 : 1;
    if (k == 0) {
      built_at = data.candidates.built_at;
      before = allocations.load();
    }
    if (built_at != data.candidates.built_at) {
      built_at = data.candidates.built_at;
      ++searches;
    }
  }
  EXPECT_EQ(allocations.load() - before, 0);
  EXPECT_EQ(failed, 0);
  EXPECT_GT(searches, 3) << "the robot was meant to move out of its neighbourhood";
}

TEST(PlanarStep, TheFallbackAllocatesNothingEither) {
  Model model = sample::aiko();
  model.obstacles = sample::course();
  StepOptions options;
  options.newton.max_sweeps = 0;
  State state = sample::course_start(model);
  Data data(model);
  JointCommand command(10);
  int failed = 0;
  long before = 0;
  for (int k = 0; k < 300; ++k) {
    sample::follow({}, (k + 1) * options.dt, command);
    failed += step(model, state, data, command, options).status == Status::ok ? 0 : 1;
    if (k == 0) before = allocations.load();
  }
  EXPECT_EQ(allocations.load() - before, 0);
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace coluber::planar

#endif
