#include "coluber/grasp/pseudo_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include <Eigen/Householder>

#include "coluber/core/assert.hpp"

namespace coluber::grasp {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
/// Sweeps per singular value; two or three are usual.
constexpr int kSweeps = 30;

/// c y + s z = r, −s y + c z = 0.
double rotate_away(double y, double z, double& c, double& s) {
  if (z == 0.0) {
    c = 1.0;
    s = 0.0;
    return y;
  }
  const double scale = std::max(std::abs(y), std::abs(z));
  const double a = y / scale;
  const double b = z / scale;
  const double r = scale * std::sqrt(a * a + b * b);
  c = y / r;
  s = z / r;
  return r;
}

}  // namespace

SingularValues::SingularValues(int rows, int columns, int vectors)
    : M_(rows, columns),
      tau_left_(columns),
      tau_right_(columns),
      d_(columns),
      e_(columns),
      work_(std::max({rows, columns, vectors})) {
  const auto most = 8 * static_cast<std::size_t>(columns) * static_cast<std::size_t>(columns) + 64;
  left_.reserve(most);
  right_.reserve(most);
}

bool SingularValues::compute(const Eigen::Ref<const Eigen::MatrixXd>& M) {
  p_ = static_cast<int>(M.rows());
  q_ = static_cast<int>(M.cols());
  COLUBER_ASSERT(p_ >= q_ && p_ <= M_.rows() && q_ <= M_.cols(), p_, q_);
  left_.clear();
  right_.clear();
  if (!M.allFinite()) return false;
  if (q_ == 0) return true;
  M_.topLeftCorner(p_, q_) = M;
  bidiagonalise();
  return iterate();
}

void SingularValues::bidiagonalise() {
  auto M = M_.topLeftCorner(p_, q_);
  for (int k = 0; k < q_; ++k) {
    const int below = p_ - k;
    const int right = q_ - k - 1;
    M.col(k).tail(below).makeHouseholderInPlace(tau_left_(k), d_(k));
    M.bottomRightCorner(below, right)
        .applyHouseholderOnTheLeft(M.col(k).tail(below - 1), tau_left_(k), work_.data());
    if (right == 0) break;
    M.row(k).tail(right).makeHouseholderInPlace(tau_right_(k), e_(k));
    M.bottomRightCorner(below - 1, right)
        .applyHouseholderOnTheRight(M.row(k).tail(right - 1).transpose(), tau_right_(k),
                                    work_.data());
  }
}

bool SingularValues::iterate() {
  double norm = 0.0;
  for (int k = 0; k < q_; ++k) {
    norm = std::max(norm, std::abs(d_(k)) + (k + 1 < q_ ? std::abs(e_(k)) : 0.0));
  }
  if (!std::isfinite(norm)) return false;
  const double none = kEpsilon * norm;
  int hi = q_ - 1;
  for (int sweeps = 0; hi > 0;) {
    for (int k = 0; k < hi; ++k) {
      if (std::abs(e_(k)) <= kEpsilon * (std::abs(d_(k)) + std::abs(d_(k + 1)))) e_(k) = 0.0;
    }
    if (e_(hi - 1) == 0.0) {
      --hi;
      continue;
    }
    int lo = hi - 1;
    while (lo > 0 && e_(lo - 1) != 0.0) --lo;
    int zero = lo;
    while (zero < hi && std::abs(d_(zero)) > none) ++zero;
    if (++sweeps > kSweeps * q_) return false;
    if (zero < hi) {
      d_(zero) = 0.0;
      chase_row(zero, hi);
    } else if (std::abs(d_(hi)) <= none) {
      d_(hi) = 0.0;
      chase_column(lo, hi);
    } else {
      sweep(lo, hi);
    }
  }
  return true;
}

// d_i is 0: rows below rotate e_i away.
void SingularValues::chase_row(int i, int hi) {
  double f = e_(i);
  e_(i) = 0.0;
  for (int k = i + 1; k <= hi; ++k) {
    double c = 1.0;
    double s = 0.0;
    d_(k) = rotate_away(d_(k), f, c, s);
    left_.push_back({k, i, c, s});
    if (k == hi) break;
    f = -s * e_(k);
    e_(k) = c * e_(k);
  }
}

// The last d is 0: columns before it rotate the last e away.
void SingularValues::chase_column(int lo, int hi) {
  double f = e_(hi - 1);
  e_(hi - 1) = 0.0;
  for (int k = hi - 1; k >= lo; --k) {
    double c = 1.0;
    double s = 0.0;
    d_(k) = rotate_away(d_(k), f, c, s);
    right_.push_back({k, hi, c, s});
    if (k == lo) break;
    f = -s * e_(k - 1);
    e_(k - 1) = c * e_(k - 1);
  }
}

