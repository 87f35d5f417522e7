#include <algorithm>
#include <cmath>

#include "coluber/rod/contact.hpp"

namespace coluber::rod {

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
        if (!(std::abs(c) > done * std::sqrt(a * b))) continue;
        turned = true;
        const double zeta = (b - a) / (2.0 * c);
        const double tangent =
            std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
        const double cosine = 1.0 / std::sqrt(1.0 + tangent * tangent);
        const double sine = cosine * tangent;
        const auto rotate = [&](double& x, double& y) {
          const double old = x;
          x = cosine * old - sine * y;
          y = sine * old + cosine * y;
        };
        for (Eigen::Index k = 0; k < W_.cols(); ++k) rotate(W_(i, k), W_(j, k));
        for (Eigen::Index k = 0; k < rows; ++k) rotate(G_(i, k), G_(j, k));
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
