#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plot/parts.hpp"

// How far a robot is from the path that it follows.

namespace coluber::app {

using record::Trajectory;

Polyline path_error_sum(const Trajectory& run, const Window& window) {
  Polyline sum = over_time(run, window, path_error_name, 1, 0, 0.0);
  for (const int i : up_to(count_of(run, path_error_name))) {
    const auto line = over_time(run, window, path_error_name, i, 0, millimetre);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k].y += std::abs(line[k].y);
  }
  return sum;
}

/// Distance of every link from the path, and the sum of their sizes  (Murugendran fig 4, 5).
Figure draw_path_error(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const int n = count_of(run, path_error_name);
  const auto links = chosen(options, n, page_full(up_to(n)), "link");
  std::vector<Polyline> lines;
  std::vector<Polyline> points;
  std::vector<std::string> legend;
  Range z{0.0, 0.0};
  for (const int i : links) {
    lines.push_back(over_time(run, window, path_error_name, i, 0, millimetre));
    points.push_back(
        measured_over_time(options, column_of(run, path_error_name, i, 0), millimetre, times));
    legend.push_back(fmt::format("link {}", i));
    include(z, lines.back());
    include(z, points.back());
  }
  const bool any_measured =
      std::any_of(points.begin(), points.end(), [](const Polyline& line) { return !line.empty(); });
  if (any_measured) legend.emplace_back("measured");
  const auto sum = path_error_sum(run, window);
  Range total{0.0, 0.0};
  include(total, sum);

  constexpr double gap = 0.4;
  constexpr double sum_strip = 3.8;
  const auto page = page_of(options);
  // gnuplot drops what does not fit beside the panel: 0.4 cm a row
  const double beside = page.narrow ? 0.0 : 0.4 * static_cast<double>(legend.size());
  const double strip = std::max(5.2, beside);
  const double right = right_of(options, 2.3);
  const auto above = above_of(
      options, scene, {"distance from the path, positive to its left", if_narrow(options, legend)});
  Canvas canvas(page.width, below_cm + sum_strip + gap + strip + above.height_cm);
  const double bottom = below_cm + sum_strip + gap;
  canvas.panel(page.left, right, bottom, bottom + strip);
  canvas.axes("", "path error z (mm)", times, padded(z, least::path_error));
  canvas.hide_x_numbers();
  if (!page.narrow) canvas.legend_right();
  canvas.head(above);
  for (std::size_t k = 0; k < links.size(); ++k) {
    const auto tone =
        sequential_colour(static_cast<std::size_t>(links[k] - 1), static_cast<std::size_t>(n));
    canvas.draw({thinned(lines[k])}, line_style(tone, 1.1), legend[k]);
    if (!points[k].empty()) canvas.draw({points[k]}, measured_style(tone));
  }
  if (any_measured) canvas.legend_entry(measured_style(colour::grey), "measured");
  canvas.panel(page.left, right, below_cm, below_cm + sum_strip);
  canvas.axes("time t (s)", fmt::format("{} (mm)", path_error_sum_words), times,
              padded(total, least::path_error));
  canvas.draw({thinned(sum)}, line_style(colour::black, 1.2));
  return canvas.finish();
}

}  // namespace coluber::app
