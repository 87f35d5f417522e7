#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"

/// Bytes of a checkpoint. Whatever has state from step to step writes itself into a ByteWriter and
/// comes back from a ByteReader; one function template can do both, so that the two never differ:
///
///     template <typename Bytes, typename Self>
///     void exchange(Bytes& bytes, Self& self) { bytes(self.count, self.angles); }
///
/// Numbers are stored to the bit, low byte first: int as 64 bits, double as its pattern.
namespace coluber {

/// Writes values one after another.
class COLUBER_EXPORT ByteWriter {
 public:
  /// Numbers, texts, matrices and arrays, in this order.
  template <typename... Ts>
  void operator()(const Ts&... values) {
    (put(values), ...);
  }

  /// Says what follows, so that a reader of another model or version refuses it.
  void section(std::string_view name, std::uint32_t version);

  /// A list of any length; `item` is called for every entry.
  template <typename T, typename Item>
  void list(const std::vector<T>& values, const Item& item) {
    put_word(values.size());
    for (const T& value : values) item(value);
  }

  /// All that was written.
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  template <std::integral T>
  void put(const T& value) {
    put_word(static_cast<std::uint64_t>(value));
  }
  void put(const double& value) { put_word(std::bit_cast<std::uint64_t>(value)); }
  void put(const std::string& text);
  template <typename Derived>
  void put(const Eigen::PlainObjectBase<Derived>& values) {
    put_word(static_cast<std::uint64_t>(values.size()));
    for (Eigen::Index i = 0; i < values.size(); ++i) put(values.data()[i]);
  }
  template <typename T, std::size_t N>
  void put(const std::array<T, N>& values) {
    for (const T& value : values) put(value);
  }
  void put_word(std::uint64_t word);

  std::string bytes_;
};

/// Reads what a ByteWriter wrote. Anything that does not fit (too short, another section, a number
/// out of range) is a FileError that begins with `name`. Does not own the bytes.
class COLUBER_EXPORT ByteReader {
 public:
  /// `name` begins every fault.
  ByteReader(std::string_view bytes, std::string name) : rest_(bytes), name_(std::move(name)) {}

  /// The values in the order they were written.
  template <typename... Ts>
  void operator()(Ts&... values) {
    (get(values), ...);
  }

  /// Refuses another section or version than this.
  void section(std::string_view name, std::uint32_t version);

  /// A list as ByteWriter::list wrote it.
  template <typename T, typename Item>
  void list(std::vector<T>& values, const Item& item) {
    values = std::vector<T>(get_count());
    for (T& value : values) item(value);
  }

  /// Refuses the bytes unless all of them were read.
  void finish() const;
  /// Throws FileError: what is in the bytes makes no sense.
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  template <std::integral T>
  void get(T& value) {
    const std::uint64_t word = get_word();
    value = static_cast<T>(word);
    if (static_cast<std::uint64_t>(value) != word) refuse("a number is out of range");
  }
  void get(double& value) { value = std::bit_cast<double>(get_word()); }
  void get(std::string& text);
  /// The sizes must agree: a matrix is made by its model, never by a file.
  template <typename Derived>
  void get(Eigen::PlainObjectBase<Derived>& values) {
    require_size(get_word(), static_cast<std::uint64_t>(values.size()));
    for (Eigen::Index i = 0; i < values.size(); ++i) get(values.data()[i]);
  }
  template <typename T, std::size_t N>
  void get(std::array<T, N>& values) {
    for (T& value : values) get(value);
  }
  std::uint64_t get_word();
  std::size_t get_count();
  void require_size(std::uint64_t found, std::uint64_t wanted) const;

  std::string_view rest_;
  std::string name_;
};

/// Restores what `exchange` reads and `check` accepts. Where either throws, the values are as they
/// were; the exception passes on.
template <typename Exchange, typename Check>
void restore_or_keep(ByteReader& bytes, const Exchange& exchange, const Check& check) {
  ByteWriter before;
  exchange(before);
  try {
    exchange(bytes);
    check();
  } catch (...) {
    ByteReader back(before.bytes(), "");
    exchange(back);
    throw;
  }
}

/// `payload` with what it is, its length and a checksum around it.
COLUBER_EXPORT std::string seal(std::string_view kind, std::uint32_t version,
                                std::string_view payload);

/// The payload of sealed `bytes`. Throws FileError, beginning with `name`, if they are of another
/// kind or version, cut short, too long or damaged anywhere.
COLUBER_EXPORT std::string_view unseal(std::string_view kind, std::uint32_t version,
                                       std::string_view bytes, const std::string& name);

}  // namespace coluber
