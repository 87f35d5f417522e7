#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "coluber/core/export.hpp"

namespace coluber::record {

/// Sum of the HDF5 filter fletcher32 over `bytes`.
COLUBER_EXPORT std::uint32_t fletcher32(std::span<const std::byte> bytes);

/// Makes chunks of a dataset as the HDF5 filters shuffle, deflate and fletcher32 make them, one
/// after another; any HDF5 reads them.
///
/// HDF5's own filters ask for a quarter of a megabyte of fresh memory per chunk and search every
/// byte for repetitions. Here memory is kept, and the bytes of one significance in all numbers (the
/// low ones of a mantissa) are stored as they are where they look like noise.
class ChunkCodec {
 public:
  ChunkCodec();
  ChunkCodec(const ChunkCodec&) = delete;
  ChunkCodec& operator=(const ChunkCodec&) = delete;
  ~ChunkCodec();

  /// The chunk of these bytes, numbers of `width` bytes each; lives until the next call.
  std::span<const std::byte> encode(std::span<const std::byte> bytes, std::size_t width);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::string planes_;
  std::string out_;
};

}  // namespace coluber::record
