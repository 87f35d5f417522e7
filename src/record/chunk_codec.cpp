#include "record/chunk_codec.hpp"

#include <algorithm>

#include "coluber/core/assert.hpp"

namespace coluber::record {

namespace {

template <std::size_t width>
void take_apart(const char* in, std::size_t count, char* out) {
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t b = 0; b < width; ++b) out[b * count + k] = in[k * width + b];
  }
}

}  // namespace

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  constexpr std::size_t at_once = 360;  // words that 32 bits hold without a fold
  const auto fold = [](std::uint32_t sum) { return (sum & 0xFFFFU) + (sum >> 16U); };
  std::uint32_t one = 0;
  std::uint32_t two = 0;
  std::size_t words = bytes.size() / 2;
  std::size_t at = 0;
  while (words > 0) {
    std::size_t part = std::min(words, at_once);
    words -= part;
    for (; part > 0; --part, at += 2) {
      one += (std::to_integer<std::uint32_t>(bytes[at]) << 8U) |
             std::to_integer<std::uint32_t>(bytes[at + 1]);
      two += one;
    }
    one = fold(one);
    two = fold(two);
  }
  if (bytes.size() % 2 != 0) {
    one += std::to_integer<std::uint32_t>(bytes.back()) << 8U;
    two += one;
    one = fold(one);
    two = fold(two);
  }
  return (fold(two) << 16U) | fold(one);
}

std::vector<std::byte> ChunkCodec::encode(std::span<const std::byte> bytes, std::size_t width,
                                          std::size_t row) {
  COLUBER_ASSERT(width > 0 && bytes.size() % width == 0, bytes.size(), width);
  const std::size_t count = bytes.size() / width;
  const auto* in = reinterpret_cast<const char*>(bytes.data());
  if (planes_.size() < bytes.size()) planes_.resize(bytes.size());
  if (width == 8) {
    take_apart<8>(in, count, planes_.data());
  } else {
    COLUBER_ASSERT(width == 4, width);
    take_apart<4>(in, count, planes_.data());
  }

  const auto deflated =
      deflater_.deflate(std::string_view(planes_).substr(0, bytes.size()), width, row);
  const std::uint32_t sum = fletcher32(deflated);
  std::vector<std::byte> chunk;
  chunk.reserve(deflated.size() + sizeof sum);
  chunk.assign(deflated.begin(), deflated.end());
  const auto tail = std::as_bytes(std::span(&sum, 1));
  chunk.insert(chunk.end(), tail.begin(), tail.end());
  return chunk;
}

}  // namespace coluber::record
