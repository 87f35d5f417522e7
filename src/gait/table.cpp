#include "coluber/gait/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/assert.hpp"
#include "coluber/core/error.hpp"

#include "math/degree.hpp"

namespace coluber::gait {

namespace {

// Second derivatives m of the cubic spline through (t_k, y_k), a column of y a point.
//
// Continuity of the first derivative at the inner points, h_k = t_(k+1) - t_k,
//   h_(k-1) m_(k-1) + 2 (h_(k-1) + h_k) m_k + h_k m_(k+1) = 6 (d_k - d_(k-1)),  d_k = (y_(k+1) -
//   y_k)/h_k,
// closed by not-a-knot: the third derivative is continuous at t_1 and t_(N-2),
//   m_0 = m_1 - (h_0/h_1) (m_2 - m_1), and its mirror image at the end.
// Put into the first and last inner row these leave a tridiagonal system (Thomas algorithm).
Eigen::MatrixXd compute_second_derivatives(const std::vector<double>& t, const Eigen::MatrixXd& y) {
  const Eigen::Index points = y.cols();
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(y.rows(), points);
  if (points < 3) return m;  // a constant or a line

  const auto h = [&](Eigen::Index k) {
    return t[static_cast<std::size_t>(k + 1)] - t[static_cast<std::size_t>(k)];
  };
  const auto slope = [&](Eigen::Index k) -> Eigen::VectorXd {
    return (y.col(k + 1) - y.col(k)) / h(k);
  };
  if (points == 3) {  // the parabola: m is the same everywhere
    m.colwise() = 2.0 * (slope(1) - slope(0)) / (h(0) + h(1));
    return m;
  }

  const Eigen::Index last = points - 2;  // inner points 1 … last
  Eigen::VectorXd diagonal(points);
  Eigen::VectorXd upper(points);
  for (Eigen::Index k = 1; k <= last; ++k) {
    double lower = h(k - 1);
    diagonal(k) = 2.0 * (h(k - 1) + h(k));
    upper(k) = h(k);
    if (k == 1) {
      const double ratio = h(0) / h(1);
      diagonal(k) += h(0) * (1.0 + ratio);
      upper(k) -= h(0) * ratio;
    }
    if (k == last) {
      const double ratio = h(last) / h(last - 1);
      diagonal(k) += h(last) * (1.0 + ratio);
      lower -= h(last) * ratio;
    }
    m.col(k) = 6.0 * (slope(k) - slope(k - 1));
    if (k > 1) {  // eliminate m_(k-1)
      const double factor = lower / diagonal(k - 1);
      diagonal(k) -= factor * upper(k - 1);
      m.col(k) -= factor * m.col(k - 1);
    }
  }
  m.col(last) /= diagonal(last);
  for (Eigen::Index k = last - 1; k >= 1; --k) {
    m.col(k) = (m.col(k) - upper(k) * m.col(k + 1)) / diagonal(k);
  }
  m.col(0) = m.col(1) - (h(0) / h(1)) * (m.col(2) - m.col(1));
  m.col(points - 1) = m.col(last) + (h(last) / h(last - 1)) * (m.col(last) - m.col(last - 1));
  return m;
}

// Rate of one piece of length h at a distance a from its left end.
double compute_rate(double y_0, double y_1, double m_0, double m_1, double h, double a) {
  const double b = h - a;
  return (y_1 - y_0) / h + m_1 * (a * a / (2.0 * h) - h / 6.0) -
         m_0 * (b * b / (2.0 * h) - h / 6.0);
}

}  // namespace

Table::Table(std::vector<double> times, const Eigen::MatrixXd& angles)
    : times_(std::move(times)), y_(angles.transpose()) {
  if (times_.empty() || static_cast<Eigen::Index>(times_.size()) != angles.rows()) {
    throw Error(fmt::format("a joint table has {} times and {} rows of angles", times_.size(),
                            angles.rows()));
  }
  for (std::size_t k = 1; k < times_.size(); ++k) {
    if (!(times_[k] > times_[k - 1])) {
      throw Error(fmt::format("times of a joint table must increase: entry {} is {} after {}",
                              k + 1, times_[k], times_[k - 1]));
    }
  }
  m_ = compute_second_derivatives(times_, y_);

  // the rate of a piece is a parabola: largest at an end or at its vertex, where m vanishes
  for (Eigen::Index k = 0; k + 1 < y_.cols(); ++k) {
    const double h = times_[static_cast<std::size_t>(k + 1)] - times_[static_cast<std::size_t>(k)];
    for (Eigen::Index i = 0; i < y_.rows(); ++i) {
      const double m_0 = m_(i, k);
      const double m_1 = m_(i, k + 1);
      const auto rate = [&](double a) {
        return std::abs(compute_rate(y_(i, k), y_(i, k + 1), m_0, m_1, h, a));
      };
      max_rate_ = std::max({max_rate_, rate(0.0), rate(h)});
      if (m_0 * m_1 < 0.0) max_rate_ = std::max(max_rate_, rate(h * m_0 / (m_0 - m_1)));
    }
  }
}

void Table::evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                     Eigen::Ref<Eigen::VectorXd> phidot_d) const {
  COLUBER_ASSERT(phi_d.size() == y_.rows(), phi_d.size(), y_.rows());
  if (t < times_.front() || t > times_.back() || times_.size() == 1) {  // held ends
    phi_d = t < times_.front() ? y_.col(0) : y_.col(y_.cols() - 1);
    phidot_d.setZero();
    return;
  }
  const auto right = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
  const auto k = static_cast<Eigen::Index>(right - times_.begin()) - 1;
  const double h = *right - *(right - 1);
  const double a = t - *(right - 1);
  for (Eigen::Index i = 0; i < y_.rows(); ++i) {
    const double y_0 = y_(i, k);
    const double y_1 = y_(i, k + 1);
    const double m_0 = m_(i, k);
    const double m_1 = m_(i, k + 1);
    // powers of the distance from the left point: there the value is the table's own, to the bit
    const double rate_0 = (y_1 - y_0) / h - h * (2.0 * m_0 + m_1) / 6.0;
    phi_d(i) = y_0 + a * (rate_0 + a * (m_0 / 2.0 + a * (m_1 - m_0) / (6.0 * h)));
    phidot_d(i) = compute_rate(y_0, y_1, m_0, m_1, h, a);
  }
}

