#pragma once

#include <algorithm>
#include <cmath>

#include "coluber/qp/qp.hpp"

namespace coluber::qp {

/// Throws Error, with both numbers, where sizes do not fit or a number cannot be used.
void check(const Problem& problem, const Options& options);

/// Norm of row `row` in the coordinates √W x.
inline double weighted_norm(const Eigen::MatrixXd& rows, Eigen::Index row,
                            const Eigen::VectorXd& weight) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < rows.cols(); ++i) {
    sum += rows(row, i) * (rows(row, i) / weight(i));
  }
  return std::sqrt(sum);
}

/// Farthest that a row of A alone moves √W x from 0, where `norm` is the row's.
inline double reach(double b, double norm, double slack_weight) {
  return norm > 0.0 ? std::abs(b) / norm / (1.0 + 1.0 / slack_weight / norm / norm) : 0.0;
}

/// Scale σ from the largest finite √W limit (0: none) and the farthest reach of a row.
inline double scale_of(double largest, double farthest) {
  if (largest > 0.0) return farthest > 0.0 ? std::min(largest, 1000.0 * farthest) : largest;
  return farthest > 0.0 ? farthest : 1.0;
}

}  // namespace coluber::qp
