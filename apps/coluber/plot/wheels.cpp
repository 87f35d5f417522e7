#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plot/parts.hpp"

// What wheels do over time: the force across each, how fast it slips, the torque about its axle.

namespace coluber::app {

using record::Trajectory;

namespace {

/// Largest size within the window; numbers that are none count for nothing.
double largest_of(const std::vector<Polyline>& lines) {
  double largest = 0.0;
  for (const auto& line : lines)
    for (const auto& p : line) largest = std::fmax(largest, std::abs(p.y));
  return largest;
}

}  // namespace

const std::vector<WheelQuantity>& wheel_quantities() {
  static const std::vector<WheelQuantity> all{
      {"wheel_force", "wheel force", "N", 1.0, least::force, false},
      {"wheel_slip", "wheel slip", "mm/s", 1e3, least::slip, false},
      {"wheel_torque", "wheel torque", "N m", 1.0, least::torque, true}};
  return all;
}

/// A panel per quantity, a line per wheel in colours ordered as the wheels are counted.
Figure draw_wheels(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  struct Panel {
    std::string label;
    std::string unit;
    double least = 0.0;
    std::vector<Polyline> lines;     // by wheel
    std::vector<Polyline> measured;  // the same
  };
  std::vector<Panel> panels;
  int count = 0;
  for (const WheelQuantity& quantity : wheel_quantities())
    if (run.has(quantity.name) && observable(run, quantity.name).size() > 0)
      count = std::max(count, count_of(run, quantity.name));
  const auto wheels = chosen(options, count, page_full(up_to(count)), "wheel");
  for (const WheelQuantity& quantity : wheel_quantities()) {
    if (!run.has(quantity.name) || observable(run, quantity.name).size() == 0) continue;
    const int own = count_of(run, quantity.name);
    for (int axis = 0; axis < components_of(run, quantity.name); ++axis) {
      const auto letter = component_name(run, quantity.name, axis);
      Panel panel{fmt::format("{}{}{} ({})", quantity.title, letter.empty() ? "" : " ", letter,
                              quantity.unit),
                  std::string(quantity.unit),
                  quantity.least,
                  {},
                  {}};
      for (const int i : wheels) {
        panel.lines.push_back(i <= own
                                  ? over_time(run, window, quantity.name, i, axis, quantity.factor)
                                  : Polyline{});
        panel.measured.push_back(measured_over_time(options, column_of(run, quantity.name, i, axis),
                                                    quantity.factor, times));
      }
      if (quantity.only_if_any && largest_of(panel.lines) == 0.0) continue;
      panels.push_back(std::move(panel));
    }
  }
  constexpr double gap = 0.4;
  const auto page = page_of(options);
  // gnuplot drops what does not fit beside the panel: 0.4 cm a row
  const double legend = page.narrow ? 0.0 : 0.4 * static_cast<double>(wheels.size() + 1);
  const double first = std::max(4.0, legend);
  constexpr double size = 4.0;
  const auto rest = static_cast<double>(panels.size() - 1);
  const double right = right_of(options, 2.5);
  std::vector<std::string> entries;
  for (const int i : wheels) entries.push_back(fmt::format("wheel {}", i));
  const auto above = above_of(options, scene, {"", if_narrow(options, entries)});
  Canvas canvas(page.width, below_cm + first + rest * (size + gap) + above.height_cm);
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const Panel& panel = panels[p];
    const bool lowest = p + 1 == panels.size();
    const double bottom = below_cm + (rest - static_cast<double>(p)) * (size + gap);
    const double top = bottom + (p == 0 ? first : size);
    const auto cut = cut_of(panel.lines, panel.least);
    Range y{0.0, 0.0};
    for (const auto& line : panel.lines) include(y, line);
    canvas.panel(page.left, right, bottom, top);
    canvas.axes(lowest ? "time t (s)" : "", panel.label, times,
                padded(limited(y, cut), panel.least));
    if (!lowest) canvas.hide_x_numbers();
    if (p == 0) {
      if (!page.narrow) canvas.legend_right();
      canvas.head(above);
    }
    if (std::isfinite(cut.limit)) note_cut(canvas, options, right, top, cut.peak, " " + panel.unit);
    for (std::size_t k = 0; k < wheels.size(); ++k) {
      const auto ink = sequential_colour(static_cast<std::size_t>(wheels[k] - 1),
                                         static_cast<std::size_t>(count));
      canvas.draw({thinned(panel.lines[k])}, line_style(ink, 1.1), p == 0 ? entries[k] : "");
      if (!panel.measured[k].empty()) canvas.draw({panel.measured[k]}, measured_style(ink));
    }
  }
  return canvas.finish();
}

}  // namespace coluber::app
