#include "coluber/math/atan.hpp"

#include <cmath>
#include <cstddef>

namespace coluber::math {
namespace {

constexpr double kTanEighth = 0x1.a827999fcef32p-2;        // tan(pi/8)
constexpr double kTanThreeEighths = 0x1.3504f333f9de6p+1;  // tan(3 pi/8)

// pi/4 and pi/2 as sums of two numbers
constexpr double kQuarter = 0x1.921fb54442d18p-1;
constexpr double kQuarterRest = 0x1.1a62633145c07p-55;
constexpr double kHalf = 0x1.921fb54442d18p+0;
constexpr double kHalfRest = 0x1.1a62633145c07p-54;

// |x| is brought to |z| <= tan(pi/8) by atan(x) = pi/4 + atan((x-1)/(x+1)) or pi/2 - atan(1/x), one
// division with its terms selected, so that the loop has no branch. There atan(z) = z + z³ P(z²), P
// through the Chebyshev points of [0, tan²(pi/8)]: 5e-18 of the result.
inline double arctangent(double x) {
  const double a = std::abs(x);
  const bool middle = a > kTanEighth;
  const bool far = a > kTanThreeEighths;
  const double over = far ? -1.0 : (middle ? a - 1.0 : a);
  const double under = far ? a : (middle ? a + 1.0 : 1.0);
  const double start = far ? kHalf : (middle ? kQuarter : 0.0);
  const double rest = far ? kHalfRest : (middle ? kQuarterRest : 0.0);
  const double z = over / under;
  const double u = z * z;
  double p = -0.019176872294336066637;
  p = p * u + 0.039231646190551487845;
  p = p * u - 0.050854493189300349167;
  p = p * u + 0.058581488327312729465;
  p = p * u - 0.066645114381646448357;
  p = p * u + 0.076921831901717284121;
  p = p * u - 0.090909045780957349208;
  p = p * u + 0.11111111015255668508;
  p = p * u - 0.14285714284666534304;
  p = p * u + 0.19999999999995520637;
  p = p * u - 0.3333333333333333016;
  const double angle = start + (z + (z * (u * p) + rest));
  return std::copysign(angle, x);
}

}  // namespace

void atan(std::span<const double> x, std::span<double> angle) {
  const double* in = x.data();
  double* out = angle.data();
  const std::size_t count = x.size();
  for (std::size_t i = 0; i < count; ++i) out[i] = arctangent(in[i]);
}

}  // namespace coluber::math
