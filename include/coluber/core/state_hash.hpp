#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/hash.hpp"

namespace coluber {

/// Takes what a ByteWriter takes and hashes it: the one exchange of a State gives its checkpoint
/// and its hash.
class StateHasher {
 public:
  /// Whether the sizes of lists and matrices count. Where the model fixes them they need not.
  enum class Sizes : std::uint8_t { left_out, counted };
  /// A hash of nothing yet.
  explicit StateHasher(Sizes sizes) : sizes_(sizes) {}

  /// Numbers, texts, matrices and arrays, in this order.
  template <typename... Ts>
  void operator()(const Ts&... values) {
    (put(values), ...);
  }
  /// A list of any length; `item` is called for every entry and hashes it.
  template <typename T, typename Item>
  void list(const std::vector<T>& values, const Item& item) {
    put_size(values.size());
    for (const T& value : values) item(value);
  }
  /// The hash of all that was taken so far.
  [[nodiscard]] std::uint64_t finish() const { return hash_.finish(); }

 private:
  template <std::integral T>
  void put(const T& value) {
    hash_.update(value);
  }
  void put(const double& value) { hash_.update(value); }
  void put(const std::string& text) {
    put_size(text.size());
    hash_.update(text);
  }
  template <typename Derived>
  void put(const Eigen::PlainObjectBase<Derived>& values) {
    put_size(static_cast<std::size_t>(values.size()));
    for (Eigen::Index i = 0; i < values.size(); ++i) put(values.data()[i]);
  }
  template <typename T, std::size_t N>
  void put(const std::array<T, N>& values) {
    for (const T& value : values) put(value);
  }
  void put_size(std::size_t size) {
    if (sizes_ == Sizes::counted) hash_.update(size);
  }

  Hasher hash_;
  Sizes sizes_;
};

}  // namespace coluber
