#undef COLUBER_ASSERTIONS
#ifndef NDEBUG
#define NDEBUG
#endif
#include <gtest/gtest.h>

#include "coluber/core/assert.hpp"

namespace coluber {
namespace assert_off_test {

TEST(AssertOff, EvaluatesNothingAndLetsEverythingPass) {
  int calls = 0;
  COLUBER_ASSERT(++calls == 100, calls);
  EXPECT_EQ(calls, 0);
}

}  // namespace assert_off_test
}  // namespace coluber
