#include "plot_scene.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/record/run_state.hpp"

namespace coluber::app {
namespace {

using nlohmann::json;

std::string quoted(const std::string& text) {
  return json(text).dump(-1, ' ', true);  // a JSON string is a TOML basic string
}

/// Null, or a table of nothing but nulls: keys that this robot does not have.
bool is_absent(const json& value) {
  return value.is_null() || (value.is_object() && !value.empty() &&
                             std::all_of(value.begin(), value.end(),
                                         [](const json& item) { return is_absent(item); }));
}

/// The value in TOML. Everything but a top-level key is written inline.
std::string toml_value(const json& value) {
  if (value.is_object()) {
    std::string text = "{";
    bool first = true;
    for (const auto& [key, item] : value.items()) {
      if (is_absent(item)) continue;
      text += fmt::format("{}{} = {}", first ? "" : ", ", quoted(key), toml_value(item));
      first = false;
    }
    return text + "}";
  }
  if (value.is_array()) {
    std::string text = "[";
    for (const auto& item : value) text += toml_value(item) + ", ";
    return text + "]";
  }
  if (value.is_string()) {
    // JSON has no infinity
    const auto& text = value.get_ref<const std::string&>();
    return text == "inf" || text == "-inf" ? text : quoted(text);
  }
  return value.dump();
}

/// Where relative names in the scenario start from.
std::filesystem::path scenario_folder(const json& scenario) {
  const auto folder = scenario.value("folder", std::string{});
  std::error_code fault;
  if (!folder.empty() && std::filesystem::is_directory(folder, fault)) return folder;
  const std::filesystem::path path = scenario.value("path", std::string{});
  return path.has_parent_path() ? path.parent_path() : ".";
}

/// The title as a picture of this run has it: that of a run that did not complete says so.
std::string marked_title(const std::string& title, const std::filesystem::path& run_folder) {
  const auto state = record::load_run_state(run_folder);
  if (!state.partial()) return title;
  return fmt::format("partial run ({}): {}", state.status == "running" ? "not ended" : state.status,
                     title);
}

}  // namespace

Scene make_scene(const scenario::Scenario& scenario) {
  Scene scene;
  scene.title = scenario.title;
  scene.links = scenario.robot.link;
  scene.obstacles = scenario.world.obstacles;
  return scene;
}

Scene load_scene(const std::filesystem::path& run_folder) try {
  const auto file = run_folder / "run.json";
  std::ifstream stream(file, std::ios::binary);
  constexpr int deepest = 64;  // run.json has 6; what is written recursively must end
  const auto bounded = [&](int depth, json::parse_event_t /*event*/, json& /*parsed*/) {
    if (depth > deepest) throw FileError(fmt::format("{}: is damaged", file.string()));
    return true;
  };
  const auto run = json::parse(stream, bounded, false);
  if (run.is_discarded() || !run.contains("/scenario/resolved"_json_pointer) ||
      !run["scenario"]["resolved"].is_object())
    throw FileError(
        fmt::format("{}: is missing or does not hold the run's scenario", file.string()));
  auto resolved = run["scenario"]["resolved"];
  const auto parse = [&] {
    std::string text;
    for (const auto& [key, value] : resolved.items())
      if (!value.is_null()) text += fmt::format("{} = {}\n", quoted(key), toml_value(value));
    return scenario::parse(text, scenario_folder(run["scenario"]), {}, file.string());
  };
  const auto untitled =
      std::filesystem::path(run["scenario"].value("path", std::string{})).filename().string();
  const bool has_table = resolved.contains("gait") && resolved["gait"].is_object() &&
                         resolved["gait"].value("name", std::string{}) == "table";
  // the references are in the record: a table that has moved since the run is not missed
  if (has_table) {
    resolved["gait"] = nullptr;
    resolved["start"]["shape"] = "straight";
  }
  try {
    auto scene = make_scene(parse());
    if (resolved.value("title", std::string{}).empty()) scene.title = untitled;
    scene.title = marked_title(scene.title, run_folder);
    return scene;
  } catch (const InputError& error) {
    throw FileError(
        fmt::format("{}: the scenario in it cannot be used: {}", file.string(), error.what()));
  }
} catch (const json::exception&) {  // a value of another kind than the recorder writes
  throw FileError(fmt::format("{}: is damaged", (run_folder / "run.json").string()));
}

}  // namespace coluber::app
