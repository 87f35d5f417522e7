#include "dump_file.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "coluber/core/error.hpp"
#include "coluber/nonsmooth/keys.hpp"

#include "output_place.hpp"

namespace coluber::app {

namespace {

std::filesystem::path dump_file(const scenario::Scenario& scenario) {
  const auto* solver = scenario.find<nonsmooth::SolverKeys>();
  return solver == nullptr ? std::filesystem::path() : solver->dump;
}

std::filesystem::path place_of_dump(const std::filesystem::path& file) {
  // the run folder may not be there yet
  if (is_name_of_a_run(file)) {
    throw RefusedPlace("solver.dump", "has the name of a file of a run",
                       "name another file, for example  problem.json");
  }
  OutputPlace place;
  place.option = "solver.dump";
  place.kind = "a problem that solver.dump wrote";
  place.way_out = "name another file, or remove this one";
  place.same_kind = [](std::string_view sample) {
    return sample.starts_with("{\n \"contacts\": [") &&
           sample.find("\"twist_size\"") != std::string_view::npos;
  };
  return find_place(file, place);
}

// Whether a run into `out` would make a folder of the file's name, or of where it lies.
bool is_taken_by(const std::filesystem::path& out, const std::filesystem::path& file) {
  std::error_code error;
  const auto whole = [&](const std::filesystem::path& path) {
    // a slash at the end is no further part of the name
    const auto canonical = std::filesystem::weakly_canonical(path, error);
    return canonical.has_filename() ? canonical : canonical.parent_path();
  };
  const std::filesystem::path dump = whole(file);
  const std::filesystem::path folder = whole(out);
  if (dump.parent_path() == folder / "plots") return true;
  return std::mismatch(dump.begin(), dump.end(), folder.begin(), folder.end()).first == dump.end();
}

}  // namespace

std::filesystem::path require_dump_file(const scenario::Scenario& scenario,
                                        const std::filesystem::path& out) {
  const std::filesystem::path file = dump_file(scenario);
  if (file.empty()) return {};
  std::error_code error;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::string fault;
  if (std::filesystem::is_directory(file, error)) {
    fault = fmt::format("{} is a folder", file.string());
  } else if (!std::filesystem::is_directory(folder, error)) {
    fault = fmt::format("there is no folder {}", folder.string());
  } else if (access(folder.c_str(), W_OK | X_OK) != 0) {
    fault = fmt::format("the folder {} cannot be written to", folder.string());
  }
  std::string hint =
      "name a file in a folder that exists; a relative path starts where the program runs";
  if (fault.empty() && !out.empty() && is_taken_by(out, file)) {
    fault = fmt::format("{} is where the run folder {} will be", file.string(), out.string());
    hint = "name another file, for example  problem.json";
  }
  if (fault.empty()) {
    try {
      return place_of_dump(file);
    } catch (const RefusedPlace& refused) {
      fault = fmt::format("{} {}", file.string(), refused.why());
      hint = refused.hint();
    }
  }
  throw InputError(Diagnostic{scenario::locate(scenario, "solver.dump"), "solver.dump", fault,
                              hint.empty() ? "name another file" : hint});
}

}  // namespace coluber::app
