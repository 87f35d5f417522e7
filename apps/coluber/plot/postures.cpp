#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plot/compare_parts.hpp"
#include "plot/map.hpp"
#include "plot/parts.hpp"
#include "plot/tracks.hpp"

// The robot at several times, from above and from the side.

namespace coluber::app {

using record::Drawing;
using record::Trajectory;

namespace {

/// Under the ground, over the width of the panel.
Polyline soil(const Box& view, double ground) {
  return {{view.x.low, ground},
          {view.x.high, ground},
          {view.x.high, view.y.low},
          {view.x.low, view.y.low},
          {view.x.low, ground}};
}

}  // namespace

/// The frames asked for; else four, evenly spread.
std::vector<std::size_t> chosen_frames(const Trajectory& run, const FigureOptions& options) {
  const auto window = window_of(run, options);
  std::vector<std::size_t> frames;
  for (const double t : options.times) frames.push_back(frame_at(run, t));
  constexpr std::size_t usual = 4;
  for (std::size_t k = 0; frames.size() < usual && options.times.empty(); ++k)
    frames.push_back(window.first + k * (window.last - window.first) / (usual - 1));
  return frames;
}

/// The bodies of a planar model lie in the plane of the ground, and sink into it by half: they are
/// drawn as lying on it.
Flat flat_of(const Drawing& drawing, const std::vector<std::size_t>& frames) {
  const double ground = ground_of(drawing).value_or(0.0);
  double radius = 0.0;
  bool planar = true;
  for (const auto* body : moving_bodies(drawing)) {
    radius = std::max(radius, half_thickness(*body));
    for (const std::size_t frame : frames)
      planar = planar && place_of(drawing, *body, frame)[2] == ground;
  }
  return {planar ? ground - radius : ground, 2.1 * radius};
}

bool leaves_plane(const Drawing& drawing) {
  Range heights = empty_range();
  const auto bodies = moving_bodies(drawing);
  // some of the frames tell
  const std::size_t stride = std::max<std::size_t>(1, drawing.frames / 200);
  for (std::size_t frame = 0; frame < drawing.frames; frame += stride)
    for (const auto* body : bodies)
      for (const auto& p : drawing.points(*body, frame).empty()
                               ? std::vector{place_of(drawing, *body, frame)}
                               : drawing.points(*body, frame))
        heights.include(p[2]);
  return heights.high - heights.low > least::moving;
}

/// The robot at several times, darker from one to the next, and the path of its middle link
/// (Transeth fig 7.3, 7.12).
Figure draw_postures(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const auto frames = chosen_frames(run, options);
  const auto& drawing = scene.drawing;
  const Tracks tracks(run, drawing);
  const auto path = tracks.path(window, tracks.middle());
  const auto obstacles = obstacles_of(drawing, from_above);
  const auto curves = standing_curves(drawing, from_above);

  Box view;
  view.include(path);
  if (!options.zoom) include_curves(view, curves);
  for (const auto frame : frames) view.include(robot_at(drawing, frame, from_above).lines());
  if (!options.zoom) include_obstacles(view, obstacles);
  view.pad(0.06);
  const auto page = page_of(options);
  const auto map = fit(view, page.width - page.left - 0.4, 13.0);
  const double top = below_cm + map.height_cm;
  Heading heading;
  Shown shown{{}, {path}, {}};
  for (const auto frame : frames) {
    heading.legend.push_back(fmt::format("t = {:.4g} s", run.time[frame]));
    for (auto& line : robot_at(drawing, frame, from_above).lines())
      shown.bodies.push_back(std::move(line));
  }
  if (!curves.empty()) heading.legend.emplace_back(path_words);
  say_slope(heading, scene, from_above);
  const auto above = above_of(options, scene, heading);
  Canvas canvas(page.width, top + above.height_cm);
  canvas.panel(page.left, page.left + map.width_cm, below_cm, top);
  canvas.axes("x (m)", "y (m)", view.x, view.y);
  canvas.head(above);
  draw_standing_curves(canvas, curves);
  draw_obstacles(canvas, obstacles, view, map, shown);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const auto edge = sequential_colour(k, frames.size());
    draw_shade(canvas, robot_at(drawing, frames[k], from_above), edge);
    canvas.legend_entry(fmt::format("with lines linecolor '{}' linewidth 4", edge),
                        heading.legend[k]);
  }
  if (!curves.empty()) canvas.legend_entry(line_style(path_colour, path_width), path_words);
  canvas.draw({path}, line_style(colour::vermillion, 1.1));
  return canvas.finish();
}

