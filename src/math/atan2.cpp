#include "coluber/math/atan2.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "coluber/math/sincos.hpp"

namespace coluber::math {

// A polynomial good to 1e-5, then one Newton step on the angle between (x, y) and (c, s): tan of
// what is left is its cross product over its dot product, and the cube of 1e-5 is below rounding.
double atan2(double y, double x) {
  const double a = std::abs(x);
  const double b = std::abs(y);
  const double larger = std::max(a, b);
  if (larger == 0.0) return 0.0;
  const double z = std::min(a, b) / larger;
  const double q = z * z;
  double angle =
      z * (0.9998660 + q * (-0.3302995 + q * (0.1801410 + q * (-0.0851330 + q * 0.0208351))));
  if (b > a) angle = 0.5 * std::numbers::pi - angle;
  if (x < 0.0) angle = std::numbers::pi - angle;
  if (y < 0.0) angle = -angle;
  double s = 0.0;
  double c = 1.0;
  sincos(angle, s, c);
  const double cross = c * (y / larger) - s * (x / larger);
  const double dot = c * (x / larger) + s * (y / larger);
  return std::clamp(angle + cross / dot, -std::numbers::pi, std::numbers::pi);
}

}  // namespace coluber::math
