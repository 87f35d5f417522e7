// Smooth friction of the minimal model and the torques that linearise it.

#include <algorithm>

#include <gtest/gtest.h>

#include "sample/robot_states.hpp"

namespace coluber::planar {
namespace minimal_friction_test {

using sample::DenseRobot;
using sample::uniform;

/// Table 7.2 on links that all differ.
Model rough(int n, std::mt19937_64& random) {
  Model model = sample::odd_links(n, random);
  model.friction_points = 2;
  model.mu_T << 0.2, 0.5;
  model.mu_V << 0.1, 0.2;
  return model;
}

/// Small and large speeds: within eps_C and far beyond.
sample::RobotState slipping(int n, int trial, std::mt19937_64& random) {
  auto state = sample::random_robot_state(n, random);
  state.qdot *= std::pow(10.0, -(trial % 5));
  return state;
}

TEST(MinimalFriction, IsThatOfTheJacobians) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 1 + trial % 20;
    Model model = rough(n, random);
    model.tilt = 0.1 * (trial % 3);
    model.c_R = 0.1 * (trial % 2);
    const auto state = slipping(n, trial, random);
    RobotData data(model);
    Eigen::VectorXd force(n + 2);
    compute_smooth_friction(model, {1e-3}, state.q, state.qdot, data, force);
    const Eigen::VectorXd dense = DenseRobot(model, state.q).friction(state.qdot, 1e-3);
    EXPECT_LE((force - dense).cwiseAbs().maxCoeff(), 1e-12 * dense.cwiseAbs().maxCoeff()) << n;
  }
}

TEST(MinimalFriction, IsMuTimesHalfTheWeightAPointWhenSlidingFast) {
  // One link, two points: each has mu F_N/2 (6.23) and the viscous part.
  Model model = sample::aiko(1);
  model.friction_points = 2;
  model.mu_T << 0.2, 0.5;
  RobotData data(model);
  const double weight = model.links[0].m * model.g;
  const double eps_C = 1e-6;
  Eigen::VectorXd force(3);
  // atan is eps_C/v short of pi/2: 2/pi 1e-6
  const double short_of = 1e-6;
  compute_smooth_friction(model, {eps_C}, Eigen::Vector3d::Zero(), Eigen::Vector3d{1.0, 0.0, 0.0},
                          data, force);
  EXPECT_NEAR(force(0), -0.2 * weight, short_of * weight);
  EXPECT_NEAR(data.N(0, 0), 0.5 * weight, 1e-15 * weight);
  compute_smooth_friction(model, {eps_C}, Eigen::Vector3d::Zero(), Eigen::Vector3d{0.0, -1.0, 0.0},
                          data, force);
  EXPECT_NEAR(force(1), 0.5 * weight, short_of * weight);
  model.mu_V << 0.1, 0.2;
  RobotData viscous(model);
  compute_smooth_friction(model, {eps_C}, Eigen::Vector3d::Zero(), Eigen::Vector3d{3.0, 0.0, 0.0},
                          viscous, force);
  EXPECT_NEAR(force(0), -(0.2 + 0.1 * 3.0) * weight, short_of * weight);
  // a link that spins about its middle meets it at both points
  const double b = 0.5 * model.links[0].L;
  compute_smooth_friction(model, {1e-12}, Eigen::Vector3d::Zero(),
                          Eigen::Vector3d{0.0, -b * 5.0, 5.0}, viscous, force);
  const double arm = model.links[0].L_GS;
  EXPECT_NEAR(force(2), -arm * weight * (0.5 + 0.2 * 5.0 * arm), 1e-6 * weight);
}

TEST(MinimalFriction, IsStraightThroughZeroWithTheSlopeOfTheArctangent) {
  Model model = sample::aiko(1);
  model.friction_points = 2;
  model.mu_T << 0.2, 0.5;
  model.mu_V << 0.1, 0.2;
  RobotData data(model);
  const double weight = model.links[0].m * model.g;
  const double eps_C = 1e-3;
  const double v = 1e-9;  // cube of v/eps_C: 1e-18
  Eigen::VectorXd force(3);
  compute_smooth_friction(model, {eps_C}, Eigen::Vector3d::Zero(), Eigen::Vector3d{v, v, 0.0}, data,
                          force);
  const double turn = 2.0 / (std::numbers::pi * eps_C);
  EXPECT_NEAR(force(0) / v, -weight * (0.2 * turn + 0.1), 1e-9 * weight * turn);
  EXPECT_NEAR(force(1) / v, -weight * (0.5 * turn + 0.2), 1e-9 * weight * turn);
  compute_smooth_friction(model, {eps_C}, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), data,
                          force);
  EXPECT_EQ(force, Eigen::Vector3d::Zero());
}

