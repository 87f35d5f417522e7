#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/keys/key.hpp"
#include "coluber/keys/node.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::scenario {

/// A key and the value it is given. The key may name an entry of a list and a component of a
/// value: "world.obstacle.3.x", "world.friction.2", both counted from 1.
struct Assignment {
  std::string key;
  keys::Node value;
};

/// What an assignment's key means.
struct KeyTarget {
  const keys::Key* row = nullptr;  ///< nullptr: there is no such key
  int component = 0;               ///< of the value of `row`, from 1; 0: the whole value
  /// The row for what is assigned: of a component, that of one number.
  keys::Key key{};
};

/// The row of a key that may have numbers in it.
COLUBER_EXPORT KeyTarget find_target(std::string_view key);

/// A scenario that is read once and made many times, with other values for some of its keys.
/// Shared by threads.
class COLUBER_EXPORT Base {
 public:
  /// Where values that are laid over a scenario come from, for messages.
  struct Over {
    std::vector<Assignment> values{};  ///< places of their nodes: lines of `name`
    std::string name{};                ///< a file
    std::filesystem::path folder{};    ///< paths among the values are relative to this
  };

  /// Reads the file and its includes, lays `over` and then `overrides` on them. Throws InputError
  /// with every fault.
  static Base load(const std::filesystem::path& file, const Over& over, const Overrides& overrides);
  /// The same from TOML text, as scenario::parse.
  static Base parse(const std::string& text, const std::filesystem::path& folder,
                    const std::string& name, const Over& over, const Overrides& overrides);
  /// What to_text() wrote. Throws InputError if it is something else.
  static Base from_text(std::string_view text);

  /// The base without any assignment.
  [[nodiscard]] const Scenario& scenario() const;

  /// All values of the base as one text that needs no other file, but for tables of numbers that
  /// keys name: these are named with their whole path.
  [[nodiscard]] std::string to_text() const;

  /// Why `key` cannot be assigned to; "" if it can. Lists that the base leaves at their default
  /// are then its own, so that their entries can be assigned to. Not for several threads.
  std::string prepare(const std::string& key);

  /// The scenario with these values, of keys that were prepared: its options, without `resolved`,
  /// `text` and places. Throws InputError.
  [[nodiscard]] Scenario make(std::span<const Assignment> values) const;
  /// The same, whole: what a file with these values would give.
  [[nodiscard]] Scenario make_whole(std::span<const Assignment> values) const;

 private:
  struct Impl;
  explicit Base(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// A value as JSON keeps it, and back. Whole numbers stay apart from others; infinite ones and NaN
/// are objects with the one member "$".
COLUBER_EXPORT std::string to_json_text(const keys::Node& node);
/// The other way. Throws InputError.
COLUBER_EXPORT keys::Node from_json_text(std::string_view text);

}  // namespace coluber::scenario
