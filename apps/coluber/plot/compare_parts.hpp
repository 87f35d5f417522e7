#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plot/compare.hpp"
#include "plot/map.hpp"
#include "plot/outline.hpp"
#include "plot/parts.hpp"

namespace coluber::app {

// What the comparisons share.

struct Comparison {
  const std::vector<ComparedRun>& runs;
  std::string_view title;
  std::string_view note;
  const FigureOptions& options;
  std::vector<Window> windows;            ///< of each run
  Range times;                            ///< that hold them all
  std::string_view along = "time t (s)";  ///< the horizontal axis of panels
};

/// Colour and dash of a run: the first solid, the others dashed over it.
std::string run_style(std::size_t run, double width = 1.2);

/// Title, note and a row a run.
Above compared_above(const Comparison& c, Heading heading = {});
/// Draws entries without lines: for pictures whose lines do not carry them.
void legend_of_runs(Canvas& canvas, const Comparison& c);

// compare_maps.cpp
Figure compare_courses(const Comparison& c);
Figure compare_paths(const Comparison& c);
Figure compare_postures(const Comparison& c);
Figure compare_sides(const Comparison& c);
Figure compare_footfalls(const Comparison& c);

// force_map.cpp
Figure compare_force_maps(const Comparison& c);

// Panels of a figure that are drawn for several runs.
// postures.cpp
std::vector<std::size_t> chosen_frames(const record::Trajectory& run, const FigureOptions& options);
struct SideView {
  View plane;
  Flat flat;
  Polyline path;
  std::optional<double> ground;
};
void draw_side_panel(Canvas& canvas, const record::Drawing& drawing, std::size_t frame,
                     const SideView& side, const Box& view);
Flat flat_of(const record::Drawing& drawing, const std::vector<std::size_t>& frames);
// footfall.cpp
struct Footfall {
  std::vector<int> links;
  std::vector<Polyline> ground, pegs;
  std::vector<double> shares;
  bool of_ground = false;
};
Footfall footfall_of(const record::Trajectory& run, const FigureOptions& options);
double footfall_height(std::size_t links);
void draw_footfall_panel(Canvas& canvas, const Footfall& footfall, Range times, double left,
                         double right, double bottom, bool lowest);
std::string footfall_fill(std::string_view colour_name);
inline constexpr std::string_view ground_colour = "#31688e";

}  // namespace coluber::app
