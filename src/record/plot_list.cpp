#include "record/plot_list.hpp"

#include <algorithm>
#include <string>
#include <system_error>

#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/record/run_state.hpp"

#include "record/frame_file.hpp"
#include "record/output_file.hpp"

namespace coluber::record {

namespace fs = std::filesystem;
namespace {
using Json = nlohmann::ordered_json;
}

namespace {

// Its text; none where it is missing or cannot be read.
std::string read_list(const fs::path& run_folder) {
  const fs::path file = run_folder / plots_folder / plot_list_name;
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  try {
    return read_bytes(file);
  } catch (const FileError&) {
    return {};
  }
}

Json parse_list(const std::string& text) {
  return is_shallow(text) ? Json::parse(text, nullptr, false) : Json();
}

}  // namespace

bool is_own_list(const fs::path& run_folder) {
  const std::string text = read_list(run_folder);
  const Json list = parse_list(text);
  return text.empty() || (list.is_object() && list.value("plots", Json()).is_array());
}

std::vector<fs::path> listed_plots(const fs::path& run_folder) {
  const fs::path folder = run_folder / plots_folder;
  std::error_code error;
  const Json list = parse_list(read_list(run_folder));
  const Json plots = list.is_object() ? list.value("plots", Json()) : Json();
  std::vector<fs::path> found;
  if (!plots.is_array()) return found;
  for (const Json& plot : plots) {
    const Json file = plot.is_object() ? plot.value("file", Json()) : Json();
    if (!file.is_string()) continue;
    const fs::path name = file.get<std::string>();
    const bool plain = name.has_filename() && name == name.filename() && name != "." &&
                       name != ".." && name != plot_list_name;
    if (plain && fs::is_regular_file(folder / name, error)) found.push_back(folder / name);
  }
  std::ranges::sort(found);
  const auto again = std::ranges::unique(found);
  found.erase(again.begin(), again.end());
  return found;
}

}  // namespace coluber::record
