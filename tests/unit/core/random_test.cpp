#include "coluber/core/random.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"

namespace coluber {
namespace random_test {

TEST(Random, IsThePublishedXoshiro256PlusPlus) {
  // first outputs of the authors' code from the state 1, 2, 3, 4
  Random random(Random::State{1, 2, 3, 4});
  for (const std::uint64_t expected :
       {41943041ULL, 58720359ULL, 3588806011781223ULL, 3591011842654386ULL, 9228616714210784205ULL,
        9973669472204895162ULL}) {
    EXPECT_EQ(random.next(), expected);
  }
}

TEST(Random, FillsItsStateBySplitmix64OfTheSeed) {
  EXPECT_EQ(Random(0).state(), (Random::State{0xe220a8397b1dcdafULL, 0x6e789e6aa1b965f4ULL,
                                              0x06c45d188009454fULL, 0xf88bb8a8724c81ecULL}));
}

TEST(Random, GoesOnFromASavedState) {
  Random first(7);
  for (int i = 0; i < 100; ++i) first.next();
  Random second(first.state());
  EXPECT_EQ(first, second);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(first.uniform(), second.uniform());
    EXPECT_EQ(first.normal(), second.normal());
  }
}

TEST(Random, RefusesTheStateThatNeverLeavesZero) { EXPECT_THROW(Random(Random::State{}), Error); }

TEST(Random, GivesOtherNumbersForAnotherSeed) { EXPECT_NE(Random(1).next(), Random(2).next()); }

TEST(Random, UniformStaysInItsRangeWithTheRightMomentsOfOrderOneAndTwo) {
  Random random(3);
  double sum = 0.0;
  double squares = 0.0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double x = random.uniform(-2.0, 4.0);
    ASSERT_GE(x, -2.0);
    ASSERT_LT(x, 4.0);
    sum += x;
    squares += x * x;
  }
  // mean 1, variance 3: deviations of the two estimates 0.0055 and 0.0085, five of them allowed
  EXPECT_NEAR(sum / n, 1.0, 0.028);
  EXPECT_NEAR(squares / n - (sum / n) * (sum / n), 3.0, 0.043);
}

TEST(Random, UniformNeverReachesItsUpperEnd) {
  Random random(5);
  const double high = std::nextafter(1.0, 2.0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(random.uniform(1.0, high), 1.0);
}

TEST(Random, NormalHasMeanZeroVarianceOneAndKurtosisThree) {
  Random random(11);
  std::array<double, 5> moment{};
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    double power = 1.0;
    for (double& m : moment) {
      m += power / n;
      power *= x;
    }
  }
  // deviations of the estimates: sqrt(1/n), sqrt(2/n), sqrt(15/n), sqrt(96/n); five allowed
  EXPECT_NEAR(moment[1], 0.0, 0.0112);
  EXPECT_NEAR(moment[2], 1.0, 0.0159);
  EXPECT_NEAR(moment[3], 0.0, 0.0434);
  EXPECT_NEAR(moment[4], 3.0, 0.11);
}

}  // namespace random_test
}  // namespace coluber
