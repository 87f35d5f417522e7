#pragma once

#include <cmath>

namespace coluber::math {

/// Natural logarithm of x > 0, to two roundings, by operations that round alike everywhere: the C
/// library's log does not. x = m 2^e with m from sqrt(1/2) to sqrt(2), and the series
/// ln m = 2 (s + s³/3 + s⁵/5 + …), s = (m - 1)/(m + 1).
inline double logarithm(double x) {
  constexpr double ln2_high = 6.93147180369123816490e-01;  // NOLINT 32 bits: exact
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr double sqrt_half = 0.70710678118654752;  // NOLINT
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < sqrt_half) {
    m *= 2.0;
    --e;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double square = s * s;
  double sum = 0.0;
  for (int i = 25; i >= 3; i -= 2) sum = square * (sum + 1.0 / i);
  return e * ln2_high + (2.0 * s + (2.0 * s * sum + e * ln2_low));
}

}  // namespace coluber::math
