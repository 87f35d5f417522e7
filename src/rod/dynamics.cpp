#include <Eigen/Cholesky>

#include "coluber/rod/data.hpp"

namespace coluber::rod {

namespace {

/// The rows and columns of a group's directions, solved.
template <int N>
Fault solve_directions(const std::vector<int>& which, const Matrix6d& M_o, const Vector6d& F_o,
                       Vector6d& etadot_o) {
  Eigen::Matrix<double, N, N> M;
  Eigen::Matrix<double, N, 1> F;
  for (int i = 0; i < N; ++i) {
    const int row = which[static_cast<std::size_t>(i)];
    F(i) = F_o(row);
    for (int j = 0; j < N; ++j) M(i, j) = M_o(row, which[static_cast<std::size_t>(j)]);
  }
  const Eigen::LLT<Eigen::Matrix<double, N, N>> factor(M);
  if (factor.info() != Eigen::Success) return Fault::inertia;
  const Eigen::Matrix<double, N, 1> x = factor.solve(F);
  etadot_o.setZero();
  for (int i = 0; i < N; ++i) etadot_o(which[static_cast<std::size_t>(i)]) = x(i);
  return etadot_o.allFinite() ? Fault::none : Fault::not_finite;
}

}  // namespace

Fault solve_head(const Model& model, Data& data) {
  const std::vector<int>& which = components_of(model.group);
  switch (model.group) {
    case Group::R:
      return solve_directions<1>(which, data.M_o, data.F_o, data.etadot_o);
    case Group::SE2:
      return solve_directions<3>(which, data.M_o, data.F_o, data.etadot_o);
    case Group::SE3:
      return solve_directions<6>(which, data.M_o, data.F_o, data.etadot_o);
  }
  return Fault::inertia;
}

Fault evaluate_dynamic(const Model& model, const StrainLaw& strain, double t, const Pose& g_o,
                       const Vector6d& eta_o, bool internal, Data& data) {
  Fault fault = update_shape(model, strain, t, data);
  if (fault == Fault::none) fault = update_motion(model, strain, t, g_o, eta_o, data);
  if (fault == Fault::none) fault = solve_head(model, data);
  if (fault == Fault::none && internal) fault = update_internal(model, strain, t, data);
  return fault;
}

}  // namespace coluber::rod
