#include "bench_scenes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "coluber/core/error.hpp"
#include "coluber/simulation/registry.hpp"

#include "toml_reader.hpp"

namespace coluber::app {
namespace {

namespace fs = std::filesystem;

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// A path as it stands in a TOML text: within double quotes.
std::string quoted(const fs::path& path) {
  return replaced(replaced(path.generic_string(), "\\", "\\\\"), "\"", "\\\"");
}

class Reader : TomlReader {
 public:
  Reader(const fs::path& file, std::vector<Diagnostic>& faults)
      : TomlReader(file, faults), folder_(fs::absolute(file).parent_path()) {}

  std::vector<BenchScene> read() {
    std::vector<BenchScene> scenes;
    const auto root = parse();
    if (!root) return scenes;
    allow(*root, "", {"scene"});
    for (const auto* table : tables_of(*root, "scene")) {
      auto scene = read_scene(*table);
      if (std::ranges::find(scenes, scene.name, &BenchScene::name) != scenes.end())
        fault(table->source().begin, "scene.name",
              fmt::format("there are two scenes \"{}\"", scene.name));
      scenes.push_back(std::move(scene));
    }
    return scenes;
  }

 private:
  BenchScene read_scene(const toml::table& table) {
    allow(table, "scene",
          {"name", "scenario", "unit", "n", "other_n", "set", "ground_points", "obstacles", "law",
           "solver", "residual", "number", "list", "command"});
    BenchScene scene;
    scene.name = text_of(table, "scene", "name", true);
    scene.scenario = (folder_ / text_of(table, "scene", "scenario", true)).lexically_normal();
    scene.unit = text_of(table, "scene", "unit", true);
    scene.n = integers_of(table, "scene", "n");
    if (scene.n.empty() || std::ranges::min(scene.n) < 1)
      fault(place_of(table, "n"), "scene.n", "expected whole numbers from 1");
    for (const auto& change : texts_of(table, "scene", "set"))
      scene.set.push_back(replaced(change, "{folder}", quoted(folder_)));
    scene.law = text_of(table, "scene", "law", false);
    scene.solver = text_of(table, "scene", "solver", false);
    scene.residual = text_of(table, "scene", "residual", false);
    scene.ground_points = count_of(table, "ground_points", 0);
    scene.obstacles = count_of(table, "obstacles", -1);
    if (const auto* numbers = table["number"].as_table()) {
      for (const auto& [name, node] : *numbers) {
        scene.numbers[std::string(name.str())] = read_number(node, name.str());
      }
    }
    if (const auto* lists = table["list"].as_table()) {
      for (const auto& [name, node] : *lists) {
        scene.lists[std::string(name.str())] = read_list(node, name.str());
      }
    }
    scene.command = text_of(table, "scene", "command", false);
    if (!scene.command.empty()) check_command(table, scene.command);
    const auto other = text_of(table, "scene", "other_n", false);
    if (other == "refused") {
      scene.other_n = OtherSizes::refused;
    } else if (other == "ignored") {
      scene.other_n = OtherSizes::ignored;
    } else if (!other.empty() && other != "run") {
      fault(place_of(table, "other_n"), "scene.other_n",
            "expected \"run\", \"refused\" or \"ignored\"");
    }
    return scene;
  }

  SceneNumber read_number(const toml::node& node, std::string_view name) {
    SceneNumber number;
    const std::string path = fmt::format("scene.number.{}", name);
    const auto* table = node.as_table();
    if (table == nullptr) {
      fault(node.source().begin, path, "expected a table: { least, fixed, per_n, per_root }");
      return number;
    }
    allow(*table, path, {"least", "fixed", "per_n", "per_root"});
    for (const auto& [word, to] :
         {std::pair{"least", &number.least}, std::pair{"fixed", &number.fixed},
          std::pair{"per_n", &number.per_n}, std::pair{"per_root", &number.per_root}}) {
      const auto* value = table->get(word);
      if (value == nullptr) continue;
      if (const auto given = value->value<double>()) {
        *to = *given;
      } else {
        fault(value->source().begin, path_of(path, word), "expected a number");
      }
    }
    return number;
  }

