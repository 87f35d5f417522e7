#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

namespace coluber::nonsmooth {

/// Nearest point to `x` in [0, inf): the prox of a unilateral contact.  Transeth (3.64)
inline double prox_unilateral(double x) { return std::max(0.0, x); }

/// Nearest point to `x` in the disc |p| <= radius: the prox of Coulomb friction.  Transeth (3.64)
/// An ellipse is this disc in scaled variables (docs/theory-planar.md), not a componentwise clamp.
inline Eigen::Vector2d prox_disc(const Eigen::Vector2d& x, double radius) {
  const double norm = std::sqrt(x.x() * x.x() + x.y() * x.y());
  return norm <= radius ? x : Eigen::Vector2d{x * (radius / norm)};
}

}  // namespace coluber::nonsmooth
