#include "coluber/sweep/sampling.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

#include "coluber/core/assert.hpp"
#include "coluber/core/hash.hpp"
#include "coluber/core/random.hpp"

#include "math/exp.hpp"
#include "math/log.hpp"

namespace coluber::sweep {

namespace {

// ---- Sobol
// ---------------------------------------------------------------------------------------

/// A primitive polynomial over GF(2), x^s + a_1 x^(s-1) + … + a_(s-1) x + 1, and the first
/// direction numbers m_1 … m_s: S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better
/// two-dimensional projections", SIAM J. Sci. Comput. 30 (2008) 2635, file new-joe-kuo-6.
struct Polynomial {
  unsigned degree;
  std::uint32_t a;
  std::array<std::uint32_t, 7> m;
};

constexpr std::array<Polynomial, sobol_dimensions - 1> polynomials{{
    // of dimensions 2 … 32
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
}};

constexpr unsigned bits = 32;
using Directions = std::array<std::array<std::uint32_t, bits>, sobol_dimensions>;

// Joe and Kuo (2003), (2): m_k = 2 a_1 m_(k-1) ^ … ^ 2^(s-1) a_(s-1) m_(k-s+1) ^ 2^s m_(k-s) ^
// m_(k-s), kept as v_k = m_k 2^(32-k).
constexpr Directions make_directions() {
  Directions v{};
  for (unsigned k = 0; k < bits; ++k) v[0][k] = std::uint32_t{1} << (bits - 1 - k);
  for (std::size_t d = 1; d < v.size(); ++d) {
    const Polynomial& p = polynomials[d - 1];
    for (unsigned k = 0; k < p.degree; ++k) v[d][k] = p.m[k] << (bits - 1 - k);
    for (unsigned k = p.degree; k < bits; ++k) {
      std::uint32_t value = v[d][k - p.degree] ^ (v[d][k - p.degree] >> p.degree);
      for (unsigned i = 1; i < p.degree; ++i) {
        if (((p.a >> (p.degree - 1 - i)) & 1U) != 0) value ^= v[d][k - i];
      }
      v[d][k] = value;
    }
  }
  return v;
}

constexpr Directions directions = make_directions();

constexpr double unit_53 = 0x1p-53;

// ---- Latin
// ---------------------------------------------------------------------------------------

/// Where `index` goes in a permutation of 0 … count-1: a Feistel network over the next power of 4,
/// walked until it comes back into the range. Nothing is stored.
std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t seed, int axis) {
  if (count < 2) return 0;
  const unsigned half = (static_cast<unsigned>(std::bit_width(count - 1)) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  constexpr int rounds = 6;
  std::uint64_t value = index;
  do {
    std::uint64_t left = value >> half;
    std::uint64_t right = value & mask;
    for (int round = 0; round < rounds; ++round) {
      const std::uint64_t mixed =
          Hasher().update("latin").update(seed).update(axis).update(round).update(right).finish();
      const std::uint64_t next = left ^ (mixed & mask);
      left = right;
      right = next;
    }
    value = (left << half) | right;
  } while (value >= count);
  return value;
}

double drawn(const char* kind, std::uint64_t index, std::uint64_t seed, int axis) {
  return Random(Hasher().update(kind).update(seed).update(axis).update(index).finish()).uniform();
}

}  // namespace

double sobol(std::uint64_t index, int dimension, std::uint64_t shift) {
  COLUBER_ASSERT(dimension >= 0 && dimension < sobol_dimensions, dimension);
  const auto& v = directions[static_cast<std::size_t>(dimension)];
  std::uint64_t gray = index ^ (index >> 1U);
  std::uint32_t value = 0;
  for (std::size_t k = 0; gray != 0 && k < bits; ++k, gray >>= 1U) {
    if ((gray & 1U) != 0) value ^= v[k];
  }
  const std::uint64_t wide = (std::uint64_t{value} << 21U) ^ (shift >> 11U);
  return static_cast<double>(wide) * unit_53;
}

std::uint64_t sobol_shift(std::uint64_t seed, int axis) {
  return seed == 0 ? 0 : Hasher().update("sobol").update(seed).update(axis).finish();
}

double latin(std::uint64_t index, std::uint64_t count, std::uint64_t seed, int axis) {
  const auto stratum = static_cast<double>(permuted(index, count, seed, axis));
  const double u = (stratum + drawn("jitter", index, seed, axis)) / static_cast<double>(count);
  // rounding must not carry it into the next interval
  const double end = (stratum + 1.0) / static_cast<double>(count);
  return u < end ? u : std::nextafter(end, 0.0);
}

double uniform(std::uint64_t index, std::uint64_t seed, int axis) {
  return drawn("uniform", index, seed, axis);
}

double spaced(double from, double to, std::int64_t k, std::int64_t count) {
  if (count < 2) return from;
  const std::int64_t shared = std::gcd(k, count - 1);
  const std::int64_t steps_done = k / shared;
  const std::int64_t steps = (count - 1) / shared;
  const auto done = static_cast<double>(steps_done);
  const auto all = static_cast<double>(steps);
  return (from * (all - done) + to * done) / all;
}

double between(double from, double to, double u) { return from + (to - from) * u; }

double between_log(double from, double to, double u) {
  if (u == 0.0) return from;
  if (u == 1.0) return to;
  const double low = math::logarithm(std::abs(from));
  const double high = math::logarithm(std::abs(to));
  const double size = math::exponential(low + (high - low) * u);
  // 0.01, not 0.010000000000000002
  constexpr double meant = 4e-15;
  const std::string text = fmt::format("{:.11e}", size);
  double plain = size;
  std::from_chars(text.data(), text.data() + text.size(), plain);
  const double value = std::abs(plain - size) <= meant * size ? plain : size;
  return from < 0.0 ? -value : value;
}

}  // namespace coluber::sweep
