#include "record/deflater.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "coluber/core/assert.hpp"

namespace coluber::record {

// RFC 1950 and 1951.

namespace {

constexpr std::size_t shortest = 3;
constexpr std::size_t longest = 258;
constexpr std::size_t farthest = 32768;
constexpr std::size_t most_stored = 65535;
constexpr unsigned end_symbol = 256;
constexpr unsigned longest_code = 15;
constexpr std::size_t own_code = 1024;  // tokens that are worth a code of their own

// A token below 256 is a byte; from there on repetitions of 3, 4, … bytes, one byte back and then
// one row back.
constexpr unsigned run_token = 256;
constexpr unsigned row_token = 512;

struct Coded {
  std::uint16_t symbol;
  std::uint8_t bits;  // behind it
  std::uint16_t extra;
};

constexpr std::array<Coded, longest - shortest + 1> make_length_table() {
  std::array<Coded, longest - shortest + 1> table{};
  unsigned length = 0;
  for (unsigned symbol = 257; symbol < 285; ++symbol) {
    const unsigned bits = symbol < 265 ? 0 : (symbol - 261) / 4;
    for (unsigned extra = 0; extra < (1U << bits) && length < table.size(); ++extra) {
      table[length++] = {static_cast<std::uint16_t>(symbol), static_cast<std::uint8_t>(bits),
                         static_cast<std::uint16_t>(extra)};
    }
  }
  table.back() = {285, 0, 0};
  return table;
}
constexpr auto length_table = make_length_table();

Coded code_distance(std::size_t distance) {
  const auto less = static_cast<unsigned>(distance - 1);
  if (less < 4) return {static_cast<std::uint16_t>(less), 0, 0};
  const auto bits = static_cast<unsigned>(std::bit_width(less)) - 2;
  return {static_cast<std::uint16_t>(2 * bits + (less >> bits)), static_cast<std::uint8_t>(bits),
          static_cast<std::uint16_t>(less & ((1U << bits) - 1U))};
}

// Whether bytes look drawn at random, by a sample of them. Two are the same once in 256 times then;
// once in 170 is still noise to a code of Huffman.
bool is_noise(std::string_view bytes, std::size_t row) {
  constexpr std::size_t least = 64;
  constexpr std::size_t sample = 1024;
  constexpr double alike = 1.5 / 256.0;
  if (bytes.size() < least) return false;
  std::size_t from = 0;
  std::size_t count = bytes.size();
  if (count > 2 * sample) {
    from = (count - sample) / 2;
    count = sample;
  }
  std::array<std::array<std::uint32_t, 256>, 2> counts{};  // two, so that equal bytes do not wait
  for (std::size_t k = from; k + 1 < from + count; k += 2) {
    ++counts[0][static_cast<unsigned char>(bytes[k])];
    ++counts[1][static_cast<unsigned char>(bytes[k + 1])];
  }
  double pairs = 0.0;
  for (std::size_t value = 0; value < 256; ++value) {
    const double both = counts[0][value] + counts[1][value];
    pairs += both * (both - 1.0);
  }
  const auto n = static_cast<double>(count);
  if (pairs >= alike * n * (n - 1.0)) return false;
  // rows of noise that come again
  std::size_t again = 0;
  for (std::size_t k = std::max(from, row); k < from + count; ++k) {
    again += bytes[k] == bytes[k - row] ? 1U : 0U;
  }
  return again < count / 16;
}

// Bytes from `a` and `b` on that are the same, at most `most`.
std::size_t count_same(const char* a, const char* b, std::size_t most) {
  std::size_t n = 0;
  for (; n + 8 <= most; n += 8) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, a + n, 8);
    std::memcpy(&y, b + n, 8);
    static_assert(std::endian::native == std::endian::little, "count the leading zeros elsewhere");
    if (x != y) return n + static_cast<std::size_t>(std::countr_zero(x ^ y)) / 8;
  }
  while (n < most && a[n] == b[n]) ++n;
  return n;
}

