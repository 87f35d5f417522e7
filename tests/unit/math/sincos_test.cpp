#include "coluber/math/sincos.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace coluber::math {
namespace sincos_test {

TEST(SinCos, StaysWithinTheStatedErrorOfTheTrueValue) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> near(-10.0, 10.0);
  std::uniform_real_distribution<double> wide(-1e5, 1e5);
  double worst = 0.0;
  for (int i = 0; i < 400000; ++i) {
    const double x = i % 2 == 0 ? near(random) : wide(random);
    double s = 0.0;
    double c = 0.0;
    sincos(x, s, c);
    const auto exact = static_cast<long double>(x);
    worst = std::max(worst,
                     std::abs(static_cast<double>(static_cast<long double>(s) - std::sin(exact))));
    worst = std::max(worst,
                     std::abs(static_cast<double>(static_cast<long double>(c) - std::cos(exact))));
  }
  EXPECT_LE(worst, 1.7e-16);  // the header's promise
}

TEST(SinCos, IsExactAtZeroAndOddAndEven) {
  double s = 1.0;
  double c = 0.0;
  sincos(0.0, s, c);
  EXPECT_EQ(s, 0.0);
  EXPECT_EQ(c, 1.0);
  for (double x : {0.1, 0.78, 0.8, 1.5707, 2.5, 4.0, 100.0}) {
    double sp = 0.0, cp = 0.0, sm = 0.0, cm = 0.0;
    sincos(x, sp, cp);
    sincos(-x, sm, cm);
    EXPECT_EQ(sp, -sm) << x;
    EXPECT_EQ(cp, cm) << x;
  }
}

TEST(SinCos, LoopAndSingleCallGiveTheSameBits) {
  std::vector<double> x, s(1003), c(1003);
  for (int i = 0; i < 1003; ++i) x.push_back(-7.0 + 0.0139 * i);
  sincos(x, s, c);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double s1 = 0.0, c1 = 0.0;
    sincos(x[i], s1, c1);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(s[i]), std::bit_cast<std::uint64_t>(s1)) << x[i];
    EXPECT_EQ(std::bit_cast<std::uint64_t>(c[i]), std::bit_cast<std::uint64_t>(c1)) << x[i];
  }
}

TEST(SinCos, AnswersBeyondItsRangeAndPassesNaNOn) {
  std::vector<double> x{1.0, 3e7, std::numeric_limits<double>::quiet_NaN()}, s(3), c(3);
  sincos(x, s, c);
  EXPECT_NEAR(s[0], std::sin(1.0), 2e-16);
  EXPECT_NEAR(s[1], std::sin(3e7), 1e-15);
  EXPECT_TRUE(std::isnan(s[2]) && std::isnan(c[2]));
}

}  // namespace sincos_test
}  // namespace coluber::math
