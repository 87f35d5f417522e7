#include "plot/scene.hpp"

#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/record/run_state.hpp"

namespace coluber::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// That of the scenario; without one the scenario's file name; of a lone trajectory the folder's.
std::string load_title(const fs::path& run_folder) try {
  const auto file = run_folder / "run.json";
  std::error_code fault;
  if (!fs::exists(file, fault)) return fs::absolute(run_folder, fault).filename().string();
  std::ifstream stream(file, std::ios::binary);
  constexpr int deepest = 64;  // run.json has 6; what takes it apart is recursive
  const auto bounded = [&](int depth, json::parse_event_t /*event*/, json& /*parsed*/) {
    if (depth > deepest) throw FileError(fmt::format("{}: is damaged", file.string()));
    return true;
  };
  const auto run = json::parse(stream, bounded, false);
  if (!run.is_object()) throw FileError(fmt::format("{}: is damaged", file.string()));
  auto title = run.value("title", std::string{});
  if (title.empty() && run.contains("scenario"))
    title = fs::path(run["scenario"].value("path", std::string{})).filename().string();
  return title;
} catch (const json::exception&) {  // a value of another kind than the recorder writes
  throw FileError(fmt::format("{}: is damaged", (run_folder / "run.json").string()));
}

}  // namespace

Scene load_scene(const fs::path& run_folder) {
  Scene scene{load_title(run_folder), record::load_drawing(run_folder)};
  const auto state = record::load_run_state(run_folder);
  if (state.partial())
    scene.title = fmt::format("partial run ({}): {}",
                              state.status == "running" ? "not ended" : state.status, scene.title);
  return scene;
}

}  // namespace coluber::app