TEST(MinimalFriction, NeverAddsEnergy) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const int n = 1 + trial % 30;
    Model model = rough(n, random);
    model.c_R = 0.1 * (trial % 2);
    const auto state = slipping(n, trial, random);
    RobotData data(model);
    Eigen::VectorXd force(n + 2);
    compute_smooth_friction(model, {1e-3}, state.q, state.qdot, data, force);
    const double power = force.dot(state.qdot);
    EXPECT_LT(power, 0.0);
    EXPECT_NEAR(data.friction_power, power, 1e-11 * std::abs(power));
    EXPECT_LE(data.friction_power, 0.0);
  }
}

TEST(MinimalFriction, ActsAtOnePointWhereTheModelHasOne) {
  Model model = sample::aiko(1);
  RobotData data(model);
  Eigen::VectorXd force(3);
  const double b = 0.5 * model.links[0].L;
  compute_smooth_friction(model, {1e-3}, Eigen::Vector3d::Zero(),
                          Eigen::Vector3d{0.0, -b * 5.0, 5.0}, data, force);
  // turning about its centre of gravity, rounding of b apart
  EXPECT_LE(force.cwiseAbs().maxCoeff(), 1e-10);
}

TEST(MinimalSmoothDynamics, AreForwardDynamicsUnderFrictionTorqueAndSlope) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 1 + trial % 20;
    Model model = rough(n, random);
    model.tilt = 0.2 * (trial % 2);
    model.tilt_direction = 0.7;
    const auto [q, qdot] = slipping(n, trial, random);
    const Eigen::VectorXd tau = uniform(n - 1, 2.0, random);
    RobotData data(model);
    Eigen::VectorXd force(n + 2);
    compute_smooth_friction(model, {1e-3}, q, qdot, data, force);
    force.tail(n - 1) += tau;
    const Eigen::Vector2d pull =
        model.g * std::sin(model.tilt) * Eigen::Vector2d{std::cos(0.7), std::sin(0.7)};
    const DenseRobot dense(model, q);
    for (int i = 0; i < n; ++i) {
      force += dense.J_v(i, dense.G(i)).transpose() * dense.link(i).m * pull;
    }
    Eigen::VectorXd wanted(n + 2);
    Eigen::VectorXd found(n + 2);
    forward_dynamics(model, q, qdot, force, data, wanted);
    smooth_dynamics(model, {1e-3}, q, qdot, tau, data, found);
    EXPECT_LE((found - wanted).cwiseAbs().maxCoeff(), 1e-10 * wanted.cwiseAbs().maxCoeff()) << n;
  }
}

BaseTwist twist_of(const Eigen::VectorXd& q, const Eigen::VectorXd& qdot) {
  const Eigen::Rotation2Dd R(q(2));
  return {R.inverse() * Eigen::Vector2d{qdot.head<2>()}, qdot(2)};
}

