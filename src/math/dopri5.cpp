#include <algorithm>
#include <cmath>

#include "coluber/core/assert.hpp"
#include "coluber/math/ode.hpp"

#include "roots.hpp"

namespace coluber::math {
namespace {

// Dormand and Prince, J. Comp. Appl. Math. 6 (1980), table 2: RK5(4)7M. The seventh stage is the
// first of the next step; b - b^ is the difference of the solutions of order 5 and 4.
// clang-format off
constexpr double a21 = 1.0 / 5.0;
constexpr double a31 = 3.0 / 40.0,       a32 = 9.0 / 40.0;
constexpr double a41 = 44.0 / 45.0,      a42 = -56.0 / 15.0,      a43 = 32.0 / 9.0;
constexpr double a51 = 19372.0 / 6561.0, a52 = -25360.0 / 2187.0, a53 = 64448.0 / 6561.0,
                 a54 = -212.0 / 729.0;
constexpr double a61 = 9017.0 / 3168.0,  a62 = -355.0 / 33.0,     a63 = 46732.0 / 5247.0,
                 a64 = 49.0 / 176.0,     a65 = -5103.0 / 18656.0;
constexpr double b1 = 35.0 / 384.0,      b3 = 500.0 / 1113.0,     b4 = 125.0 / 192.0,
                 b5 = -2187.0 / 6784.0,  b6 = 11.0 / 84.0;
constexpr double e1 = 71.0 / 57600.0,    e3 = -71.0 / 16695.0,    e4 = 71.0 / 1920.0,
                 e5 = -17253.0 / 339200.0, e6 = 22.0 / 525.0,     e7 = -1.0 / 40.0;
constexpr double c2 = 1.0 / 5.0, c3 = 3.0 / 10.0, c4 = 4.0 / 5.0, c5 = 8.0 / 9.0;
// clang-format on

constexpr double kSafety = 0.9;
constexpr double kShrink = 0.2;  // the least and the most that a step changes the next
constexpr double kGrow = 5.0;
constexpr double kMinStep = 1e-15;  // of max(1, |t|)

}  // namespace

Dopri5::Dopri5(Eigen::Index size, const Dopri5Options& options)
    : options_(options), k_(size, 7), y_(size), y_new_(size), stage_(size) {}

bool Dopri5::rate(Ode& ode, double t, const Eigen::VectorXd& y, int stage) {
  ++evaluations_;
  return ode.compute_rate(t, y, k_.col(stage));
}

bool Dopri5::update_stages(Ode& ode, double t, double t_new, double h) {
  const auto k1 = k_.col(0), k2 = k_.col(1), k3 = k_.col(2), k4 = k_.col(3), k5 = k_.col(4),
             k6 = k_.col(5);
  stage_ = y_ + h * (a21 * k1);
  if (!rate(ode, t + c2 * h, stage_, 1)) return false;
  stage_ = y_ + h * (a31 * k1 + a32 * k2);
  if (!rate(ode, t + c3 * h, stage_, 2)) return false;
  stage_ = y_ + h * (a41 * k1 + a42 * k2 + a43 * k3);
  if (!rate(ode, t + c4 * h, stage_, 3)) return false;
  stage_ = y_ + h * (a51 * k1 + a52 * k2 + a53 * k3 + a54 * k4);
  if (!rate(ode, t + c5 * h, stage_, 4)) return false;
  stage_ = y_ + h * (a61 * k1 + a62 * k2 + a63 * k3 + a64 * k4 + a65 * k5);
  if (!rate(ode, t_new, stage_, 5)) return false;
  y_new_ = y_ + h * (b1 * k1 + b3 * k3 + b4 * k4 + b5 * k5 + b6 * k6);
  return y_new_.allFinite() && rate(ode, t_new, y_new_, 6);
}

double Dopri5::error(double h) const {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < y_.size(); ++i) {
    const double e = h * (e1 * k_(i, 0) + e3 * k_(i, 2) + e4 * k_(i, 3) + e5 * k_(i, 4) +
                          e6 * k_(i, 5) + e7 * k_(i, 6));
    const double scale =
        options_.atol + options_.rtol * std::max(std::abs(y_(i)), std::abs(y_new_(i)));
    sum += (e / scale) * (e / scale);
  }
  return std::sqrt(sum / static_cast<double>(std::max<Eigen::Index>(y_.size(), 1)));
}

