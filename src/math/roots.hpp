#pragma once

#include <cmath>

namespace coluber::math {

/// x^(1/5) for a finite x >= 0, to a few roundings, by operations that round alike everywhere: the
/// C library's pow does not. r <- (x/r)^(1/4) divides the error of log r by -4, Newton squares it.
inline double fifth_root(double x) {
  if (!(x > 0.0)) return 0.0;
  double r = 1.0;
  for (int i = 0; i < 8; ++i) r = std::sqrt(std::sqrt(x / r));
  for (int i = 0; i < 3; ++i) {
    const double r2 = r * r;
    r -= (r - x / (r2 * r2)) / 5.0;
  }
  return r;
}

}  // namespace coluber::math
