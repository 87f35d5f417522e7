#pragma once

// Holden (53)-(56) as it stands, without slack: eiquadprog with one row per equality, contact and
// limit.

#include <cmath>
#include <cstddef>
#include <span>

#include <Eigen/Core>
#include <eiquadprog/eiquadprog-fast.hpp>
#include <eiquadprog/eiquadprog.hpp>

#include "support/literal_force_map.hpp"

namespace coluber::support {

/// Least effort u^T u among torques that give the wished accelerations.
class LiteralOptimisation {
  using MatrixXd = Eigen::MatrixXd;
  using VectorXd = Eigen::VectorXd;

 public:
  VectorXd u;

  /// False if there are no such torques.
  template <typename Map>
  bool solve(const Map& map, std::span<const planar::LinkContact> contacts, const VectorXd& b_e,
             double u_max) {
    state(map, contacts, b_e, u_max);
    // it takes columns, and overwrites the Hessian
    MatrixXd H = H_;
    const MatrixXd CE = map.A_e.transpose();
    const MatrixXd CI = CI_.transpose();
    Eigen::VectorXi active = Eigen::VectorXi::Zero(b_e.size() + ci_.size());
    std::size_t size = 0;
    return std::isfinite(
        eiquadprog::solvers::solve_quadprog(H, g_, CE, ce_, CI, ci_, u, active, size));
  }

  /// The same by eiquadprog's faster variant, which keeps its workspace.
  template <typename Map>
  bool solve_fast(const Map& map, std::span<const planar::LinkContact> contacts,
                  const VectorXd& b_e, double u_max) {
    state(map, contacts, b_e, u_max);
    if (u.size() != joints_ || b_e.size() != rows_ || ci_.size() != inequalities_) {
      joints_ = u.size();
      rows_ = b_e.size();
      inequalities_ = ci_.size();
      solver_.reset(static_cast<std::size_t>(joints_), static_cast<std::size_t>(rows_),
                    static_cast<std::size_t>(inequalities_));
    }
    return solver_.solve_quadprog(H_, g_, map.A_e, ce_, CI_, ci_, u) ==
           eiquadprog::solvers::EIQUADPROG_FAST_OPTIMAL;
  }

 private:
  /// u^T u, A_e u + ce = 0, CI u + ci >= 0
  template <typename Map>
  void state(const Map& map, std::span<const planar::LinkContact> contacts, const VectorXd& b_e,
             double u_max) {
    const Eigen::Index joints = map.A_e.cols();
    const auto n_C = static_cast<Eigen::Index>(contacts.size());
    H_ = 2.0 * MatrixXd::Identity(joints, joints);
    g_ = VectorXd::Zero(joints);
    VectorXd gamma(n_C);
    for (Eigen::Index k = 0; k < n_C; ++k) gamma(k) = contacts[static_cast<std::size_t>(k)].gamma;
    ce_ = -b_e;
    CI_.resize(n_C + 2 * joints, joints);
    ci_.resize(n_C + 2 * joints);
    CI_.topRows(n_C) = -(gamma.asDiagonal() * map.A_f_inverse * map.A_u);
    ci_.head(n_C) = gamma.asDiagonal() * map.A_f_inverse * map.b_f;
    CI_.middleRows(n_C, joints) = MatrixXd::Identity(joints, joints);
    CI_.bottomRows(joints) = -MatrixXd::Identity(joints, joints);
    ci_.tail(2 * joints).setConstant(u_max);
    u.setZero(joints);
  }

  MatrixXd H_, CI_;
  VectorXd g_, ce_, ci_;
  eiquadprog::solvers::EiquadprogFast solver_;
  Eigen::Index joints_ = 0, rows_ = 0, inequalities_ = 0;
};

}  // namespace coluber::support
