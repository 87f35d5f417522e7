#include "keys/key_table.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace coluber::keys {

namespace {

/// Which components own a key.
struct Owners {
  std::size_t at = 0;  ///< of the key among those gathered
  bool everyone = false;
  bool by_controllers = false;  ///< none but controllers
  bool by_gaits = false;        ///< none but gaits
  std::vector<std::string> models{};
  std::vector<std::string> gaits{};
  std::vector<std::string> controllers{};
};

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

/// Gathers keys section by section, each once, with its owners.
class Gatherer {
 public:
  template <typename Note>
  void add(const Section& section, Note&& note) {
    for (const Row& row : section.rows()) {
      const auto [place, fresh] = owners_.try_emplace(row.key.name);
      if (fresh) {
        place->second.at = keys_.size();
        keys_.push_back(row.key);
      }
      note(place->second);
    }
    for (const ListRow& list : section.lists()) {
      lists_.try_emplace(list.name, list.info);
      add(*list.item, note);
    }
  }
  /// Words of a key that models before this one did not have.
  void add_choices(const Section& section) {
    for (const Row& row : section.rows()) {
      std::vector<Choice>& known = keys_[owners_.at(row.key.name).at].choices;
      for (const Choice& choice : row.key.choices) {
        if (std::ranges::find(known, choice.name, &Choice::name) == known.end()) {
          known.push_back(choice);
        }
      }
    }
  }
  /// Models whose section has another default than the one that named the key first.
  void add_defaults(const Section& section, const ModelKeys& model) {
    for (const Row& row : section.rows()) {
      Key& key = keys_[owners_.at(row.key.name).at];
      const bool said = std::ranges::any_of(
          model.defaults, [&](const auto& each) { return each.first == key.name; });
      if (said || row.key.default_value == key.default_value) continue;
      key.defaults.push_back({model.name, row.key.default_value});
    }
    for (const ListRow& list : section.lists()) add_defaults(*list.item, model);
  }
  void add(Key key) {
    owners_[key.name] = {.at = keys_.size(), .everyone = true};
    keys_.push_back(std::move(key));
  }
  /// A key of these models alone.
  void add(Key key, const std::vector<std::string>& models) {
    owners_[key.name] = {.at = keys_.size(), .models = models};
    keys_.push_back(std::move(key));
  }

  std::vector<Key> keys_;
  std::map<std::string, Owners, std::less<>> owners_;
  std::map<std::string, ListInfo, std::less<>> lists_;
};

template <typename Components>
std::vector<Choice> choices_of(const Components& components) {
  std::vector<Choice> choices;
  for (const auto& component : components) {
    choices.push_back({component.name, component.doc, true, component.formerly});
  }
  return choices;
}

template <typename Components>
std::string first_name(const Components& components) {
  return components.empty() ? std::string{} : components.front().name;
}

/// The words by which a scenario chooses its components.
void add_words(const Registry& registry, const std::vector<std::string>& with_gait,
               const std::vector<std::string>& with_controller, Gatherer& all) {
  using enum KeyType;
  all.add({.name = "robot.model",
           .type = choice,
           .default_value = first_name(registry.models),
           .default_note = fmt::format("\"{}\", or the one model of a catalogue robot",
                                       first_name(registry.models)),
           .choices = choices_of(registry.models),
           .doc = "mechanical model",
           .example = '"' + first_name(registry.models) + '"'});
  std::vector<Choice> robots;
  for (const CatalogueRobot& robot : registry.robots) robots.push_back({robot.name, robot.doc});
  all.add({.name = "robot.name",
           .type = choice,
           .default_note = "none: the robot is spelled out",
           .choices = std::move(robots),
           .doc = "a robot of the catalogue; every other robot key overrides it",
           .example = '"' + first_name(registry.robots) + '"'});
  all.add({.name = "gait.name",
           .type = choice,
           .default_value = first_name(registry.gaits),
           .choices = choices_of(registry.gaits),
           .doc = "joint references; without a [gait] the start angles are held",
           .example = '"' + first_name(registry.gaits) + '"'},
          with_gait);
  all.add({.name = "controller.name",
           .type = choice,
           .default_value = first_name(registry.controllers),
           .choices = choices_of(registry.controllers),
           .doc = "joint controller",
           .example = '"' + first_name(registry.controllers) + '"'},
          with_controller);
}

/// [robot], [start] … in the order of a file, tables below a table behind its own keys.
void put_in_order(std::vector<Key>& keys) {
  const std::vector<std::string> tables{"",          "robot",   "start",  "world", "path",
                                        "force_map", "quality", "strain", "gait",  "controller",
                                        "solver",    "stop",    "record"};
  std::vector<std::string> seen;  // tables, and tables below them, as they come
  const auto number_of = [&](const std::string& table) {
    const auto found = std::ranges::find(seen, table);
    if (found != seen.end()) return found - seen.begin();
    seen.push_back(table);
    return static_cast<std::ptrdiff_t>(seen.size()) - 1;
  };
  std::vector<std::tuple<std::ptrdiff_t, std::ptrdiff_t, std::size_t>> order;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& name = keys[i].name;
    const std::size_t first = name.find('.');
    const std::string top = first == std::string::npos ? "" : name.substr(0, first);
    const auto known = std::ranges::find(tables, top);
    const std::ptrdiff_t rank =
        known != tables.end() ? known - tables.begin() : std::ssize(tables) + number_of(top);
    const std::string table = name.substr(0, name.rfind('.') + 1);
    order.emplace_back(rank, std::ranges::count(table, '.') <= 1 ? -1 : number_of(table), i);
  }
  std::ranges::sort(order);
  std::vector<Key> sorted;
  for (const auto& [rank, table, i] : order) sorted.push_back(std::move(keys[i]));
  keys = std::move(sorted);
}

}  // namespace

