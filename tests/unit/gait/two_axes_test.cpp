#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "coluber/gait/harmonic.hpp"

namespace coluber::gait {
namespace two_axes_test {

constexpr double degree = 0.017453292519943295;

// Sidewinding, Transeth (7.5)
TwoAxes sidewinding(bool soft_start) {
  const HarmonicOptions yaw{.amplitude = 30.0 * degree,
                            .omega = 80.0 * degree,
                            .phase = -50.0 * degree,
                            .soft_start = soft_start};
  HarmonicOptions pitch = yaw;
  pitch.amplitude = 10.0 * degree;
  pitch.start_phase = 90.0 * degree;
  return {4, yaw, pitch};
}

TEST(TwoAxes, YawAndPitchOfEachJointStandSideBySide) {
  const TwoAxes gait = sidewinding(false);
  Eigen::VectorXd phi(8);
  Eigen::VectorXd rate(8);
  // the angle, up to 17 rad, is rounded twice: 4e-15 of at most 0.7
  for (const double t : {0.0, 0.37, 4.5, 12.3}) {
    gait.evaluate(t, phi, rate);
    for (int i = 0; i < 4; ++i) {
      const double angle = (80.0 * t - 50.0 * i) * degree;
      EXPECT_NEAR(phi(2 * i), 30.0 * degree * std::sin(angle), 4e-15) << i;
      EXPECT_NEAR(phi(2 * i + 1), 10.0 * degree * std::cos(angle), 4e-15) << i;
      EXPECT_NEAR(rate(2 * i), 30.0 * degree * 80.0 * degree * std::cos(angle), 4e-15) << i;
      EXPECT_NEAR(rate(2 * i + 1), -10.0 * degree * 80.0 * degree * std::sin(angle), 4e-15) << i;
    }
  }
  EXPECT_DOUBLE_EQ(gait.max_rate(), 30.0 * degree * 80.0 * degree);
}

// Transeth 7.2.2: each axis of each joint waits for its own reference.
TEST(TwoAxes, ASoftStartReleasesEachAxisByItself) {
  const TwoAxes gait = sidewinding(true);
  Eigen::VectorXd phi(8);
  Eigen::VectorXd rate(8);
  gait.evaluate(0.0, phi, rate);
  EXPECT_NE(rate(0), 0.0) << "the yaw reference of joint 1 begins at zero";
  EXPECT_EQ(phi(1), 0.0) << "its pitch reference begins at the crest, and is held";
  EXPECT_EQ(rate(1), 0.0);
  const double release = gait.pitch().release_times()[0];
  EXPECT_NEAR(10.0 * std::cos(80.0 * degree * release), 3.0, 1e-9);
  gait.evaluate(release + 1e-6, phi, rate);
  EXPECT_NEAR(phi(1), 3.0 * degree, 1e-6);
}

}  // namespace two_axes_test
}  // namespace coluber::gait
