#include "coluber/core/version.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "command.hpp"

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

int print_version(bool json) {
  const BuildInfo& build = build_info();
  if (json) {
    const nlohmann::ordered_json out{
        {"version", build.version},   {"revision", build.revision},
        {"compiler", build.compiler}, {"build_type", build.build_type},
        {"flags", build.flags},       {"assertions", build.assertions},
        {"code_path", "portable"},    {"features", {{"plot", on_path("gnuplot")}}}};
    fmt::print("{}\n", out.dump(2));
    return 0;
  }
  fmt::print("coluber {}{}\n{}, {}, {}\n", build.version,
             build.revision.empty() ? std::string() : fmt::format(" ({})", build.revision),
             build.compiler, build.build_type, build.flags);
  return 0;
}

}  // namespace

void add_version(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("version", "say what was built, and how");
  command->add_flag("--json", *json, "as JSON");
  command->callback([json, &action] { action = [json] { return print_version(*json); }; });
}

}  // namespace coluber::app
