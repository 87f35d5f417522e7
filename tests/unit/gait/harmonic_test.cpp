#include "coluber/gait/harmonic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace coluber::gait {
namespace harmonic_test {

constexpr double degree = 0.017453292519943295;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Lateral undulation as in Transeth (7.3)
HarmonicOptions undulation() {
  return {.amplitude = 40.0 * degree, .omega = 80.0 * degree, .phase = -50.0 * degree};
}

TEST(Harmonic, FollowsTheFormulaOfTranseth71) {
  HarmonicOptions options = undulation();
  options.offset = 5.0 * degree;
  const Harmonic gait(10, options);
  Eigen::VectorXd phi(10);
  Eigen::VectorXd rate(10);
  for (const double t : {0.0, 0.37, 4.5, 123.4}) {
    gait.evaluate(t, phi, rate);
    for (int i = 0; i < 10; ++i) {
      const double angle = options.omega * t + i * options.phase;
      // sincos is within 1.2e-16 of the true value; amplitudes are below 1
      EXPECT_NEAR(phi(i), options.amplitude * std::sin(angle) + options.offset, 4e-16) << i;
      EXPECT_NEAR(rate(i), options.amplitude * options.omega * std::cos(angle), 6e-16) << i;
    }
  }
}

TEST(Harmonic, RateIsTheDerivativeOfTheAngle) {
  const Harmonic gait(10, undulation());
  Eigen::VectorXd phi(10);
  Eigen::VectorXd rate(10);
  Eigen::VectorXd before(10);
  Eigen::VectorXd after(10);
  Eigen::VectorXd unused(10);
  const double h = 1e-5;
  for (double t = 0.1; t < 5.0; t += 0.31) {
    gait.evaluate(t, phi, rate);
    gait.evaluate(t - h, before, unused);
    gait.evaluate(t + h, after, unused);
    // truncation A w^3 h^2/6 = 3e-11, rounding 1e-16/h = 1e-11
    EXPECT_LE((rate - (after - before) / (2.0 * h)).cwiseAbs().maxCoeff(), 1e-10) << t;
  }
}

TEST(Harmonic, LargestRateIsAmplitudeTimesFrequency) {
  HarmonicOptions options = undulation();
  options.omega = -options.omega;
  EXPECT_DOUBLE_EQ(Harmonic(3, options).max_rate(), 40.0 * degree * 80.0 * degree);
}

TEST(SoftStart, ReleasesTheFirstJointAtOnceAndTheLastAfter2p07Seconds) {
  HarmonicOptions options = undulation();
  options.soft_start = true;
  const Harmonic gait(10, options);
  const auto& release = gait.release_times();
  EXPECT_EQ(release.front(), 0.0);
  // transeth-2d.md 7: "the first is t = 0 (joint 1), the last about 2.07 s"
  EXPECT_NEAR(*std::ranges::max_element(release), 2.07, 0.01);
}

TEST(SoftStart, ReleaseTimesAreTheFirstWithinThreeDegreesFoundByScanning) {
  for (const double omega_deg : {80.0, -80.0}) {
    for (const double offset_deg : {0.0, 10.0, -25.0}) {
      for (const double start_time : {0.0, 1.3}) {
        HarmonicOptions options = undulation();
        options.omega = omega_deg * degree;
        options.offset = offset_deg * degree;
        options.soft_start = true;
        options.start_time = start_time;
        const Harmonic gait(10, options);
        options.soft_start = false;
        const Harmonic open(10, options);
        Eigen::VectorXd phi(10);
        Eigen::VectorXd rate(10);
        std::vector<double> scanned(10, infinity);
        const double h = 1e-4;
        for (double t = start_time; t < start_time + 10.0; t += h) {
          open.evaluate(t, phi, rate);
          for (std::size_t i = 0; i < 10; ++i) {
            if (std::isinf(scanned[i]) &&
                std::abs(phi(static_cast<int>(i))) <= Harmonic::release_angle) {
              scanned[i] = t;
            }
          }
        }
        for (std::size_t i = 0; i < 10; ++i) {
          const double exact = gait.release_times()[i];
          EXPECT_LE(exact, scanned[i] + 1e-12) << i;
          EXPECT_GE(exact, scanned[i] - h - 1e-12) << i;  // the scan is late by at most its step
        }
      }
    }
  }
}

TEST(SoftStart, HoldsAngleAndRateAtZeroUntilReleaseThenFollowsTheWave) {
  HarmonicOptions options = undulation();
  options.soft_start = true;
  const Harmonic gait(10, options);
  options.soft_start = false;
  const Harmonic wave(10, options);
  Eigen::VectorXd phi(10);
  Eigen::VectorXd rate(10);
  Eigen::VectorXd phi_wave(10);
  Eigen::VectorXd rate_wave(10);
  for (double t = 0.0; t < 3.0; t += 0.01) {
    gait.evaluate(t, phi, rate);
    wave.evaluate(t, phi_wave, rate_wave);
    for (int i = 0; i < 10; ++i) {
      const bool held = t < gait.release_times()[static_cast<std::size_t>(i)];
      EXPECT_EQ(phi(i), held ? 0.0 : phi_wave(i)) << i << " at " << t;
      EXPECT_EQ(rate(i), held ? 0.0 : rate_wave(i)) << i << " at " << t;
    }
  }
}

TEST(SoftStart, NeverReleasesAJointWhoseReferenceStaysAwayFromZero) {
  // 10 sin(…) + 20 degrees stays above 10
  EXPECT_EQ(compute_release_time(10 * degree, 1.0, 0.3, 20 * degree, 3 * degree, 0.0), infinity);
  // a constant of 5 degrees never moves; one of 2 degrees is near enough at once
  EXPECT_EQ(compute_release_time(0.0, 1.0, 0.0, 5 * degree, 3 * degree, 0.0), infinity);
  EXPECT_EQ(compute_release_time(0.0, 1.0, 0.0, 2 * degree, 3 * degree, 0.7), 0.7);
  EXPECT_EQ(compute_release_time(10 * degree, 0.0, 1.0, 0.0, 3 * degree, 0.0), infinity);
}

}  // namespace harmonic_test
}  // namespace coluber::gait
