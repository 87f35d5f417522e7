#pragma once

#include <cmath>

namespace coluber::math {

/// e^x for x <= 700, to two roundings, by operations that round alike everywhere: the C library's
/// exp does not. x = k ln 2 + r with |r| <= ln 2/2, and the Taylor series of e^r.
inline double exponential(double x) {
  if (x < -700.0) return 0.0;
  constexpr double ln2_high = 6.93147180369123816490e-01;  // NOLINT 32 bits: exact
  constexpr double ln2_low = 1.90821492927058770002e-10;
  const double k = std::nearbyint(x * 1.4426950408889634);  // NOLINT
  const double r = (x - k * ln2_high) - k * ln2_low;
  double sum = 1.0;
  for (int i = 14; i > 0; --i) sum = 1.0 + r * sum / i;
  return std::ldexp(sum, static_cast<int>(k));
}

}  // namespace coluber::math
