#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/keys/node.hpp"

namespace coluber::keys {

/// What kind of value a key takes.
enum class KeyType : std::uint8_t {
  number,   ///< integers are taken too
  integer,  ///< whole numbers only
  boolean,
  text,
  choice,             ///< one of `Key::choices`
  path,               ///< relative to the file that holds the key
  pair,               ///< two numbers
  numbers,            ///< a list of numbers
  integers,           ///< a list of whole numbers
  words,              ///< a list of texts, of `Key::choices` if there are any
  pairs,              ///< a list of pairs of numbers
  number_or_numbers,  ///< a number, or a list of one per `Key::each`
  word_or_numbers,    ///< one of `Key::choices`, or a list of numbers
  path_list,          ///< a path or a list of paths
};

/// In words: "number", "word or list of numbers".
COLUBER_EXPORT std::string_view to_string(KeyType type);

/// A value a key may take; empty: none.
using KeyValue = std::variant<std::monostate, bool, std::int64_t, double, std::string,
                              std::vector<double>, std::vector<std::string>>;

/// One word a `choice` key may take.
struct Choice {
  std::string name{};
  std::string doc{};
  bool built = true;       ///< false: known, but asking for it is "not built yet"
  std::string formerly{};  ///< an older word for it, which gets a hint
};

/// A default that a component brings: of a model, a gait, a controller.
struct ComponentDefault {
  std::string component;  ///< "spatial"
  KeyValue value;
};

/// A word of the same table that a key depends on.
struct Condition {
  std::string key{};                 ///< "shape", beside the key in its table
  std::vector<std::string> words{};  ///< with these the key has a meaning
};

/// One key of a scenario: what drives validation, `coluber list keys` and docs/keys.md.
struct Key {
  std::string name{};  ///< "solver.dt"; of each entry of a list: "world.obstacle.x"
  KeyType type = KeyType::number;
  std::string unit{};          ///< SI or deg; "" for a pure number or a word
  KeyValue default_value{};    ///< none: unset unless given
  std::string default_note{};  ///< said instead of the default where that depends on other keys
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool above_min = false;         ///< the range is (min, max], not [min, max]
  bool infinity_allowed = false;  ///< inf means "no limit"
  std::size_t count = 0;          ///< of a list: exactly so many; 0: any
  std::string each{};             ///< of a list: what there is one entry for, "joint"
  std::vector<Choice> choices{};
  std::string doc{};            ///< one line, no full stop
  std::string example{};        ///< TOML text of a sensible value
  Condition with{};             ///< none: whatever the table says
  bool from_catalogue = false;  ///< no default but that of a catalogue robot
  bool required = false;        ///< of a list's entry: must be given
  bool written = false;         ///< of a path: a file the program writes, relative to where it runs
  bool by_contents = false;     ///< of a path: the file's contents count, not its place
  std::vector<std::string> models{};         ///< those that know it; none: every one
  std::vector<std::string> gaits{};          ///< those that know it; none: every one
  std::vector<std::string> controllers{};    ///< those that know it; none: every one
  std::vector<ComponentDefault> defaults{};  ///< of components that bring their own
  bool built = true;  ///< false: known, but any value other than the default is "not built yet"
};

/// `name` is one of `components`, or there are none: every one knows the key.
COLUBER_EXPORT bool goes_with(const std::vector<std::string>& components, std::string_view name);

/// What a value must be, in words: "a number > 0, at most 0.1".
COLUBER_EXPORT std::string expectation(const Key& key);

/// The default in words: `1.3; 0.01 for spatial, 0.2 for minimal`.
COLUBER_EXPORT std::string default_text(const Key& key);

/// A value as TOML text: `0.001`, `"newton"`, `[0.2, 0.2]`, `inf`; "" for none.
COLUBER_EXPORT std::string to_toml(const KeyValue& value);

/// The value as a file would hold it.
COLUBER_EXPORT Node to_node(const KeyValue& value);
/// The other way; none for what no key has as its default.
COLUBER_EXPORT KeyValue to_key_value(const Node& node);

/// The value fits type, range and words of the key.
COLUBER_EXPORT bool fits(const Node& node, const Key& key);

/// The value is the key's default.
COLUBER_EXPORT bool is_default(const Node& node, const Key& key);

/// The last word of a dotted name.
COLUBER_EXPORT std::string_view last_word(std::string_view name);

}  // namespace coluber::keys
