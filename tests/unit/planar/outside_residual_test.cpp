// The residual recomputed outside the solver: what it forgives, and what it does not.

#include <cmath>

#include <gtest/gtest.h>

#include "nonsmooth/solve_step.hpp"
#include "sample/snake.hpp"

namespace coluber::planar {
namespace outside_residual_test {

bool judge(double law, double momentum, double tolerance, nonsmooth::Rounding rounding) {
  return nonsmooth::bears_out(law, momentum, tolerance, [&] { return rounding; });
}

TEST(OutsideResidual, IsJudgedByTheToleranceOrByRoundingEachPartByItself) {
  EXPECT_TRUE(judge(9e-10, 9e-10, 1e-10, {0.0, 0.0}));
  EXPECT_FALSE(judge(2e-9, 0.0, 1e-10, {0.0, 1.0}));
  EXPECT_FALSE(judge(0.0, 2e-9, 1e-10, {1.0, 0.0}));
  EXPECT_TRUE(judge(2e-9, 0.0, 1e-10, {3e-9, 0.0}));
  EXPECT_TRUE(judge(0.0, 2e-9, 1e-10, {0.0, 3e-9}));
  EXPECT_FALSE(judge(0.0, 2e-5, 1e-10, {1.0, 1.0})) << "no digits are left";
  EXPECT_TRUE(judge(2e-5, 2e-5, 1e-4, {0.0, 0.0})) << "a user may ask for less";
  EXPECT_FALSE(judge(std::nan(""), 0.0, 1e-10, {1.0, 1.0}));
}

TEST(OutsideResidual, RoundingIsComputedOnlyWhereItMatters) {
  int calls = 0;
  const auto count = [&]() -> nonsmooth::Rounding {
    ++calls;
    return {};
  };
  EXPECT_TRUE(nonsmooth::bears_out(1e-10, 0.0, 1e-10, count));
  EXPECT_EQ(calls, 0);
}

TEST(OutsideResidual, SaysWhichPartOfALongChainsResidualIsRounding) {
  Model model = sample::aiko(400);
  State state = sample::course_start(model);
  Data data(model);
  JointCommand command(399);
  double law = 0.0;
  double momentum = 0.0;
  for (int k = 0; k < 60; ++k) {
    sample::follow({}, (k + 1) * 1e-3, command);
    const nonsmooth::ContactStepInfo info = step(model, state, data, command, {});
    ASSERT_EQ(info.status, Status::ok) << k;
    EXPECT_EQ(info.residual, std::max(info.residual_law, info.residual_momentum));
    law = std::max(law, info.residual_law);
    momentum = std::max(momentum, info.residual_momentum);
  }
  EXPECT_LE(law, 1e-9);
  EXPECT_GT(momentum, 1e-10) << "a chain of this length was to round momentum above the tolerance";
}

}  // namespace outside_residual_test
}  // namespace coluber::planar
