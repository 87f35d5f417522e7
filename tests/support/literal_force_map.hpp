#pragma once

// The force map as Holden prints it: dense matrices, explicit inverses of M_theta and A_f, nothing
// shared between terms. A second route for tests, and the one that benchmarks compare ours with.

#include <cmath>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "coluber/planar/force_map.hpp"

namespace coluber::support {

/// A_f f_C + A_u u = b_f, Holden (34), and A_e u = b_e, (46). `Diagonal` is what diag(…) of the
/// paper becomes: a matrix like any other, or Eigen::DiagonalMatrix, which saves most of the
/// products.
template <typename Diagonal = Eigen::MatrixXd>
class LiteralForceMap {
  using MatrixXd = Eigen::MatrixXd;
  using VectorXd = Eigen::VectorXd;

 public:
  /// K_l and H = K_l (I - M E/m_T) do not change; for the centre of mass H stands for K_l too.
  explicit LiteralForceMap(const planar::ForceMapModel& model)
      : m_(model.m), J_(model.J), m_T_(model.m_T) {
    const Eigen::Index n = model.n();
    D_ = MatrixXd::Zero(n - 1, n);
    MatrixXd A_l = MatrixXd::Zero(n - 1, n);
    for (Eigen::Index i = 0; i + 1 < n; ++i) {
      D_(i, i) = 1.0;
      D_(i, i + 1) = -1.0;
      A_l(i, i) = model.l_h(i);
      A_l(i, i + 1) = model.l_t(i + 1);
    }
    K_ = A_l.transpose() * (D_ * D_.transpose()).inverse() * D_;
    E_ = MatrixXd::Ones(n, n);
    const MatrixXd M = m_.asDiagonal();
    H_ = K_ * (MatrixXd::Identity(n, n) - M * E_ / m_T_);
    if (model.kinematics == planar::Kinematics::centre_of_mass) K_ = H_;
  }

  MatrixXd A_f, A_u, A_e;
  VectorXd b_f, b_0;  ///< b_0: b_e of zero wished accelerations
  MatrixXd A_f_inverse;

  void update(const planar::Instant& instant, std::span<const planar::LinkContact> contacts,
              std::span<const int> controlled, const planar::GroundLoad& ground,
              planar::ContactAcceleration form) {
    const Eigen::Index n = m_.size();
    const auto n_C = static_cast<Eigen::Index>(contacts.size());
    const auto n_d = static_cast<Eigen::Index>(controlled.size());
    const bool point = form == planar::ContactAcceleration::point;
    const VectorXd s = instant.theta.array().sin();
    const VectorXd c = instant.theta.array().cos();
    const VectorXd& rate = instant.theta_dot;
    const Diagonal S(s.asDiagonal());
    const Diagonal C(c.asDiagonal());
    const Diagonal Q(rate.asDiagonal());
    const VectorXd x_dot = (K_.transpose() * (S * rate)).array() + instant.p_dot.x();   // (3)
    const VectorXd y_dot = -(K_.transpose() * (C * rate)).array() + instant.p_dot.y();  // (4)
    const VectorXd v_t = C * x_dot + S * y_dot;                                         // (20)

    MatrixXd P = MatrixXd::Zero(n_C, n);
    MatrixXd P_d = MatrixXd::Zero(n_d, n);
    VectorXd l = VectorXd::Zero(n);
    VectorXd g_x = VectorXd::Zero(n);
    VectorXd g_y = VectorXd::Zero(n);
    for (Eigen::Index k = 0; k < n_C; ++k) {
      const planar::LinkContact& contact = contacts[static_cast<std::size_t>(k)];
      const Eigen::Index i = contact.link;
      P(k, i) = 1.0;
      l(i) = contact.at;
      const double sliding = v_t(i) > 0.0 ? 1.0 : v_t(i) < 0.0 ? -1.0 : 0.0;
      const double mu = -contact.mu * contact.gamma * sliding;  // (21)
      g_x(i) = mu * c(i) - s(i);                                // (22)-(24)
      g_y(i) = mu * s(i) + c(i);
    }
    for (Eigen::Index k = 0; k < n_d; ++k) P_d(k, controlled[static_cast<std::size_t>(k)]) = 1.0;
    const Diagonal G_x(g_x.asDiagonal());
    const Diagonal G_y(g_y.asDiagonal());
    const Diagonal M(m_.asDiagonal());
    const MatrixXd L = l.asDiagonal();
    const VectorXd f_rx = ground.f_r.row(0);
    const VectorXd f_ry = ground.f_r.row(1);

    // (13)
    const MatrixXd M_theta = MatrixXd(J_.asDiagonal()) + S * K_ * M * K_.transpose() * S +
                             C * K_ * M * K_.transpose() * C;
    const MatrixXd W = S * K_ * M * K_.transpose() * C - C * K_ * M * K_.transpose() * S;
    const MatrixXd inverse = M_theta.inverse();
    const MatrixXd G = S * (H_ - L) * G_x - C * (H_ - L) * G_y;
    const VectorXd load = ground.tau_r + S * (H_ * f_rx) - C * (H_ * f_ry);

    // (34); a point contact has L in its constraint, and slides
    MatrixXd M_c = S * K_.transpose() * S + C * K_.transpose() * C;
    if (point) M_c -= L;
    const MatrixXd K_q = Q * K_.transpose() - K_.transpose() * Q;
    A_f = P * (M_c * inverse * G + (S * E_ * G_x - C * E_ * G_y) / m_T_) * P.transpose();
    A_u = P * M_c * inverse * D_.transpose();
    MatrixXd turning = C * K_q * S - S * K_q * C;
    turning += (instant.p_dot.x() * c + instant.p_dot.y() * s).asDiagonal();
    b_f = -P * M_c * inverse * (load - W * rate.cwiseAbs2()) -
          P * (S * (E_ * f_rx) - C * (E_ * f_ry)) / m_T_ - P * turning * rate;
    if (point) b_f -= P * rate.cwiseProduct(v_t);

    // (36)-(38), (46)
    A_f_inverse = A_f.inverse();
    const MatrixXd B = D_.transpose() - G * P.transpose() * A_f_inverse * A_u;
    const VectorXd g_r = load + G * P.transpose() * A_f_inverse * b_f;
    const Eigen::RowVectorXd e = Eigen::RowVectorXd::Ones(n);
    A_e.resize(n_d + 2, n - 1);
    b_0.resize(n_d + 2);
    A_e.row(0) = e * G_x * P.transpose() * A_f_inverse * A_u;
    A_e.row(1) = e * G_y * P.transpose() * A_f_inverse * A_u;
    A_e.bottomRows(n_d) = P_d * inverse * B;
    b_0(0) = (e * (f_rx + G_x * (P.transpose() * A_f_inverse * b_f)))(0);
    b_0(1) = (e * (f_ry + G_y * (P.transpose() * A_f_inverse * b_f)))(0);
    b_0.tail(n_d) = P_d * inverse * (W * rate.cwiseAbs2() - g_r);
  }

 private:
  VectorXd m_, J_;
  double m_T_;
  MatrixXd D_, K_, H_, E_;
};

}  // namespace coluber::support
