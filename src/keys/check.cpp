#include "coluber/keys/check.hpp"

#include <algorithm>
#include <utility>

#include "coluber/keys/registry.hpp"

#include "keys/faults.hpp"

namespace coluber::keys {

Check::Check(const Node& root, const std::vector<Source>& sources, Faults& faults,
             OptionSet& options, const Registry& registry,
             const std::vector<const Section*>& sections, Words words)
    : root_(root),
      sources_(sources),
      faults_(faults),
      options_(options),
      registry_(registry),
      sections_(sections),
      words_(std::move(words)) {}

std::string Check::path_hint(const Node& node) const {
  const Source& source = sources_.at(static_cast<std::size_t>(node.where.source));
  return source.name.starts_with("--set ")
             ? "a path in --set is relative to the folder that the command is called in"
             : "the path is relative to the file that holds the key";
}

std::vector<std::string> Check::models_with(std::type_index type) const {
  std::vector<std::string> names;
  for (const ModelKeys& model : registry_.models) {
    for (const Section* section : model.sections) {
      if (section->type() == type) names.push_back(model.name);
    }
  }
  return names;
}

std::vector<const Key*> Check::keys_below(std::string_view list) const {
  std::vector<const Key*> found;
  for (const Section* section : sections_) {
    for (const ListRow& row : section->lists()) {
      if (row.name != list) continue;
      for (const Row& each : row.item->rows()) found.push_back(&each.key);
    }
  }
  return found;
}

std::optional<int> Check::joint_angles() const {
  for (const ModelKeys& model : registry_.models) {
    if (model.name == words_.model && model.joint_angles) return model.joint_angles(options_);
  }
  return std::nullopt;
}

Place Check::place(std::string_view name) const {
  while (!name.empty()) {
    if (const Node* node = find(name)) return node->where;
    const std::size_t dot = name.rfind('.');
    name = dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
  }
  return {};
}

std::string Check::catalogue_robot() const {
  const auto found = std::ranges::find_if(registry_.robots, [&](const CatalogueRobot& robot) {
    return goes_with(robot.models, words_.model);
  });
  return found == registry_.robots.end() ? "" : found->name;
}

void Check::fault(std::string_view name, std::string message, std::string hint) {
  faults_.add(place(name), std::string(name), std::move(message), std::move(hint));
}

void Check::fault_at(const Node& node, std::string key, std::string message, std::string hint) {
  faults_.add(node.where, std::move(key), std::move(message), std::move(hint));
}

void Check::fault_in_file(Diagnostic fault) { in_files_.push_back(std::move(fault)); }

void Check::also(std::function<std::vector<Diagnostic>()> find_more) {
  more_.push_back(std::move(find_more));
}

void Check::warn(std::string_view name, std::string text) {
  warnings_.push_back({std::string(name), std::move(text)});
}

bool Check::is_changed(std::string_view name) const {
  const Node* node = given(name);
  const Key* key = find_key(name);
  if (node == nullptr || key == nullptr) return node != nullptr;
  Key here = *key;
  for (const ComponentDefault& each : key->defaults) {
    if (each.component == words_.model || each.component == words_.gait ||
        each.component == words_.controller) {
      here.default_value = each.value;
    }
  }
  return !is_default(*node, here);
}

void Check::located(std::string name, const SourceLocation& where) {
  locations_.insert_or_assign(std::move(name), where);
}

}  // namespace coluber::keys
