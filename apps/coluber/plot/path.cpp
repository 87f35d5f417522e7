#include <algorithm>

#include <fmt/format.h>

#include "plot/map.hpp"
#include "plot/parts.hpp"
#include "plot/tracks.hpp"

// Where links or bodies went.

namespace coluber::app {

using record::Trajectory;

namespace {

/// Obstacles of each of the panels' scenes.
std::vector<std::vector<Obstacle>> obstacles_by_panel(const std::vector<PathPanel>& panels) {
  std::vector<std::vector<Obstacle>> all;
  for (const auto& panel : panels) all.push_back(obstacles_of(panel.scene->drawing, from_above));
  return all;
}

/// The obstacles' numbers in the fullest of the scenes, so that one taken away renumbers none;
/// empty, which means their own, if this scene has others.
std::vector<int> numbers_in(const std::vector<std::vector<Obstacle>>& scenes,
                            const std::vector<Obstacle>& obstacles) {
  const auto& all =
      *std::max_element(scenes.begin(), scenes.end(),
                        [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<int> numbers;
  for (const auto& o : obstacles) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Obstacle& other) {
      return other.centre.x == o.centre.x && other.centre.y == o.centre.y &&
             other.radius == o.radius;
    });
    if (same == all.end()) return {};
    numbers.push_back(same->number);
  }
  return numbers;
}

}  // namespace

/// Where links went, and the middle link's coordinates over time  (Transeth fig 7.6, 7.14, 7.16).
Figure draw_path(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Tracks tracks(run, scene.drawing);
  const int n = tracks.count();
  const int middle = tracks.middle();
  std::vector<int> usual{middle};
  if (n >= 3 && tracks.by_link())
    usual = middle > 1 ? std::vector{1, middle, n} : std::vector{1, n};
  const auto links = chosen(options, n, usual, tracks.by_link() ? "link" : "body");
  const auto obstacles = obstacles_of(scene.drawing, from_above);
  const auto curves = standing_curves(scene.drawing, from_above);
  const Range times{run.time[window.first], run.time[window.last]};

  Box view;
  std::vector<Polyline> paths;
  for (const int i : links) {
    paths.push_back(tracks.path(window, i));
    view.include(paths.back());
    view.include(measured_path(options, i, times));
  }
  if (!options.zoom) {
    include_curves(view, curves);
    include_obstacles(view, obstacles);
  }
  view.pad(0.04);
  const auto page = page_of(options);
  const auto map = fit(view, page.width - page.left - 0.4, 10.0);

  constexpr double strip = 2.6;
  constexpr double gap = 0.35;
  // z too where there is one and a link moves along it
  int axes = 2;
  for (const int i : links) {
    if (tracks.axes() < 3) break;
    Range z = empty_range();
    include(z, tracks.over_time(window, i, 2));
    if (z.width() > least::moving) axes = 3;
  }
  const double map_bottom = below_cm + axes * strip + (axes - 1) * gap + 1.6;
  const double map_top = map_bottom + map.height_cm;
  const double right = page.left + map.width_cm;
  Heading heading;
  for (const int link : links) heading.legend.push_back(tracks.name(link));
  const bool any_measured = std::any_of(links.begin(), links.end(), [&](int link) {
    return !measured_path(options, link, times).empty();
  });
  if (any_measured) heading.legend.push_back(options.measured->label);
  if (!curves.empty()) heading.legend.emplace_back(path_words);
  say_slope(heading, scene, from_above);
  const auto above = above_of(options, scene, heading);
  Canvas canvas(page.width, map_top + above.height_cm);
  canvas.panel(page.left, right, map_bottom, map_top);
  canvas.axes("x (m)", "y (m)", view.x, view.y);
  canvas.head(above);
  draw_standing_curves(canvas, curves);
  draw_obstacles(canvas, obstacles, view, map, {.bodies = {}, .lines = paths, .robot = {}});
  for (std::size_t k = 0; k < links.size(); ++k) {
    canvas.draw({paths[k]}, line_style(distinct_colour(k), links[k] == middle ? 1.5 : 1.0),
                tracks.name(links[k]));
    // where it ended: all there is to see of a link at rest
    canvas.draw(
        {{paths[k].back()}},
        fmt::format("with points pointtype 7 pointsize 0.4 linecolor '{}'", distinct_colour(k)));
    const auto points = measured_path(options, links[k], times);
    if (points.empty()) continue;
    canvas.draw({points}, measured_style(distinct_colour(k)));
  }
  if (any_measured) canvas.legend_entry(measured_style(colour::grey), options.measured->label);
  if (!curves.empty()) canvas.legend_entry(line_style(path_colour, path_width), path_words);

  for (int axis = 0; axis < axes; ++axis) {
    const bool lowest = axis + 1 == axes;
    const double bottom = below_cm + (axes - 1 - axis) * (strip + gap);
    const std::string letter = Tracks::axis_name(axis);
    Range y = empty_range();
    std::vector<Polyline> lines;
    std::vector<Polyline> points;
    for (const int i : links) {
      lines.push_back(tracks.over_time(window, i, axis));
      points.push_back(
          measured_over_time(options, fmt::format("link_position.{}.{}", i, letter), 1.0, times));
      include(y, lines.back());
      include(y, points.back());
    }
    canvas.panel(page.left, right, bottom, bottom + strip);
    canvas.axes(lowest ? "time t (s)" : "", letter + " (m)", times, padded(y, least::length));
    if (!lowest) canvas.hide_x_numbers();
    for (std::size_t k = 0; k < links.size(); ++k) {
      canvas.draw({thinned(lines[k])},
                  line_style(distinct_colour(k), links[k] == middle ? 1.5 : 1.0));
      if (!points[k].empty()) canvas.draw({points[k]}, measured_style(distinct_colour(k)));
    }
  }
  return canvas.finish();
}

