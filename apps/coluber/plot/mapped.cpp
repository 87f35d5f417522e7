#include "plot/mapped.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "plot/parts.hpp"

// A robot under the force map's control: does it follow the wish, and do its obstacles push as the
// map has it?

namespace coluber::app {

using record::Trajectory;

namespace {

constexpr double mapped_panel_cm = 3.6;
constexpr double panel_gap_cm = 0.4;

/// A force of these links along an axis, summed up (N).
Polyline force_sum(const Trajectory& run, const Window& window, std::string_view name,
                   const std::vector<int>& links, int axis) {
  Polyline sum;
  for (const int i : links) {
    const auto line = over_time(run, window, name, i, axis, 1.0);
    if (sum.empty()) sum.assign(line.begin(), line.end());
    for (std::size_t k = 0; k < sum.size() && i != links.front(); ++k) sum[k].y += line[k].y;
  }
  return sum;
}

}  // namespace

Figure draw_mapped(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const int n = count_of(run, "wish_angle");
  const auto links = chosen(options, n, {1, middle_link(n), n}, "link");
  const auto pushed = chosen(options, n, up_to(n), "link");
  std::vector<Polyline> angles;
  std::vector<Polyline> wishes;
  std::vector<Polyline> errors;
  std::vector<std::string> legend;
  Range angle = empty_range();
  Range error{0.0, 0.0};
  for (const int i : links) {
    angles.push_back(over_time(run, window, "link_angle", i, 0, degree));
    wishes.push_back(over_time(run, window, "wish_angle", i, 0, degree));
    errors.push_back(angles.back());
    for (std::size_t k = 0; k < errors.back().size(); ++k) {
      errors.back()[k].y -= wishes.back()[k].y;
    }
    include(angle, angles.back());
    include(angle, wishes.back());
    include(error, errors.back());
    legend.push_back(fmt::format("link {}", i));
  }
  legend.emplace_back("wish");
  legend.emplace_back("simulated");
  legend.emplace_back("mapped");
  const std::string whose =
      pushed.size() == static_cast<std::size_t>(n)
          ? "obstacle forces of all links together"
          : fmt::format("obstacle forces of the links {} together", fmt::join(pushed, ", "));
  const auto page = page_of(options);
  const double right = right_of(options, 2.6);
  const auto above = above_of(options, scene, {whose, if_narrow(options, legend)});
  double bottom = below_cm + 3.0 * (mapped_panel_cm + panel_gap_cm);
  Canvas canvas(page.width, bottom + mapped_panel_cm + above.height_cm);

  canvas.panel(page.left, right, bottom, bottom + mapped_panel_cm);
  canvas.axes("", "link angle (deg)", times, padded(angle, least::angle));
  canvas.hide_x_numbers();
  if (!page.narrow) canvas.legend_right();
  canvas.head(above);
  const auto wish = line_style(colour::black, 0.8, 3);
  const auto simulated = line_style(colour::grey, 1.3);
  const auto mapped = line_style("#c2318f", 1.0, 2);
  for (std::size_t k = 0; k < links.size(); ++k) {
    canvas.draw({thinned(angles[k])}, line_style(distinct_colour(k), 1.3), legend[k]);
    canvas.draw({thinned(wishes[k])}, wish);
  }
  canvas.legend_entry(wish, "wish");
  canvas.legend_entry(simulated, "simulated");
  canvas.legend_entry(mapped, "mapped");

  bottom -= mapped_panel_cm + panel_gap_cm;
  canvas.panel(page.left, right, bottom, bottom + mapped_panel_cm);
  canvas.axes("", "error (deg)", times, padded(error, least::angle));
  canvas.hide_x_numbers();
  for (std::size_t k = 0; k < links.size(); ++k) {
    canvas.draw({thinned(errors[k])}, line_style(distinct_colour(k), 1.1));
  }

  for (int axis = 0; axis < 2; ++axis) {
    const auto real = force_sum(run, window, "contact_force", pushed, axis);
    const auto asked = force_sum(run, window, "mapped_force", pushed, axis);
    Range force{0.0, 0.0};
    include(force, real);
    include(force, asked);
    bottom -= mapped_panel_cm + panel_gap_cm;
    canvas.panel(page.left, right, bottom, bottom + mapped_panel_cm);
    const auto cut = cut_of({real, asked}, least::force);
    canvas.axes(axis == 1 ? "time t (s)" : "", axis == 0 ? "force along x (N)" : "along y (N)",
                times, padded(limited(force, cut), least::force));
    if (axis == 0) canvas.hide_x_numbers();
    if (std::isfinite(cut.limit))
      note_cut(canvas, options, right, bottom + mapped_panel_cm, cut.peak, " N");
    canvas.draw({thinned(real)}, simulated);
    canvas.draw({thinned(asked)}, mapped);
  }
  return canvas.finish();
}

}  // namespace coluber::app
