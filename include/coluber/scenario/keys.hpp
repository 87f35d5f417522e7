#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "coluber/core/export.hpp"

namespace coluber::scenario {

enum class KeyType : std::uint8_t {
  number,   ///< integers are taken too
  integer,  ///< whole numbers only
  boolean,
  text,
  choice,       ///< one of `Key::choices`
  path,         ///< relative to the file that holds the key
  pair,         ///< two numbers
  gains,        ///< a number, or a list of one a joint
  start_shape,  ///< one of `Key::choices`, or a list of numbers
  path_list,    ///< a path or a list of paths
};

COLUBER_EXPORT std::string_view to_string(KeyType type);

/// A value a key may take; empty: none.
using KeyValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<double>>;

/// One word a `choice` key may take.
struct Choice {
  std::string name{};
  std::string doc{};
  bool built = true;  ///< false: known, but asking for it is "not built yet"
};

/// One row of the table that drives validation, `coluber list keys` and docs/keys.md.
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
  std::vector<Choice> choices{};
  std::string doc{};                  ///< one line, no full stop
  std::string example{};              ///< TOML text of a sensible value
  std::vector<std::string> models{};  ///< those that know it; none: every one
  bool built = true;  ///< false: known, but any value other than the default is "not built yet"
};

/// Every scenario key, in the order of a file.
COLUBER_EXPORT const std::vector<Key>& keys();

/// `robot.model` is one of those that know the key.
COLUBER_EXPORT bool goes_with(const Key& key, std::string_view model);

/// The row of `name`; nullptr if there is none.
COLUBER_EXPORT const Key* find_key(std::string_view name);

/// What a value must be, in words: "a number > 0, at most 0.1".
COLUBER_EXPORT std::string expectation(const Key& key);

/// A value as TOML text: `0.001`, `"newton"`, `[0.2, 0.2]`, `inf`; "" for none.
COLUBER_EXPORT std::string to_toml(const KeyValue& value);

/// The table as a JSON array, one object a key.
COLUBER_EXPORT std::string keys_json();

/// The table as the reference page docs/keys.md.
COLUBER_EXPORT std::string keys_markdown();

}  // namespace coluber::scenario