// Lengths of Huffman's code for these counts, none above `limit`. A single symbol gets one bit.
template <typename Count, typename Length>
void find_lengths(std::span<const Count> counts, unsigned limit, std::span<Length> lengths) {
  std::array<std::uint64_t, 286> sorted{};  // count, symbol
  std::size_t leaves = 0;
  std::ranges::fill(lengths, Length{0});
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] > 0) sorted[leaves++] = (std::uint64_t{counts[s]} << 16U) | s;
  }
  if (leaves == 0) return;
  if (leaves == 1) {
    lengths[sorted[0] & 0xFFFFU] = 1;
    return;
  }
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(leaves));

  // The tree, from its leaves to its root: nodes join the two lightest of leaves and nodes.
  std::array<std::uint64_t, 285> weight{};
  std::array<std::uint16_t, 285> parent{};
  std::size_t leaf = 0;
  std::size_t inner = 0;
  const std::size_t nodes = leaves - 1;
  for (std::size_t node = 0; node < nodes; ++node) {
    for (int k = 0; k < 2; ++k) {
      if (inner == node || (leaf < leaves && (sorted[leaf] >> 16U) <= weight[inner])) {
        weight[node] += sorted[leaf++] >> 16U;
      } else {
        weight[node] += weight[inner];
        parent[inner++] = static_cast<std::uint16_t>(node);
      }
    }
  }

  // Every node turns a leaf of its depth into two below it; where that is too deep, the deepest
  // leaf that may go down does.
  std::array<std::uint32_t, longest_code + 2> at_depth{};
  std::array<std::uint32_t, 285> depth{};
  at_depth[1] = 2;
  for (std::size_t node = nodes - 1; node-- > 0;) {
    depth[node] = depth[parent[node]] + 1;
    std::uint32_t d = depth[node];
    if (d >= limit) {
      d = limit;
      do --d;
      while (at_depth[d] == 0);
    }
    --at_depth[d];
    at_depth[d + 1] += 2;
  }
  std::size_t next = 0;
  for (unsigned d = limit; d > 0; --d) {
    for (std::uint32_t k = 0; k < at_depth[d]; ++k) {
      lengths[sorted[next++] & 0xFFFFU] = static_cast<Length>(d);
    }
  }
}

// The codes that go with lengths, the first bit lowest.
template <typename Length, typename CodeWord>
void find_codes(std::span<const Length> lengths, std::span<CodeWord> codes) {
  std::array<unsigned, longest_code + 2> next{};
  for (const Length length : lengths) ++next[length + 1U];
  next[1] = 0;  // symbols without a code
  for (std::size_t d = 2; d < next.size(); ++d) next[d] = (next[d] + next[d - 1]) << 1U;
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    if (lengths[s] == 0) continue;
    unsigned code = next[lengths[s]]++;
    unsigned mirrored = 0;
    for (unsigned k = 0; k < lengths[s]; ++k, code >>= 1U)
      mirrored = (mirrored << 1U) | (code & 1U);
    codes[s] = static_cast<CodeWord>(mirrored);
  }
}

template <std::size_t symbols>
std::size_t count_bits(const std::array<std::uint32_t, symbols>& counts,
                       std::span<const std::uint8_t> lengths) {
  std::size_t bits = 0;
  for (std::size_t s = 0; s < symbols; ++s) bits += std::size_t{counts[s]} * lengths[s];
  return bits;
}

constexpr std::array<std::uint8_t, 288> make_fixed_lengths() {
  std::array<std::uint8_t, 288> lengths{};
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    lengths[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
  }
  return lengths;
}
constexpr auto fixed_lengths = make_fixed_lengths();
constexpr std::array<std::uint8_t, 30> fixed_distances = [] {
  std::array<std::uint8_t, 30> lengths{};
  lengths.fill(5);
  return lengths;
}();

