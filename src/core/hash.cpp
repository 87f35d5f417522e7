#include "coluber/core/hash.hpp"

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
