#pragma once

#include <span>

#include "coluber/core/export.hpp"

namespace coluber::math {

/// Arctangent of every x, in [-pi/2, pi/2], to 3e-16 of the true value. Bit-identical on every
/// processor, as `sincos`. Both spans have one length and may be the same.
COLUBER_EXPORT void atan(std::span<const double> x, std::span<double> angle);

}  // namespace coluber::math
