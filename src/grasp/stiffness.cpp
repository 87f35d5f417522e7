#include "coluber/grasp/stiffness.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "coluber/math/sincos.hpp"

namespace coluber::grasp {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d cross_matrix(const Vector3d& v) {
  Matrix3d m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

Matrix6d compute_contact_stiffness(double k_t, double k_n, const Eigen::Vector2d& F_t) {
  Matrix6d kappa = Matrix6d::Zero();
  kappa.diagonal().head<3>() << k_t, k_t, k_n;
  kappa.bottomLeftCorner<3, 3>() = cross_matrix({F_t.x(), F_t.y(), 0.0});
  return kappa;
}

bool compute_rolling_stiffness(const Curvatures& c, Matrix6d& kappa) {
  double s = 0.0;
  double co = 1.0;
  math::sincos(c.psi, s, co);
  Matrix2d Q;
  Q << co, s, s, -co;
  Matrix2d L_A = Matrix2d::Zero();
  L_A.diagonal() << -c.K_uA, -c.K_vA;
  Matrix2d L_B = Matrix2d::Zero();
  L_B.diagonal() << -c.K_uB, -c.K_vB;
  L_B = (Q * L_B * Q).eval();
  Matrix2d Lambda;
  Lambda << 0.0, 1.0, -1.0, 0.0;
  const Matrix2d sum = L_A + L_B;
  const double size = sum.cwiseAbs().maxCoeff();
  if (!(std::abs(sum.determinant()) > 1e-12 * size * size)) return false;
  const Matrix2d inverse = sum.inverse();
  const Matrix2d rolls = inverse * L_B;
  kappa.setZero();
  kappa.topLeftCorner<2, 2>() = c.F_n * L_A * rolls + c.k_t * Matrix2d::Identity();
  kappa.block<2, 2>(0, 3) = -c.F_n * L_A * inverse * Lambda;
  kappa(2, 2) = c.k_n;
  const Matrix2d arm = c.M * L_A - c.F_n * Lambda;
  kappa.block<2, 2>(3, 0) = arm * rolls;
  kappa.block<2, 1>(3, 2) = Lambda * c.F_t;
  kappa.block<2, 2>(3, 3) = -arm * inverse * Lambda;
  kappa.block<1, 2>(5, 0) = c.F_t.transpose() * Lambda;
  kappa(5, 5) = c.k_theta;
  return true;
}

Matrix6d move_stiffness(const Matrix6d& kappa, const ContactFrame& frame) {
  Matrix6d T = Matrix6d::Zero();
  T.topLeftCorner<3, 3>() = frame.R;
  T.topRightCorner<3, 3>() = cross_matrix(-frame.R * frame.p) * frame.R;
  T.bottomRightCorner<3, 3>() = frame.R;
  return T.transpose() * kappa * T;
}

Matrix6d compute_weight_stiffness(double weight, const Vector3d& p) {
  Matrix6d kappa = Matrix6d::Zero();
  kappa(3, 1) = -weight;
  kappa(4, 0) = weight;
  return move_stiffness(kappa, {Matrix3d::Identity(), p});
}

double compute_least_definite(const Matrix6d& kappa) {
  const Matrix6d symmetric = 0.5 * (kappa + kappa.transpose());
  return Eigen::SelfAdjointEigenSolver<Matrix6d>(symmetric, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .minCoeff();
}

LeastEigenvalue compute_least_eigenvalue(const Matrix6d& kappa) {
  const Eigen::EigenSolver<Matrix6d> solver(kappa, false);
  const double size = kappa.cwiseAbs().maxCoeff();
  LeastEigenvalue least{solver.eigenvalues()(0).real(), true};
  for (const auto& each : solver.eigenvalues()) {
    least.value = std::min(least.value, each.real());
    // two equal ones are a complex pair to rounding
    if (std::abs(each.imag()) > 1e-6 * size) least.real = false;
  }
  return least;
}

Vector6d compute_displacement(const Matrix6d& kappa, const Vector3d& F) {
  Vector6d load = Vector6d::Zero();
  load.head<3>() = F;
  Eigen::JacobiSVD<Matrix6d> svd(kappa, Eigen::ComputeFullU | Eigen::ComputeFullV);
  svd.setThreshold(1e-10);
  return svd.solve(load);
}

}  // namespace coluber::grasp
