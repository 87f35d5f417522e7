#include "plot/scene.hpp"

#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/record/run_state.hpp"

namespace coluber::app {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

[[noreturn]] void refuse_run_json(const fs::path& file) {
  throw FileError(fmt::format("{}: is damaged or not of a run\n  hint: {}", file.string(),
                              record::damaged_run_hint));
}

/// run.json; null where there is none.
json load_run_json(const fs::path& run_folder) {
  const auto file = run_folder / "run.json";
  std::error_code fault;
  if (!fs::exists(file, fault)) return {};
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  auto run = record::is_shallow(text) ? json::parse(text, nullptr, false) : json();
  if (!run.is_object()) refuse_run_json(file);
  return run;
}

/// That of the scenario; without one the scenario's file name; of a lone trajectory the folder's.
std::string title_of(const json& run, const fs::path& run_folder) try {
  std::error_code fault;
  if (run.is_null()) return fs::absolute(run_folder, fault).filename().string();
  auto title = run.value("title", std::string{});
  if (title.empty() && run.contains("scenario"))
    title = fs::path(run["scenario"].value("path", std::string{})).filename().string();
  return title;
} catch (const json::exception&) {  // a value of another kind than the recorder writes
  refuse_run_json(run_folder / "run.json");
}

json resolved_in(const json& run) {
  if (!run.is_object()) return {};
  const auto scenario = run.find("scenario");
  if (scenario == run.end() || !scenario->is_object()) return {};
  const auto resolved = scenario->find("resolved");
  return resolved == scenario->end() ? json{} : *resolved;
}

}  // namespace

json load_resolved(const fs::path& run_folder) { return resolved_in(load_run_json(run_folder)); }

std::optional<Slope> slope_of(const json& resolved) {
  if (!resolved.is_object()) return std::nullopt;
  const auto world = resolved.find("world");
  if (world == resolved.end() || !world->is_object()) return std::nullopt;
  const auto number = [&](const char* key) {
    const auto found = world->find(key);
    return found != world->end() && found->is_number() ? found->get<double>() : 0.0;
  };
  const Slope slope{number("tilt_deg"), number("tilt_direction_deg")};
  return slope.tilt_deg != 0.0 ? std::optional(slope) : std::nullopt;
}

namespace {

std::optional<double> torque_limit_of(const json& resolved) {
  if (!resolved.is_object()) return std::nullopt;
  const auto controller = resolved.find("controller");
  if (controller == resolved.end() || !controller->is_object()) return std::nullopt;
  const auto limit = controller->find("torque_limit");
  return limit != controller->end() && limit->is_number() ? std::optional(limit->get<double>())
                                                          : std::nullopt;
}

}  // namespace

Scene load_scene(const fs::path& run_folder) {
  const auto run = load_run_json(run_folder);
  Scene scene{title_of(run, run_folder), record::load_drawing(run_folder),
              slope_of(resolved_in(run)), torque_limit_of(resolved_in(run))};
  const auto state = record::load_run_state(run_folder);
  if (state.partial())
    scene.title = fmt::format("partial run ({}): {}",
                              state.status == "running" ? "not ended" : state.status, scene.title);
  return scene;
}

}  // namespace coluber::app
