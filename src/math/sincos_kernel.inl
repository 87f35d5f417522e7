// Sine and cosine of one double or of a vector of them: the same operations, so the same bits. To
// be included inside a namespace without external linkage, where `V` may be compiled for any
// instruction set.

constexpr double kSincosLimit = 1e5;  // rad; beyond it the reduction loses digits

// x = n π/2 + y with |y| <= π/4. π/2 in three parts (Cody and Waite): the first two carry 33 bits
// each, so that n times either is exact for |n| < 2^20.
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kHalfPi1 = 0x1.921fb544p+0;
constexpr double kHalfPi2 = 0x1.0b4611a6p-34;
constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
constexpr double kRound = 0x1.8p+52;  // adding it rounds to an integer, kept in the low bits

// Taylor series on |y| <= π/4, cut where the next term is below 5e-17 of the result. The two
// leading terms of the cosine are added so that 1 - y²/2 loses nothing. `Bits` are the unsigned
// integers of V's width.
template <typename Bits, typename V>
inline void sincos_kernel(V x, V& s, V& c) {
  const V shifted = x * kTwoOverPi + kRound;
  const V n = shifted - kRound;
  const Bits quadrant = __builtin_bit_cast(Bits, shifted);
  const V y = ((x - n * kHalfPi1) - n * kHalfPi2) - n * kHalfPi3;
  const V z = y * y;

  V p = z * (-1.0 / 1307674368000.0) + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  const V sin_y = y + y * (z * p);

  V q = z * (1.0 / 20922789888000.0) - 1.0 / 87178291200.0;
  q = q * z + 1.0 / 479001600.0;
  q = q * z - 1.0 / 3628800.0;
  q = q * z + 1.0 / 40320.0;
  q = q * z - 1.0 / 720.0;
  q = q * z + 1.0 / 24.0;
  const V half_z = 0.5 * z;
  const V head = 1.0 - half_z;
  const V cos_y = head + (((1.0 - head) - half_z) + z * z * q);

  // Odd quadrants exchange sine and cosine; bit 1 of n is the sine's sign, bit 1 of n+1 the
  // cosine's.
  const Bits odd = 0 - (quadrant & 1U);
  const Bits sin_bits = __builtin_bit_cast(Bits, sin_y);
  const Bits cos_bits = __builtin_bit_cast(Bits, cos_y);
  const Bits exchange = (sin_bits ^ cos_bits) & odd;
  s = __builtin_bit_cast(V, (sin_bits ^ exchange) ^ ((quadrant & 2U) << 62U));
  c = __builtin_bit_cast(V, (cos_bits ^ exchange) ^ (((quadrant + 1U) & 2U) << 62U));
}
