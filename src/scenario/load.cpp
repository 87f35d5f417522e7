#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "coluber/keys/registry.hpp"
#include "coluber/scenario/scenario.hpp"

#include "scenario/document.hpp"
#include "scenario/make.hpp"
#include "scenario/resolve.hpp"
#include "scenario/validate.hpp"

namespace coluber::scenario {

namespace fs = std::filesystem;
using keys::Check;
using keys::Component;
using keys::KeyValue;
using keys::Registry;

namespace {

/// A word of the document; where it says nothing the model's default, else the first of `own`,
/// else the key's default; "" where it says what is no word.
std::string word_of(const Node& root, const char* name, const Component* model = nullptr,
                    const std::vector<std::string>& own = {}) {
  const Node* node = root.find_path(name);
  const keys::Key& key = *keys::find_key(name);
  if (node != nullptr) {
    return node->kind == Node::Kind::text && keys::fits(*node, key) ? node->text : "";
  }
  if (model != nullptr) {
    for (const auto& [brought, value] : model->defaults) {
      const auto* word = std::get_if<std::string>(&value);
      if (brought == name && word != nullptr) return *word;
    }
  }
  if (!own.empty()) return own.front();
  const auto* value = std::get_if<std::string>(&key.default_value);
  return value != nullptr ? *value : "";
}

const keys::CatalogueRobot* find_robot(const Registry& registry, const std::string& name) {
  const auto found = std::ranges::find(registry.robots, name, &keys::CatalogueRobot::name);
  return found == registry.robots.end() ? nullptr : &*found;
}

template <typename Components>
auto find_component(const Components& components, const std::string& name) {
  const auto found = std::ranges::find_if(
      components, [&](const Component& component) { return component.name == name; });
  return found == components.end() ? nullptr : &*found;
}

/// The words of the document that choose its components.
struct Chosen {
  Check::Words words;
  std::string robot;
  const keys::ModelKeys* model = nullptr;
};

Chosen choose(const Registry& registry, const Node& root) {
  Chosen chosen;
  chosen.words.model = word_of(root, "robot.model");
  chosen.robot = word_of(root, "robot.name");
  // a robot that goes with one model alone chooses it
  const keys::CatalogueRobot* robot = find_robot(registry, chosen.robot);
  if (root.find_path("robot.model") == nullptr && robot != nullptr && robot->models.size() == 1) {
    chosen.words.model = robot->models.front();
  }
  chosen.model = find_component(registry.models, chosen.words.model);
  const auto names = [&chosen](auto member) {
    return chosen.model != nullptr ? chosen.model->*member : std::vector<std::string>{};
  };
  if (chosen.model == nullptr || chosen.model->takes_gait) {
    const Node* gait = root.find("gait");
    if (gait != nullptr && gait->is_table()) {
      chosen.words.gait = word_of(root, "gait.name", chosen.model, names(&keys::ModelKeys::gaits));
    }
  }
  if (chosen.model == nullptr || chosen.model->takes_controller) {
    chosen.words.controller =
        word_of(root, "controller.name", chosen.model, names(&keys::ModelKeys::controllers));
  }
  return chosen;
}

/// Values by their full names; of a table that may be absent also the table, which is then there.
void flatten(const Node& node, const std::string& path,
             std::map<std::string, Node, std::less<>>& out) {
  for (const auto& [word, child] : node.fields) {
    const std::string name = keys::joined(path, word);
    const keys::ListInfo* list = keys::find_list(name);
    if (child.is_table()) flatten(child, name, out);
    if (!child.is_table() || (list != nullptr && list->form == keys::Form::optional)) {
      out.insert_or_assign(name, child);
    }
  }
}

using Values = std::map<std::string, Node, std::less<>>;

/// The values of a robot of the catalogue: its text is read once per process.
const Values& values_of(const keys::CatalogueRobot& robot) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const Values>, std::less<>> read;  // by text
  const std::lock_guard lock(mutex);
  auto& known = read[robot.toml];
  if (known == nullptr) {
    Values values;
    flatten(parse_node(robot.toml, robot.name), "", values);
    known = std::make_unique<const Values>(std::move(values));
  }
  return *known;
}

/// What model, gait, controller and the catalogue's robot bring, each before those behind it.
std::map<std::string, Node, std::less<>> defaults_of(const Registry& registry,
                                                     const Chosen& chosen) {
  std::map<std::string, Node, std::less<>> defaults;
  const auto add = [&](const Component* component) {
    if (component == nullptr) return;
    for (const auto& [name, value] : component->defaults) {
      defaults.insert_or_assign(name, keys::to_node(value));
    }
  };
  add(chosen.model);
  add(find_component(registry.gaits, chosen.words.gait));
  add(find_component(registry.controllers, chosen.words.controller));
  if (const keys::CatalogueRobot* robot = find_robot(registry, chosen.robot)) {
    for (const auto& [name, value] : values_of(*robot)) defaults.insert_or_assign(name, value);
  }
  return defaults;
}

void collect_locations(const Node& node, const std::string& path,
                       const std::vector<Source>& sources, Scenario& scenario) {
  if (!path.empty()) scenario.locations.emplace(path, keys::to_location(node.where, sources));
  for (const auto& [word, field] : node.fields) {
    collect_locations(field, keys::joined(path, word), sources, scenario);
  }
  if (node.kind != Node::Kind::array) return;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    collect_locations(node.items[i], fmt::format("{}.{}", path, i + 1), sources, scenario);
  }
}

