#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "coluber/core/export.hpp"

namespace coluber {

/// 64-bit fingerprint of a stream of bytes, the same on every machine and compiler: FNV-1a
/// (offset 14695981039346656037, prime 1099511628211) with the finaliser of MurmurHash3, so that
/// nearby inputs give unrelated results. Not cryptographic.
///
/// Numbers go in as their 64-bit pattern, low byte first: 0.0 and -0.0 differ. Strings carry no
/// length; feed one where the boundary matters.
class COLUBER_EXPORT Hasher {
 public:
  /// Feeds bytes as they are.
  Hasher& update(std::span<const std::byte> bytes);
  /// Feeds the bytes of a text, without its length.
  Hasher& update(std::string_view text);
  /// Feeds the 64-bit pattern of a number.
  Hasher& update(double value) { return update_word(std::bit_cast<std::uint64_t>(value)); }
  /// Feeds numbers one after another.
  Hasher& update(std::span<const double> values);
  /// Feeds an integer, widened to 64 bits.
  template <std::integral T>
  Hasher& update(T value) {
    return update_word(static_cast<std::uint64_t>(value));
  }

  /// The fingerprint of all fed so far; feeding may go on afterwards.
  [[nodiscard]] std::uint64_t finish() const;

 private:
  friend void update_both(Hasher& a, std::span<const std::byte> of_a, Hasher& b,
                          std::span<const std::byte> of_b);
  Hasher& update_word(std::uint64_t word);

  std::uint64_t state_ = 14695981039346656037ULL;
};

}  // namespace coluber