Figure make_path_comparison(const std::vector<PathPanel>& panels, int link) {
  Box view;
  std::vector<Polyline> paths;
  const auto obstacles = obstacles_by_panel(panels);
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const auto& run = *panels[k].run;
    paths.push_back(Tracks(run, panels[k].scene->drawing).path(window_of(run, {}), link));
    view.include(paths.back());
    for (const auto& o : obstacles[k]) view.include(o.outline);
  }
  view.pad(0.05);
  const auto map = fit(view, page_cm - left_cm - 0.4, 10.0);
  const auto count = static_cast<double>(panels.size());
  // nothing but paths: one over the other, to be compared
  if (std::all_of(obstacles.begin(), obstacles.end(),
                  [](const auto& those) { return those.empty(); })) {
    const double top = below_cm + map.height_cm;
    const double height = top + 0.5 * count + 0.3;
    Canvas canvas(page_cm, height);
    canvas.panel(left_cm, left_cm + map.width_cm, below_cm, top);
    canvas.axes("x (m)", "y (m)", view.x, view.y);
    canvas.command(fmt::format(
        "set key at screen {:.6f},{:.6f} left bottom vertical Left reverse noenhanced maxrows 9 "
        "samplen 2 font ',8' textcolor '#333333'",
        left_cm / page_cm, (top + 0.1) / height));
    for (std::size_t k = 0; k < panels.size(); ++k) {
      canvas.draw({paths[k]}, line_style(distinct_colour(k), 1.4), panels[k].name);
      canvas.draw(
          {{paths[k].back()}},
          fmt::format("with points pointtype 5 pointsize 0.6 linecolor '{}'", distinct_colour(k)));
    }
    return canvas.finish();
  }
  const double pitch = map.height_cm + 1.9;
  Canvas canvas(page_cm, count * pitch + 0.1);
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const double bottom = below_cm + (count - 1.0 - static_cast<double>(k)) * pitch;
    canvas.panel(left_cm, left_cm + map.width_cm, bottom, bottom + map.height_cm);
    canvas.axes("x (m)", "y (m)", view.x, view.y);
    canvas.text_cm({left_cm, bottom + map.height_cm + 0.3}, panels[k].title, "left font ',8'");
    draw_obstacles(canvas, obstacles[k], view, map,
                   {.bodies = {}, .lines = {paths[k]}, .robot = {}},
                   numbers_in(obstacles, obstacles[k]));
    canvas.draw({paths[k]}, line_style(colour::blue, 1.4));
    canvas.draw({{paths[k].front()}},
                fmt::format("with points pointtype 7 pointsize 0.6 linecolor '{}'", colour::green));
    canvas.draw(
        {{paths[k].back()}},
        fmt::format("with points pointtype 5 pointsize 0.6 linecolor '{}'", colour::vermillion));
  }
  return canvas.finish();
}

}  // namespace coluber::app