/// Faults of the file, then those in files that its keys name.
[[noreturn]] void refuse(Faults& faults, const std::vector<Source>& sources, const Check& check) {
  std::vector<Diagnostic> all;
  try {
    faults.raise(sources);
  } catch (const InputError& error) {
    all = error.faults();
  }
  const auto append = [&all](const std::vector<Diagnostic>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(check.faults_in_files());
  for (const auto& find_more : check.more()) append(find_more());
  throw InputError(std::move(all));
}

/// A gait and a controller that this model does not take.
void refuse_strangers(const Registry& registry, const Chosen& chosen, Check& check) {
  const auto refuse = [&](const char* key, const std::vector<Component>& all,
                          const std::string& name, auto&& takes) {
    const Component* component = find_component(all, name);
    if (component == nullptr || takes(*chosen.model, *component)) return;
    std::vector<std::string> with;
    for (const keys::ModelKeys& model : registry.models) {
      if (takes(model, *component)) with.push_back(model.name);
    }
    std::vector<std::string> own;
    for (const Component& other : all) {
      if (takes(*chosen.model, other)) own.push_back(other.name);
    }
    check.fault(key,
                fmt::format("\"{}\" goes with robot.model = \"{}\", this robot is \"{}\"", name,
                            fmt::join(with, "\" or \""), chosen.words.model),
                fmt::format("this model takes  name = \"{}\"", fmt::join(own, "\" or \"")));
  };
  refuse("gait.name", registry.gaits, chosen.words.gait, keys::takes_gait);
  refuse("controller.name", registry.controllers, chosen.words.controller, keys::takes_controller);
}

}  // namespace

Scenario make_scenario(Document& document, Faults& faults, Extent extent) {
  const Registry& registry = keys::registry();
  const Chosen chosen = choose(registry, document.root);
  const auto defaults = defaults_of(registry, chosen);
  validate(document, chosen.words, defaults, faults);

  Scenario scenario;
  scenario.model = chosen.words.model;
  scenario.robot = chosen.robot;
  scenario.gait = chosen.words.gait;
  scenario.controller = chosen.words.controller;
  const keys::ReadContext context{document.sources, defaults};
  const std::vector<const keys::Section*> sections = registry.sections_of(chosen.words);
  for (const keys::Section* section : sections) {
    std::any& options = scenario.options.of(*section);
    section->read(section->address(options), document.root, context);
  }
  Check check(document.root, document.sources, faults, scenario.options, registry, sections,
              chosen.words);
  const keys::CatalogueRobot* robot = find_robot(registry, chosen.robot);
  check.set_robot(robot != nullptr ? chosen.robot : "");
  if (robot != nullptr && chosen.model != nullptr &&
      !keys::goes_with(robot->models, chosen.words.model)) {
    check.fault("robot.name",
                fmt::format("\"{}\" goes with robot.model = \"{}\", this model is \"{}\"",
                            robot->name, fmt::join(robot->models, "\" or \""), chosen.words.model),
                fmt::format("write  model = \"{}\"  in [robot], or take another robot",
                            robot->models.front()));
  }
  if (chosen.model != nullptr) refuse_strangers(registry, chosen, check);
  for (const keys::Section* section : sections) {
    section->check(scenario.options.of(*section), check);
  }
  if (!faults.empty() || !check.faults_in_files().empty()) refuse(faults, document.sources, check);

  const Job& job = scenario.get<Job>();
  scenario.title = job.title;
  scenario.duration = job.duration;
  scenario.seed = job.seed;
  scenario.record = scenario.get<Record>();
  scenario.warnings = check.warnings();
  if (extent == Extent::options) return scenario;
  scenario.text = document.text;
  scenario.locations = check.locations();
  collect_locations(document.root, "", document.sources, scenario);
  resolve(scenario, sections);
  return scenario;
}

Scenario load(const fs::path& file, const Overrides& overrides) {
  Faults faults;
  Document document = read_document(file, overrides, faults);
  Scenario scenario = make_scenario(document, faults, Extent::whole);
  scenario.path = file;
  if (scenario.title.empty()) scenario.title = file.stem().string();
  return scenario;
}

Scenario parse(const std::string& text, const fs::path& folder, const Overrides& overrides,
               const std::string& name) {
  Faults faults;
  Document document = parse_document(text, name, folder, overrides, faults);
  Scenario scenario = make_scenario(document, faults, Extent::whole);
  if (scenario.title.empty()) scenario.title = name;
  return scenario;
}

}  // namespace coluber::scenario