// The sum at the end of a stream (RFC 1950). zlib's goes byte by byte; here 16 columns are summed
// side by side, which a compiler turns into vectors.
std::uint32_t sum_up(std::string_view bytes) {
  constexpr std::size_t columns = 16;
  constexpr std::size_t at_once = columns * 256;  // bytes that 32 bits hold without a remainder
  constexpr std::uint32_t modulus = 65521;
  std::uint32_t one = 1;
  std::uint32_t two = 0;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, at_once);
    bytes.remove_prefix(part.size());
    const std::size_t rows = part.size() / columns;
    std::array<std::uint32_t, columns> sums{};
    std::array<std::uint32_t, columns> sums_of_sums{};
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = 0; k < columns; ++k) {
        sums_of_sums[k] += sums[k];
        sums[k] += static_cast<unsigned char>(part[row * columns + k]);
      }
    }
    two += static_cast<std::uint32_t>(rows * columns) * one;
    for (std::size_t k = 0; k < columns; ++k) {
      const auto weight = static_cast<std::uint32_t>(columns - k);
      two += static_cast<std::uint32_t>(columns) * sums_of_sums[k] % modulus + weight * sums[k];
      one += sums[k];
    }
    for (const char byte : part.substr(rows * columns)) {
      one += static_cast<unsigned char>(byte);
      two += one;
    }
    one %= modulus;
    two %= modulus;
  }
  return (two << 16U) | one;
}

// How the lengths of two codes are told: themselves a code, with repetitions.
class LengthsOfCodes {
 public:
  LengthsOfCodes(std::span<const std::uint8_t> symbols, std::span<const std::uint8_t> distances) {
    std::size_t used = 286;
    while (used > 257 && symbols[used - 1] == 0) --used;
    std::size_t far = 30;
    while (far > 1 && distances[far - 1] == 0) --far;
    symbols_ = static_cast<unsigned>(used);
    distances_ = static_cast<unsigned>(far);
    std::array<std::uint8_t, 316> all{};
    std::ranges::copy(symbols.first(used), all.begin());
    std::ranges::copy(distances.first(far), all.begin() + static_cast<std::ptrdiff_t>(used));
    shorten(std::span<const std::uint8_t>(all).first(used + far));
    find_lengths<std::uint32_t, std::uint8_t>(counts_, 7, lengths_);
    while (told_ > 4 && lengths_[order[told_ - 1]] == 0) --told_;
    bits_ = 5 + 5 + 4 + 3 * std::size_t{told_} + extra_bits_ + count_bits(counts_, lengths_);
  }

  [[nodiscard]] std::size_t bits() const { return bits_; }

  void write(BitWriter& out) const {
    std::array<std::uint16_t, 19> codes{};
    find_codes<std::uint8_t, std::uint16_t>(lengths_, codes);
    out.put(symbols_ - 257, 5);
    out.put(distances_ - 1, 5);
    out.put(told_ - 4, 4);
    for (unsigned k = 0; k < told_; ++k) out.put(lengths_[order[k]], 3);
    for (std::size_t k = 0; k < count_; ++k) {
      const Coded& item = items_[k];
      out.put(codes[item.symbol], lengths_[item.symbol]);
      out.put(item.extra, item.bits);
    }
  }

 private:
  static constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                      11, 4,  12, 3, 13, 2, 14, 1, 15};

  void add(unsigned symbol, unsigned bits, std::size_t extra) {
    items_[count_++] = {static_cast<std::uint16_t>(symbol), static_cast<std::uint8_t>(bits),
                        static_cast<std::uint16_t>(extra)};
    ++counts_[symbol];
    extra_bits_ += bits;
  }

  void shorten(std::span<const std::uint8_t> all) {
    for (std::size_t at = 0; at < all.size();) {
      const std::uint8_t length = all[at];
      std::size_t same = 1;
      while (at + same < all.size() && all[at + same] == length) ++same;
      at += same;
      if (length != 0) {
        add(length, 0, 0);
        --same;
      }
      while (same >= 3) {
        std::size_t part = 0;
        if (length != 0) {
          part = std::min<std::size_t>(same, 6);
          add(16, 2, part - 3);
        } else if (same < 11) {
          part = same;
          add(17, 3, part - 3);
        } else {
          part = std::min<std::size_t>(same, 138);
          add(18, 7, part - 11);
        }
        same -= part;
      }
      for (; same > 0; --same) add(length, 0, 0);
    }
  }

  std::array<Coded, 316> items_{};
  std::size_t count_ = 0;
  std::size_t extra_bits_ = 0;
  std::array<std::uint32_t, 19> counts_{};
  std::array<std::uint8_t, 19> lengths_{};
  unsigned symbols_ = 0;
  unsigned distances_ = 0;
  unsigned told_ = 19;
  std::size_t bits_ = 0;
};

}  // namespace

