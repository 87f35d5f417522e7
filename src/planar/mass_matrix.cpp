#include "coluber/core/assert.hpp"
#include "coluber/planar/minimal.hpp"

#include "robot_kinematics.hpp"

// M and C by composite sums, O(1) an entry. The column of a point r_i for joint k is
//   J_ik = D (r_i - p_k)  (revolute, k <= i),  e_x or e_y  (prismatic),  Transeth (6.6)
// D the turn by +90°, p_k the start of link k. For revolute k <= j
//   M_kj = sum_(i>=j) m_i (r_i - p_k).(r_i - p_j) + Theta_i = J_j + (p_j - p_k).s_j,
// J_j and s_j the inertia and first moment about p_j of the links from j on.
//
// C without Christoffel symbols. With M = sum m J^T J, (6.17) is
//   c_kjl = sum_i m_i dr_i/dq_k . d²r_i/dq_j dq_l,
// since the second derivative is symmetric in j and l and the terms with d²r/dq_k cancel; the
// turning parts are constant. Summed over qdot_l,
//   C_kj = sum_(i>=max(k,j)) m_i J_ik . Jdot_ij,  Jdot_ij = D (v_i - w_j),  zero if j is prismatic,
// w_j the velocity of p_j. About the start p_s of s = max(k, j), with sdot = sum m (v - w_s) and
// X = sum m (r - p_s).(v - w_s), half the rate of J_s:
//   C_kj = X_s + s_s.(w_s - w_j)   (k = s)
//   C_kj = X_s + (p_s - p_k).sdot_s   (j = s).

namespace coluber::planar {
double update_composites(RobotData& data) {
  double mass = 0.0;
  double J = 0.0;
  double s_x = 0.0;
  double s_y = 0.0;
  for (Eigen::Index i = data.m.size() - 1; i >= 0; --i) {
    // from the start of link i+1, L ahead, to that of link i
    const double l_x = data.L(i) * data.cos(i);
    const double l_y = data.L(i) * data.sin(i);
    const double first = data.m(i) * data.b(i);
    J += 2.0 * (l_x * s_x + l_y * s_y) + mass * data.L(i) * data.L(i) + data.Theta(i) +
         first * data.b(i);
    s_x += mass * l_x + first * data.cos(i);
    s_y += mass * l_y + first * data.sin(i);
    mass += data.m(i);
    data.J(i) = J;
    data.s_x(i) = s_x;
    data.s_y(i) = s_y;
  }
  return mass;
}

namespace {

/// Rates of the composites: h_n = X, (h_x, h_y) = sdot.
void update_composite_rates(RobotData& data) {
  double mass = 0.0;
  double s_x = 0.0;
  double s_y = 0.0;
  double d_x = 0.0;
  double d_y = 0.0;
  double X = 0.0;
  for (Eigen::Index i = data.m.size() - 1; i >= 0; --i) {
    const double l_x = data.L(i) * data.cos(i);
    const double l_y = data.L(i) * data.sin(i);
    const double k_x = -data.omega(i) * l_y;  // velocity of the link's end from its start
    const double k_y = data.omega(i) * l_x;
    const double first = data.m(i) * data.b(i);
    // l.k = 0, and so is the link's own (b e).(omega D b e)
    X += l_x * d_x + l_y * d_y + s_x * k_x + s_y * k_y;
    s_x += mass * l_x + first * data.cos(i);
    s_y += mass * l_y + first * data.sin(i);
    d_x += mass * k_x - first * data.omega(i) * data.sin(i);
    d_y += mass * k_y + first * data.omega(i) * data.cos(i);
    mass += data.m(i);
    data.s_x(i) = s_x;
    data.s_y(i) = s_y;
    data.h_x(i) = d_x;
    data.h_y(i) = d_y;
    data.h_n(i) = X;
  }
}

}  // namespace

void compute_mass_matrix(const Model& model, const Eigen::Ref<const VectorXd>& q, RobotData& data,
                         Eigen::Ref<MatrixXd> M) {
  const Eigen::Index n = model.n();
  COLUBER_ASSERT(q.size() == n + 2 && M.rows() == n + 2 && M.cols() == n + 2, q.size(), M.rows(),
                 M.cols(), n);
  update_positions(q(2), q.tail(n - 1), data);
  const double mass = update_composites(data);
  M(0, 0) = M(1, 1) = mass;
  M(0, 1) = M(1, 0) = 0.0;
  for (Eigen::Index j = 0; j < n; ++j) {
    M(0, j + 2) = M(j + 2, 0) = -data.s_y(j);
    M(1, j + 2) = M(j + 2, 1) = data.s_x(j);
    for (Eigen::Index k = 0; k <= j; ++k) {
      M(k + 2, j + 2) = M(j + 2, k + 2) = data.J(j) + (data.p_x(j) - data.p_x(k)) * data.s_x(j) +
                                          (data.p_y(j) - data.p_y(k)) * data.s_y(j);
    }
  }
}

void compute_coriolis_matrix(const Model& model, const Eigen::Ref<const VectorXd>& q,
                             const Eigen::Ref<const VectorXd>& qdot, RobotData& data,
                             Eigen::Ref<MatrixXd> C) {
  const Eigen::Index n = model.n();
  COLUBER_ASSERT(
      q.size() == n + 2 && qdot.size() == n + 2 && C.rows() == n + 2 && C.cols() == n + 2, q.size(),
      qdot.size(), C.rows(), C.cols(), n);
  update_positions(q(2), q.tail(n - 1), data);
  update_velocities(root_of(q, qdot), qdot.tail(n - 1), data);
  update_composite_rates(data);
  C.leftCols(2).setZero();  // e_x and e_y do not turn
  for (Eigen::Index j = 0; j < n; ++j) {
    C(0, j + 2) = -data.h_y(j);
    C(1, j + 2) = data.h_x(j);
    for (Eigen::Index k = 0; k <= j; ++k) {
      const double p_x = data.p_x(j) - data.p_x(k);
      const double p_y = data.p_y(j) - data.p_y(k);
      const double w_x = data.w_x(j) - data.w_x(k);
      const double w_y = data.w_y(j) - data.w_y(k);
      C(k + 2, j + 2) = data.h_n(j) + p_x * data.h_x(j) + p_y * data.h_y(j);
      C(j + 2, k + 2) = data.h_n(j) + data.s_x(j) * w_x + data.s_y(j) * w_y;
    }
  }
}

}  // namespace coluber::planar
