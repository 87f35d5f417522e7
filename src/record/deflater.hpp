#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/export.hpp"

#include "record/bit_writer.hpp"

namespace coluber::record {

/// Deflates tables of bytes into zlib's format, with less than half the work of zlib at its
/// quickest.
///
/// It does not search: numbers of a record that come again do so one byte back (a value that stands
/// still along the row) or one row back (along time). The rest is Huffman's code, or is stored as
/// it is where it looks like noise.
class COLUBER_EXPORT Deflater {
 public:
  /// The stream of `bytes`, `parts` tables of equal size, one after another, with rows of `row`
  /// bytes. Every part that is large enough has a code of its own. Lives until the next call.
  std::span<const std::byte> deflate(std::string_view bytes, std::size_t parts, std::size_t row);

 private:
  /// A code of Huffman: as many bits for every symbol as fit its frequency.
  template <std::size_t symbols>
  struct Code {
    std::array<std::uint32_t, symbols> counts{};
    std::array<std::uint8_t, symbols> lengths{};
    std::array<std::uint16_t, symbols> codes{};
  };

  void take(std::string_view part, std::size_t row);
  void end_block(bool last);
  void store(std::string_view bytes, bool last);

  std::string out_;
  BitWriter bits_;
  std::vector<std::uint16_t> tokens_;  // memory for them
  std::size_t token_count_ = 0;        // of the block to come
  std::string_view block_;             // its bytes
  Code<286> symbols_;                  // bytes, the end, lengths of repetitions
  Code<30> distances_;
  unsigned row_code_ = 0;   // of the distance of one row
  unsigned row_bits_ = 0;   // behind the code
  unsigned row_extra_ = 0;  // their value
};

}  // namespace coluber::record
