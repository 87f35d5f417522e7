#include "coluber/core/hash.hpp"

#include <algorithm>

#include "core/hash_both.hpp"

namespace coluber {

namespace {

constexpr std::uint64_t fnv_prime = 1099511628211ULL;

constexpr std::uint64_t mix(std::uint64_t state, std::uint8_t byte) {
  return (state ^ byte) * fnv_prime;
}

}  // namespace

Hasher& Hasher::update(std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) state_ = mix(state_, std::to_integer<std::uint8_t>(byte));
  return *this;
}

// Each byte of a stream waits for the one before it: there is time for another stream's.
void update_both(Hasher& a, std::span<const std::byte> of_a, Hasher& b,
                 std::span<const std::byte> of_b) {
  const std::size_t both = std::min(of_a.size(), of_b.size());
  std::uint64_t state_a = a.state_;
  std::uint64_t state_b = b.state_;
  for (std::size_t k = 0; k < both; ++k) {
    state_a = mix(state_a, std::to_integer<std::uint8_t>(of_a[k]));
    state_b = mix(state_b, std::to_integer<std::uint8_t>(of_b[k]));
  }
  a.state_ = state_a;
  b.state_ = state_b;
  a.update(of_a.subspan(both));
  b.update(of_b.subspan(both));
}

Hasher& Hasher::update(std::string_view text) {
  return update(std::as_bytes(std::span(text.data(), text.size())));
}

Hasher& Hasher::update(std::span<const double> values) {
  for (const double value : values) update(value);
  return *this;
}

Hasher& Hasher::update_word(std::uint64_t word) {
  for (int shift = 0; shift < 64; shift += 8) {
    state_ = mix(state_, static_cast<std::uint8_t>(word >> shift));
  }
  return *this;
}

std::uint64_t Hasher::finish() const {
  // fmix64 of MurmurHash3: FNV-1a alone leaves the low bits of short inputs alike
  std::uint64_t h = state_;
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ULL;
  h ^= h >> 33;
  return h;
}

}  // namespace coluber
