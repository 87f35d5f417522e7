#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plot/figures.hpp"
#include "plot/names.hpp"

namespace coluber::app {

/// One axis of a sweep as a picture needs it: numbers, or the places of its words.
struct SweepAxis {
  std::string label;
  bool log = false;                ///< drawn by the logarithm
  bool sampled = false;            ///< its values are no grid
  std::vector<std::string> words;  ///< in order of appearance; none: numbers
  std::vector<double> values;      ///< by row
};

/// results.csv of a sweep folder, read.
struct SweepTable {
  std::string title;
  std::vector<SweepAxis> axes;
  std::string measure;  ///< the goal's, else the first
  std::string unit;
  std::vector<double> values;   ///< of the measure, by row; NaN: none
  std::vector<bool> feasible;   ///< by row
  std::vector<long> candidate;  ///< by row; none: no history of an optimiser
  std::optional<bool> largest;  ///< what is good; none: no goal
  [[nodiscard]] std::size_t size() const { return values.size(); }
  /// The best feasible row; none without a goal or without one.
  [[nodiscard]] std::optional<std::size_t> best() const;
};

/// Reads it. Throws FileError.
SweepTable load_sweep_table(const std::filesystem::path& folder);

/// Pictures of a sweep that `coluber plot --what` can draw.
std::span<const PlotName> sweep_plot_names();

/// Draws one. Throws Error naming what is missing.
Figure make_sweep_figure(std::string_view name, const SweepTable& table,
                         const FigureOptions& options);
/// The same without an exception: the sweep has what it takes, and it tells something.
bool can_draw_sweep(std::string_view name, const SweepTable& table);

}  // namespace coluber::app
