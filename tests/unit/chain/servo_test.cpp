#include "chain/servo.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

namespace coluber::chain {
namespace servo_test {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kSoft = 1.0;  // kg m²: k_P dt² of every servo here is below

TEST(ChainServo, ItsImpulseIsTheTorqueAtTheEndOfTheStep) {
  // phi_E = phi_M + dt phidot_E / 2, so that dt tau(phi_E, phidot_E) = sr - sd phidot_E
  const double dt = 2e-3;
  JointCommand command(2);
  command.tau(1) = 0.3;
  command.k_P(1) = 800.0;
  command.phi_d(1) = 0.5;
  command.k_D(1) = 2.0;
  command.phidot_d(1) = -0.7;
  const double phi_M = 0.45;
  const Servo servo = make_servo(command, 1, phi_M, dt, kSoft);
  for (const double rate : {-3.0, 0.0, 1.25}) {
    EXPECT_NEAR(servo.sr - servo.sd * rate, dt * command.torque(1, phi_M + 0.5 * dt * rate, rate),
                1e-14);
  }
  EXPECT_EQ(servo.limit, kInf);
  EXPECT_EQ(make_servo(command, 0, phi_M, dt, kSoft).sr, 0.0) << "the other joint asks for nothing";
}

/// Largest multiplier of a joint of inertia `Theta` under the servo of a step, (q_M, dt v).
double in_step_radius(double k_P, double dt, double Theta) {
  JointCommand command(1);
  command.k_P(0) = k_P;
  const auto rate_after = [&](double q, double v) {
    const Servo servo = make_servo(command, 0, q, dt, Theta);
    return (Theta * v + servo.sr) / (Theta + servo.sd);
  };
  Eigen::Matrix2d step;
  const double from_q = dt * rate_after(1.0, 0.0);
  const double from_v = dt * rate_after(0.0, 1.0 / dt);
  step << 1.0 + from_q, from_v, from_q, from_v;
  return step.eigenvalues().cwiseAbs().maxCoeff();
}

TEST(ChainServo, AStiffOneDampsInsteadOfRinging) {
  const double dt = 1e-2;
  const double Theta = 1.32e-3;
  EXPECT_EQ(servo_theta(Theta / (dt * dt), dt, Theta), 0.5);
  double last = 0.5;
  for (const double s : {1.5, 4.0, 50.0, 1e3, 1e6, 1e9}) {
    const double k_P = s * Theta / (dt * dt);
    const double theta = servo_theta(k_P, dt, Theta);
    EXPECT_GT(theta, last);
    EXPECT_LT(theta, 1.0);
    last = theta;
    const double radius = in_step_radius(k_P, dt, Theta);
    EXPECT_LT(radius, 1.0) << s;
    if (s >= 50.0) {
      EXPECT_LT(radius, 2.0 / std::sqrt(s)) << s << ": the multipliers vanish as it gets stiffer";
    }
  }
}

TEST(ChainServo, AStiffOneIsAtItsReferenceInTheMiddleOfTheNextStep) {
  JointCommand command(1);
  command.k_P(0) = 1e12;
  command.phi_d(0) = 0.5;
  command.phidot_d(0) = -0.7;
  const double dt = 1e-2;
  const Servo servo = make_servo(command, 0, 0.45, dt, 1e-3);
  const double rate = servo.sr / servo.sd;  // of a joint whose inertia does not count
  EXPECT_NEAR(0.45 + dt * rate, 0.5 - 0.5 * dt * 0.7, 1e-9);
}

TEST(ChainServo, ATorqueAloneIsCutOffBeforeTheStepIsSolved) {
  JointCommand command(1);
  command.tau(0) = -7.0;
  command.tau_max(0) = 5.0;
  EXPECT_DOUBLE_EQ(make_servo(command, 0, 0.0, 1e-3, kSoft).sr, -5e-3);
  command.k_D(0) = 1.0;
  EXPECT_DOUBLE_EQ(make_servo(command, 0, 0.0, 1e-3, kSoft).sr, -7e-3)
      << "its rate may yet lower it";
  EXPECT_DOUBLE_EQ(make_servo(command, 0, 0.0, 1e-3, kSoft).limit, 5e-3);
}

TEST(ChainServo, TheMeanTorqueNeverExceedsTheMotor) {
  for (const double dt : {1e-3, 3e-4, 7e-5}) {
    for (const double tau_max : {0.1, 0.3, 5.0, 7.7}) {
      EXPECT_LE(mean_torque(dt * tau_max, dt, tau_max), tau_max);
      EXPECT_GE(mean_torque(-dt * tau_max, dt, tau_max), -tau_max);
    }
  }
  EXPECT_DOUBLE_EQ(mean_torque(2e-3, 1e-3, kInf), 2.0);
}

/// Largest multiplier of a joint with mobility `lambda` under an explicit servo.
double spectral_radius(double lambda, double k_P, double k_D, double dt) {
  Eigen::Matrix2d step;  // of (q, v)
  const double from_q = -dt * lambda * k_P;
  const double from_v = 1.0 - dt * lambda * k_D;
  step << 1.0 + 0.5 * dt * from_q, 0.5 * dt * (1.0 + from_v), from_q, from_v;
  return step.eigenvalues().cwiseAbs().maxCoeff();
}

TEST(ChainServo, TheExplicitLimitIsWhereTheMultipliersLeaveTheUnitCircle) {
  for (const double lambda : {0.5, 30.0, 800.0}) {
    for (const double k_P : {0.0, 10.0, 800.0}) {
      for (const double k_D : {0.05, 2.0, 40.0}) {
        const double limit = explicit_servo_limit(lambda, k_P, k_D);
        EXPECT_LE(spectral_radius(lambda, k_P, k_D, 0.999 * limit), 1.0 + 1e-12)
            << lambda << " " << k_P << " " << k_D;
        EXPECT_GT(spectral_radius(lambda, k_P, k_D, 1.001 * limit), 1.0 + 1e-9)
            << lambda << " " << k_P << " " << k_D;
      }
    }
  }
  EXPECT_EQ(explicit_servo_limit(30.0, 10.0, 0.0), 0.0) << "no damping: stable for no dt";
  EXPECT_EQ(explicit_servo_limit(30.0, 0.0, 0.0), kInf) << "no servo at all";
}

}  // namespace servo_test
}  // namespace coluber::chain
