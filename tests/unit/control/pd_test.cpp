#include "coluber/control/pd.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/one_joint.hpp"

namespace coluber::control {
namespace pd_test {

struct Fixture {
  test::OneJoint system{1e-3};
  Eigen::VectorXd phi = Eigen::VectorXd::Constant(1, 0.1);
  Eigen::VectorXd phidot = Eigen::VectorXd::Constant(1, -0.2);
  Eigen::VectorXd phi_d_A = Eigen::VectorXd::Constant(1, 0.3);
  Eigen::VectorXd phidot_d_A = Eigen::VectorXd::Constant(1, 0.4);
  Eigen::VectorXd phi_d_E = Eigen::VectorXd::Constant(1, 0.5);
  Eigen::VectorXd phidot_d_E = Eigen::VectorXd::Constant(1, 0.6);
  JointCommand command{1};

  JointCommand& update(const PdOptions& options, double t) {
    Pd pd(options);
    pd.update({t, 1e-3, phi, phidot, phi_d_A, phidot_d_A, phi_d_E, phidot_d_E, phidot_d_E, nullptr,
               system},
              command);
    return command;
  }
};

TEST(Pd, ImplicitServoPassesGainsAndReferencesAtTheEndOfTheStep) {
  Fixture f;
  const auto& command = f.update({.kp = 800, .kd = 2, .implicit_servo = true}, 0.0);
  EXPECT_EQ(command.k_P(0), 800.0);
  EXPECT_EQ(command.k_D(0), 2.0);
  EXPECT_EQ(command.phi_d(0), 0.5);
  EXPECT_EQ(command.phidot_d(0), 0.6);
  EXPECT_EQ(command.tau(0), 0.0);
}

TEST(Pd, ExplicitServoDrivesPhiTowardsTheReferenceAtTheStartOfTheStep) {
  Fixture f;
  const auto& command = f.update({.kp = 800, .kd = 2, .implicit_servo = false}, 0.0);
  EXPECT_DOUBLE_EQ(command.tau(0), 800 * (0.3 - 0.1) + 2 * (0.4 + 0.2));  // Transeth (3.51)
  EXPECT_GT(command.tau(0), 0.0) << "phi is below its reference: the torque must drive it up";
  EXPECT_EQ(command.k_P(0), 0.0);
  EXPECT_EQ(command.k_D(0), 0.0);
}

TEST(Pd, MotorsAreOffBeforeTheStartTimeAndOnFromIt) {
  Fixture f;
  for (const bool implicit : {true, false}) {
    const PdOptions options{.kp = 10, .kd = 1, .implicit_servo = implicit, .start_time = 0.3};
    const auto& off = f.update(options, 299 * 1e-3);
    EXPECT_EQ(off.tau(0), 0.0);
    EXPECT_EQ(off.k_P(0), 0.0);
    EXPECT_EQ(off.k_D(0), 0.0);
    const auto& on = f.update(options, 300 * 1e-3);
    EXPECT_NE(on.tau(0) + on.k_P(0), 0.0) << "300 steps of 1 ms are 0.3 s, whatever the rounding";
  }
}

TEST(Pd, PassesTheTorqueLimitOnAndNoExplicitTorqueExceedsIt) {
  Fixture f;
  for (const double limit : {100.0, 1e-3}) {
    const auto& implicit = f.update({.kp = 800, .kd = 2, .torque_limit = limit}, 0.0);
    EXPECT_EQ(implicit.tau_max(0), limit);
    EXPECT_EQ(implicit.k_P(0), 800.0) << "the step itself cuts off what the gains ask for";
    f.phi(0) = 0.1;
    PdOptions options{.kp = 800, .kd = 2, .implicit_servo = false, .torque_limit = limit};
    EXPECT_EQ(f.update(options, 0.0).tau(0), limit) << "161 N m were asked for";
    f.phi(0) = 0.5;
    EXPECT_EQ(f.update(options, 0.0).tau(0), -limit);
    EXPECT_EQ(f.command.tau_max(0), limit);
  }
  EXPECT_TRUE(std::isinf(f.update({}, 0.0).tau_max(0))) << "no limit unless asked for";
}

}  // namespace pd_test
}  // namespace coluber::control
