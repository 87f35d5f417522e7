#pragma once

#include "coluber/core/export.hpp"

namespace coluber::math {

/// Angle of (x, y) from the x axis (rad), in [-pi, pi], to 4e-16 of the true value; 0 for (0, 0).
/// Bit-identical on every processor, as `sincos`.
COLUBER_EXPORT double atan2(double y, double x);

}  // namespace coluber::math