  SceneList read_list(const toml::node& node, std::string_view name) {
    SceneList list;
    const std::string path = fmt::format("scene.list.{}", name);
    const auto* table = node.as_table();
    if (table == nullptr) {
      fault(node.source().begin, path,
            "expected a table: { begin, from, step, items, first, last }");
      return list;
    }
    allow(*table, path, {"begin", "from", "step", "items", "first", "last"});
    list.begin = texts_of(*table, path, "begin");
    list.items = texts_of(*table, path, "items");
    if (list.items.empty()) {
      fault(place_of(*table, "items"), path_of(path, "items"), "expected a list of texts");
    }
    list.first = text_of(*table, path, "first", false);
    list.last = text_of(*table, path, "last", false);
    for (const auto& [word, to] : {std::pair{"from", &list.from}, std::pair{"step", &list.step}}) {
      const auto* value = table->get(word);
      if (value == nullptr) continue;
      const auto given = value->is_integer() ? value->value<int>() : std::nullopt;
      if (given && *given >= 1) {
        *to = *given;
      } else {
        fault(value->source().begin, path_of(path, word), "expected a whole number from 1");
      }
    }
    return list;
  }

  void check_command(const toml::table& table, const std::string& command) {
    std::vector<std::string> names;
    for (const auto& entry : simulation::studies()) names.push_back(entry.keys.name);
    if (std::ranges::find(names, command) != names.end()) return;
    fault(place_of(table, "command"), "scene.command",
          fmt::format("expected one of {}, got \"{}\"", fmt::join(names, ", "), command));
  }

  static toml::source_position place_of(const toml::table& table, std::string_view key) {
    const auto* node = table.get(key);
    return node == nullptr ? table.source().begin : node->source().begin;
  }

  int count_of(const toml::table& table, std::string_view key, int fallback) {
    const auto* node = table.get(key);
    if (node == nullptr) return fallback;
    const auto* value = node->as_integer();
    if (value != nullptr && value->get() >= 0 && value->get() <= 1000000)
      return static_cast<int>(value->get());
    fault(node->source().begin, path_of("scene", key), "expected a whole number from 0");
    return fallback;
  }

  fs::path folder_;
};

/// The list at a size, as TOML.
std::string list_at(const SceneList& list, int size) {
  std::string text = fmt::format("{}", fmt::join(list.begin, ", "));
  std::size_t k = 0;
  for (int i = list.from; i <= size; i += list.step, ++k) {
    std::string item = i == size && !list.last.empty()         ? list.last
                       : i == list.from && !list.first.empty() ? list.first
                                                               : list.items[k % list.items.size()];
    for (const auto& [word, number] :
         {std::pair{"{i}", i}, std::pair{"{i-1}", i - 1}, std::pair{"{i+1}", i + 1}}) {
      item = replaced(std::move(item), word, fmt::format("{}", number));
    }
    text += (text.empty() ? "" : ", ") + item;
  }
  return fmt::format("[{}]", text);
}

}  // namespace

scenario::Overrides BenchScene::changes(int size) const {
  scenario::Overrides filled;
  for (const auto& change : set) {
    std::string text = replaced(change, "{n}", fmt::format("{}", size));
    for (const auto& [word, number] : numbers) {
      const double value =
          std::max(number.least, number.fixed + number.per_n * size +
                                     number.per_root * std::sqrt(static_cast<double>(size)));
      text = replaced(text, fmt::format("{{{}}}", word), fmt::format("{}", value));
    }
    for (const auto& [word, list] : lists) {
      text = replaced(text, fmt::format("{{{}}}", word), list_at(list, size));
    }
    filled.push_back(text);
  }
  return filled;
}

std::vector<BenchScene> load_scenes(const fs::path& file) {
  std::vector<Diagnostic> faults;
  auto scenes = Reader(file, faults).read();
  if (faults.empty() && scenes.empty()) {
    Diagnostic none;
    none.where.file = file.string();
    none.message = "there are no scenes in this file";
    none.hint = "a scene is  [[scene]]  with name, scenario, unit and n";
    faults.push_back(std::move(none));
  }
  if (!faults.empty()) throw InputError(faults);
  return scenes;
}

}  // namespace coluber::app
