#include "coluber/control/input_output_linearisation.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/core/random.hpp"

#include "support/one_joint.hpp"

namespace coluber::control {
namespace input_output_linearisation_test {

using Eigen::VectorXd;

planar::Model snake(int n) {
  planar::Model model;
  for (int i = 0; i < n; ++i) {
    model.links.push_back({0.6 + 0.05 * i, 1.3e-3 + 1e-4 * i, 0.122, 0.0393, 0.0525, 2e-3 * i});
  }
  model.mu_T = {0.2, 0.5};
  model.mu_V = {0.1, 0.2};
  model.friction_points = 2;
  return model;
}

/// A controller and everything it looks at.
struct Fixture {
  explicit Fixture(const planar::Model& model, const LinearisationOptions& options = {})
      : joints(model.n() - 1),
        controller(model, options),
        phi(VectorXd::Zero(joints)),
        phidot(phi),
        phi_d(phi),
        phidot_d(phi),
        phidd_d(phi),
        command(joints) {}

  const VectorXd& torque(double t = 0.0) {
    controller.update(
        {t, 0.0, phi, phidot, phi_d, phidot_d, phi_d, phidot_d, phidd_d, &base, system}, command);
    return command.tau;
  }

  void randomise(Random& random) {
    for (VectorXd* each : {&phi, &phidot, &phi_d, &phidot_d, &phidd_d}) {
      for (double& x : *each) x = random.uniform(-1.0, 1.0);
    }
    base = {{random.uniform(-9.0, 9.0), 2.0},
            random.uniform(-3.0, 3.0),
            {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)},
            random.uniform(-2.0, 2.0)};
  }

  int joints;
  test::OneJoint system{1e-3};
  InputOutputLinearisation controller;
  VectorXd phi, phidot, phi_d, phidot_d, phidd_d;
  BaseState base;
  JointCommand command;
};

TEST(InputOutputLinearisation, LeavesAnErrorThatObeysItsOwnEquationWhateverTheRobotDoes) {
  // e'' + K_D e' + K_P e = 0, Transeth (6.61): each joint by itself, from its own start, although
  // the robot turns, slides and rubs. K_P = 400, K_D = 50: e = a exp(-10 t) + b exp(-40 t).
  const planar::Model model = snake(4);
  const planar::SmoothFriction friction{.eps_C = 0.05};  // wide, for a plain integrator
  Fixture f(model, {.kp = 400.0, .kd = 50.0, .eps_C = friction.eps_C});
  planar::RobotData data(model);
  const int size = model.n() + 2;
  const auto reference = [&](double t) {
    for (int j = 0; j < f.joints; ++j) {
      const double psi = 2.0 * t - 0.8 * j;
      f.phi_d(j) = 0.6 * std::sin(psi);
      f.phidot_d(j) = 1.2 * std::cos(psi);
      f.phidd_d(j) = -2.4 * std::sin(psi);
    }
  };
  VectorXd y(2 * size);
  y << 0.1, -0.2, 0.3, 0.5, -0.4, 0.3, /* rates */ 0.2, 0.1, -0.5, 0.7, 0.2, -1.0;
  reference(0.0);
  const VectorXd e_0 = y.segment(3, f.joints) - f.phi_d;
  const VectorXd v_0 = y.segment(size + 3, f.joints) - f.phidot_d;
  const auto derivative = [&](double t, const VectorXd& state) {
    const VectorXd q = state.head(size);
    const VectorXd qdot = state.tail(size);
    f.phi = q.tail(f.joints);
    f.phidot = qdot.tail(f.joints);
    f.base = {q.head<2>(), q(2), qdot.head<2>(), qdot(2)};
    reference(t);
    VectorXd out(2 * size);
    VectorXd qddot(size);
    planar::smooth_dynamics(model, friction, q, qdot, f.torque(t), data, qddot);
    out << qdot, qddot;
    return out;
  };
  const double dt = 2e-4;
  double moved = 0.0;
  for (int k = 0; k < 2500; ++k) {  // the classical Runge-Kutta rule
    const double t = k * dt;
    const VectorXd k_1 = derivative(t, y);
    const VectorXd k_2 = derivative(t + dt / 2, y + dt / 2 * k_1);
    const VectorXd k_3 = derivative(t + dt / 2, y + dt / 2 * k_2);
    const VectorXd k_4 = derivative(t + dt, y + dt * k_3);
    y += dt / 6 * (k_1 + 2 * k_2 + 2 * k_3 + k_4);
    reference(t + dt);
    for (int j = 0; j < f.joints; ++j) {
      const double b = -(v_0(j) + 10.0 * e_0(j)) / 30.0;
      const double a = e_0(j) - b;
      const double e = a * std::exp(-10.0 * (t + dt)) + b * std::exp(-40.0 * (t + dt));
      // the rule's own error: (40 dt)^4/120 a step of e in 25 ms
      ASSERT_NEAR(y(3 + j) - f.phi_d(j), e, 1e-8) << "joint " << j + 1 << ", t = " << t + dt;
    }
    moved = std::max(moved, (y.head<2>() - Eigen::Vector2d{0.1, -0.2}).norm());
  }
  EXPECT_GE(moved, 0.02) << "the robot as a whole went somewhere";
}

TEST(InputOutputLinearisation, DoesNotDependOnWhereTheRobotIsOrWhichWayItPoints) {
  const planar::Model model = snake(11);
  Fixture f(model);
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    f.randomise(random);
    const VectorXd tau = f.torque();
    f.base.r += Eigen::Vector2d{3.0, -700.0};
    EXPECT_EQ(f.torque(), tau) << "position is not looked at";
    const double turn = random.uniform(-20.0, 20.0);
    f.base.theta += turn;
    f.base.v = Eigen::Rotation2Dd(turn) * f.base.v;
    // 1e5 rad/s² times the inertia; angles of 20 rad keep 4e-15 of a velocity
    EXPECT_LE((f.torque() - tau).cwiseAbs().maxCoeff(), 1e-11 * tau.cwiseAbs().maxCoeff());
    f.base.v *= 2.0;
    EXPECT_GT((f.torque() - tau).cwiseAbs().maxCoeff(), 1e-6) << "but velocity is";
  }
}