TEST(MinimalLinearisingTorque, IsThatOfTheLiteralMatrices) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 12; ++trial) {
    const int n = 2 + trial;
    const Model model = rough(n, random);
    const auto state = slipping(n, trial % 3, random);
    const auto& [q, qdot] = state;
    const Eigen::VectorXd u = uniform(n - 1, 30.0, random);
    RobotData data(model);
    Eigen::VectorXd tau(n - 1);
    linearising_torque(model, {1e-3}, twist_of(q, qdot), q.tail(n - 1), qdot.tail(n - 1), u, data,
                       tau);

    // (6.27)-(6.40): nu = (B3 v_O2, thetadot, phidot), T_q = blkdiag(R, I)
    const DenseRobot dense(model, q);
    Eigen::MatrixXd T_q = Eigen::MatrixXd::Identity(n + 2, n + 2);
    T_q.topLeftCorner<2, 2>() = dense.rotation(0);
    Eigen::Matrix2d D;
    D << 0.0, -1.0, 1.0, 0.0;
    Eigen::MatrixXd Tdot_q = Eigen::MatrixXd::Zero(n + 2, n + 2);
    Tdot_q.topLeftCorner<2, 2>() = qdot(2) * dense.rotation(0) * D;
    const Eigen::VectorXd nu = T_q.transpose() * qdot;
    const Eigen::MatrixXd M_P = dense.mass_matrix();
    Eigen::MatrixXd C_P(n + 2, n + 2);
    compute_coriolis_matrix(model, q, qdot, data, C_P);
    const Eigen::MatrixXd M = T_q.transpose() * M_P * T_q;
    const Eigen::VectorXd h = T_q.transpose() * (M_P * Tdot_q + C_P * T_q) * nu;
    const Eigen::VectorXd g = T_q.transpose() * dense.friction(qdot, 1e-3);
    const Eigen::Index joints = n - 1;
    const Eigen::MatrixXd K = M.bottomLeftCorner(joints, 3) * M.topLeftCorner<3, 3>().inverse();
    const Eigen::MatrixXd Mbar =
        M.bottomRightCorner(joints, joints) - K * M.topRightCorner(3, joints);  // (6.55)
    const Eigen::VectorXd hbar = h.tail(joints) - K * h.head<3>();              // (6.56)
    const Eigen::VectorXd gbar = g.tail(joints) - K * g.head<3>();              // (6.57)
    const Eigen::VectorXd literal = Mbar * u + hbar - gbar;                     // (6.58)
    EXPECT_LE((tau - literal).cwiseAbs().maxCoeff(), 1e-9 * literal.cwiseAbs().maxCoeff()) << n;
  }
}

TEST(MinimalLinearisingTorque, GivesTheJointAccelerationsAskedFor) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 2 + trial % 39;
    Model model = rough(n, random);
    if (trial % 3 == 0) model.tilt = 0.3;  // weight moves the robot as a whole
    const auto [q, qdot] = slipping(n, trial, random);
    const Eigen::VectorXd u = uniform(n - 1, 30.0, random);
    RobotData data(model);
    Eigen::VectorXd tau(n - 1);
    Eigen::VectorXd qddot(n + 2);
    linearising_torque(model, {1e-3}, twist_of(q, qdot), q.tail(n - 1), qdot.tail(n - 1), u, data,
                       tau);
    smooth_dynamics(model, {1e-3}, q, qdot, tau, data, qddot);
    EXPECT_LE((qddot.tail(n - 1) - u).cwiseAbs().maxCoeff(), 1e-8) << n;
  }
}

TEST(MinimalLinearisingTorque, KnowsNoHeading) {
  std::mt19937_64 random(6);
  for (const int n : {2, 5, 11}) {
    const Model model = rough(n, random);
    auto [q, qdot] = sample::random_robot_state(n, random);
    const Eigen::VectorXd u = uniform(n - 1, 30.0, random);
    RobotData data(model);
    Eigen::VectorXd tau(n - 1);
    linearising_torque(model, {}, twist_of(q, qdot), q.tail(n - 1), qdot.tail(n - 1), u, data, tau);
    for (const double turn : {0.3, 1.0, 2.0, 4.0}) {
      Eigen::VectorXd turned = q;
      turned(2) += turn;
      Eigen::VectorXd moving = qdot;
      moving.head<2>() = Eigen::Rotation2Dd(turn) * Eigen::Vector2d{qdot.head<2>()};
      Eigen::VectorXd again(n - 1);
      linearising_torque(model, {}, twist_of(turned, moving), q.tail(n - 1), qdot.tail(n - 1), u,
                         data, again);
      // the rounding of the turned velocity, which the friction law divides by eps_C
      EXPECT_LE((again - tau).cwiseAbs().maxCoeff(), 1e-12 * tau.cwiseAbs().maxCoeff()) << n;
    }
  }
}

TEST(MinimalLinearisingTorque, OfARobotWithoutJointsIsEmpty) {
  const Model model = sample::aiko(1);
  RobotData data(model);
  Eigen::VectorXd none(0);
  linearising_torque(model, {}, {{0.1, 0.2}, 1.0}, none, none, none, data, none);
  EXPECT_EQ(none.size(), 0);
}

}  // namespace minimal_friction_test
}  // namespace coluber::planar