// One implicit QR step with Wilkinson's shift.
void SingularValues::sweep(int lo, int hi) {
  const double dm = d_(hi - 1);
  const double dn = d_(hi);
  const double em = e_(hi - 1);
  const double ep = hi - 1 > lo ? e_(hi - 2) : 0.0;
  const double t22 = dn * dn + em * em;
  const double t12 = dm * em;
  const double delta = 0.5 * (dm * dm + ep * ep - t22);
  const double root = std::sqrt(delta * delta + t12 * t12);
  const double below = delta >= 0.0 ? delta + root : delta - root;
  const double shift = below == 0.0 ? t22 : t22 - t12 * t12 / below;
  double y = d_(lo) * d_(lo) - shift;
  double z = d_(lo) * e_(lo);
  for (int k = lo; k < hi; ++k) {
    double c = 1.0;
    double s = 0.0;
    const double across = rotate_away(y, z, c, s);
    if (k > lo) e_(k - 1) = across;
    right_.push_back({k, k + 1, c, s});
    y = c * d_(k) + s * e_(k);
    e_(k) = c * e_(k) - s * d_(k);
    z = s * d_(k + 1);
    d_(k + 1) = c * d_(k + 1);
    d_(k) = rotate_away(y, z, c, s);
    left_.push_back({k, k + 1, c, s});
    y = c * e_(k) + s * d_(k + 1);
    d_(k + 1) = c * d_(k + 1) - s * e_(k);
    e_(k) = y;
    if (k + 1 < hi) {
      z = s * e_(k + 1);
      e_(k + 1) = c * e_(k + 1);
    }
  }
}

int SingularValues::rank(double cutoff) const {
  const double least = cutoff * largest();
  return static_cast<int>((values().cwiseAbs().array() > least).count());
}

void SingularValues::scale(Vectors X, double cutoff, double damping) const {
  const double least = cutoff * largest();
  for (int k = 0; k < q_; ++k) {
    const double d = d_(k);
    X.row(k) *= std::abs(d) > least ? d / (d * d + damping * damping) : 0.0;
  }
}

void SingularValues::to_left(Vectors X) const {
  for (int k = 0; k < q_; ++k) {
    X.middleRows(k, p_ - k).applyHouseholderOnTheLeft(M_.col(k).segment(k + 1, p_ - k - 1),
                                                      tau_left_(k), work_.data());
  }
  for (const Rotation& r : left_) {
    double* const a = X.row(r.i).data();
    double* const b = X.row(r.j).data();
    for (Eigen::Index v = 0; v < X.cols(); ++v) {
      const double x = r.c * a[v] + r.s * b[v];
      b[v] = r.c * b[v] - r.s * a[v];
      a[v] = x;
    }
  }
}

void SingularValues::from_left(Vectors X) const {
  for (const Rotation& r : std::views::reverse(left_)) {
    double* const a = X.row(r.i).data();
    double* const b = X.row(r.j).data();
    for (Eigen::Index v = 0; v < X.cols(); ++v) {
      const double x = r.c * a[v] - r.s * b[v];
      b[v] = r.c * b[v] + r.s * a[v];
      a[v] = x;
    }
  }
  for (int k = q_ - 1; k >= 0; --k) {
    X.middleRows(k, p_ - k).applyHouseholderOnTheLeft(M_.col(k).segment(k + 1, p_ - k - 1),
                                                      tau_left_(k), work_.data());
  }
}

void SingularValues::to_right(Vectors X) const {
  for (int k = 0; k + 1 < q_; ++k) {
    X.middleRows(k + 1, q_ - k - 1)
        .applyHouseholderOnTheLeft(M_.row(k).segment(k + 2, q_ - k - 2).transpose(), tau_right_(k),
                                   work_.data());
  }
  for (const Rotation& r : right_) {
    double* const a = X.row(r.i).data();
    double* const b = X.row(r.j).data();
    for (Eigen::Index v = 0; v < X.cols(); ++v) {
      const double x = r.c * a[v] + r.s * b[v];
      b[v] = r.c * b[v] - r.s * a[v];
      a[v] = x;
    }
  }
}

void SingularValues::from_right(Vectors X) const {
  for (const Rotation& r : std::views::reverse(right_)) {
    double* const a = X.row(r.i).data();
    double* const b = X.row(r.j).data();
    for (Eigen::Index v = 0; v < X.cols(); ++v) {
      const double x = r.c * a[v] - r.s * b[v];
      b[v] = r.c * b[v] + r.s * a[v];
      a[v] = x;
    }
  }
  for (int k = q_ - 2; k >= 0; --k) {
    X.middleRows(k + 1, q_ - k - 1)
        .applyHouseholderOnTheLeft(M_.row(k).segment(k + 2, q_ - k - 2).transpose(), tau_right_(k),
                                   work_.data());
  }
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a view, written through
void SingularValues::solve(Vectors X, double cutoff, double damping) const {
  to_left(X);
  scale(X, cutoff, damping);
  from_right(X);
}

void SingularValues::solve_transposed(Vectors X, double cutoff, double damping) const {
  to_right(X);
  scale(X, cutoff, damping);
  X.middleRows(q_, p_ - q_).setZero();
  from_left(X);
}

}  // namespace coluber::grasp