// A first step whose error is about a hundredth of the tolerance, from f and its change over a step
// of Euler.  Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.4
double Dopri5::first_step(Ode& ode, double t, double t_end) {
  const auto norm = [&](auto&& entry) {
    double sum = 0.0;
    for (Eigen::Index i = 0; i < y_.size(); ++i) {
      const double e = entry(i) / (options_.atol + options_.rtol * std::abs(y_(i)));
      sum += e * e;
    }
    return std::sqrt(sum / static_cast<double>(std::max<Eigen::Index>(y_.size(), 1)));
  };
  const double d0 = norm([&](Eigen::Index i) { return y_(i); });
  const double d1 = norm([&](Eigen::Index i) { return k_(i, 0); });
  const double h0 = std::min(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * (d0 / d1), t_end - t);
  stage_ = y_ + h0 * k_.col(0);
  if (!rate(ode, std::min(t + h0, t_end), stage_, 1)) return 1e-3 * h0;
  const double d2 = norm([&](Eigen::Index i) { return k_(i, 1) - k_(i, 0); }) / h0;
  const double largest = std::max(d1, d2);
  const double h1 = largest <= 1e-15 ? std::max(1e-6, 1e-3 * h0) : fifth_root(0.01 / largest);
  return std::min(100.0 * h0, h1);
}

Advance Dopri5::advance(Ode& ode, double t, double t_end, Eigen::Ref<Eigen::VectorXd> y) {
  COLUBER_ASSERT(t <= t_end, t, t_end);
  if (!(t < t_end)) return Advance::ok;
  y_ = y;
  // f may have changed since the last call: its last stage is not the first of this one
  if (!y_.allFinite() || !rate(ode, t, y_, 0)) return Advance::non_finite;
  double planned = next_step_ > 0.0 ? next_step_ : first_step(ode, t, t_end);
  double previous = 0.0;                 // fifth root of the last error; none yet
  bool shortened = false;                // the step before was rejected
  Advance reason = Advance::error_test;  // of the last rejection
  for (std::int64_t count = 0; count < options_.max_steps; ++count) {
    const bool last = t + 1.01 * planned >= t_end;
    const double h = last ? t_end - t : planned;
    const double t_new = last ? t_end : t + h;
    if (!last && !(h >= kMinStep * std::max(1.0, std::abs(t)))) return reason;

    const bool finite = update_stages(ode, t, t_new, h);
    const double err = finite ? error(h) : 0.0;
    if (!finite || !std::isfinite(err)) {
      ++rejected_;
      reason = Advance::non_finite;
      shortened = true;
      planned = kShrink * h;
      continue;
    }
    const double root = std::max(fifth_root(err), 1e-3);
    if (err > 1.0) {
      ++rejected_;
      reason = Advance::error_test;
      shortened = true;
      planned = h * std::max(kShrink, kSafety / root);
      continue;
    }

    // Proportional and integral control of the step size, on the fifth roots of the errors with the
    // exponents 13/16 and 1/4 (Hairer and Wanner II, IV.2: 1 - 3/4 beta and beta, here 5 beta =
    // 1/4).
    double factor = kSafety / root;
    if (previous > 0.0) {
      const double sixteenth = std::sqrt(std::sqrt(std::sqrt(std::sqrt(root))));
      factor *= sixteenth * sixteenth * sixteenth * std::sqrt(std::sqrt(previous));
    }
    factor = std::clamp(factor, kShrink, shortened ? 1.0 : kGrow);
    // cut off far before its end a step tells little about how long it might have been
    planned = h < 0.5 * planned ? std::max(planned, h * factor) : h * factor;
    previous = std::max(root, 0.15);
    shortened = false;
    ++steps_;
    t = t_new;
    y_.swap(y_new_);
    if (last) {
      y = y_;
      next_step_ = planned;
      return Advance::ok;
    }
    k_.col(0) = k_.col(6);  // FSAL
  }
  return Advance::too_many_steps;
}

}  // namespace coluber::math
