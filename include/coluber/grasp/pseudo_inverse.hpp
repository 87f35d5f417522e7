#pragma once

#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"

namespace coluber::grasp {

/// Singular values of a matrix with at least as many rows as columns, M = U S Vᵀ, and U and V as
/// products of reflections and rotations that are applied and never formed: a few vectors are
/// solved for at a fraction of a decomposition with U and V.
///
/// Householder bidiagonalisation, then the implicit QR iteration of Golub and Kahan (Golub, Van
/// Loan, Matrix Computations, 8.6.2). All results are bit-identical everywhere. Allocates when it
/// is made, never afterwards.
class COLUBER_EXPORT SingularValues {
 public:
  /// A row-major matrix of vectors to transform: one per column.
  using Vectors = Eigen::Ref<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>,
                             0, Eigen::OuterStride<>>;

  /// Room for so many rows and columns, and `vectors` columns to transform at once.
  SingularValues(int rows, int columns, int vectors = 1);

  /// Decomposes M. False if it is not finite, or if the iteration does not end.
  [[nodiscard]] bool compute(const Eigen::Ref<const Eigen::MatrixXd>& M);

  /// Singular values up to their signs, in no order.
  [[nodiscard]] Eigen::Ref<const Eigen::VectorXd> values() const { return d_.head(q_); }
  /// The largest.
  [[nodiscard]] double largest() const { return q_ == 0 ? 0.0 : values().cwiseAbs().maxCoeff(); }
  /// How many are above `cutoff` times the largest.
  [[nodiscard]] int rank(double cutoff) const;

  /// X = M⁺ X: rows() rows in, columns() rows out, the first ones of X. Values up to `cutoff` times
  /// the largest count as 0; the others are inverted as σ/(σ² + damping²).
  void solve(Vectors X, double cutoff, double damping = 0.0) const;
  /// X = (Mᵀ)⁺ X: columns() rows in, rows() out; X has room for rows().
  void solve_transposed(Vectors X, double cutoff, double damping = 0.0) const;

  /// Rows of the matrix decomposed last.
  [[nodiscard]] int rows() const { return p_; }
  /// Its columns.
  [[nodiscard]] int columns() const { return q_; }

 private:
  struct Rotation {
    int i = 0, j = 0;
    double c = 1.0, s = 0.0;
  };
  void bidiagonalise();
  bool iterate();
  void chase_row(int i, int hi);
  void chase_column(int lo, int hi);
  void sweep(int lo, int hi);
  void scale(Vectors X, double cutoff, double damping) const;
  void to_left(Vectors X) const;     // Uᵀ X
  void from_left(Vectors X) const;   // U X
  void to_right(Vectors X) const;    // Vᵀ X
  void from_right(Vectors X) const;  // V X

  int p_ = 0, q_ = 0;
  Eigen::MatrixXd M_;  // reflections
  Eigen::VectorXd tau_left_, tau_right_, d_, e_;
  mutable Eigen::VectorXd work_;
  std::vector<Rotation> left_, right_;
};

}  // namespace coluber::grasp
