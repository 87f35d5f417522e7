#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace coluber::app {

/// A user's own measurements: columns over time under the observables' CSV names.
struct Measured {
  std::string label;         ///< for the legend: the file's name
  std::vector<double> time;  ///< s
  /// Each as long as `time`; NaN where a cell is empty, `nan` or `NA`.
  std::map<std::string, std::vector<double>, std::less<>> columns;
};

/// Reads a comma-separated file with a header: `time` (or `t`) and observables by their CSV names
/// (`link_position.6.x`, `joint_angle.3`), or plain `x`, `y` for the middle link. `known` holds the
/// names that are accepted, `middle` the number of the middle link. Throws InputError with every
/// fault.
Measured load_measured(const std::filesystem::path& file, const std::vector<std::string>& known,
                       int middle);

}  // namespace coluber::app