std::span<const std::byte> Deflater::deflate(std::string_view bytes, std::size_t parts,
                                             std::size_t row) {
  COLUBER_ASSERT(parts > 0 && bytes.size() % parts == 0 && row > 0, bytes.size(), parts, row);
  // what does not get smaller is stored: some bytes for every block
  const std::size_t room = bytes.size() + 5 * (bytes.size() / most_stored) + 16 * (parts + 1);
  if (out_.size() < room) out_.resize(room);
  bits_ = BitWriter(out_.data());
  bits_.put(0x0178, 16);  // the format, a window of 32 kB, quick
  const Coded one_row = code_distance(std::min(row, farthest));
  row_code_ = one_row.symbol;
  row_bits_ = one_row.bits;
  row_extra_ = one_row.extra;

  const std::size_t size = bytes.size() / parts;
  block_ = bytes.substr(0, 0);
  for (std::size_t k = 0; k < parts; ++k) {
    const std::string_view part = bytes.substr(k * size, size);
    const bool last = k + 1 == parts;
    if (is_noise(part, row)) {
      if (!block_.empty()) end_block(false);
      store(part, last);
      block_ = bytes.substr((k + 1) * size, 0);
      continue;
    }
    take(part, row);
    block_ = std::string_view(block_.data(), block_.size() + part.size());
    if (last || token_count_ >= own_code) end_block(last);
  }
  bits_.align();
  const std::uint32_t sum = sum_up(bytes);
  for (int shift = 24; shift >= 0; shift -= 8) bits_.put((sum >> shift) & 0xFFU, 8);
  bits_.align();
  COLUBER_ASSERT(bits_.size() <= out_.size(), bits_.size(), out_.size());
  return std::as_bytes(std::span(out_)).first(bits_.size());
}

// Makes tokens of a part.
void Deflater::take(std::string_view part, std::size_t row) {
  const char* in = part.data();
  const std::size_t size = part.size();
  // a repetition far back takes a few bits more than three bytes that are frequent
  const std::size_t row_shortest = row_bits_ > 4 ? shortest + 1 : shortest;
  const std::size_t row_from = row <= farthest && row > 1 ? row : size;
  if (tokens_.size() < token_count_ + size) tokens_.resize(token_count_ + size);
  std::uint16_t* token = tokens_.data();
  std::size_t used = token_count_;
  const auto word = [in](std::size_t from) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, in + from, sizeof bytes);
    return bytes;
  };
  const std::uint32_t row_mask = row_shortest > shortest ? 0xFFFFFFFFU : 0xFFFFFFU;
  const auto take_byte = [&](std::size_t at) {
    const auto byte = static_cast<unsigned char>(in[at]);
    token[used++] = byte;
    ++symbols_.counts[byte];
  };
  std::size_t at = 0;
  if (size > 0) take_byte(at++);
  for (; at + sizeof(std::uint32_t) <= size;) {
    const std::uint32_t here = word(at);
    const bool runs = ((here ^ word(at - 1)) & 0xFFFFFFU) == 0;
    const bool comes_again = at >= row_from && ((here ^ word(at - row)) & row_mask) == 0;
    if (!runs && !comes_again) {
      take_byte(at++);
      continue;
    }
    const std::size_t most = std::min(size - at, longest);
    const std::size_t run = runs ? count_same(in + at, in + at - 1, most) : 0;
    const std::size_t rows =
        comes_again && run < most ? count_same(in + at, in + at - row, most) : 0;
    const std::size_t length = std::max(run, rows);
    token[used++] =
        static_cast<std::uint16_t>((rows > run ? row_token : run_token) + length - shortest);
    ++symbols_.counts[length_table[length - shortest].symbol];
    ++distances_.counts[rows > run ? row_code_ : 0];
    at += length;
  }
  while (at < size) take_byte(at++);
  token_count_ = used;
}

