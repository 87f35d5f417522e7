#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"

namespace coluber::record {

/// Frames of a run in memory: what a run produced or what a run folder holds.
struct COLUBER_EXPORT Trajectory {
  std::vector<Observable> observables;
  std::vector<double> time;    ///< s, true time of each frame
  std::vector<double> values;  ///< frames × frame_size, row-major

  /// Number of frames.
  [[nodiscard]] std::size_t frames() const { return time.size(); }
  /// True if there is an observable of this name.
  [[nodiscard]] bool has(std::string_view name) const;
  /// Value of `name` at a frame; `link` and `axis` are 0-based and unused where the shape has none.
  /// Throws Error if there is no such observable or index.
  [[nodiscard]] double at(std::string_view name, std::size_t frame, int link = 0,
                          int axis = 0) const;
  /// The same at any time within the run, linear between frames.
  [[nodiscard]] double at_time(std::string_view name, double t, int link = 0, int axis = 0) const;
  /// Whole column over the frames.
  [[nodiscard]] std::vector<double> column(std::string_view name, int link = 0, int axis = 0) const;
};

/// Reads `trajectory.h5` of a run folder; of a run that goes on or was cut off, the frames it has
/// recorded so far. Throws FileError.
COLUBER_EXPORT Trajectory load_trajectory(const std::filesystem::path& run_folder);

}  // namespace coluber::record
