#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/keys/check.hpp"
#include "coluber/keys/key.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::keys {

/// Something a scenario chooses by a word, or a subcommand: what keys it brings.
struct Component {
  std::string name{};
  std::string doc{};  ///< one line
  std::vector<const Section*> sections{};
  /// Values that its keys, or those of others, have with it.
  std::vector<std::pair<std::string, KeyValue>> defaults{};
  std::string formerly{};  ///< an older word for it
  /// Of a gait or a controller: the models it goes with; none: every one that takes any.
  std::vector<std::string> models{};
};

/// A mechanical model (`robot.model`).
struct ModelKeys : Component {
  bool takes_gait = true;        ///< [gait] has a meaning
  bool takes_controller = true;  ///< [controller] has a meaning
  /// Joint angles of the robot these options describe; none where that is not known.
  std::function<std::optional<int>(const OptionSet&)> joint_angles{};
  /// The only gaits it takes, its default first; none: every one that goes with any model.
  std::vector<std::string> gaits{};
  /// The only controllers it takes, in the same way.
  std::vector<std::string> controllers{};
};

/// The model takes this gait.
COLUBER_EXPORT bool takes_gait(const ModelKeys& model, const Component& gait);
/// The model takes this controller.
COLUBER_EXPORT bool takes_controller(const ModelKeys& model, const Component& controller);

/// A robot that scenarios name instead of spelling it out (`robot.name`).
struct CatalogueRobot {
  std::string name{};
  std::string doc{};   ///< one line: what it is, where its figures come from
  std::string toml{};  ///< values of its keys, as a scenario would give them
  /// It goes with; none: every one that has its keys. If it is only one, it is the model of a
  /// scenario that names the robot and no model.
  std::vector<std::string> models{};
};

/// Every component a scenario can name, and the keys that they bring together.
class COLUBER_EXPORT Registry {
 public:
  std::vector<const Section*> common{};  ///< of every scenario
  std::vector<ModelKeys> models{};
  std::vector<Component> gaits{};
  std::vector<Component> controllers{};
  std::vector<Component> studies{};  ///< their keys are no fault in a scenario that is only run
  std::vector<CatalogueRobot> robots{};

  /// Sections of a scenario with these words, in the order they are checked, none twice. An
  /// unknown model has those of every model.
  [[nodiscard]] std::vector<const Section*> sections_of(const Check::Words& words) const;
};

/// What this process knows: the library's components, and those a program has added
/// (simulation/registry.hpp).
COLUBER_EXPORT const Registry& registry();

/// Every scenario key, in the order of a file.
COLUBER_EXPORT const std::vector<Key>& keys();
/// The row of `name`; nullptr if there is none.
COLUBER_EXPORT const Key* find_key(std::string_view name);
/// Lists of tables and tables that may be absent, by full name; nullptr if it is none.
COLUBER_EXPORT const ListInfo* find_list(std::string_view name);

/// The table as a JSON array, one object per key.
COLUBER_EXPORT std::string keys_json();
/// The table as the reference page docs/keys.md.
COLUBER_EXPORT std::string keys_markdown();

}  // namespace coluber::keys
