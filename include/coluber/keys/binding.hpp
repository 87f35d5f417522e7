#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "coluber/keys/key.hpp"
#include "coluber/keys/node.hpp"

namespace coluber::keys {

/// What reading a value needs beside the value.
struct ReadContext {
  const std::vector<Source>& sources;
  /// Values that components bring, by the key's full name; the file goes before them.
  const std::map<std::string, Node, std::less<>>& defaults;
};

/// A path as the file that holds it means it.
COLUBER_EXPORT std::filesystem::path to_path(const Node& node, const Key& key,
                                             const ReadContext& context);

/// A word, or a list of numbers.
struct WordOrNumbers {
  std::string word{};
  std::vector<double> numbers{};  ///< used where `word` is empty
  friend bool operator==(const WordOrNumbers&, const WordOrNumbers&) = default;
};

/// How a value of a file becomes a member of type M of an options struct, and back. Specialise it
/// for types of your own.
template <typename M>
struct Binding;

/// How many numbers a member of type M holds if it always holds the same number of them, three or
/// more: its key then takes a list of exactly so many. 0 otherwise.
template <typename M>
inline constexpr std::size_t fixed_count = 0;
template <std::size_t N>
inline constexpr std::size_t fixed_count<std::array<double, N>> = N;
template <int N>
  requires(N > 2)
inline constexpr std::size_t fixed_count<Eigen::Matrix<double, N, 1>> = N;
template <typename M>
inline constexpr std::size_t fixed_count<std::optional<M>> = fixed_count<M>;

// Bindings of numbers, words, paths, pairs, lists of these, and members that may be unset.
/// @cond
template <>
struct Binding<double> {
  static KeyType type(const Key& /*key*/) { return KeyType::number; }
  static double read(const Node& node, const Key&, const ReadContext&) { return node.as_double(); }
  static Node write(double value, const Key& /*key*/) { return make_node(value); }
};

template <>
struct Binding<bool> {
  static KeyType type(const Key& /*key*/) { return KeyType::boolean; }
  static bool read(const Node& node, const Key&, const ReadContext&) { return node.boolean; }
  static Node write(bool value, const Key& /*key*/) { return make_node(value); }
};

template <typename M>
  requires(std::is_integral_v<M> && !std::is_same_v<M, bool>)
struct Binding<M> {
  static KeyType type(const Key& /*key*/) { return KeyType::integer; }
  static M read(const Node& node, const Key&, const ReadContext&) {
    return static_cast<M>(node.integer);
  }
  static Node write(M value, const Key& /*key*/) {
    return make_node(static_cast<std::int64_t>(value));
  }
};

/// Enumerators in the order of the key's choices.
template <typename M>
  requires std::is_enum_v<M>
struct Binding<M> {
  static KeyType type(const Key& /*key*/) { return KeyType::choice; }
  static M read(const Node& node, const Key& key, const ReadContext&) {
    std::size_t at = 0;
    while (at + 1 < key.choices.size() && key.choices[at].name != node.text) ++at;
    return static_cast<M>(at);
  }
  static Node write(M value, const Key& key) {
    return make_node(key.choices.at(static_cast<std::size_t>(value)).name);
  }
};

template <>
struct Binding<std::string> {
  static KeyType type(const Key& key) {
    return key.choices.empty() ? KeyType::text : KeyType::choice;
  }
  static std::string read(const Node& node, const Key&, const ReadContext&) { return node.text; }
  static Node write(const std::string& value, const Key& key) {
    return value.empty() && !key.choices.empty() ? make_none() : make_node(value);
  }
};

template <>
struct Binding<std::filesystem::path> {
  static KeyType type(const Key& /*key*/) { return KeyType::path; }
  static std::filesystem::path read(const Node& node, const Key& key, const ReadContext& context) {
    return to_path(node, key, context);
  }
  static Node write(const std::filesystem::path& value, const Key& /*key*/) {
    return value.empty() ? make_none() : make_node(value.string());
  }
};

template <>
struct Binding<Eigen::Vector2d> {
  static KeyType type(const Key& /*key*/) { return KeyType::pair; }
  static Eigen::Vector2d read(const Node& node, const Key&, const ReadContext&) {
    return {node.items[0].as_double(), node.items[1].as_double()};
  }
  static Node write(const Eigen::Vector2d& value, const Key& /*key*/) {
    return make_node(std::vector<double>{value.x(), value.y()});
  }
};

/// So many numbers: std::array<double, 6>, Eigen::Vector3d.
template <typename M>
  requires(fixed_count<M> > 0 && std::is_default_constructible_v<M> &&
           requires(M m) { m[0] = 0.0; })
struct Binding<M> {
  static KeyType type(const Key& /*key*/) { return KeyType::numbers; }
  static M read(const Node& node, const Key&, const ReadContext&) {
    M values{};
    for (std::size_t i = 0; i < fixed_count<M>; ++i) {
      values[static_cast<index>(i)] = node.items[i].as_double();
    }
    return values;
  }
  static Node write(const M& values, const Key& /*key*/) {
    return make_node(std::vector<double>(values.begin(), values.end()));
  }

 private:
  using index = decltype(std::declval<const M&>().size());
};

/// A list whose entries are bound one by one.
template <typename M>
struct Binding<std::vector<M>> {
  static KeyType type(const Key& key) {
    const KeyType one = Binding<M>::type(key);
    return one == KeyType::number    ? KeyType::numbers
           : one == KeyType::integer ? KeyType::integers
           : one == KeyType::pair    ? KeyType::pairs
                                     : KeyType::words;
  }
  static std::vector<M> read(const Node& node, const Key& key, const ReadContext& context) {
    std::vector<M> values;
    for (const Node& item : node.items) values.push_back(Binding<M>::read(item, key, context));
    return values;
  }
  static Node write(const std::vector<M>& values, const Key& key) {
    Node node;
    node.kind = Node::Kind::array;
    for (const M& value : values) node.items.push_back(Binding<M>::write(value, key));
    return node;
  }
};

/// Not set unless the file says so.
template <typename M>
struct Binding<std::optional<M>> {
  static KeyType type(const Key& key) { return Binding<M>::type(key); }
  static std::optional<M> read(const Node& node, const Key& key, const ReadContext& context) {
    return Binding<M>::read(node, key, context);
  }
  static Node write(const std::optional<M>& value, const Key& key) {
    return value ? Binding<M>::write(*value, key) : make_none();
  }
};

template <>
struct Binding<WordOrNumbers> {
  static KeyType type(const Key& /*key*/) { return KeyType::word_or_numbers; }
  static WordOrNumbers read(const Node& node, const Key&, const ReadContext&) {
    WordOrNumbers value{node.text, {}};
    for (const Node& item : node.items) value.numbers.push_back(item.as_double());
    return value;
  }
  static Node write(const WordOrNumbers& value, const Key& /*key*/) {
    return value.word.empty() ? make_node(value.numbers) : make_node(value.word);
  }
};
/// @endcond

}  // namespace coluber::keys
