// Vectors of doubles for kernels that are compiled once for every instruction set; to be included
// by such a kernel only, with COLUBER_LANES (2, 4 or 8) and COLUBER_PATH defined. Nothing here may
// have external linkage: a function compiled for a newer processor could be the copy that an older
// one runs. Every operation is one on lanes, in the same order for any width, and only what is
// written as such is fused: paths that fuse alike give the same bits.

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#if COLUBER_LANES >= 4
#include <immintrin.h>
#endif

namespace coluber::lanes::COLUBER_PATH {
namespace {

constexpr int kLanes = COLUBER_LANES;
typedef double Lanes __attribute__((vector_size(8 * COLUBER_LANES)));
typedef double Two __attribute__((vector_size(16)));

template <typename V>
inline V load(const double* from) {
  V value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <typename V>
inline void store(double* to, V value) {
  __builtin_memcpy(to, &value, sizeof value);
}
inline double square_root(double x) { return __builtin_sqrt(x); }
#if COLUBER_LANES == 8
inline Lanes square_root(Lanes x) { return _mm512_maskz_sqrt_pd(0xff, x); }
#elif COLUBER_LANES == 4
inline Lanes square_root(Lanes x) { return _mm256_sqrt_pd(x); }
#elif defined(__SSE2__)
inline Lanes square_root(Lanes x) { return _mm_sqrt_pd(x); }
#else
inline Lanes square_root(Lanes x) { return Lanes{square_root(x[0]), square_root(x[1])}; }
#endif
template <typename V>
inline V magnitude(V x) {
  return x < 0.0 ? -x : x;
}
/// The larger of two; a NaN may get lost.
#if COLUBER_LANES == 8
inline Lanes quick_larger(Lanes a, Lanes b) { return _mm512_maskz_max_pd(0xff, a, b); }
#elif COLUBER_LANES == 4
inline Lanes quick_larger(Lanes a, Lanes b) { return _mm256_max_pd(a, b); }
#elif defined(__SSE2__)
inline Lanes quick_larger(Lanes a, Lanes b) { return _mm_max_pd(a, b); }
#else
inline Lanes quick_larger(Lanes a, Lanes b) { return a > b ? a : b; }
#endif
/// The larger of two; a NaN stays.
template <typename V>
inline V larger(V worst, V value) {
  return ((value <= worst) | (worst != worst)) ? worst : value;
}
inline double largest_of(double worst, double value) {
  return value <= worst || worst != worst ? worst : value;
}
inline double largest(Lanes x) {
  double worst = x[0];
  for (int lane = 1; lane < kLanes; ++lane) worst = largest_of(worst, x[lane]);
  return worst;
}

/// Where a mask does not hold.
template <typename Mask>
inline Mask complement(Mask mask) {
  return ~mask;
}
inline bool complement(bool mask) { return !mask; }

/// a/x, b/x and c/y by one division.
template <typename V>
struct Quotients {
  V a, b, c;
};
template <typename V>
inline Quotients<V> quotients(V a, V b, V x, V c, V y) {
  const V inverse = 1.0 / (x * y);
  return {a * (inverse * y), b * (inverse * y), c * (inverse * x)};
}

/// A sum over the slots that does not depend on the number of lanes: four partial sums.
struct Sum {
  double part[4] = {};
  void add(int i, Lanes value) {
    for (int lane = 0; lane < kLanes; ++lane) part[(i + lane) % 4] += value[lane];
  }
  [[nodiscard]] double total() const { return (part[0] + part[1]) + (part[2] + part[3]); }
};

/// Four doubles as two halves, whatever the width: without AVX left to the compiler such a vector
/// would be slow.
#if COLUBER_LANES >= 4
typedef double Quad __attribute__((vector_size(32)));
inline Quad join(Two low, Two high) { return _mm256_set_m128d(high, low); }
inline Two low_half(Quad x) { return _mm256_castpd256_pd128(x); }
inline Two high_half(Quad x) { return _mm256_extractf128_pd(x, 1); }
/// Both halves the two doubles at `from`.
inline Quad load_twice(const double* from) {
  const Two x = load<Two>(from);
  return join(x, x);
}
/// The sum of the halves in both of them.
inline Quad add_halves(Quad x) { return x + _mm256_permute2f128_pd(x, x, 1); }
/// x0 + x1, y0 + y1, x2 + x3, y2 + y3
inline Quad add_neighbours(Quad x, Quad y) { return _mm256_hadd_pd(x, y); }
/// The low half of one, the high half of the other.
inline Quad blend(Quad low, Quad high) { return _mm256_blend_pd(low, high, 0b1100); }
/// Of `upper` and `lower` in groups of two slots, each group's from `upper` and then from `lower`:
/// to `to`, and every `stride` further on.
#if COLUBER_LANES == 8
inline void store_pairs(double* to, int stride, Lanes upper, Lanes lower) {
  store(to, __builtin_shufflevector(upper, lower, 0, 1, 8, 9));
  store(to + stride, __builtin_shufflevector(upper, lower, 2, 3, 10, 11));
  store(to + 2 * stride, __builtin_shufflevector(upper, lower, 4, 5, 12, 13));
  store(to + 3 * stride, __builtin_shufflevector(upper, lower, 6, 7, 14, 15));
}
#else
inline void store_pairs(double* to, int stride, Lanes upper, Lanes lower) {
  store(to, __builtin_shufflevector(upper, lower, 0, 1, 4, 5));
  store(to + stride, __builtin_shufflevector(upper, lower, 2, 3, 6, 7));
}
#endif
#else
struct Quad {
  Two low, high;
};
inline Quad operator+(Quad a, Quad b) { return {a.low + b.low, a.high + b.high}; }
inline Quad operator-(Quad a, Quad b) { return {a.low - b.low, a.high - b.high}; }
inline Quad operator*(Quad a, Quad b) { return {a.low * b.low, a.high * b.high}; }
inline Quad operator/(double a, Quad b) { return {a / b.low, a / b.high}; }
inline Quad operator-(Quad a) { return {-a.low, -a.high}; }
inline Quad& operator+=(Quad& a, Quad b) { return a = a + b; }
inline Quad& operator-=(Quad& a, Quad b) { return a = a - b; }
inline Quad join(Two low, Two high) { return {low, high}; }
inline Two low_half(Quad x) { return x.low; }
inline Two high_half(Quad x) { return x.high; }
inline Quad load_twice(const double* from) {
  const Two x = load<Two>(from);
  return {x, x};
}
inline Quad add_halves(Quad x) {
  const Two sum = x.low + x.high;
  return {sum, sum};
}
inline Quad add_neighbours(Quad x, Quad y) {
  return {Two{x.low[0] + x.low[1], y.low[0] + y.low[1]},
          Two{x.high[0] + x.high[1], y.high[0] + y.high[1]}};
}
inline Quad blend(Quad low, Quad high) { return {low.low, high.high}; }
inline void store_pairs(double* to, int /*stride*/, Lanes upper, Lanes lower) {
  store(to, upper);
  store(to + 2, lower);
}
#endif

/// a b + c, a b - c and c - a b, in one rounding where COLUBER_FUSED is defined: by the
/// instruction, or by the library's fma, which is slow and rounds the same.
#if defined(COLUBER_FUSED)
inline double mul_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline double mul_sub(double a, double b, double c) { return __builtin_fma(a, b, -c); }
inline double sub_mul(double c, double a, double b) { return __builtin_fma(-a, b, c); }
#if COLUBER_LANES == 2
inline Two mul_add(Two a, Two b, Two c) {
  return Two{mul_add(a[0], b[0], c[0]), mul_add(a[1], b[1], c[1])};
}
inline Two mul_sub(Two a, Two b, Two c) { return mul_add(a, b, -c); }
inline Two sub_mul(Two c, Two a, Two b) { return mul_add(-a, b, c); }
inline Quad mul_add(Quad a, Quad b, Quad c) {
  return {mul_add(a.low, b.low, c.low), mul_add(a.high, b.high, c.high)};
}
inline Quad mul_sub(Quad a, Quad b, Quad c) { return mul_add(a, b, -c); }
inline Quad sub_mul(Quad c, Quad a, Quad b) { return mul_add(-a, b, c); }
#else
inline Two mul_add(Two a, Two b, Two c) { return _mm_fmadd_pd(a, b, c); }
inline Two mul_sub(Two a, Two b, Two c) { return _mm_fmsub_pd(a, b, c); }
inline Two sub_mul(Two c, Two a, Two b) { return _mm_fnmadd_pd(a, b, c); }
inline Quad mul_add(Quad a, Quad b, Quad c) { return _mm256_fmadd_pd(a, b, c); }
inline Quad mul_sub(Quad a, Quad b, Quad c) { return _mm256_fmsub_pd(a, b, c); }
inline Quad sub_mul(Quad c, Quad a, Quad b) { return _mm256_fnmadd_pd(a, b, c); }
#if COLUBER_LANES == 8
inline Lanes mul_add(Lanes a, Lanes b, Lanes c) { return _mm512_fmadd_pd(a, b, c); }
inline Lanes mul_sub(Lanes a, Lanes b, Lanes c) { return _mm512_fmsub_pd(a, b, c); }
inline Lanes sub_mul(Lanes c, Lanes a, Lanes b) { return _mm512_fnmadd_pd(a, b, c); }
#endif
#endif
#else
template <typename V>
inline V mul_add(V a, V b, V c) {
  return a * b + c;
}
template <typename V>
inline V mul_sub(V a, V b, V c) {
  return a * b - c;
}
template <typename V>
inline V sub_mul(V c, V a, V b) {
  return c - a * b;
}
#endif

/// The first three, then zero.
#if COLUBER_LANES >= 4
inline Quad first_three(Quad x) { return _mm256_blend_pd(x, Quad{}, 0b1000); }
#else
inline Quad first_three(Quad x) { return {x.low, Two{x.high[0], 0.0}}; }
#endif

/// Rows and columns of four by four doubles exchanged.
struct Rows {
  Quad a, b, c, d;
};
#if COLUBER_LANES >= 4
inline Rows transpose(Rows r) {
  const Quad p = _mm256_unpacklo_pd(r.a, r.b);
  const Quad q = _mm256_unpackhi_pd(r.a, r.b);
  const Quad s = _mm256_unpacklo_pd(r.c, r.d);
  const Quad t = _mm256_unpackhi_pd(r.c, r.d);
  return {_mm256_permute2f128_pd(p, s, 0x20), _mm256_permute2f128_pd(q, t, 0x20),
          _mm256_permute2f128_pd(p, s, 0x31), _mm256_permute2f128_pd(q, t, 0x31)};
}
#else
inline Rows transpose(Rows r) {
  const auto first = [](Two x, Two y) { return Two{x[0], y[0]}; };
  const auto second = [](Two x, Two y) { return Two{x[1], y[1]}; };
  return {{first(r.a.low, r.b.low), first(r.c.low, r.d.low)},
          {second(r.a.low, r.b.low), second(r.c.low, r.d.low)},
          {first(r.a.high, r.b.high), first(r.c.high, r.d.high)},
          {second(r.a.high, r.b.high), second(r.c.high, r.d.high)}};
}
#endif

/// Torque impulse of a servo.
template <typename V>
inline V servo(V sd, V sr, V limit, V rate) {
  const V raw = sr - sd * rate;
  const V low = raw < -limit ? -limit : raw;
  return low > limit ? limit : low;
}

}  // namespace
}  // namespace coluber::lanes::COLUBER_PATH
