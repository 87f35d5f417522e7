#ifndef COLUBER_ASSERTIONS
#define COLUBER_ASSERTIONS
#endif
#include "coluber/core/assert.hpp"

#include <gtest/gtest.h>

namespace coluber {
namespace assert_test {

TEST(AssertDeathTest, NamesConditionPlaceAndValues) {
  const int rows = 33;
  EXPECT_DEATH(COLUBER_ASSERT(rows == 36, rows, 12),
               "assert_test.cpp:[0-9]+: assertion failed: rows == 36\n  rows, 12 = 33, 12");
}

TEST(AssertDeathTest, NeedsNoValues) {
  const bool holds = false;
  EXPECT_DEATH(COLUBER_ASSERT(holds), "assertion failed: holds");
}

TEST(Assert, LetsATrueConditionPassAndEvaluatesItOnce) {
  int calls = 0;
  COLUBER_ASSERT(++calls == 1, calls);
  EXPECT_EQ(calls, 1);
}

}  // namespace assert_test
}  // namespace coluber
