#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coluber/core/export.hpp"

#include "record/deflater.hpp"

namespace coluber::record {

/// Sum of the HDF5 filter fletcher32 over `bytes`.
COLUBER_EXPORT std::uint32_t fletcher32(std::span<const std::byte> bytes);

/// Makes chunks of a dataset as the HDF5 filters shuffle, deflate and fletcher32 make them, one
/// after another; any HDF5 reads them.
///
/// HDF5's own filters ask for a quarter of a megabyte of fresh memory per chunk and search every
/// byte for repetitions. Here scratch memory is kept, and Deflater knows where to look.
class ChunkCodec {
 public:
  /// The chunk of these bytes, numbers of `width` bytes each, `row` of them in a frame.
  std::vector<std::byte> encode(std::span<const std::byte> bytes, std::size_t width,
                                std::size_t row);

 private:
  Deflater deflater_;
  std::string planes_;
};

}  // namespace coluber::record
