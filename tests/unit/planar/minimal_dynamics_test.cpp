// Forward and inverse dynamics of the minimal model against each other, against its matrices and
// against the planar model's absolute coordinates.

#include <gtest/gtest.h>

#include "sample/robot_states.hpp"

namespace coluber::planar {
namespace minimal_dynamics_test {

using sample::DenseRobot;
using sample::uniform;

double relative(const Eigen::VectorXd& found, const Eigen::VectorXd& wanted) {
  return (found - wanted).lpNorm<Eigen::Infinity>() / wanted.lpNorm<Eigen::Infinity>();
}

TEST(MinimalInverseDynamics, IsMTimesAccelerationPlusCTimesVelocity) {
  std::mt19937_64 random(1);
  for (int n = 1; n <= 40; ++n) {
    const Model model = sample::odd_links(n, random);
    const auto [q, qdot] = sample::random_robot_state(n, random);
    const Eigen::VectorXd qddot = uniform(n + 2, 20.0, random);
    RobotData data(model);
    Eigen::MatrixXd M(n + 2, n + 2);
    Eigen::MatrixXd C(n + 2, n + 2);
    compute_mass_matrix(model, q, data, M);
    compute_coriolis_matrix(model, q, qdot, data, C);
    Eigen::VectorXd force(n + 2);
    inverse_dynamics(model, q, qdot, qddot, data, force);
    EXPECT_LE(relative(force, M * qddot + C * qdot), 1e-12) << n;
  }
}

TEST(MinimalForwardDynamics, UndoesInverseDynamics) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 400; ++trial) {
    const int n = 1 + trial % 40;
    const Model model = sample::odd_links(n, random);
    const auto [q, qdot] = sample::random_robot_state(n, random);
    const Eigen::VectorXd qddot = uniform(n + 2, 20.0, random);
    RobotData data(model);
    Eigen::VectorXd force(n + 2);
    Eigen::VectorXd back(n + 2);
    inverse_dynamics(model, q, qdot, qddot, data, force);
    forward_dynamics(model, q, qdot, force, data, back);
    // rounding times the condition of M, up to 1e5 for 40 links
    EXPECT_LE(relative(back, qddot), 1e-10) << n;
    Eigen::VectorXd again(n + 2);
    inverse_dynamics(model, q, qdot, back, data, again);
    EXPECT_LE(relative(again, force), 1e-10) << n;
  }
}

/// Accelerations of the planar model's absolute coordinates (x_i, y_i, theta_i), joints as
/// constraints and joint torques alone: M a = W_J lambda + tau, W_J^T a = -Wdot_J^T u.
/// Transeth (3.36)-(3.44)
Eigen::VectorXd absolute_accelerations(const Model& model, const Eigen::VectorXd& theta,
                                       const Eigen::VectorXd& omega, const Eigen::VectorXd& tau) {
  const int n = model.n();
  const int joints = 2 * (n - 1);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * n + joints, 3 * n + joints);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(3 * n + joints);
  for (int i = 0; i < n; ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    A(3 * i, 3 * i) = A(3 * i + 1, 3 * i + 1) = link.m;
    A(3 * i + 2, 3 * i + 2) = link.Theta;
    if (i > 0) b(3 * i + 2) += tau(i - 1);
    if (i + 1 < n) b(3 * i + 2) -= tau(i);
  }
  for (int j = 0; j + 1 < n; ++j) {
    const Link& link = model.links[static_cast<std::size_t>(j)];
    const Link& next = model.links[static_cast<std::size_t>(j + 1)];
    const double ahead = 0.5 * link.L - link.offset;
    const double behind = 0.5 * next.L + next.offset;
    const Eigen::Vector2d e_1{std::cos(theta(j)), std::sin(theta(j))};
    const Eigen::Vector2d e_2{std::cos(theta(j + 1)), std::sin(theta(j + 1))};
    Eigen::MatrixXd W_T = Eigen::MatrixXd::Zero(2, 3 * n);
    W_T.block<2, 2>(0, 3 * j).setIdentity();
    W_T.col(3 * j + 2) << -ahead * e_1.y(), ahead * e_1.x();
    W_T.block<2, 2>(0, 3 * j + 3) = -Eigen::Matrix2d::Identity();
    W_T.col(3 * j + 5) << -behind * e_2.y(), behind * e_2.x();
    A.block(3 * n + 2 * j, 0, 2, 3 * n) = W_T;
    A.block(0, 3 * n + 2 * j, 3 * n, 2) = -W_T.transpose();
    b.segment<2>(3 * n + 2 * j) =
        ahead * omega(j) * omega(j) * e_1 + behind * omega(j + 1) * omega(j + 1) * e_2;
  }
  return A.fullPivLu().solve(b).head(3 * n);
}

