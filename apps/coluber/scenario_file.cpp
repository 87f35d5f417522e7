#include "scenario_file.hpp"

#include <cstddef>
#include <iostream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/core/nearest.hpp"
#include "coluber/core/version.hpp"

#include "data_dir.hpp"
#include "fault.hpp"

namespace coluber::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* standard_input = "<stdin>";

std::string read_standard_input() {
  constexpr std::size_t most = 16U << 20U;  // as of a file
  std::string text;
  std::vector<char> buffer(1U << 16U);
  while (std::cin.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         std::cin.gcount() > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > most) {
      throw InputError(make_fault(standard_input, 0, 0,
                                  fmt::format("is longer than {} MB", most >> 20U),
                                  "a scenario is a text of a few kB"));
    }
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError(
        make_fault(standard_input, 0, 0, "is empty", "for example  coluber run - < my_robot.toml"));
  }
  return text;
}

/// The file of a scenario that comes with Coluber; empty if there is none of this name.
fs::path find_shipped(const fs::path& named) {
  if (named.has_parent_path() || data_folder().empty()) return {};
  fs::path name = named;
  if (name.extension() != ".toml") name += ".toml";
  fs::path file = data_folder() / "scenarios" / name;
  std::error_code failure;
  return fs::is_regular_file(file, failure) ? file : fs::path();
}

/// A word that is no file here: it may be a slip of the name of one that comes with Coluber.
[[noreturn]] void refuse_name(const fs::path& named) {
  std::vector<std::string> names;
  try {
    for (const fs::path& file : files_in(find_data("scenarios"), ".toml")) {
      names.push_back(file.stem().string());
    }
  } catch (const FileError&) {
    names.clear();  // an installation without them
  }
  const std::string guess = nearest(named.stem().string(), names);
  throw InputError(make_fault(named.string(), 0, 0, "no such file, nor a scenario of Coluber's",
                              guess.empty() ? "coluber list scenarios  names those that come "
                                              "with Coluber"
                                            : fmt::format("did you mean {}?", guess)));
}

}  // namespace

scenario::Scenario load_scenario(const fs::path& named, const scenario::Overrides& overrides) {
  if (named == "-") {
    scenario::Scenario scenario =
        scenario::parse(read_standard_input(), ".", overrides, standard_input);
    if (scenario.title == standard_input) scenario.title = scenario_name(named);
    return scenario;
  }
  std::error_code failure;
  const fs::file_status status = fs::status(named, failure);
  if (!fs::exists(status) || (fs::is_directory(status) && !named.has_extension())) {
    if (const fs::path shipped = find_shipped(named); !shipped.empty()) {
      return scenario::load(shown_path(shipped), overrides);
    }
    // a name without an ending is hardly that of a file
    if (status.type() == fs::file_type::not_found && !named.empty() && !named.has_parent_path() &&
        !named.has_extension()) {
      refuse_name(named);
    }
  }
  return scenario::load(named, overrides);
}

std::string scenario_name(const fs::path& named) {
  return named == "-" ? "stdin" : named.stem().string();
}

}  // namespace coluber::app
