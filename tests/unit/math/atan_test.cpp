#include "coluber/math/atan.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace coluber::math {
namespace atan_test {

std::vector<double> arctangents(const std::vector<double>& x) {
  std::vector<double> angle(x.size());
  atan(x, angle);
  return angle;
}

TEST(Atan, IsTheArctangentAtEverySize) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> power(-300.0, 300.0);
  std::uniform_real_distribution<double> near(-4.0, 4.0);
  std::vector<double> x;
  for (int i = 0; i < 100000; ++i) {
    x.push_back((i % 2 == 0 ? 1.0 : -1.0) * std::pow(10.0, power(random)));
    x.push_back(near(random));
  }
  const std::vector<double> angle = arctangents(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double exact = std::atan(static_cast<long double>(x[i]));
    EXPECT_LE(std::abs(static_cast<double>(angle[i] - exact)), 3e-16 * std::abs(angle[i])) << x[i];
  }
}

TEST(Atan, HasZeroInfinityAndTheSeamsOfItsParts) {
  const double seam_1 = std::tan(std::numbers::pi / 8.0);
  const double seam_2 = std::tan(3.0 * std::numbers::pi / 8.0);
  for (const double seam : {seam_1, seam_2}) {
    const auto around = arctangents({std::nextafter(seam, 0.0), seam, std::nextafter(seam, 9.0)});
    EXPECT_NEAR(around[0], around[1], 4e-16);
    EXPECT_NEAR(around[1], around[2], 4e-16);
  }
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(arctangents({0.0, infinite, -infinite, 1.0, -1.0}),
            (std::vector{0.0, 0.5 * std::numbers::pi, -0.5 * std::numbers::pi,
                         0.25 * std::numbers::pi, -0.25 * std::numbers::pi}));
  EXPECT_TRUE(std::isnan(arctangents({std::numeric_limits<double>::quiet_NaN()})[0]));
}

}  // namespace atan_test
}  // namespace coluber::math