void draw_side_panel(Canvas& canvas, const Drawing& drawing, std::size_t frame,
                     const SideView& side, const Box& view) {
  std::vector<Polyline> behind;
  for (const auto& o : obstacles_of(drawing, side.plane, side.flat)) behind.push_back(o.outline);
  canvas.draw(behind, polygon_style("#dedede", "#bdbdbd", 0.5));
  const auto curves = standing_curves(drawing, side.plane, side.flat);
  if (side.ground) {
    canvas.draw({soil(view, side.flat.floor)}, polygon_style("#efebe4", "#efebe4", 0.1));
    canvas.draw({{{view.x.low, side.flat.floor}, {view.x.high, side.flat.floor}}},
                line_style("#8c857a", 0.8));
  }
  draw_standing_curves(canvas, curves);
  if (!side.path.empty()) canvas.draw({side.path}, line_style("#b9d7e8", 0.8));
  draw_robot(canvas, robot_at(drawing, frame, side.plane, side.flat));
}

/// The robot over the ground, seen from the side, a panel for each of several times.
Figure draw_side(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const auto frames =
      options.time ? std::vector{frame_at(run, *options.time)} : chosen_frames(run, options);
  const auto& drawing = scene.drawing;
  const View plane{options.along_y ? 1U : 0U, 2U};
  const auto flat = flat_of(drawing, frames);
  const Tracks tracks(run, drawing);
  // a planar run has no heights to follow
  const bool with_path = tracks.axes() > 2 && frames.size() > 1;
  const auto path = with_path ? tracks.path(window, tracks.middle(), plane) : Polyline{};

  Box view;
  for (const auto frame : frames) view.include(robot_at(drawing, frame, plane, flat).lines());
  view.include(path);
  const auto ground = ground_of(drawing);
  const SideView side{plane, flat, path, ground};
  if (ground) view.y.include(flat.floor);
  view.pad(0.04);
  const double lowest_point = view.y.low;
  // all panels share a scale; together they fit a page
  constexpr double gap = 0.35;
  const auto count = static_cast<double>(frames.size());
  const auto page = page_of(options);
  const double right = page.width - 1.9;
  const auto map =
      fit(view, right - page.left, (20.0 - (count - 1.0) * gap) / std::max(count, 2.0), 1.4);
  if (ground) {  // room that is left over is air, not soil
    const double rise = lowest_point - view.y.low;
    view.y = {view.y.low + rise, view.y.high + rise};
  }
  const double pitch = map.height_cm + gap;
  const auto letter = Tracks::axis_name(options.along_y ? 1 : 0);
  Heading heading;
  say_slope(heading, scene, plane);
  const auto above = above_of(options, scene, heading);
  Canvas canvas(page.width, below_cm + count * pitch - gap + above.height_cm);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const bool lowest = k + 1 == frames.size();
    const double bottom = below_cm + (count - 1.0 - static_cast<double>(k)) * pitch;
    canvas.panel(page.left, page.left + map.width_cm, bottom, bottom + map.height_cm);
    canvas.axes(lowest ? letter + " (m)" : "", "z (m)", view.x, view.y);
    if (!lowest) canvas.hide_x_numbers();
    if (k == 0) canvas.head(above);
    canvas.text_cm({right + 0.15, bottom + 0.5 * map.height_cm},
                   fmt::format("t = {:.4g} s", run.time[frames[k]]), "left font ',8'");
    draw_side_panel(canvas, drawing, frames[k], side, view);
  }
  return canvas.finish();
}

}  // namespace coluber::app
