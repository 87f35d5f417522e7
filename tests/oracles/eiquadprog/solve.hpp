#pragma once

// eiquadprog: Goldfarb and Idnani's dual method, by its authors' code.
//
// It gets scaled unknowns, unit rows and independent equalities: with dependent ones, or with the
// weight of the slack as it is, its answers are wrong (docs/qp.md).

#include <cmath>

#include <eiquadprog/eiquadprog.hpp>

#include "coluber/qp/qp.hpp"

namespace coluber::qp {

/// min xᵀ W x subject to A x = b, G x <= h, |x| <= limit, all limits the same; false if infeasible.
inline bool solve_by_eiquadprog(const Problem& problem, Eigen::VectorXd& x) {
  const Eigen::Index n = problem.limit.size();
  const Eigen::Index m = problem.b.size();
  const Eigen::Index p = problem.h.size();
  const double u_max = problem.limit(0);
  Eigen::MatrixXd H = 2.0 * Eigen::MatrixXd(problem.weight.asDiagonal());
  Eigen::VectorXd g = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd CE(n, m);  // CEᵀ v + ce = 0
  Eigen::VectorXd ce(m);
  for (Eigen::Index j = 0; j < m; ++j) {
    const double norm = problem.A.row(j).norm();
    CE.col(j) = problem.A.row(j).transpose() / norm;
    ce(j) = -problem.b(j) / norm / u_max;
  }
  Eigen::MatrixXd CI = Eigen::MatrixXd::Zero(n, p + 2 * n);  // CIᵀ v + ci >= 0
  Eigen::VectorXd ci = Eigen::VectorXd::Ones(p + 2 * n);
  for (Eigen::Index j = 0; j < p; ++j) {
    const double norm = problem.G.row(j).norm();
    CI.col(j) = -problem.G.row(j).transpose() / norm;
    ci(j) = problem.h(j) / norm / u_max;
  }
  CI.block(0, p, n, n).diagonal().setConstant(-1.0);
  CI.block(0, p + n, n, n).diagonal().setConstant(1.0);
  Eigen::VectorXi active = Eigen::VectorXi::Zero(m + p + 2 * n);
  std::size_t size = 0;
  x.setZero(n);
  const double value = eiquadprog::solvers::solve_quadprog(H, g, CE, ce, CI, ci, x, active, size);
  x *= u_max;
  return std::isfinite(value);
}

}  // namespace coluber::qp
