#include "coluber/gait/table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"

namespace coluber::gait {
namespace table_test {

// A table of two joints sampled from f and -2f.
Table sample(const std::vector<double>& times, const std::function<double(double)>& f) {
  Eigen::MatrixXd angles(static_cast<Eigen::Index>(times.size()), 2);
  for (std::size_t k = 0; k < times.size(); ++k) {
    angles(static_cast<Eigen::Index>(k), 0) = f(times[k]);
    angles(static_cast<Eigen::Index>(k), 1) = -2.0 * f(times[k]);
  }
  return {times, angles};
}

TEST(Table, NamesItsLargestAngle) {
  const Table table = sample({0.0, 1.0, 2.0}, [](double t) { return t == 1.0 ? 0.7 : 0.1; });
  EXPECT_EQ(table.largest().angle, 1.4);
  EXPECT_EQ(table.largest().joint, 1);
}

TEST(Table, NamesWhereItSwingsOutBetweenItsPoints) {
  constexpr double degree = std::numbers::pi / 180.0;
  // two points close to each other set a slope that the long pieces beside them cannot follow
  const std::vector<double> times{0.0, 1.0, 1.05, 2.05, 3.05};
  const Table table = sample(times, [](double t) { return t > 1.01 ? 30.0 * degree : 0.0; });
  const auto over = table.overshoot();
  ASSERT_TRUE(over.has_value());
  Eigen::VectorXd phi(2);
  Eigen::VectorXd rate(2);
  double scanned = 0.0;
  for (double t = 0.0; t <= 3.05; t += 1e-4) {
    table.evaluate(t, phi, rate);
    const auto outside = [](double angle, double low, double high) {
      return std::max(low - angle, angle - high);
    };
    scanned = std::max(
        {scanned, outside(phi(0), 0.0, 30.0 * degree), 0.5 * outside(phi(1), -60.0 * degree, 0.0)});
  }
  EXPECT_GT(scanned, 30.0 * degree);
  table.evaluate(over->time, phi, rate);
  EXPECT_NEAR(phi(over->joint), over->angle, 1e-14);
  EXPECT_NEAR(rate(over->joint), 0.0, 1e-12);
  // the scan misses the peak by its step squared
  EXPECT_NEAR(over->excess() / (over->joint == 1 ? 2.0 : 1.0), scanned, 1e-6);
}

TEST(Table, AWaveThatIsSampledWellEnoughSwingsOutNowhere) {
  std::vector<double> times;
  for (int k = 0; k <= 24; ++k) times.push_back(0.25 * k);  // eight points a period
  EXPECT_FALSE(sample(times, [](double t) { return std::sin(std::numbers::pi * t); }).overshoot());
  EXPECT_FALSE(sample({0.0, 1.0}, [](double t) { return t; }).overshoot());
  EXPECT_FALSE(sample({0.0}, [](double t) { return t; }).overshoot());
  EXPECT_FALSE(sample({0.0, 1.0, 2.0, 3.0}, [](double) { return 0.3; }).overshoot());
}

// A wave of frequency f whose points are so far apart.
Table wave(double f, double spacing) {
  std::vector<double> times;
  for (int k = 0; k * spacing <= 1.0; ++k) times.push_back(k * spacing);
  return sample(times, [f](double t) { return 0.5 * std::sin(2.0 * std::numbers::pi * f * t); });
}

TEST(Table, NamesWhereStepsPassOverItsPoints) {
  // 100 Hz met once a period: the steps see a robot at rest
  const auto skipped = wave(100.0, 1e-3).skipped(1e-2, 1.0);
  ASSERT_TRUE(skipped.has_value());
  EXPECT_NEAR(skipped->share, 0.5, 0.03);  // the amplitude, of twice that; the ends swing out
  // to and fro from step to step: points and middles lie on the line of the steps, quarters do not
  std::vector<double> times;
  for (int k = 0; k <= 100; ++k) times.push_back(0.01 * k);
  const Table zigzag =
      sample(times, [](double t) { return std::lround(100.0 * t) % 2 == 0 ? 0.5 : -0.5; });
  EXPECT_TRUE(zigzag.skipped(1e-2, 1.0).has_value());
  // a twitch between two steps
  times.clear();
  for (int k = 0; k <= 500; ++k) times.push_back(2e-3 * k);
  const Table twitch =
      sample(times, [](double t) { return std::lround(500.0 * t) == 252 ? 0.3 : 0.0; });
  const auto between = twitch.skipped(1e-2, 1.0);
  ASSERT_TRUE(between.has_value());
  EXPECT_NEAR(between->time, 0.504, 1e-3);
  EXPECT_FALSE(twitch.skipped(1e-2, 0.4).has_value()) << "after the end of the run";
}

TEST(Table, StepsThatFollowItPassOverNothing) {
  // the line between steps is 1 - cos(pi/N) of the amplitude off a wave of N steps a period: half
  // of that of the range is 2 % at N = 11.1
  EXPECT_TRUE(wave(1.0, 1e-3).skipped(1.0 / 9.5, 1.0).has_value());
  EXPECT_FALSE(wave(1.0, 1e-3).skipped(1.0 / 12.5, 1.0).has_value());
  // points closer than dt that scatter by a thousandth of the range
  std::vector<double> times;
  for (int k = 0; k <= 1000; ++k) times.push_back(1e-3 * k);
  const Table measured = sample(times, [](double t) {
    return std::sin(4.0 * t) + 2e-3 * (std::lround(1e3 * t) % 2 == 0 ? 0.5 : -0.5);
  });
  EXPECT_FALSE(measured.skipped(1e-2, 1.0).has_value());
  EXPECT_FALSE(sample({0.0, 1e-3}, [](double t) { return t; }).skipped(1e-2, 1.0).has_value());
  EXPECT_FALSE(sample({0.0, 1.0, 2.0}, [](double) { return 0.3; }).skipped(1e-2, 2.0).has_value());
}

TEST(Table, IsExactForACubicOnUnevenTimes) {
  const auto f = [](double t) { return 0.3 - 0.7 * t + 0.2 * t * t - 0.05 * t * t * t; };
  const auto df = [](double t) { return -0.7 + 0.4 * t - 0.15 * t * t; };
  for (const auto& times : {std::vector<double>{0.0, 0.3, 1.1, 2.0},
                            std::vector<double>{-1.0, 0.3, 0.4, 1.7, 2.0, 4.5, 5.0}}) {
    const Table table = sample(times, f);
    Eigen::VectorXd phi(2);
    Eigen::VectorXd rate(2);
    for (double t = times.front(); t <= times.back(); t += 0.013) {
      table.evaluate(t, phi, rate);
      // a few roundings of numbers up to 6
      EXPECT_NEAR(phi(0), f(t), 1e-14) << t;
      EXPECT_NEAR(phi(1), -2.0 * f(t), 2e-14) << t;
      EXPECT_NEAR(rate(0), df(t), 4e-14) << t;
    }
  }
}

TEST(Table, ThreePointsGiveTheirParabolaAndTwoTheirLine) {
  const auto parabola = [](double t) { return 1.0 + t - 0.5 * t * t; };
  const auto line = [](double t) { return 1.0 - 0.4 * t; };
  const Table three = sample({0.0, 0.5, 2.0}, parabola);
  const Table two = sample({0.0, 2.0}, line);
  Eigen::VectorXd phi(2);
  Eigen::VectorXd rate(2);
  for (double t = 0.0; t <= 2.0; t += 0.1) {
    three.evaluate(t, phi, rate);
    EXPECT_NEAR(phi(0), parabola(t), 1e-15);
    EXPECT_NEAR(rate(0), 1.0 - t, 2e-15);
    two.evaluate(t, phi, rate);
    EXPECT_NEAR(phi(0), line(t), 1e-15);
    EXPECT_NEAR(rate(0), -0.4, 1e-15);
  }
  EXPECT_NEAR(two.max_rate(), 0.8, 1e-15);
}

TEST(Table, ConvergesToASmoothFunctionWithFourthOrder) {
  const auto f = [](double t) { return std::sin(3.0 * t); };
  const auto worst = [&](int points) {
    std::vector<double> times;
    for (int k = 0; k < points; ++k) times.push_back(2.0 * k / (points - 1));
    const Table table = sample(times, f);
    Eigen::VectorXd phi(2);
    Eigen::VectorXd rate(2);
    double error = 0.0;
    for (double t = 0.0; t <= 2.0; t += 1e-3) {
      table.evaluate(t, phi, rate);
      error = std::max(error, std::abs(phi(0) - f(t)));
    }
    return error;
  };
  EXPECT_GT(std::log2(worst(21) / worst(41)), 3.8);
}

TEST(Table, HoldsItsEndsWithRateZero) {
  const Table table = sample({1.0, 2.0, 3.0, 4.0}, [](double t) { return t * t; });
  Eigen::VectorXd phi(2);
  Eigen::VectorXd rate(2);
  table.evaluate(0.5, phi, rate);
  EXPECT_EQ(phi(0), 1.0);
  EXPECT_EQ(rate(0), 0.0);
  table.evaluate(4.0 + 1e-9, phi, rate);
  EXPECT_EQ(phi(0), 16.0);
  EXPECT_EQ(rate(0), 0.0);
  const Table constant = sample({1.0}, [](double) { return 0.7; });
  for (const double t : {0.0, 1.0, 2.0}) {
    constant.evaluate(t, phi, rate);
    EXPECT_EQ(phi(0), 0.7);
    EXPECT_EQ(rate(0), 0.0);
  }
}

TEST(Table, GoesThroughItsPoints) {
  const std::vector<double> times{0.0, 0.1, 0.7, 0.9, 2.0};
  const auto f = [](double t) { return std::exp(-t) * std::cos(9.0 * t); };
  const Table table = sample(times, f);
  Eigen::VectorXd phi(2);
  Eigen::VectorXd rate(2);
  for (const double t : times) {
    table.evaluate(t, phi, rate);
    // the last is the right end of its piece: some roundings of numbers up to m h² = 10
    EXPECT_NEAR(phi(0), f(t), t == times.back() ? 1e-14 : 0.0) << t;
  }
}

TEST(Table, LargestRateIsTheLargestFoundByScanning) {
  std::vector<double> times;
  for (int k = 0; k <= 12; ++k) times.push_back(0.5 * k + 0.02 * (k % 3));
  const Table table = sample(times, [](double t) { return std::sin(1.7 * t) * t; });
  Eigen::VectorXd phi(2);
  Eigen::VectorXd rate(2);
  double scanned = 0.0;
  for (double t = times.front(); t <= times.back(); t += 1e-4) {
    table.evaluate(t, phi, rate);
    scanned = std::max(scanned, rate.cwiseAbs().maxCoeff());
  }
  EXPECT_GE(table.max_rate(), scanned - 1e-12);
  EXPECT_LE(table.max_rate(), scanned * (1.0 + 1e-6));  // the scan misses the peak by h^2
}

TEST(Table, RefusesTimesThatDoNotIncrease) {
  EXPECT_THROW(sample({0.0, 1.0, 1.0}, [](double t) { return t; }), Error);
  EXPECT_THROW(Table({}, Eigen::MatrixXd(0, 2)), Error);
}

}  // namespace table_test
}  // namespace coluber::gait
