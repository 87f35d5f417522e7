#include "coluber/math/atan2.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace coluber::math {
namespace atan2_test {

TEST(Atan2, IsTheAngleOfThePointInEveryDirectionAndAtAnyDistance) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> angle(-std::numbers::pi, std::numbers::pi);
  std::uniform_real_distribution<double> power(-200.0, 200.0);
  for (int i = 0; i < 100000; ++i) {
    const double phi = angle(random);
    const double r = std::pow(10.0, power(random));
    const double x = r * std::cos(phi);
    const double y = r * std::sin(phi);
    EXPECT_NEAR(math::atan2(y, x), std::atan2(y, x), 9e-16) << phi << " " << r;
  }
}

TEST(Atan2, HasTheAxesAndTheOrigin) {
  EXPECT_EQ(math::atan2(0.0, 0.0), 0.0);
  EXPECT_EQ(math::atan2(0.0, 2.0), 0.0);
  EXPECT_DOUBLE_EQ(math::atan2(3.0, 0.0), 0.5 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(math::atan2(-3.0, 0.0), -0.5 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(math::atan2(0.0, -1.0), std::numbers::pi);
  EXPECT_LE(math::atan2(1e-300, -1.0), std::numbers::pi);
}

}  // namespace atan2_test
}  // namespace coluber::math
