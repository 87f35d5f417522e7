#pragma once

#include <any>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "coluber/core/error.hpp"
#include "coluber/core/export.hpp"
#include "coluber/keys/node.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::keys {

class Faults;
class Registry;

/// Something the user should know before or after a run.
struct Warning {
  std::string key{};  ///< the key it is about; a failure that comes of it repeats the text
  std::string text{};
};

/// The options structs of one scenario, by their type.
class COLUBER_EXPORT OptionSet {
 public:
  /// Those of type T; nullptr if no component of the scenario has them.
  template <typename T>
  [[nodiscard]] T* find() {
    const auto found = structs_.find(typeid(T));
    return found == structs_.end() ? nullptr : std::any_cast<T>(&found->second);
  }
  /// The same, to read only.
  template <typename T>
  [[nodiscard]] const T* find() const {
    const auto found = structs_.find(typeid(T));
    return found == structs_.end() ? nullptr : std::any_cast<T>(&found->second);
  }
  /// The struct of this section, made if it is not there yet.
  std::any& of(const Section& section);

 private:
  std::map<std::type_index, std::any> structs_;
};

/// What a component sees when it checks its options: the others' options, what the file gave, and
/// where to report a fault.
class COLUBER_EXPORT Check {
 public:
  /// Words that a scenario chose: of its model, gait and controller.
  struct Words {
    std::string model{};
    std::string gait{};  ///< "": none
    std::string controller{};
  };

  /// Of one scenario: its values, where they came from, where faults go, the options read so far,
  /// and the sections of its components. All but `words` must outlive this.
  Check(const Node& root, const std::vector<Source>& sources, Faults& faults, OptionSet& options,
        const Registry& registry, const std::vector<const Section*>& sections, Words words);

  /// What the file has under `name`, sound or not; nullptr if nothing.
  [[nodiscard]] const Node* find(std::string_view name) const { return root_.find_path(name); }
  /// The same if it is sound.
  [[nodiscard]] const Node* given(std::string_view name) const {
    const Node* node = find(name);
    return node != nullptr && node->valid ? node : nullptr;
  }
  /// Nothing under `name` has been refused.
  [[nodiscard]] bool is_sound(std::string_view name) const {
    const Node* node = find(name);
    return node == nullptr || node->valid;
  }
  /// What a path that leads nowhere is relative to, for a hint.
  [[nodiscard]] std::string path_hint(const Node& node) const;

  /// The options of type T; nullptr if this scenario has none.
  template <typename T>
  [[nodiscard]] T* find_options() {
    return options_.find<T>();
  }

  /// Name of the scenario's model.
  [[nodiscard]] const std::string& model() const { return words_.model; }
  /// Name of its gait; "" if it has none.
  [[nodiscard]] const std::string& gait() const { return words_.gait; }
  /// Name of its controller; "" if it has none.
  [[nodiscard]] const std::string& controller() const { return words_.controller; }
  /// Names of the models that have the options of type T.
  template <typename T>
  [[nodiscard]] std::vector<std::string> models_with() const {
    return models_with(typeid(T));
  }
  /// Keys of the entries of a list that this scenario's components know.
  [[nodiscard]] std::vector<const Key*> keys_below(std::string_view list) const;
  /// Joint angles of the robot; none where that is not known, or has no meaning.
  [[nodiscard]] std::optional<int> joint_angles() const;
  /// Name of the catalogue's robot, if the scenario names one that exists; else "".
  [[nodiscard]] const std::string& robot() const { return robot_; }
  /// Name of a robot of the catalogue that goes with this scenario's model; "" if there is none.
  [[nodiscard]] std::string catalogue_robot() const;
  /// What robot() returns from now on; set before the components check.
  void set_robot(std::string name) { robot_ = std::move(name); }

  /// Reports a fault of a key: at its value, else at the table around it, else at the file.
  void fault(std::string_view name, std::string message, std::string hint);
  /// Reports a fault at a value.
  void fault_at(const Node& node, std::string key, std::string message, std::string hint);
  /// Reports a fault inside a file that a key names. These come behind the scenario's own.
  void fault_in_file(Diagnostic fault);
  /// Called if the scenario is refused: what else is wrong, in files that are read only later.
  void also(std::function<std::vector<Diagnostic>()> find_more);

  /// Tells the user something about a key that is no fault: what has no effect, what is odd. The
  /// text names the key.
  void warn(std::string_view name, std::string text);
  /// The value under `name` is sound, and another than the default that the key has here.
  [[nodiscard]] bool is_changed(std::string_view name) const;

  /// Entry `name` ("world.obstacle.12") was given there.
  void located(std::string name, const SourceLocation& where);

  /// Faults from fault_in_file(), in the order reported.
  [[nodiscard]] const std::vector<Diagnostic>& faults_in_files() const { return in_files_; }
  /// What also() was given, in that order.
  [[nodiscard]] const std::vector<std::function<std::vector<Diagnostic>()>>& more() const {
    return more_;
  }
  /// What warn() was given, in that order.
  [[nodiscard]] const std::vector<Warning>& warnings() const { return warnings_; }
  /// The places that located() was given, by entry.
  [[nodiscard]] const std::map<std::string, SourceLocation, std::less<>>& locations() const {
    return locations_;
  }

 private:
  [[nodiscard]] std::vector<std::string> models_with(std::type_index type) const;
  [[nodiscard]] Place place(std::string_view name) const;

  const Node& root_;
  const std::vector<Source>& sources_;
  Faults& faults_;
  OptionSet& options_;
  const Registry& registry_;
  const std::vector<const Section*>& sections_;
  Words words_;
  std::string robot_;
  std::vector<Diagnostic> in_files_;
  std::vector<std::function<std::vector<Diagnostic>()>> more_;
  std::vector<Warning> warnings_;
  std::map<std::string, SourceLocation, std::less<>> locations_;
};

}  // namespace coluber::keys
