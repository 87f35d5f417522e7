#include "coluber/sweep/sampling.hpp"

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "math/log.hpp"

namespace coluber::sweep {
namespace sampling_test {

TEST(Sobol, BeginsWithThePointsOfTheLiterature) {
  // Joe and Kuo (2008), in Gray-code order: 0, 1/2, 3/4, 1/4, 3/8, 7/8, 5/8, 1/8
  const std::vector<double> first{0.0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125};
  for (std::size_t k = 0; k < first.size(); ++k) EXPECT_EQ(sobol(k, 0), first[k]) << k;
  const std::vector<double> second{0.0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625};
  for (std::size_t k = 0; k < second.size(); ++k) EXPECT_EQ(sobol(k, 1), second[k]) << k;
}

TEST(Sobol, HitsEveryIntervalOnceInEachDimensionWhateverTheShift) {
  for (const std::uint64_t seed : {0U, 1U, 12345U}) {
    for (int d = 0; d < sobol_dimensions; ++d) {
      for (const std::uint64_t n : {2U, 16U, 1024U}) {
        std::set<std::uint64_t> hit;
        for (std::uint64_t k = 0; k < n; ++k) {
          const double u = sobol(k, d, sobol_shift(seed, d));
          ASSERT_GE(u, 0.0);
          ASSERT_LT(u, 1.0);
          hit.insert(static_cast<std::uint64_t>(u * static_cast<double>(n)));
        }
        EXPECT_EQ(hit.size(), n) << "dimension " << d << ", seed " << seed;
      }
    }
  }
}

TEST(Sobol, IsUnshiftedWithSeedZeroAndShiftedAlikeByTheSameSeed) {
  EXPECT_EQ(sobol_shift(0, 3), 0U);
  EXPECT_EQ(sobol_shift(7, 3), sobol_shift(7, 3));
  EXPECT_NE(sobol_shift(7, 3), sobol_shift(7, 4));
  EXPECT_NE(sobol_shift(7, 3), sobol_shift(8, 3));
}

TEST(Latin, HoldsOneSampleInEveryStratum) {
  for (const std::uint64_t n : {1U, 2U, 3U, 10U, 257U, 1000U}) {
    for (int axis = 0; axis < 3; ++axis) {
      std::set<std::uint64_t> strata;
      for (std::uint64_t k = 0; k < n; ++k) {
        const double u = latin(k, n, 5, axis);
        ASSERT_GE(u, 0.0);
        ASSERT_LT(u, 1.0);
        strata.insert(static_cast<std::uint64_t>(std::floor(u * static_cast<double>(n))));
      }
      EXPECT_EQ(strata.size(), n);
    }
  }
}

TEST(Latin, OrdersTheAxesIndependently) {
  // correlation of two axes of 1000 samples: 0 ± 1/sqrt(1000) = 0.032, four deviations
  double sum = 0.0;
  constexpr std::uint64_t n = 1000;
  for (std::uint64_t k = 0; k < n; ++k)
    sum += (latin(k, n, 1, 0) - 0.5) * (latin(k, n, 1, 1) - 0.5);
  EXPECT_LT(std::abs(12.0 * sum / n), 0.13);
}

TEST(Uniform, HasTheMeanAndVarianceOfItsLaw) {
  double sum = 0.0;
  double squares = 0.0;
  constexpr int n = 20000;
  for (int k = 0; k < n; ++k) {
    const double u = uniform(static_cast<std::uint64_t>(k), 3, 0);
    sum += u;
    squares += (u - 0.5) * (u - 0.5);
  }
  EXPECT_NEAR(sum / n, 0.5, 4.0 * 0.2887 / std::sqrt(n));  // four deviations
  EXPECT_NEAR(squares / n, 1.0 / 12.0, 4.0 * 0.0745 / std::sqrt(n));
}

TEST(Spaced, HasBothEndsAndWholeNumbersExactly) {
  EXPECT_EQ(spaced(10.0, 80.0, 0, 36), 10.0);
  EXPECT_EQ(spaced(10.0, 80.0, 35, 36), 80.0);
  for (int k = 0; k < 36; ++k) EXPECT_EQ(spaced(10.0, 80.0, k, 36), 10.0 + 2.0 * k);
  for (int k = 0; k < 21; ++k) EXPECT_EQ(spaced(30.0, 50.0, k, 21), 30.0 + k);
}

TEST(Spaced, KeepsItsValuesWhenItGrows) {
  for (int k = 0; k < 9; ++k) {
    EXPECT_EQ(spaced(0.1, 0.37, k, 9), spaced(0.1, 0.37, 2 * k, 17));
    EXPECT_EQ(spaced(0.1, 0.37, k, 9), spaced(0.1, 0.37, 3 * k, 25));
  }
}

TEST(BetweenLog, HasBothEndsAndRoundDecades) {
  EXPECT_EQ(between_log(0.001, 10.0, 0.0), 0.001);
  EXPECT_EQ(between_log(0.001, 10.0, 1.0), 10.0);
  EXPECT_EQ(between_log(0.001, 10.0, 0.25), 0.01);
  EXPECT_EQ(between_log(0.001, 10.0, 0.5), 0.1);
  EXPECT_EQ(between_log(-10.0, -0.1, 0.5), -1.0);
}

TEST(BetweenLog, AgreesWithTheClosedForm) {
  for (int k = 1; k < 100; ++k) {
    const double u = k / 100.0;
    const double expected = 0.2 * std::pow(70.0 / 0.2, u);
    // two roundings of exp, the rounding of u ln: 1e-15 of the exponent's size, about 6
    EXPECT_NEAR(between_log(0.2, 70.0, u), expected, 2e-14 * expected);
  }
}

TEST(Logarithm, IsThatOfTheLibraryToTwoRoundings) {
  for (double x = 1e-300; x < 1e300; x *= 3.7) {
    EXPECT_NEAR(math::logarithm(x), std::log(x), 4.5e-16 * std::max(1.0, std::abs(std::log(x))))
        << x;
  }
  EXPECT_EQ(math::logarithm(1.0), 0.0);
}

}  // namespace sampling_test
}  // namespace coluber::sweep
