// Distances of a chain of links to itself and to a prism allocate nothing.

#include <array>

#include <gtest/gtest.h>

#include "coluber/core/random.hpp"
#include "coluber/world/capsules.hpp"
#include "coluber/world/prism.hpp"

#include "support/allocations.hpp"

#ifdef COLUBER_COUNTS_ALLOCATIONS

namespace coluber::world {
namespace {

TEST(Distances, AllocateNothing) {
  Random random(3);
  std::array<Capsule, 15> chain;
  for (Capsule& link : chain) {
    link.start = {random.uniform(), random.uniform(), random.uniform()};
    link.end = {random.uniform(), random.uniform(), random.uniform()};
  }
  const Eigen::Matrix2Xd corners =
      (Eigen::Matrix2Xd(2, 3) << 0.0, 1.0, 0.5, 0.0, 0.0, 1.0).finished();
  const long before = allocations.load();
  ASSERT_GT(before, 0) << "the counter must count";
  const SelfDistance self = compute_self_distance(chain);
  const PrismPoint prism = locate_on_prism(corners, {0.5, 2.0}, {2.0, 0.5});
  EXPECT_EQ(allocations.load() - before, 0);
  EXPECT_GE(self.first, 0);
  EXPECT_GT(prism.g, 0.0);
}

}  // namespace
}  // namespace coluber::world

#endif
