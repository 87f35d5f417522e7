#include "pivoted_qr.hpp"

#include <cmath>
#include <utility>

namespace coluber::qp {

using Eigen::Index;
using Eigen::VectorXd;

void PivotedQr::reserve(Index rows, Index cols) {
  factor_.resize(rows, cols);
  tau_.resize(cols);
  rest_.resize(cols);
  full_.resize(cols);
  column_.resize(cols);
}

Eigen::Block<Eigen::MatrixXd> PivotedQr::start(Index rows, Index cols) {
  rows_ = rows;
  cols_ = cols;
  rank_ = 0;
  auto E = factor_.topLeftCorner(rows, cols);
  E.setZero();
  return E;
}

// x <- (I - tau h hᵀ) x, h = (0 … 0, 1, column k below the diagonal)
void PivotedQr::reflect(Index k, double* x) const {
  const Index below = rows_ - k - 1;
  const auto h = factor_.col(k).segment(k + 1, below);
  Eigen::Map<VectorXd> tail(x + k + 1, below);
  const double sum = tau_(k) * (x[k] + h.dot(tail));
  x[k] -= sum;
  tail -= sum * h;
}

void PivotedQr::factor(double threshold) {
  for (Index j = 0; j < cols_; ++j) {
    column_(j) = j;
    rest_(j) = full_(j) = factor_.col(j).head(rows_).squaredNorm();
  }
  double first = 0.0;
  for (Index k = 0; k < cols_ && k < rows_; ++k) {
    Index pivot = k;
    for (Index j = k + 1; j < cols_; ++j) {
      if (rest_(j) > rest_(pivot)) pivot = j;
    }
    if (pivot != k) {
      factor_.col(k).head(rows_).swap(factor_.col(pivot).head(rows_));
      std::swap(rest_(k), rest_(pivot));
      std::swap(full_(k), full_(pivot));
      std::swap(column_(k), column_(pivot));
    }
    auto column = factor_.col(k).segment(k, rows_ - k);
    const double norm = std::sqrt(column.squaredNorm());
    if (k == 0) first = norm;
    if (!(norm > threshold * first)) return;
    const double head = column(0);
    const double beta = head > 0.0 ? -norm : norm;
    tau_(k) = (beta - head) / beta;
    column.tail(rows_ - k - 1) /= head - beta;
    column(0) = beta;
    rank_ = k + 1;
    for (Index j = k + 1; j < cols_; ++j) {
      double* x = factor_.data() + j * factor_.outerStride();
      reflect(k, x);
      rest_(j) -= x[k] * x[k];
      if (rest_(j) < 1e-6 * full_(j)) {  // too much has cancelled
        rest_(j) = full_(j) = factor_.col(j).segment(k + 1, rows_ - k - 1).squaredNorm();
      }
    }
  }
}

void PivotedQr::apply(Eigen::Ref<VectorXd> x) const {
  for (Index k = rank_ - 1; k >= 0; --k) reflect(k, x.data());
}

void PivotedQr::apply_transpose(Eigen::Ref<VectorXd> x) const {
  for (Index k = 0; k < rank_; ++k) reflect(k, x.data());
}

void PivotedQr::solve(Eigen::Ref<VectorXd> x) const {
  for (Index k = rank_ - 1; k >= 0; --k) {
    x(k) /= factor_(k, k);
    x.head(k) -= x(k) * factor_.col(k).head(k);
  }
}

void PivotedQr::solve_transpose(Eigen::Ref<VectorXd> x) const {
  for (Index k = 0; k < rank_; ++k) {
    x(k) = (x(k) - factor_.col(k).head(k).dot(x.head(k))) / factor_(k, k);
  }
}

void PivotedQr::null_space(Eigen::Ref<Eigen::MatrixXd> basis) const {
  basis.setZero();
  for (Index j = 0; j < basis.cols(); ++j) {
    basis(rank_ + j, j) = 1.0;
    for (Index k = rank_ - 1; k >= 0; --k) reflect(k, basis.col(j).data());
  }
}

}  // namespace coluber::qp
