#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/error.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::scenario {

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

/// A TOML value with its place. Tables keep the place of their keys in their children.
struct Node {
  enum class Kind : std::uint8_t { boolean, integer, number, text, date, array, table };

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

  [[nodiscard]] bool is_table() const { return kind == Kind::table; }
  [[nodiscard]] bool is_array() const { return kind == Kind::array; }
  [[nodiscard]] const Node* find(std::string_view field) const;
};

/// A value as a message shows it: `"heavy"`, `-3`, `an array of 2`, `a table`.
std::string describe(const Node& node);

/// Gathers faults, to be thrown at once in the order of the files.
class Faults {
 public:
  void add(const Place& where, std::string key, std::string message, std::string hint);
  [[nodiscard]] bool empty() const { return faults_.empty(); }
  /// Throws InputError if there are any.
  void raise(const std::vector<Source>& sources);

 private:
  struct Fault {
    Place where;
    std::size_t found;  ///< how many were found before it
    Diagnostic diagnostic;
  };
  std::vector<Fault> faults_;
};

/// All values a scenario has after includes and overrides, not validated yet.
struct Document {
  Node root;
  std::vector<Source> sources;  ///< [0] is the scenario itself
  std::string text;             ///< of the scenario itself
};

/// Reads `file` and what it includes. Throws InputError for files that cannot be read, the first
/// syntax error and include cycles. Faulty overrides go to `faults`.
Document read_document(const std::filesystem::path& file, const Overrides& overrides,
                       Faults& faults);

/// The same for text that is in no file.
Document parse_document(const std::string& text, const std::string& name,
                        const std::filesystem::path& folder, const Overrides& overrides,
                        Faults& faults);

SourceLocation to_location(const Place& place, const std::vector<Source>& sources);

/// `path.word`; `word` alone at the top.
std::string joined(const std::string& path, const std::string& word);

}  // namespace coluber::scenario
