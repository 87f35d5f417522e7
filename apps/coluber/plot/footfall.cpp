#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plot/compare_parts.hpp"

// When links touch what is around them.

namespace coluber::app {

using record::Trajectory;

namespace {

/// A link touches where its force is not zero in this component, or in any. A force of a frame is
/// the mean since the last one: a touch that was over before counts.
std::vector<bool> touches(const Trajectory& run, std::string_view name, int link, int axis) {
  std::vector<bool> result(run.frames(), false);
  const int first = axis < 0 ? 0 : axis;
  const int last = axis < 0 ? components_of(run, name) - 1 : axis;
  for (int c = first; c <= last; ++c) {
    const auto force = run.column(name, link - 1, c);
    for (std::size_t k = 0; k < force.size(); ++k)
      if (force[k] != 0.0) result[k] = true;
  }
  return result;
}

/// The ground carries links only where a model says with how much: in space.
bool ground_is_left(const Trajectory& run) {
  return run.has("ground_force") && components_of(run, "ground_force") > 2;
}

struct Bars {
  std::vector<Polyline> shapes;
  double share = 0.0;  ///< of the time shown
};

/// Bars of a row, one for each time of touching without a break. Frame k stands for the time since
/// the frame before.
Bars bars_of(const Trajectory& run, const Window& window, const std::vector<bool>& touching,
             double low, double high) {
  Bars bars;
  const auto& t = run.time;
  double sum = 0.0;
  for (std::size_t k = window.first + 1; k <= window.last; ++k) {
    if (!touching[k]) continue;
    std::size_t end = k;
    while (end < window.last && touching[end + 1]) ++end;
    bars.shapes.push_back({{t[k - 1], low}, {t[end], low}, {t[end], high}, {t[k - 1], high}});
    sum += t[end] - t[k - 1];
    k = end;
  }
  bars.share = sum / (t[window.last] - t[window.first]);
  return bars;
}

}  // namespace

bool has_footfall(const Trajectory& run) {
  const auto any = [&](std::string_view name, int axis, bool value) {
    if (!run.has(name) || observable(run, name).size() == 0) return false;
    for (const int i : up_to(count_of(run, name))) {
      const auto touching = touches(run, name, i, axis);
      // the first frame is before the first step
      if (std::find(touching.begin() + 1, touching.end(), value) != touching.end()) return true;
    }
    return false;
  };
  return run.frames() > 1 &&
         ((ground_is_left(run) && any("ground_force", 2, false)) || any("contact_force", -1, true));
}

bool lies_flat(const Trajectory& run) { return !ground_is_left(run) && !has_footfall(run); }

std::string footfall_fill(std::string_view colour_name) {
  return fmt::format("with filledcurves closed fillstyle solid 1.0 noborder fillcolor '{}'",
                     colour_name);
}

double footfall_height(std::size_t links) {
  const auto rows = static_cast<double>(links);
  return std::max(1.0, std::clamp(14.0 / rows, 0.12, 0.55) * rows);
}

Footfall footfall_of(const Trajectory& run, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const int n = count_of(run, "ground_force");
  Footfall footfall;
  footfall.links = chosen(options, n, up_to(n), "link");
  footfall.of_ground = ground_is_left(run);
  const auto rows = static_cast<double>(footfall.links.size());
  for (std::size_t r = 0; r < footfall.links.size(); ++r) {
    const double y = rows - static_cast<double>(r);  // the first link on top
    const int link = footfall.links[r];
    Bars ground;
    Bars pegs;
    if (footfall.of_ground)
      ground = bars_of(run, window, touches(run, "ground_force", link, 2), y - 0.36, y + 0.36);
    const double half = footfall.of_ground ? 0.15 : 0.36;
    if (run.has("contact_force"))
      pegs = bars_of(run, window, touches(run, "contact_force", link, -1), y - half, y + half);
    footfall.shares.push_back(footfall.of_ground ? ground.share : pegs.share);
    for (auto& bar : ground.shapes) footfall.ground.push_back(std::move(bar));
    for (auto& bar : pegs.shapes) footfall.pegs.push_back(std::move(bar));
  }
  return footfall;
}

void draw_footfall_panel(Canvas& canvas, const Footfall& footfall, Range times, double left,
                         double right, double bottom, bool lowest) {
  const auto rows = static_cast<double>(footfall.links.size());
  const double size = footfall_height(footfall.links.size());
  canvas.panel(left, right, bottom, bottom + size);
  canvas.axes(lowest ? "time t (s)" : "", "link", times, {0.4, rows + 0.6});
  if (!lowest) canvas.hide_x_numbers();
  // as many numbers as have room
  const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(0.36 * rows / size)));
  std::string numbers;
  for (std::size_t r = 0; r < footfall.links.size(); r += step) {
    const double y = rows - static_cast<double>(r);
    numbers += fmt::format("{}'{}' {:g}", numbers.empty() ? "" : ", ", footfall.links[r], y);
    canvas.text_cm({right + 0.15, bottom + size * (y - 0.4) / (rows + 0.2)},
                   fmt::format("{:.0f} %", 100.0 * footfall.shares[r]), "left font ',7'",
                   "#666666");
  }
  canvas.command(fmt::format("set ytics ({})\nset grid noytics", numbers));
  canvas.draw(footfall.ground, footfall_fill(ground_colour));
  canvas.draw(footfall.pegs, footfall_fill(colour::orange));
}

/// A row a link, a bar while it touches: the ground in full height, obstacles as a line in it. The
/// share of the time on the ground stands at the right, or on obstacles where all lie on it.
Figure draw_footfall(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const auto footfall = footfall_of(run, options);
  const auto page = page_of(options);
  Heading heading;
  if (footfall.of_ground) heading.legend.emplace_back("on the ground");
  if (!footfall.pegs.empty()) heading.legend.emplace_back("on an obstacle");
  if (heading.legend.empty())
    heading.note = "no link touches an obstacle at these times; all lie on the ground";
  else if (!footfall.of_ground)
    heading.note = "all links lie on the ground";
  const auto above = above_of(options, scene, heading);
  Canvas canvas(page.width, below_cm + footfall_height(footfall.links.size()) + above.height_cm);
  draw_footfall_panel(canvas, footfall, times, page.left, page.width - 1.5, below_cm, true);
  canvas.head(above);
  if (footfall.of_ground) canvas.legend_entry(footfall_fill(ground_colour), "on the ground");
  if (!footfall.pegs.empty()) canvas.legend_entry(footfall_fill(colour::orange), "on an obstacle");
  return canvas.finish();
}

}  // namespace coluber::app