bool takes_gait(const ModelKeys& model, const Component& gait) {
  return model.takes_gait && goes_with(model.gaits, gait.name) &&
         goes_with(gait.models, model.name);
}

bool takes_controller(const ModelKeys& model, const Component& controller) {
  return model.takes_controller && goes_with(model.controllers, controller.name) &&
         goes_with(controller.models, model.name);
}

std::vector<const Section*> Registry::sections_of(const Check::Words& words) const {
  std::vector<const Section*> sections;
  std::set<std::type_index> known;
  const auto add = [&](const std::vector<const Section*>& more) {
    for (const Section* section : more) {
      if (known.insert(section->type()).second) sections.push_back(section);
    }
  };
  add(common);
  const auto chosen = std::ranges::find(models, words.model, &ModelKeys::name);
  const bool unknown_model = chosen == models.end();
  for (const ModelKeys& model : models) {
    if (unknown_model || model.name == words.model) add(model.sections);
  }
  for (const Component& gait : gaits) {
    if (unknown_model || takes_gait(*chosen, gait)) add(gait.sections);
  }
  for (const Component& controller : controllers) {
    if (!unknown_model && !takes_controller(*chosen, controller)) continue;
    if (words.controller.empty() || controller.name == words.controller) add(controller.sections);
  }
  for (const Component& study : studies) add(study.sections);
  return sections;
}

