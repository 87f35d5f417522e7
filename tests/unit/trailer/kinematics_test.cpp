// The train of modules: (23) against the modules' own rates, and a circle in closed form.

#include "coluber/trailer/kinematics.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace coluber::trailer {
namespace kinematics_test {

using Eigen::VectorXd;

TEST(TrailerKinematics, JointRatesAreDifferencesOfTheModulesOwn) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> angle(-1.2, 1.2);
  const Lengths lengths;
  for (int trial = 0; trial < 1000; ++trial) {
    const int n = 2 + trial % 12;
    VectorXd phi(n - 1);
    for (double& each : phi) each = 0.5 * angle(engine);
    Motion motion(n);
    if (update_motion(lengths, phi, 0.5 * angle(engine), 0.5, motion) != 0) continue;
    double scale = 1.0;
    for (int i = 0; i < n; ++i) scale = std::max(scale, std::abs(motion.v(i)));
    double before = motion.v(0) * std::tan(motion.delta(0)) / lengths.L_PJ;
    EXPECT_NEAR(motion.thetadot, before, 1e-14 * (1.0 + std::abs(before)));
    for (int i = 1; i < n; ++i) {
      const double rate = motion.v(i) * std::tan(motion.delta(i)) / lengths.L_PJ;
      scale = std::max({scale, std::abs(rate), std::abs(before)});
      EXPECT_NEAR(motion.phidot(i - 1), rate - before, 1e-14 * scale) << n << " " << i;
      before = rate;
    }
  }
}

// J_(i+1) belongs to two modules: it has one velocity.
TEST(TrailerKinematics, JointsHoldTogether) {
  const Lengths lengths;
  VectorXd phi(4);
  phi << -0.2, 0.3, -0.1, 0.4;
  Motion motion(5);
  ASSERT_EQ(update_motion(lengths, phi, 0.35, 0.5, motion), 0);
  double theta = 0.0;
  double thetadot = motion.thetadot;
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector2d axis{std::cos(theta), std::sin(theta)};
    const Eigen::Vector2d left{-axis.y(), axis.x()};
    const Eigen::Vector2d rear = motion.v(i) * axis - lengths.L_JP * thetadot * left;
    theta += phi(i);
    thetadot += motion.phidot(i);
    const Eigen::Vector2d next{std::cos(theta), std::sin(theta)};
    const Eigen::Vector2d front =
        motion.v(i + 1) * next + lengths.L_PJ * thetadot * Eigen::Vector2d{-next.y(), next.x()};
    EXPECT_LE((rear - front).norm(), 1e-15);
  }
}

TEST(TrailerKinematics, OnItsCircleNothingMovesInItself) {
  const Lengths lengths;
  const double radius = 0.75;
  // R_(i+1)² = R_i² - L_PJ² + L_JP², both legs being tangents seen from the joint
  VectorXd phi(5);
  double R = radius;
  for (double& each : phi) {
    const double joint = std::hypot(R, lengths.L_JP);  // of J_(i+1) from the centre
    const double next = std::sqrt(joint * joint - lengths.L_PJ * lengths.L_PJ);
    each = -(std::atan(lengths.L_JP / R) + std::atan(lengths.L_PJ / next));
    R = next;
  }
  Motion motion(6);
  ASSERT_EQ(update_motion(lengths, phi, std::atan(lengths.L_PJ / radius), 0.5, motion), 0);
  EXPECT_LE(motion.phidot.cwiseAbs().maxCoeff(), 1e-14);  // rounding of v/L_PJ = 6 rad/s
  EXPECT_NEAR(motion.v(5), 0.5 * R / radius, 1e-15) << "the last is slower, its circle smaller";
}

TEST(TrailerKinematics, AModuleAcrossTheTrainIsNamed) {
  Motion motion(3);
  EXPECT_EQ(update_motion({}, VectorXd::Zero(2), 1.6, 0.5, motion), 1);
  EXPECT_EQ(update_motion({}, Eigen::Vector2d{0.0, 1.6}, 0.1, 0.5, motion), 3);
  EXPECT_EQ(update_motion({}, Eigen::Vector2d{1.5, 0.0}, -0.3, 0.5, motion), 0);
}

}  // namespace kinematics_test
}  // namespace coluber::trailer
