#include "coluber/math/ode.hpp"

namespace coluber::math {

Rk4::Rk4(Eigen::Index size) : k_(size), sum_(size), stage_(size) {}

bool Rk4::step(Ode& ode, double t, double h, Eigen::Ref<Eigen::VectorXd> y) {
  const double half = 0.5 * h;
  if (!ode.compute_rate(t, y, k_)) return false;
  sum_ = k_;
  stage_ = y + half * k_;
  if (!ode.compute_rate(t + half, stage_, k_)) return false;
  sum_ += 2.0 * k_;
  stage_ = y + half * k_;
  if (!ode.compute_rate(t + half, stage_, k_)) return false;
  sum_ += 2.0 * k_;
  stage_ = y + h * k_;
  if (!ode.compute_rate(t + h, stage_, k_)) return false;
  sum_ += k_;
  stage_ = y + (h / 6.0) * sum_;
  if (!stage_.allFinite()) return false;
  y = stage_;
  return true;
}

}  // namespace coluber::math
