#include <algorithm>
#include <cmath>

#include "coluber/rod/contact.hpp"

namespace coluber::rod {

namespace {

/// Two rows, apart from each other, turned in their plane.
void rotate(double* __restrict x, double* __restrict y, Eigen::Index size, double cosine,
            double sine) {
  for (Eigen::Index k = 0; k < size; ++k) {
    const double old = x[k];
    x[k] = cosine * old - sine * y[k];
    y[k] = sine * old + cosine * y[k];
  }
}

}  // namespace

LeastNorm::LeastNorm(int unknowns) : A_(Rows::Zero(6, unknowns)), W_(Rows::Zero(6, unknowns)) {}

// Hestenes: rotations from the left until the rows of W = G A are orthogonal. Their norms are the
// singular values, small ones to high relative accuracy.
void LeastNorm::factor(int rows, double cutoff) {
  rows_ = rows;
  W_.topRows(rows) = A_.topRows(rows);
  G_.setIdentity();
  constexpr double done = 1e-15;
  for (int sweep = 0; sweep < 30; ++sweep) {
    bool turned = false;
    for (int i = 0; i + 1 < rows; ++i) {
      for (int j = i + 1; j < rows; ++j) {
        const double a = W_.row(i).squaredNorm();
        const double b = W_.row(j).squaredNorm();
        const double c = W_.row(i).dot(W_.row(j));
        const bool far = c * c > 1e4 * done * done * (a * b);  // that needs no root
        if (!far && !(std::abs(c) > done * std::sqrt(a * b))) continue;
        turned = true;
        const double zeta = (b - a) / (2.0 * c);
        const double tangent =
            std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
        const double cosine = 1.0 / std::sqrt(1.0 + tangent * tangent);
        const double sine = cosine * tangent;
        rotate(&W_(i, 0), &W_(j, 0), W_.cols(), cosine, sine);
        rotate(&G_(i, 0), &G_(j, 0), rows, cosine, sine);
      }
    }
    if (!turned) break;
  }
  Vector6d sigma = Vector6d::Zero();
  for (int i = 0; i < rows; ++i) sigma(i) = W_.row(i).norm();
  const double largest = sigma.head(rows).maxCoeff();
  const double smallest = sigma.head(rows).minCoeff();
  condition_ = smallest > 0.0 ? largest / smallest : std::numeric_limits<double>::infinity();
  rank_ = 0;
  for (int i = 0; i < rows; ++i) {
    const bool kept = sigma(i) > cutoff * largest;
    inverse_square_(i) = kept ? 1.0 / (sigma(i) * sigma(i)) : 0.0;
    rank_ += kept ? 1 : 0;
  }
}

void LeastNorm::solve(const Eigen::Ref<const Eigen::VectorXd>& F,
                      Eigen::Ref<Eigen::VectorXd> x) const {
  x.setZero();
  for (int i = 0; i < rows_; ++i) {
    double part = 0.0;
    for (int k = 0; k < rows_; ++k) part += G_(i, k) * F(k);
    x += (part * inverse_square_(i)) * W_.row(i).transpose();
  }
}

}  // namespace coluber::rod
