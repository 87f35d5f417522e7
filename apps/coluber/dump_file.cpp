#include "dump_file.hpp"

#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "coluber/core/error.hpp"
#include "coluber/nonsmooth/keys.hpp"

namespace coluber::app {

std::filesystem::path dump_file(const scenario::Scenario& scenario) {
  const auto* solver = scenario.find<nonsmooth::SolverKeys>();
  return solver == nullptr ? std::filesystem::path() : solver->dump;
}

void require_dump_file(const scenario::Scenario& scenario) {
  const std::filesystem::path file = dump_file(scenario);
  if (file.empty()) return;
  std::error_code error;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::string fault;
  if (std::filesystem::is_directory(file, error)) {
    fault = fmt::format("{} is a folder", file.string());
  } else if (!std::filesystem::is_directory(folder, error)) {
    fault = fmt::format("there is no folder {}", folder.string());
  } else if (access(folder.c_str(), W_OK | X_OK) != 0) {
    fault = fmt::format("the folder {} cannot be written to", folder.string());
  } else if (std::filesystem::exists(file, error) &&
             !std::filesystem::is_regular_file(file, error)) {
    fault = fmt::format("{} is not a file", file.string());
  }
  if (fault.empty()) return;
  throw InputError(Diagnostic{scenario::locate(scenario, "solver.dump"), "solver.dump", fault,
                              "name a file in a folder that exists; a relative path starts where "
                              "the program runs"});
}

}  // namespace coluber::app