TEST(InputOutputLinearisation, GainsOfOneJointTellOnItsErrorAlone) {
  // The torque is affine in u: a gain of joint 2 changes it by that column of Mbar alone.
  const planar::Model model = snake(4);
  Random random(5);
  Fixture one(model, {.kp = 100.0, .kd = 10.0});
  Fixture each(model, {.kp = Gains({100.0, 350.0, 100.0}), .kd = Gains({10.0, 10.0, 10.0})});
  one.randomise(random);
  for (VectorXd Fixture::* part :
       {&Fixture::phi, &Fixture::phidot, &Fixture::phi_d, &Fixture::phidot_d, &Fixture::phidd_d}) {
    each.*part = one.*part;
  }
  each.base = one.base;
  const VectorXd difference = each.torque() - one.torque();
  // the same difference from the acceleration reference of joint 2
  const VectorXd before = one.torque();
  one.phidd_d(1) -= 250.0 * (one.phi(1) - one.phi_d(1));
  EXPECT_LE((one.torque() - before - difference).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT(difference.norm(), 1e-3);
}

TEST(InputOutputLinearisation, IsOffBeforeItsTimeAndNeverBeyondItsLimit) {
  const planar::Model model = snake(6);
  Random random(8);
  Fixture f(model, {.start_time = 0.5, .torque_limit = 2.5});
  f.randomise(random);
  EXPECT_EQ(f.torque(0.499).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ(f.torque(0.5).cwiseAbs().maxCoeff(), 2.5) << "thousands of N m were asked for";
  EXPECT_EQ(f.command.tau_max(0), 2.5);
  EXPECT_EQ(f.command.k_P.norm() + f.command.k_D.norm(), 0.0) << "no servo inside the step";
}

TEST(InputOutputLinearisation, RefusesAModelItCannotLinearise) {
  planar::Model model = snake(3);
  EXPECT_NO_THROW(InputOutputLinearisation(model, {}));
  model.friction_points = 1;
  EXPECT_THROW(InputOutputLinearisation(model, {}), Error);
  model = snake(3);
  model.mu_V.y() = 0.0;
  EXPECT_THROW(InputOutputLinearisation(model, {}), Error);
  model = snake(3);
  model.obstacles.push_back({{1.0, 1.0}, 0.1, 0.0});
  EXPECT_THROW(InputOutputLinearisation(model, {}), Error);
  EXPECT_THROW(InputOutputLinearisation(snake(3), {.kp = Gains({1.0, 2.0, 3.0})}), Error);
}

}  // namespace input_output_linearisation_test
}  // namespace coluber::control