TEST(MinimalForwardDynamics, AgreesWithAbsoluteCoordinatesAtAThousandStates) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> size(2, 40);
  double worst = 0.0;
  for (int trial = 0; trial < 1000; ++trial) {
    const int n = trial < 39 ? trial + 2 : size(random);
    const Model model = sample::odd_links(n, random);
    const auto [q, qdot] = sample::random_robot_state(n, random);
    const Eigen::VectorXd tau = uniform(n - 1, 2.0, random);
    RobotData data(model);
    Eigen::VectorXd force = Eigen::VectorXd::Zero(n + 2);
    force.tail(n - 1) = tau;
    Eigen::VectorXd qddot(n + 2);
    forward_dynamics(model, q, qdot, force, data, qddot);

    Eigen::VectorXd theta(n);
    Eigen::VectorXd omega(n);
    theta(0) = q(2);
    omega(0) = qdot(2);
    for (int i = 1; i < n; ++i) {
      theta(i) = theta(i - 1) + q(i + 2);
      omega(i) = omega(i - 1) + qdot(i + 2);
    }
    const Eigen::VectorXd absolute = absolute_accelerations(model, theta, omega, tau);
    // the centre of gravity of every link, and its turning
    Eigen::VectorXd mine(3 * n);
    Eigen::Vector2d a = qddot.head<2>();
    double alpha = 0.0;
    for (int i = 0; i < n; ++i) {
      const Link& link = model.links[static_cast<std::size_t>(i)];
      alpha += qddot(i + 2);
      const Eigen::Vector2d e{std::cos(theta(i)), std::sin(theta(i))};
      const Eigen::Vector2d curve =
          alpha * Eigen::Vector2d{-e.y(), e.x()} - omega(i) * omega(i) * e;
      mine.segment<2>(3 * i) = a + (0.5 * link.L + link.offset) * curve;
      mine(3 * i + 2) = alpha;
      a += link.L * curve;
    }
    worst = std::max(worst, relative(mine, absolute));
  }
  EXPECT_LE(worst, 1e-10);
}

TEST(MinimalForwardDynamics, KeepsMomentumWithoutFriction) {
  std::mt19937_64 random(4);
  for (const int n : {1, 2, 11, 40}) {
    const Model model = sample::odd_links(n, random);
    const auto [q, qdot] = sample::random_robot_state(n, random);
    RobotData data(model);
    Eigen::VectorXd force = Eigen::VectorXd::Zero(n + 2);
    force.tail(n - 1) = uniform(n - 1, 5.0, random);
    Eigen::VectorXd qddot(n + 2);
    forward_dynamics(model, q, qdot, force, data, qddot);
    // rate of m v_G summed, by the dense Jacobians: M's first two rows are the linear momentum
    Eigen::MatrixXd M(n + 2, n + 2);
    Eigen::MatrixXd C(n + 2, n + 2);
    compute_mass_matrix(model, q, data, M);
    compute_coriolis_matrix(model, q, qdot, data, C);
    const Eigen::VectorXd rate = M * qddot + C * qdot;
    const double scale = (M.topRows(2) * qddot).cwiseAbs().maxCoeff() + M.cwiseAbs().maxCoeff();
    EXPECT_LE(rate.head<3>().cwiseAbs().maxCoeff(), 1e-10 * scale) << n;
  }
}

TEST(MinimalForwardDynamics, OfASingleLinkIsThatOfARigidBody) {
  Model model = sample::aiko(1);
  model.links[0].offset = 0.004;
  RobotData data(model);
  const Eigen::Vector3d q{0.3, -0.2, 0.7};
  const Eigen::Vector3d qdot{0.1, 0.4, 3.0};
  const Eigen::Vector3d force{2.0, -1.0, 0.05};
  Eigen::VectorXd qddot(3);
  forward_dynamics(model, q, qdot, force, data, qddot);
  // Newton and Euler about the centre of gravity, b ahead of O_2
  const Link& link = model.links[0];
  const double b = 0.5 * link.L + link.offset;
  const Eigen::Vector2d d = b * Eigen::Vector2d{std::cos(0.7), std::sin(0.7)};
  const double alpha = (force(2) - (d.x() * force(1) - d.y() * force(0))) / link.Theta;
  const Eigen::Vector2d a =
      force.head<2>() / link.m - alpha * Eigen::Vector2d{-d.y(), d.x()} + qdot(2) * qdot(2) * d;
  EXPECT_NEAR(qddot(2), alpha, 1e-11 * std::abs(alpha));
  EXPECT_NEAR(qddot(0), a.x(), 1e-11 * a.norm());
  EXPECT_NEAR(qddot(1), a.y(), 1e-11 * a.norm());
}

TEST(MinimalForwardDynamics, OfTwoStretchedRodsTurnsEachAboutItsOwnCentre) {
  // Equal rods at rest in line, a torque in the joint: by symmetry both centres of gravity have the
  // same acceleration across, by momentum their sum is zero; so the joint gives no force.
  const Model model = sample::aiko(2);
  RobotData data(model);
  const double tau = 0.3;
  Eigen::VectorXd force = Eigen::VectorXd::Zero(4);
  force(3) = tau;
  Eigen::VectorXd qddot(4);
  forward_dynamics(model, Eigen::VectorXd::Zero(4), Eigen::VectorXd::Zero(4), force, data, qddot);
  const double alpha = tau / model.links[0].Theta;
  EXPECT_NEAR(qddot(0), 0.0, 1e-12 * alpha);
  EXPECT_NEAR(qddot(1), 0.5 * model.links[0].L * alpha, 1e-12 * alpha);
  EXPECT_NEAR(qddot(2), -alpha, 1e-12 * alpha);
  EXPECT_NEAR(qddot(3), 2.0 * alpha, 1e-12 * alpha);
}

}  // namespace minimal_dynamics_test
}  // namespace coluber::planar
