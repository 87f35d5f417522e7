#include <limits>

#include <Eigen/Cholesky>

#include "multibody/parts.hpp"

namespace coluber::multibody {

namespace {

/// Momentum of unit rate of coordinate k while the reference body stands, seen there: M_r e_k.
Vector6d momentum_of(const Model& model, const Data& data, int k) {
  int j = model.body_of[static_cast<std::size_t>(k)];
  const Vector6d A = screw(model, k);
  Vector6d p = times(data.body[static_cast<std::size_t>(j)].composite, A);
  if (!model.added.empty()) p += data.composite_added[static_cast<std::size_t>(j)] * A;
  for (; j > 0; j = model.body(j).parent) {
    p = math::to_parent(data.body[static_cast<std::size_t>(j)].g, p);
  }
  return p;
}

}  // namespace

// 𝒜 = (M̃_o⁺)⁻¹ M̃_r (3.32), with added masses (2.19); Ā⁻¹ B̄ (3.45). Of a system that its wheels
// determine in part it is their part, A^† B: the shape-to-fibre map of (3.47) is its negative.
Eigen::MatrixXd compute_connection(const Model& model, const Classification& as,
                                   const Program& program, double t, const Configuration& at,
                                   Data& data, double rank_tolerance) {
  Eigen::MatrixXd connection = Eigen::MatrixXd::Zero(6, model.coordinates);
  if (as.which == Case::imposed) return connection;
  program(t, data.input);
  gather(model, at, data);
  update_poses(model, data);
  if (as.rank > 0) {
    update_rows(model, program, t, data, data.base);
    choose_rows(data.base.rows, as, rank_tolerance, data.base.basis);
    if (data.base.basis.rank < as.rank) {  // a singular instant has none
      connection.setConstant(std::numeric_limits<double>::quiet_NaN());
      return connection;
    }
    Eigen::VectorXd b(data.base.rows.size);
    for (int k = 0; k < model.coordinates; ++k) {
      if (!compute_row_column(model, data.base, k, b)) continue;
      connection.col(k) = -from_plane(solve_rows(data.base.basis, b));
    }
    return connection;
  }
  data.eta_o.setZero();
  if (!update_velocities(model, data).ok()) return connection;
  update_forces(model, at.g.R, data);
  update_composite(model, data);
  for (int k = 0; k < model.coordinates; ++k) connection.col(k) = momentum_of(model, data, k);
  if (!model.planar) return data.M_o.ldlt().solve(connection);
  Eigen::Matrix3d M;
  Eigen::MatrixXd P(3, model.coordinates);
  for (int i = 0; i < 3; ++i) {
    M.col(i) = in_plane(data.M_o.col(i < 2 ? i : 5));
    P.row(i) = connection.row(i < 2 ? i : 5);
  }
  P = M.ldlt().solve(P).eval();
  for (int k = 0; k < model.coordinates; ++k) connection.col(k) = from_plane(P.col(k));
  return connection;
}

}  // namespace coluber::multibody
