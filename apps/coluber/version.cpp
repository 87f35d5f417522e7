#include "coluber/core/version.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "coluber/core/code_path.hpp"
#include "coluber/keys/registry.hpp"
#include "coluber/planar/smooth_system.hpp"
#include "coluber/qp/qp.hpp"

#include "command.hpp"
#include "page/replay_page.hpp"

namespace coluber::app {

namespace {

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (::access((std::string(folder) + '/' + program).c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  return false;
}

/// The words a key takes, without those that are not built yet.
std::vector<std::string> built_choices(std::string_view name) {
  std::vector<std::string> words;
  const keys::Key* key = keys::find_key(name);
  if (key == nullptr || !key->built) return words;
  for (const keys::Choice& choice : key->choices) {
    if (choice.built) words.push_back(choice.name);
  }
  return words;
}

#ifdef COLUBER_HAS_HTTPLIB
constexpr bool has_server = true;
#else
constexpr bool has_server = false;
#endif

/// "coluber 0.1.0 (1a2b3c4)"
std::string version_line() {
  const BuildInfo& build = build_info();
  return fmt::format("coluber {}{}", build.version,
                     build.revision.empty() ? "" : fmt::format(" ({})", build.revision));
}

int print_version(bool json) {
  using nlohmann::ordered_json;
  const BuildInfo& build = build_info();
  if (json) {
    ordered_json libraries = ordered_json::object();
    for (const Library& library : build.libraries) libraries[library.name] = library.version;
    const std::string page = find_viewer().string();
    const bool chromium =
        on_path("chromium") || on_path("chromium-browser") || on_path("google-chrome");
    const ordered_json out{{"version", build.version},
                           {"revision", build.revision},
                           {"compiler", build.compiler},
                           {"build_type", build.build_type},
                           {"flags", build.flags},
                           {"library", build.library},
                           {"assertions", build.assertions},
                           {"code_path", code_path()},
                           {"libraries", std::move(libraries)},
                           {"models", built_choices("robot.model")},
                           {"robots", built_choices("robot.name")},
                           {"gaits", built_choices("gait.name")},
                           {"controllers", built_choices("controller.name")},
                           {"solvers", built_choices("solver.name")},
                           {"laws", built_choices("solver.law")},
                           {"data", data_folder().string()},
                           {"viewer_page", page.empty() ? ordered_json() : ordered_json(page)},
                           {"features",
                            {{"smooth_friction", planar::SmoothSystem::is_built()},
                             {"force_map", qp::available()},
                             {"plot", on_path("gnuplot")},
                             {"view", has_server && !page.empty()},
                             {"export_html", !page.empty()},
                             {"export_png", chromium && !page.empty()}}}};
    fmt::print("{}\n", out.dump(2, ' ', false, ordered_json::error_handler_t::replace));
    return 0;
  }
  std::string libraries;
  for (const Library& library : build.libraries) {
    libraries +=
        fmt::format("{}{} {}", libraries.empty() ? "" : ", ", library.name, library.version);
  }
  fmt::print("{}\n{}, {}, {}: {}\n{}\n", version_line(), build.compiler, build.build_type,
             build.library, build.flags, libraries);
  return 0;
}

}  // namespace

void add_version(CLI::App& app, Action& action) {
  app.set_version_flag("--version", version_line, "print the version and exit");
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("version", "say what was built, and how");
  command->add_flag("--json", *json, "as JSON");
  command->callback([json, &action] { action = [json] { return print_version(*json); }; });
}

}  // namespace coluber::app
