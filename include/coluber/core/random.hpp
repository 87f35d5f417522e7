#pragma once

#include <array>
#include <cstdint>

#include "coluber/core/export.hpp"

namespace coluber {

/// Seeded random numbers, the same on every machine: xoshiro256++ of Blackman and Vigna, its state
/// filled by splitmix64. `state` is all there is to save and restore.
class COLUBER_EXPORT Random {
 public:
  /// All there is to save and restore.
  using State = std::array<std::uint64_t, 4>;
  /// What operator() gives; asked for by the standard library.
  using result_type = std::uint64_t;

  /// The same seed gives the same numbers.
  explicit Random(std::uint64_t seed = 0);
  /// Goes on where the generator that gave `state` stood. All zeros is not a state (it never
  /// leaves itself) and throws Error.
  explicit Random(const State& state);

  /// 64 random bits.
  std::uint64_t next();
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Uniform in [low, high).
  double uniform(double low, double high);
  /// Normal with mean 0 and deviation 1 (polar method; keeps no spare, so `state` is complete).
  double normal();

  /// To go on later: Random(state).
  [[nodiscard]] const State& state() const { return state_; }
  friend bool operator==(const Random&, const Random&) = default;

  // so that std algorithms take it
  static constexpr std::uint64_t min() { return 0; }                  ///< least of operator()
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }  ///< largest of operator()
  std::uint64_t operator()() { return next(); }                       ///< the same as next()

 private:
  State state_;
};

}  // namespace coluber
