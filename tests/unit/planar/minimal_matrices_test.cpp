// M and C of the minimal model against the literal construction of Transeth 6.2.

#include <gtest/gtest.h>

#include "sample/robot_states.hpp"

namespace coluber::planar {
namespace minimal_matrices_test {

using sample::DenseRobot;

struct Robot {
  Model model;
  sample::RobotState state;
  Eigen::MatrixXd M, C;
  Robot(int n, std::mt19937_64& random)
      : model(sample::odd_links(n, random)),
        state(sample::random_robot_state(n, random)),
        M(n + 2, n + 2),
        C(n + 2, n + 2) {
    RobotData data(model);
    compute_mass_matrix(model, state.q, data, M);
    compute_coriolis_matrix(model, state.q, state.qdot, data, C);
  }
};

TEST(MinimalMassMatrix, IsThatOfTheJacobians) {
  std::mt19937_64 random(1);
  for (int n = 1; n <= 40; ++n) {
    const Robot robot(n, random);
    const Eigen::MatrixXd dense = DenseRobot(robot.model, robot.state.q).mass_matrix();
    // rounding of 40 terms of different size
    EXPECT_LE((robot.M - dense).cwiseAbs().maxCoeff(), 1e-12 * dense.cwiseAbs().maxCoeff()) << n;
  }
}

TEST(MinimalMassMatrix, IsSymmetricAndPositiveDefinite) {
  std::mt19937_64 random(2);
  for (int n = 1; n <= 40; n += 3) {
    const Robot robot(n, random);
    EXPECT_EQ(robot.M, robot.M.transpose());
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(robot.M).eigenvalues()(0), 0.0);
  }
}

TEST(MinimalCoriolis, IsThatOfTheChristoffelSymbols) {
  std::mt19937_64 random(3);
  for (const int n : {1, 2, 3, 5, 11, 17}) {
    const Robot robot(n, random);
    const Eigen::MatrixXd C = sample::christoffel(robot.model, robot.state);
    // central differences: 1e-9 of the entries
    EXPECT_LE((robot.C - C).cwiseAbs().maxCoeff(), 3e-8 * C.cwiseAbs().maxCoeff()) << n;
  }
}

TEST(MinimalCoriolis, LeavesTheRateOfMLessTwiceItselfSkew) {
  std::mt19937_64 random(4);
  for (const int n : {1, 2, 7, 11, 40}) {
    const Robot robot(n, random);
    // dM/dt = sum of m (Jdot^T J + J^T Jdot) = C + C^T for this C; and by central differences
    const double h = 1e-6;
    const auto& [q, qdot] = robot.state;
    const Eigen::MatrixXd rate = (DenseRobot(robot.model, q + h * qdot).mass_matrix() -
                                  DenseRobot(robot.model, q - h * qdot).mass_matrix()) /
                                 (2.0 * h);
    const Eigen::MatrixXd S = rate - 2.0 * robot.C;
    const double scale = robot.C.cwiseAbs().maxCoeff();
    EXPECT_LE((S + S.transpose()).cwiseAbs().maxCoeff(), 1e-7 * scale) << n;
    EXPECT_GT(scale, 0.0);

    // The same without differences: M of the two ends of the rate, exact to rounding.
    Eigen::MatrixXd exact = Eigen::MatrixXd::Zero(n + 2, n + 2);
    const DenseRobot dense(robot.model, q);
    for (int i = 0; i < n; ++i) {
      const Eigen::MatrixXd J = dense.J_v(i, dense.G(i));
      Eigen::MatrixXd Jdot = Eigen::MatrixXd::Zero(2, n + 2);
      const Eigen::Vector2d v = J * qdot;
      Eigen::Vector2d w = qdot.head<2>();
      double omega = 0.0;
      for (int k = 0; k <= i; ++k) {
        if (k > 0) {
          w += dense.link(k - 1).L * omega *
               Eigen::Vector2d{-dense.axis(k - 1).y(), dense.axis(k - 1).x()};
        }
        omega += qdot(k + 2);
        Jdot.col(k + 2) << -(v - w).y(), (v - w).x();
      }
      exact += dense.link(i).m * (Jdot.transpose() * J + J.transpose() * Jdot);
    }
    const Eigen::MatrixXd T = exact - 2.0 * robot.C;
    EXPECT_LE((T + T.transpose()).cwiseAbs().maxCoeff(), 1e-11 * scale) << n;
  }
}

TEST(MinimalMassMatrix, DoesNotKnowWhereTheRobotIs) {
  std::mt19937_64 random(5);
  const Robot robot(11, random);
  Eigen::VectorXd q = robot.state.q;
  q.head<2>() += Eigen::Vector2d{17.0, -3.0};
  RobotData data(robot.model);
  Eigen::MatrixXd M(13, 13);
  compute_mass_matrix(robot.model, q, data, M);
  EXPECT_EQ(M, robot.M);
}

}  // namespace minimal_matrices_test
}  // namespace coluber::planar
