// Laying a train of the same size again allocates nothing.

#include <vector>

#include <gtest/gtest.h>

#include "coluber/path/train.hpp"

#include "support/allocations.hpp"

#ifdef COLUBER_COUNTS_ALLOCATIONS

namespace coluber::path {
namespace {

TEST(Train, AllocatesNothingWhileItsSizeStays) {
  const auto path = make_serpenoid({}, 0.99, 0.765);
  const auto spline = make_spline({{0, 0}, {1, 0.2}, {0.8, 0.9}, {0.1, 0.6}}, true);
  const auto circle = make_pieces({}, {{1.0, 20.0, 20.0}});
  const std::vector<double> length(20, 0.11);
  Train train;
  ASSERT_TRUE(lay_train(*path, length, 0.0, 0.1, 0.0, train));
  const long before = allocations.load();
  ASSERT_GT(before, 0) << "the counter must count";
  int laid = 0;
  for (int k = 0; k < 100; ++k) {
    laid += lay_train(*path, length, 0.01 * k, 0.1, 0.2, train) ? 1 : 0;
    laid += lay_train(*spline, length, 0.01 * k, 0.1, 0.2, train) ? 1 : 0;
    laid += lay_train(*circle, length, 0.01 * k, 0.1, 0.2, train) ? 1 : 0;
  }
  EXPECT_EQ(allocations.load() - before, 0);
  EXPECT_EQ(laid, 200);
}

}  // namespace
}  // namespace coluber::path

#endif