void Table::evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const {
  COLUBER_ASSERT(phidd_d.size() == y_.rows(), phidd_d.size(), y_.rows());
  if (t < times_.front() || t > times_.back() || times_.size() == 1) {  // held ends
    phidd_d.setZero();
    return;
  }
  const auto right = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
  const auto k = static_cast<Eigen::Index>(right - times_.begin()) - 1;
  const double share = (t - *(right - 1)) / (*right - *(right - 1));
  phidd_d = (1.0 - share) * m_.col(k) + share * m_.col(k + 1);
}

double Table::next_break(double t) const {
  if (t < times_.front()) return times_.front();
  return t < times_.back() ? times_.back() : std::numeric_limits<double>::infinity();
}

// A cubic is farthest at an end, which is a point of the table, or where its rate vanishes.
std::optional<Table::Overshoot> Table::overshoot() const {
  std::optional<Overshoot> found;
  double worst = 1.0;  // times what one would expect
  for (Eigen::Index i = 0; i < y_.rows(); ++i) {
    const double low = y_.row(i).minCoeff();
    const double high = y_.row(i).maxCoeff();
    for (Eigen::Index k = 0; k + 1 < y_.cols(); ++k) {
      const double t = times_[static_cast<std::size_t>(k)];
      const double h = times_[static_cast<std::size_t>(k + 1)] - t;
      const double m_0 = m_(i, k);
      const double m_1 = m_(i, k + 1);
      // phi = y_0 + a (rate_0 + a (m_0/2 + a bend)), phidot = rate_0 + a (m_0 + 3 a bend)
      const double rate_0 = (y_(i, k + 1) - y_(i, k)) / h - h * (2.0 * m_0 + m_1) / 6.0;
      const double bend = (m_1 - m_0) / (6.0 * h);
      const double root = m_0 * m_0 - 12.0 * bend * rate_0;
      if (!(root >= 0.0)) continue;
      const double sum = -0.5 * (m_0 + std::copysign(std::sqrt(root), m_0));
      for (const double a : {sum / (3.0 * bend), rate_0 / sum}) {
        if (!(a > 0.0 && a < h)) continue;
        const double angle = y_(i, k) + a * (rate_0 + a * (m_0 / 2.0 + a * bend));
        const Overshoot here{angle, low, high, t + a, static_cast<int>(i)};
        const double share = here.excess() / (0.25 * (high - low) + math::degree);
        if (share > worst) {
          worst = share;
          found = here;
        }
      }
    }
  }
  return found;
}

// The line from step to step is at most dt²/8 max |m| off the spline. Where that bound is too much,
// as it is of points closer than dt that scatter a little, the distance itself is taken: at the
// points, between them, and in the middle of the steps that these are in.
std::optional<Table::Skipped> Table::skipped(double dt, double duration) const {
  if (y_.cols() < 3) return std::nullopt;  // a line
  const Eigen::VectorXd range = y_.rowwise().maxCoeff() - y_.rowwise().minCoeff();
  const double largest = range.size() > 0 ? range.maxCoeff() : 0.0;
  const Eigen::VectorXd limit = (0.02 * range).cwiseMax(0.005 * largest);
  const Eigen::VectorXd bound = dt * dt / 8.0 * m_.cwiseAbs().rowwise().maxCoeff();
  if (!((bound - limit).array() > 0.0).any()) return std::nullopt;

  std::optional<Skipped> found;
  double worst = 1.0;  // times the limit
  Eigen::VectorXd phi(range.size());
  Eigen::VectorXd phi_A(range.size());
  Eigen::VectorXd phi_E(range.size());
  Eigen::VectorXd rate(range.size());
  const auto look = [&](double step, double t) {
    const double share = t / dt - step;
    evaluate(t, phi, rate);
    phi = (phi - (1.0 - share) * phi_A - share * phi_E).cwiseAbs();
    for (Eigen::Index i = 0; i < phi.size(); ++i) {
      if (!(phi(i) > worst * limit(i))) continue;
      worst = phi(i) / limit(i);
      found = {phi(i) / range(i), t, static_cast<int>(i)};
    }
  };
  double step = -1.0;  // whose ends phi_A and phi_E are
  for (std::size_t k = 0; k + 1 < times_.size(); ++k) {
    const double h = times_[k + 1] - times_[k];
    for (const double part : {0.0, 0.25, 0.5, 0.75}) {
      const double t = times_[k] + part * h;
      if (t < 0.0 || t > duration) continue;
      if (const double now = std::floor(t / dt); now != step) {
        step = now;
        evaluate(step * dt, phi_A, rate);
        evaluate((step + 1.0) * dt, phi_E, rate);
        look(step, (step + 0.5) * dt);
      }
      look(step, t);
    }
  }
  return found;
}

Table::Largest Table::largest() const {
  Largest found;
  for (Eigen::Index j = 0; j < y_.rows(); ++j) {
    const double angle = y_.row(j).cwiseAbs().maxCoeff();
    if (angle > found.angle) found = {angle, static_cast<int>(j)};
  }
  return found;
}

}  // namespace coluber::gait