// Writes the tokens there are, in whichever way is the shortest.
void Deflater::end_block(bool last) {
  symbols_.counts[end_symbol] = 1;
  find_lengths<std::uint32_t, std::uint8_t>(symbols_.counts, longest_code, symbols_.lengths);
  find_lengths<std::uint32_t, std::uint8_t>(distances_.counts, longest_code, distances_.lengths);
  const LengthsOfCodes told(symbols_.lengths, distances_.lengths);
  const std::size_t own = told.bits() + count_bits(symbols_.counts, symbols_.lengths) +
                          count_bits(distances_.counts, distances_.lengths);
  const std::size_t fixed =
      count_bits(symbols_.counts, fixed_lengths) + count_bits(distances_.counts, fixed_distances);
  std::size_t behind = std::size_t{distances_.counts[row_code_]} * row_bits_;
  for (unsigned symbol = 265; symbol < 285; ++symbol) {
    behind += std::size_t{symbols_.counts[symbol]} * ((symbol - 261) / 4);
  }
  if (std::min(own, fixed) + behind >= 8 * block_.size()) {
    store(block_, last);
  } else {
    bits_.put(last ? 1 : 0, 1);
    if (fixed <= own) {
      bits_.put(1, 2);
      std::array<std::uint16_t, 288> codes{};
      find_codes<std::uint8_t, std::uint16_t>(fixed_lengths, codes);
      std::copy_n(fixed_lengths.begin(), 286, symbols_.lengths.begin());
      std::copy_n(codes.begin(), 286, symbols_.codes.begin());
      distances_.lengths = fixed_distances;
    } else {
      bits_.put(2, 2);
      told.write(bits_);
      find_codes<std::uint8_t, std::uint16_t>(symbols_.lengths, symbols_.codes);
    }
    find_codes<std::uint8_t, std::uint16_t>(distances_.lengths, distances_.codes);
    const unsigned run_length = distances_.lengths[0];
    const std::uint64_t run = distances_.codes[0];
    const unsigned row_length = distances_.lengths[row_code_];
    const std::uint64_t row =
        distances_.codes[row_code_] | (std::uint64_t{row_extra_} << row_length);
    BitWriter out = bits_;
    for (const std::uint16_t token : std::span(tokens_).first(token_count_)) {
      if (token < run_token) {
        out.put(symbols_.codes[token], symbols_.lengths[token]);
        continue;
      }
      const Coded& length = length_table[(token - run_token) % run_token];
      const unsigned bits = symbols_.lengths[length.symbol];
      out.put(symbols_.codes[length.symbol] | (std::uint64_t{length.extra} << bits),
              bits + length.bits);
      if (token < row_token) {
        out.put(run, run_length);
      } else {
        out.put(row, row_length + row_bits_);
      }
    }
    out.put(symbols_.codes[end_symbol], symbols_.lengths[end_symbol]);
    bits_ = out;
  }
  block_ = std::string_view(block_.data() + block_.size(), 0);
  token_count_ = 0;
  symbols_.counts.fill(0);
  distances_.counts.fill(0);
}

void Deflater::store(std::string_view bytes, bool last) {
  do {
    const std::string_view part = bytes.substr(0, most_stored);
    bytes.remove_prefix(part.size());
    bits_.put(last && bytes.empty() ? 1 : 0, 3);
    bits_.align();
    bits_.put(part.size(), 16);
    bits_.put(part.size() ^ 0xFFFFU, 16);
    bits_.align();
    bits_.copy(part);
  } while (!bytes.empty());
}

}  // namespace coluber::record
