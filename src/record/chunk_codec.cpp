#include "record/chunk_codec.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#define ZLIB_CONST  // zlib then only reads its input
#include <zlib.h>

#include "coluber/core/assert.hpp"
#include "coluber/core/error.hpp"

namespace coluber::record {

namespace {

constexpr int searched = 1;  // zlib's level where there is something to find: 2 % above level 4
constexpr int stored = 0;

// Whether bytes look drawn at random, by a sample of them. Two are the same once in 256 times then;
// once in 170 is still noise to deflate.
bool is_noise(std::string_view bytes) {
  constexpr std::size_t least = 64;
  constexpr std::size_t sample = 1024;
  constexpr double alike = 1.5 / 256.0;
  if (bytes.size() < least) return false;
  if (bytes.size() > 2 * sample) bytes = bytes.substr((bytes.size() - sample) / 2, sample);
  std::array<std::array<std::uint32_t, 256>, 2> counts{};  // two, so that equal bytes do not wait
  for (std::size_t k = 0; k + 1 < bytes.size(); k += 2) {
    ++counts[0][static_cast<unsigned char>(bytes[k])];
    ++counts[1][static_cast<unsigned char>(bytes[k + 1])];
  }
  double pairs = 0.0;
  for (std::size_t value = 0; value < 256; ++value) {
    const double count = counts[0][value] + counts[1][value];
    pairs += count * (count - 1.0);
  }
  const auto n = static_cast<double>(bytes.size());
  return pairs < alike * n * (n - 1.0);
}

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

struct ChunkCodec::Stream {
  z_stream z{};
  Stream() {
    if (deflateInit(&z, searched) != Z_OK) throw Error("zlib does not start");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { deflateEnd(&z); }
};

ChunkCodec::ChunkCodec() : stream_(std::make_unique<Stream>()) {}
ChunkCodec::~ChunkCodec() = default;

std::span<const std::byte> ChunkCodec::encode(std::span<const std::byte> bytes, std::size_t width) {
  COLUBER_ASSERT(width > 0 && bytes.size() % width == 0, bytes.size(), width);
  const std::size_t count = bytes.size() / width;
  const auto* in = reinterpret_cast<const char*>(bytes.data());
  planes_.resize(bytes.size());
  if (width == 8) {
    take_apart<8>(in, count, planes_.data());
  } else {
    COLUBER_ASSERT(width == 4, width);
    take_apart<4>(in, count, planes_.data());
  }

  z_stream& z = stream_->z;
  if (deflateReset(&z) != Z_OK) throw Error("zlib does not start");
  // a switch between stored and searched bytes takes a few bytes more
  out_.resize(deflateBound(&z, static_cast<uLong>(planes_.size())) + 64 * (width + 1));
  z.next_out = reinterpret_cast<Bytef*>(out_.data());
  z.avail_out = static_cast<uInt>(out_.size());
  // what is drawn stands still for the most part; in other numbers zlib searches for repetitions
  const int strategy = width == 4 ? Z_RLE : Z_DEFAULT_STRATEGY;
  int level = -1;
  int status = Z_OK;
  for (std::size_t b = 0; b < width && status == Z_OK; ++b) {
    const std::string_view plane = std::string_view(planes_).substr(b * count, count);
    const int wanted = is_noise(plane) ? stored : searched;
    z.next_in = nullptr;
    z.avail_in = 0;
    if (wanted != level) status = deflateParams(&z, wanted, strategy);
    level = wanted;
    z.next_in = reinterpret_cast<const Bytef*>(plane.data());
    z.avail_in = static_cast<uInt>(plane.size());
    if (status == Z_OK) status = deflate(&z, b + 1 == width ? Z_FINISH : Z_NO_FLUSH);
  }
  if (status != Z_STREAM_END) throw Error(fmt::format("zlib fails with code {}", status));

  const auto deflated = std::as_bytes(std::span(out_)).first(z.total_out);
  const std::uint32_t sum = fletcher32(deflated);
  std::memcpy(out_.data() + deflated.size(), &sum, sizeof sum);
  return std::as_bytes(std::span(out_)).first(deflated.size() + sizeof sum);
}

}  // namespace coluber::record
