#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace coluber::record {

/// Writes bits, the lowest first, to memory that is large enough.
class BitWriter {
 public:
  BitWriter() = default;
  explicit BitWriter(char* out) : begin_(out), at_(out) {}

  /// The lowest `count` of `bits`, at most 32; the others are zero.
  void put(std::uint64_t bits, unsigned count) {
    bits_ |= bits << count_;
    count_ += count;
    if (count_ < 32) return;
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(at_, &bits_, 4);
    at_ += 4;
    bits_ >>= 32U;
    count_ -= 32;
  }
  /// With zeros to the next byte.
  void align() {
    for (; count_ > 0; count_ -= std::min(count_, 8U), bits_ >>= 8U) {
      *at_++ = static_cast<char>(bits_ & 0xFFU);
    }
    bits_ = 0;
  }
  /// Bytes as they are, after align().
  void copy(std::string_view bytes) {
    std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }
  /// Bytes written.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  char* begin_ = nullptr;
  char* at_ = nullptr;
  std::uint64_t bits_ = 0;
  unsigned count_ = 0;
};

}  // namespace coluber::record
