#include "record/deflater.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

namespace coluber::record {
namespace deflater_test {

// What zlib makes of the stream; it has to end where the stream ends, and its checksum to agree.
std::string inflate_whole(std::span<const std::byte> stream, std::size_t size) {
  std::string out(size + 1, '\0');
  std::vector<Bytef> in(stream.size());
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = std::to_integer<Bytef>(stream[k]);
  z_stream z{};
  EXPECT_EQ(inflateInit(&z), Z_OK);
  z.next_in = in.data();
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&z, Z_FINISH), Z_STREAM_END) << (z.msg != nullptr ? z.msg : "");
  EXPECT_EQ(z.avail_in, 0U);
  out.resize(z.total_out);
  inflateEnd(&z);
  return out;
}

class Random {
 public:
  std::uint32_t below(std::uint32_t limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>((state_ >> 33U) % limit);
  }

 private:
  std::uint64_t state_ = 1;
};

struct Table {
  const char* name;
  std::string bytes;
  std::size_t row;
};

// `most` of 256 values, each row like the last but for one byte in `change`.
Table make_table(const char* name, std::size_t size, std::size_t row, std::uint32_t most,
                 std::uint32_t change) {
  Random random;
  Table table{name, {}, row};
  for (std::size_t k = 0; k < size; ++k) {
    const bool anew = k < row || random.below(change) == 0;
    table.bytes += anew ? static_cast<char>(random.below(most)) : table.bytes[k - row];
  }
  return table;
}

// Counts as the numbers of Fibonacci: without a limit the code of the rarest has 29 bits.
Table make_steep_table() {
  Table table{"steep", {}, 7};
  std::size_t a = 1;
  std::size_t b = 1;
  for (int value = 0; value < 26; ++value) {
    table.bytes.append(a, static_cast<char>(value * 9));
    a = std::exchange(b, a + b);
  }
  Random random;
  for (std::size_t k = table.bytes.size() - 1; k > 0; --k) {
    std::swap(table.bytes[k], table.bytes[random.below(static_cast<std::uint32_t>(k + 1))]);
  }
  return table;
}

TEST(Deflater, ZlibReadsWhatItWrites) {
  std::vector<Table> tables{make_steep_table(),
                            {"one value", std::string(300000, 'a'), 100},
                            make_table("noise", 200000, 50, 256, 1),
                            make_table("rows of noise that come again", 200000, 500, 256, 1000),
                            make_table("few values", 100000, 22, 5, 1),
                            make_table("rows that change", 100000, 22, 256, 20),
                            make_table("rows as far as it goes", 200000, 32768, 256, 100),
                            make_table("rows beyond that", 200000, 32769, 256, 100),
                            make_table("rows of one byte", 20000, 1, 256, 4)};
  Deflater deflater;
  for (const Table& table : tables) {
    for (const std::size_t parts : {1U, 4U, 8U}) {
      const std::string_view bytes =
          std::string_view(table.bytes).substr(0, table.bytes.size() / parts * parts);
      const auto stream = deflater.deflate(bytes, parts, table.row);
      EXPECT_TRUE(inflate_whole(stream, bytes.size()) == bytes) << table.name << ", " << parts;
      EXPECT_LE(stream.size(), bytes.size() + bytes.size() / 1000 + 16 * parts) << table.name;
    }
  }
}

TEST(Deflater, EveryShortTableComesBack) {
  Deflater deflater;
  for (std::size_t size = 0; size < 700; ++size) {
    const auto n = static_cast<std::uint32_t>(size);
    const Table table = make_table("short", size, 1 + size % 23, 1 + n % 256, 1 + n % 11);
    EXPECT_TRUE(inflate_whole(deflater.deflate(table.bytes, 1, table.row), size) == table.bytes)
        << size;
  }
}

TEST(Deflater, WhatComesAgainTakesLittle) {
  Deflater deflater;
  const std::string still(100000, '\3');
  EXPECT_LT(deflater.deflate(still, 8, 11).size(), 400U);
  const Table rows = make_table("rows", 100000, 300, 256, 1U << 30U);
  EXPECT_LT(deflater.deflate(rows.bytes, 1, rows.row).size(), 2000U);
}

}  // namespace deflater_test
}  // namespace coluber::record
