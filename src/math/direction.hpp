#pragma once

#include <Eigen/Core>

#include "coluber/math/sincos.hpp"

namespace coluber::math {

/// Unit vector at this angle from e_x (rad).
inline Eigen::Vector2d direction(double theta) {
  Eigen::Vector2d e;
  sincos(theta, e.y(), e.x());
  return e;
}

}  // namespace coluber::math
