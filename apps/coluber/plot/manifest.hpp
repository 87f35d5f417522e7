#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace coluber::app {

/// A picture that `coluber plot` has drawn into the run folder under a name of its own choice.
struct DrawnPlot {
  std::string name;                ///< of the plot
  std::string file;                ///< within plots/
  nlohmann::ordered_json options;  ///< of the command line, by name
  std::size_t frames = 0;          ///< of the run, when it was drawn
  std::string final_state;         ///< the run's hash; "" if it has not ended
};

/// Writes it down in `plots/plots.json`, in place of one of the same file. `--resume` takes away
/// what is listed there, and nothing else. A list that cannot be read is begun anew. Throws
/// FileError.
void note_plot(const std::filesystem::path& run_folder, const DrawnPlot& plot);

/// Whether `plots/plots.json` is there and is no list that Coluber wrote.
bool has_foreign_list(const std::filesystem::path& run_folder);

/// Whether `plots/plots.json` lists a picture of this name.
bool is_noted(const std::filesystem::path& run_folder, const std::string& file);

/// `summary.final_state` of a run folder; "" if run.json says none.
std::string load_final_state(const std::filesystem::path& run_folder);

}  // namespace coluber::app
