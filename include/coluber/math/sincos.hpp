#pragma once

#include <span>

#include "coluber/core/export.hpp"

namespace coluber::math {

/// Sine and cosine of every x (rad), to 1.7e-16 of the true value for |x| <= 1e5.
///
/// The C library picks other code on other processors, and its last bits differ; a step that must
/// be bit-identical everywhere uses this loop. Beyond 1e5 rad the C library answers. All spans
/// have one length; `s` and `c` must not overlap `x`.
COLUBER_EXPORT void sincos(std::span<const double> x, std::span<double> s, std::span<double> c);

/// One angle, bit-identical to the loop.
COLUBER_EXPORT void sincos(double x, double& s, double& c);

}  // namespace coluber::math
