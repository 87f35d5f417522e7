#pragma once

#include <Eigen/Core>

namespace coluber::qp {

/// Householder QR with column pivoting, E P = Q R, of a matrix that lies in storage for larger
/// ones: sizes change from one problem to the next, and nothing is allocated.
class PivotedQr {
 public:
  using Index = Eigen::Index;

  /// Storage for matrices of at most this size.
  void reserve(Index rows, Index cols);
  /// E, all zero, to be filled.
  Eigen::Block<Eigen::MatrixXd> start(Index rows, Index cols);
  /// Columns whose rest is below `threshold` times the largest pivot are dependent.
  void factor(double threshold);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index rank() const { return rank_; }
  /// Which column of E is the k-th of E P; the first rank() are independent.
  [[nodiscard]] Index column(Index k) const { return column_(k); }
  [[nodiscard]] double R(Index i, Index j) const { return factor_(i, j); }

  /// x <- Q x
  void apply(Eigen::Ref<Eigen::VectorXd> x) const;
  /// x <- Qᵀ x
  void apply_transpose(Eigen::Ref<Eigen::VectorXd> x) const;
  /// x <- R⁻¹ x and x <- R⁻ᵀ x, the leading rank() × rank() part of R
  void solve(Eigen::Ref<Eigen::VectorXd> x) const;
  void solve_transpose(Eigen::Ref<Eigen::VectorXd> x) const;
  /// Orthonormal basis of the vectors x with Eᵀ x = 0, as the columns of `basis`.
  void null_space(Eigen::Ref<Eigen::MatrixXd> basis) const;

 private:
  void reflect(Index k, double* x) const;

  Index rows_ = 0;
  Index cols_ = 0;
  Index rank_ = 0;
  Eigen::MatrixXd factor_;  // R above the diagonal, Householder vectors (first entry 1) below
  Eigen::VectorXd tau_;
  Eigen::VectorXd rest_;  // squared norm of what is left of a column
  Eigen::VectorXd full_;  // the same when it was last computed, not updated
  Eigen::Matrix<Index, Eigen::Dynamic, 1> column_;
};

}  // namespace coluber::qp
