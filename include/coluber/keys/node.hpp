#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/error.hpp"
#include "coluber/core/export.hpp"

namespace coluber::keys {

/// A file, or one `--set`, that values came from.
struct Source {
  std::string name;              ///< as the user would write it
  std::filesystem::path folder;  ///< paths among its values are relative to this
};

/// A place in a source, 1-based; line 0: the source as a whole.
struct Place {
  int source = 0;
  int line = 0;
  int column = 0;
};

/// A value of a file with its place. Tables keep the place of their keys in their children.
struct COLUBER_EXPORT Node {
  /// What the value is; `none` stands for a key that is not set.
  enum class Kind : std::uint8_t { boolean, integer, number, text, date, array, table, none };

  Kind kind = Kind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0.0;
  std::string text{};
  std::vector<Node> items{};                          ///< of an array
  std::map<std::string, Node, std::less<>> fields{};  ///< of a table
  Place where{};                                      ///< of the value; of a table: its header
  Place key{};                                        ///< of the key that holds it
  bool valid = true;  ///< cleared by validation: reported already, not to be used

  /// True of a table.
  [[nodiscard]] bool is_table() const { return kind == Kind::table; }
  /// True of a list.
  [[nodiscard]] bool is_array() const { return kind == Kind::array; }
  /// True of a number, whole or not.
  [[nodiscard]] bool is_number() const { return kind == Kind::number || kind == Kind::integer; }
  /// A number or an integer, as a number.
  [[nodiscard]] double as_double() const {
    return kind == Kind::integer ? static_cast<double>(integer) : number;
  }
  /// Below this table; nullptr if there is none.
  [[nodiscard]] const Node* find(std::string_view field) const;
  /// Down a dotted name ("solver.thesis.r_T", "world.obstacle.2.x") through tables and lists;
  /// nullptr if there is none.
  [[nodiscard]] const Node* find_path(std::string_view name) const;
  /// The node of a dotted name below this table; tables on the way appear where they are missing.
  Node& at_path(std::string_view name);
};

/// A value without a place: a boolean.
COLUBER_EXPORT Node make_node(bool value);
/// An integer.
COLUBER_EXPORT Node make_node(std::int64_t value);
/// A number.
COLUBER_EXPORT Node make_node(double value);
/// A text.
COLUBER_EXPORT Node make_node(std::string value);
/// A list of numbers.
COLUBER_EXPORT Node make_node(const std::vector<double>& values);
/// A list of texts.
COLUBER_EXPORT Node make_node(const std::vector<std::string>& values);
/// No value: a key that is not set.
COLUBER_EXPORT Node make_none();

/// Lays `over` on `base`: tables deeply, all else replaced.
COLUBER_EXPORT void merge(Node& base, Node&& over);

/// A value as a message shows it: `"heavy"`, `-3`, `a list of 2`, `a table`.
COLUBER_EXPORT std::string describe(const Node& node);

/// `path.word`; `word` alone at the top.
COLUBER_EXPORT std::string joined(const std::string& path, const std::string& word);

/// A place as a message names it.
COLUBER_EXPORT SourceLocation to_location(const Place& place, const std::vector<Source>& sources);

}  // namespace coluber::keys
