#include "coluber/math/sincos.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace coluber::math {
namespace {

constexpr double kLimit = 1e5;

// x = n π/2 + y with |y| <= π/4. π/2 in three parts (Cody and Waite): the first two carry 33 bits
// each, so that n times either is exact for |n| < 2^20.
constexpr double kTwoOverPi = 2.0 / std::numbers::pi;
constexpr double kHalfPi1 = 0x1.921fb544p+0;
constexpr double kHalfPi2 = 0x1.0b4611a6p-34;
constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
constexpr double kRound = 0x1.8p+52;  // adding it rounds to an integer, kept in the low bits

// Taylor series on |y| <= π/4, cut where the next term is below 5e-17 of the result. The two
// leading terms of the cosine are added so that 1 - y²/2 loses nothing.
inline void kernel(double x, double& s, double& c) {
  const double shifted = x * kTwoOverPi + kRound;
  const double n = shifted - kRound;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  const double y = ((x - n * kHalfPi1) - n * kHalfPi2) - n * kHalfPi3;
  const double z = y * y;

  double p = -1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  const double sin_y = y + y * (z * p);

  double q = 1.0 / 20922789888000.0;
  q = q * z - 1.0 / 87178291200.0;
  q = q * z + 1.0 / 479001600.0;
  q = q * z - 1.0 / 3628800.0;
  q = q * z + 1.0 / 40320.0;
  q = q * z - 1.0 / 720.0;
  q = q * z + 1.0 / 24.0;
  const double half_z = 0.5 * z;
  const double head = 1.0 - half_z;
  const double cos_y = head + (((1.0 - head) - half_z) + z * z * q);

  // Odd quadrants exchange sine and cosine; bit 1 of n is the sine's sign, bit 1 of n+1 the
  // cosine's.
  const std::uint64_t odd = 0 - (quadrant & 1U);
  const auto sin_bits = std::bit_cast<std::uint64_t>(sin_y);
  const auto cos_bits = std::bit_cast<std::uint64_t>(cos_y);
  const std::uint64_t exchange = (sin_bits ^ cos_bits) & odd;
  s = std::bit_cast<double>((sin_bits ^ exchange) ^ ((quadrant & 2U) << 62U));
  c = std::bit_cast<double>((cos_bits ^ exchange) ^ (((quadrant + 1U) & 2U) << 62U));
}

}  // namespace

void sincos(std::span<const double> x, std::span<double> s, std::span<double> c) {
  const std::size_t count = x.size();
  const double* __restrict__ in = x.data();
  double* __restrict__ out_s = s.data();
  double* __restrict__ out_c = c.data();
  bool far = false;
  for (std::size_t i = 0; i < count; ++i) {
    kernel(in[i], out_s[i], out_c[i]);
  }
  for (std::size_t i = 0; i < count; ++i) far |= !(std::abs(in[i]) <= kLimit);
  if (!far) return;
  for (std::size_t i = 0; i < count; ++i) sincos(in[i], out_s[i], out_c[i]);
}

void sincos(double x, double& s, double& c) {
  if (std::abs(x) <= kLimit) {
    kernel(x, s, c);
  } else {
    s = std::sin(x);
    c = std::cos(x);
  }
}

}  // namespace coluber::math