KeyTable::KeyTable(const Registry& registry) {
  std::vector<std::string> with_gait;
  std::vector<std::string> with_controller;
  for (const ModelKeys& model : registry.models) {
    if (model.takes_gait) with_gait.push_back(model.name);
    if (model.takes_controller) with_controller.push_back(model.name);
  }
  Gatherer all;
  add_words(registry, with_gait, with_controller, all);
  for (const Section* section : registry.common) {
    all.add(*section, [](Owners& owners) { owners.everyone = true; });
  }
  all.add({.name = "include",
           .type = KeyType::path_list,
           .default_note = "none",
           .doc = "files to start from, relative to this one; this file wins, lists such as "
                  "[[world.obstacle]] are replaced as a whole",
           .example = "[\"aiko.toml\"]"});
  for (const ModelKeys& model : registry.models) {
    for (const Section* section : model.sections) {
      all.add(*section, [&](Owners& owners) { add_once(owners.models, model.name); });
      all.add_defaults(*section, model);
      all.add_choices(*section);
    }
  }
  const auto add_models = [&registry](Owners& owners, const Component& component, auto&& takes) {
    for (const ModelKeys& model : registry.models) {
      if (takes(model, component)) add_once(owners.models, model.name);
    }
  };
  for (const Component& gait : registry.gaits) {
    for (const Section* section : gait.sections) {
      all.add(*section, [&](Owners& owners) {
        owners.by_gaits = owners.by_gaits || owners.models.empty();
        add_models(owners, gait, takes_gait);
        add_once(owners.gaits, gait.name);
      });
    }
  }
  for (const Component& controller : registry.controllers) {
    for (const Section* section : controller.sections) {
      all.add(*section, [&](Owners& owners) {
        owners.by_controllers = owners.by_controllers || owners.models.empty();
        add_models(owners, controller, takes_controller);
        owners.by_gaits = false;
        add_once(owners.controllers, controller.name);
      });
    }
  }
  for (const Component& study : registry.studies) {
    for (const Section* section : study.sections) {
      all.add(*section, [](Owners& owners) { owners.everyone = true; });
    }
  }
  for (Key& key : all.keys_) {
    const Owners& owners = all.owners_.at(key.name);
    if (!owners.everyone) {
      if (owners.models.size() < registry.models.size()) key.models = owners.models;
      if (owners.by_gaits && owners.gaits.size() < registry.gaits.size()) key.gaits = owners.gaits;
      if (owners.by_controllers && owners.controllers.size() < registry.controllers.size()) {
        key.controllers = owners.controllers;
      }
    }
    const auto note_defaults = [&key](const Component& component) {
      for (const auto& [name, value] : component.defaults) {
        if (name == key.name) key.defaults.push_back({component.name, value});
      }
    };
    for (const ModelKeys& model : registry.models) note_defaults(model);
    for (const Component& gait : registry.gaits) note_defaults(gait);
    for (const Component& controller : registry.controllers) note_defaults(controller);
  }
  for (const ModelKeys& model : registry.models) {
    for (const Section* section : model.sections) {
      for (const Row& row : section->rows()) {
        const Key& key = all.keys_[all.owners_.at(row.key.name).at];
        if (row.key.choices.size() == key.choices.size()) continue;
        Key own = key;
        own.choices = row.key.choices;
        own_[model.name].insert_or_assign(key.name, std::move(own));
      }
    }
  }
  keys_ = std::move(all.keys_);
  lists_ = std::move(all.lists_);
  put_in_order(keys_);

  std::map<std::string, std::set<std::string>, std::less<>> names;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const std::string& name = keys_[i].name;
    index_.emplace(name, i);
    for (std::size_t begin = 0, dot = 0; dot != std::string::npos; begin = dot + 1) {
      dot = name.find('.', begin);
      names[name.substr(0, begin == 0 ? 0 : begin - 1)].insert(name.substr(begin, dot - begin));
    }
  }
  for (const auto& [name, words] : names) levels_[name] = {words.begin(), words.end()};
}

const Key* KeyTable::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &keys_[found->second];
}

const Key* KeyTable::find(std::string_view name, std::string_view model) const {
  if (const auto own = own_.find(model); own != own_.end()) {
    if (const auto found = own->second.find(name); found != own->second.end()) {
      return &found->second;
    }
  }
  return find(name);
}

const ListInfo* KeyTable::find_list(std::string_view name) const {
  const auto found = lists_.find(name);
  return found == lists_.end() ? nullptr : &found->second;
}

const std::vector<std::string>& KeyTable::names_in(std::string_view table) const {
  static const std::vector<std::string> none;
  const auto found = levels_.find(table);
  return found == levels_.end() ? none : found->second;
}

std::vector<std::string> KeyTable::required_in(std::string_view list) const {
  std::vector<std::string> names;
  for (const Key& key : keys_) {
    if (key.required && key.name.size() > list.size() + 1 && key.name.starts_with(list) &&
        last_word(key.name).size() == key.name.size() - list.size() - 1) {
      names.emplace_back(last_word(key.name));
    }
  }
  return names;
}

const std::vector<Key>& keys() { return key_table().keys(); }
const Key* find_key(std::string_view name) { return key_table().find(name); }
const ListInfo* find_list(std::string_view name) { return key_table().find_list(name); }

}  // namespace coluber::keys
