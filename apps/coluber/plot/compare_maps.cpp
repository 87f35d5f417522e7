#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "plot/compare_parts.hpp"
#include "plot/map.hpp"
#include "plot/tracks.hpp"

// Several runs in one map, or in maps of one scale.

namespace coluber::app {

namespace {

/// The obstacles that all runs have, and those of some only, by run.
struct SharedObstacles {
  std::vector<Obstacle> all;
  std::vector<std::vector<Polyline>> own;
};

bool same_obstacle(const Obstacle& a, const Obstacle& b) {
  return a.centre.x == b.centre.x && a.centre.y == b.centre.y && a.radius == b.radius;
}

SharedObstacles shared_obstacles(const Comparison& c) {
  std::vector<std::vector<Obstacle>> each;
  for (const auto& run : c.runs) each.push_back(obstacles_of(run.scene->drawing, from_above));
  const auto everywhere = [&](const Obstacle& o) {
    return std::all_of(each.begin(), each.end(), [&](const auto& those) {
      return std::any_of(those.begin(), those.end(),
                         [&](const Obstacle& other) { return same_obstacle(o, other); });
    });
  };
  SharedObstacles shared;
  for (const auto& o : each.front())
    if (everywhere(o)) shared.all.push_back(o);
  for (const auto& those : each) {
    auto& own = shared.own.emplace_back();
    for (const auto& o : those)
      if (!everywhere(o)) own.push_back(o.outline);
  }
  return shared;
}

void include_all(Box& view, const SharedObstacles& obstacles) {
  include_obstacles(view, obstacles.all);
  for (const auto& own : obstacles.own) view.include(own);
}

void draw_shared(Canvas& canvas, const SharedObstacles& obstacles, const Box& view, const Map& map,
                 const Shown& shown) {
  draw_obstacles(canvas, obstacles.all, view, map, shown);
  for (std::size_t r = 0; r < obstacles.own.size(); ++r)
    canvas.draw(obstacles.own[r],
                fmt::format("with lines linecolor '{}' linewidth 1.2", distinct_colour(r)));
}

/// The paths that the runs follow: one where all have the same, else one each.
std::vector<std::vector<Outline>> paths_to_follow(const Comparison& c) {
  std::vector<std::vector<Outline>> each;
  for (const auto& run : c.runs) each.push_back(standing_curves(run.scene->drawing, from_above));
  const auto same = [](const Outline& a, const Outline& b) {
    return std::equal(a.line.begin(), a.line.end(), b.line.begin(), b.line.end(),
                      [](const Point& p, const Point& q) { return p.x == q.x && p.y == q.y; });
  };
  const bool alike = std::all_of(each.begin(), each.end(), [&](const auto& those) {
    return std::equal(those.begin(), those.end(), each.front().begin(), each.front().end(), same);
  });
  if (alike) each.resize(1);
  return each;
}

void include_paths(Box& view, const std::vector<std::vector<Outline>>& paths) {
  for (const auto& curves : paths) include_curves(view, curves);
}

/// Says which colour they have.
void say_paths(Heading& heading, const std::vector<std::vector<Outline>>& paths) {
  const bool any =
      std::any_of(paths.begin(), paths.end(), [](const auto& curves) { return !curves.empty(); });
  if (!any) return;
  heading.note += fmt::format("{}{}: {}", heading.note.empty() ? "" : ";  ",
                              paths.size() == 1 ? "yellow" : "broad lines", path_words);
}

/// Where the runs have paths of their own, in a pale tone of each run's colour.
void draw_paths_to_follow(Canvas& canvas, const std::vector<std::vector<Outline>>& paths) {
  for (std::size_t r = 0; r < paths.size(); ++r)
    draw_standing_curves(canvas, paths[r],
                         paths.size() == 1 ? std::string(path_colour) : pale_colour(r));
}

/// The slopes of the runs; `coloured` where the runs are told apart by colours.
void say_their_slopes(Heading& heading, const Comparison& c, const View& view, bool coloured) {
  std::vector<std::optional<Slope>> slopes;
  for (const auto& run : c.runs) slopes.push_back(run.scene->slope);
  say_slopes(heading, slopes, view, coloured);
}

/// The links whose paths are shown: those asked for, else the middle one.
std::vector<int> links_shown(const Comparison& c, const Tracks& tracks) {
  return chosen(c.options, tracks.count(), {tracks.middle()}, tracks.by_link() ? "link" : "body");
}

}  // namespace

/// The robots of all runs among the obstacles, each in a colour of its own, and where their middle
/// links went.
Figure compare_courses(const Comparison& c) {
  const auto obstacles = shared_obstacles(c);
  const auto to_follow = paths_to_follow(c);
  std::vector<DrawnRobot> robots;
  std::vector<Polyline> paths;
  Box view;
  Shown shown;
  bool same_time = true;
  std::vector<double> times;
  for (std::size_t r = 0; r < c.runs.size(); ++r) {
    const auto& run = *c.runs[r].run;
    const auto& drawing = c.runs[r].scene->drawing;
    const auto frame = c.options.time ? frame_at(run, *c.options.time) : c.windows[r].last;
    const Tracks tracks(run, drawing);
    robots.push_back(robot_at(drawing, frame, from_above));
    paths.push_back(tracks.path(c.windows[r], tracks.middle()));
    times.push_back(run.time[frame]);
    same_time = same_time && std::abs(times.back() - times.front()) < 1e-6;
    view.include(robots.back().lines());
    if (!c.options.zoom) view.include(paths.back());
    for (auto& line : robots.back().lines()) shown.bodies.push_back(std::move(line));
    const auto moving = moving_bodies(drawing);
    if (!moving.empty())
      shown.half_thickness = std::max(shown.half_thickness, half_thickness(*moving.front()));
    for (const int i : up_to(tracks.count()))
      shown.robot.push_back(from_above.of(tracks.at(frame, i)));
  }
  shown.lines = paths;
  if (!c.options.zoom) {
    include_paths(view, to_follow);
    include_all(view, obstacles);
  }
  view.pad(c.options.zoom ? 0.12 : 0.06);
  const auto page = page_of(c.options);
  const auto map = fit(view, page.width - page.left - 0.4, 13.0);
  Heading heading;
  std::string at;
  for (const double t : times)
    if (at.empty() || !same_time) at += fmt::format("{}{:.4g}", at.empty() ? "" : ", ", t);
  heading.note = fmt::format("t = {} s", at);
  say_paths(heading, to_follow);
  say_their_slopes(heading, c, from_above, true);
  const auto above = compared_above(c, heading);
  Canvas canvas(page.width, below_cm + map.height_cm + above.height_cm);
  canvas.panel(page.left, page.left + map.width_cm, below_cm, below_cm + map.height_cm);
  canvas.axes("x (m)", "y (m)", view.x, view.y);
  canvas.head(above);
  legend_of_runs(canvas, c);
  draw_paths_to_follow(canvas, to_follow);
  draw_shared(canvas, obstacles, view, map, shown);
  for (std::size_t r = 0; r < c.runs.size(); ++r) draw_shade(canvas, robots[r], distinct_colour(r));
  for (std::size_t r = 0; r < c.runs.size(); ++r) canvas.draw({paths[r]}, run_style(r, 0.9));
  return canvas.finish();
}

/// Where the middle link, or those asked for, went in every run, and its coordinates over time.
Figure compare_paths(const Comparison& c) {
  const auto obstacles = shared_obstacles(c);
  const auto to_follow = paths_to_follow(c);
  Box view;
  std::vector<std::vector<Polyline>> paths;            // by run
  std::vector<std::vector<std::vector<Polyline>>> of;  // by axis and run
  of.resize(3);
  int axes = 2;
  Shown shown;
  std::string which;
  for (std::size_t r = 0; r < c.runs.size(); ++r) {
    const Tracks tracks(*c.runs[r].run, c.runs[r].scene->drawing);
    auto& own = paths.emplace_back();
    for (auto& axis : of) axis.emplace_back();
    std::string names;
    for (const int link : links_shown(c, tracks)) {
      own.push_back(tracks.path(c.windows[r], link));
      shown.lines.push_back(own.back());
      names += (names.empty() ? "" : ", ") + tracks.name(link);
      for (int axis = 0; axis < tracks.axes(); ++axis)
        of[static_cast<std::size_t>(axis)][r].push_back(tracks.over_time(c.windows[r], link, axis));
      if (tracks.axes() < 3) continue;
      Range z = empty_range();
      include(z, of[2][r].back());
      if (z.width() > least::moving) axes = 3;
    }
    which = which.empty() || which == names ? names : "middle link";
    view.include(own);
  }
  if (!c.options.zoom) {
    include_paths(view, to_follow);
    include_all(view, obstacles);
  }
  view.pad(0.04);
  const auto page = page_of(c.options);
  const auto map = fit(view, page.width - page.left - 0.4, 10.0);
  constexpr double strip = 2.6;
  constexpr double gap = 0.35;
  const double map_bottom = below_cm + axes * strip + (axes - 1) * gap + 1.6;
  const double right = page.left + map.width_cm;
  Heading heading{which};
  say_paths(heading, to_follow);
  say_their_slopes(heading, c, from_above, true);
  const auto above = compared_above(c, heading);
  Canvas canvas(page.width, map_bottom + map.height_cm + above.height_cm);
  canvas.panel(page.left, right, map_bottom, map_bottom + map.height_cm);
  canvas.axes("x (m)", "y (m)", view.x, view.y);
  canvas.head(above);
  legend_of_runs(canvas, c);
  draw_paths_to_follow(canvas, to_follow);
  draw_shared(canvas, obstacles, view, map, shown);
  for (std::size_t r = 0; r < c.runs.size(); ++r)
    for (const auto& path : paths[r]) {
      canvas.draw({path}, run_style(r));
      canvas.draw(
          {{path.back()}},
          fmt::format("with points pointtype 7 pointsize 0.4 linecolor '{}'", distinct_colour(r)));
    }
  for (int axis = 0; axis < axes; ++axis) {
    const bool lowest = axis + 1 == axes;
    const double bottom = below_cm + (axes - 1 - axis) * (strip + gap);
    const auto& lines = of[static_cast<std::size_t>(axis)];
    Range y = empty_range();
    for (const auto& own : lines)
      for (const auto& line : own) include(y, line);
    canvas.panel(page.left, right, bottom, bottom + strip);
    canvas.axes(lowest ? "time t (s)" : "", Tracks::axis_name(axis) + " (m)", c.times,
                padded(y, least::length));
    if (!lowest) canvas.hide_x_numbers();
    for (std::size_t r = 0; r < lines.size(); ++r)
      for (const auto& line : lines[r]) canvas.draw({thinned(line)}, run_style(r));
  }
  return canvas.finish();
}

/// The robot at several times, a map a run, all to one scale.
Figure compare_postures(const Comparison& c) {
  Box view;
  std::vector<std::vector<std::size_t>> frames;
  std::vector<Polyline> paths;
  for (std::size_t r = 0; r < c.runs.size(); ++r) {
    const auto& drawing = c.runs[r].scene->drawing;
    const Tracks tracks(*c.runs[r].run, drawing);
    frames.push_back(chosen_frames(*c.runs[r].run, c.options));
    paths.push_back(tracks.path(c.windows[r], tracks.middle()));
    view.include(paths.back());
    for (const auto frame : frames.back())
      view.include(robot_at(drawing, frame, from_above).lines());
    if (c.options.zoom) continue;
    include_curves(view, standing_curves(drawing, from_above));
    include_obstacles(view, obstacles_of(drawing, from_above));
  }
  view.pad(0.06);
  const auto page = page_of(c.options);
  const auto count = static_cast<double>(c.runs.size());
  const auto map = fit(view, page.width - page.left - 0.4, std::max(3.0, 20.0 / count));
  Heading heading;
  std::string times;
  for (const auto frame : frames.front())
    times += fmt::format("{}{:.4g}", times.empty() ? "" : ", ", c.runs.front().run->time[frame]);
  heading.note = fmt::format("t = {} s, dark to light", times);
  std::vector<Outline> to_follow;
  for (const auto& run : c.runs)
    for (auto& curve : standing_curves(run.scene->drawing, from_above))
      to_follow.push_back(std::move(curve));
  say_paths(heading, {to_follow});
  say_their_slopes(heading, c, from_above, false);
  const auto above = make_above(page.width, page.left,
                                {.title = c.title,
                                 .with_title = c.options.title,
                                 .note = heading.note,
                                 .arrows = heading.arrows});
  const double pitch = map.height_cm + 1.75;
  const double right = page.left + map.width_cm;
  Canvas canvas(page.width, below_cm + count * pitch - 1.2 + above.height_cm);
  for (std::size_t r = 0; r < c.runs.size(); ++r) {
    const double bottom = below_cm + (count - 1.0 - static_cast<double>(r)) * pitch;
    const auto& drawing = c.runs[r].scene->drawing;
    canvas.panel(page.left, right, bottom, bottom + map.height_cm);
    const bool lowest = r + 1 == c.runs.size();
    canvas.axes(lowest ? "x (m)" : "", "y (m)", view.x, view.y);
    if (r == 0) canvas.head(above);
    canvas.text_cm({page.left, bottom + map.height_cm + 0.25},
                   shortened(c.runs[r].label, page.width - page.left - 0.2), "left font ',8'");
    Shown shown{{}, {paths[r]}, {}};
    for (const auto frame : frames[r])
      for (auto& line : robot_at(drawing, frame, from_above).lines())
        shown.bodies.push_back(std::move(line));
    draw_standing_curves(canvas, standing_curves(drawing, from_above));
    draw_obstacles(canvas, obstacles_of(drawing, from_above), view, map, shown);
    for (std::size_t k = 0; k < frames[r].size(); ++k)
      draw_shade(canvas, robot_at(drawing, frames[r][k], from_above),
                 sequential_colour(k, frames[r].size()));
    canvas.draw({paths[r]}, line_style(colour::vermillion, 1.1));
  }
  return canvas.finish();
}

/// The robots from the side at one time, a panel a run, all to one scale.
Figure compare_sides(const Comparison& c) {
  const View plane{c.options.along_y ? 1U : 0U, 2U};
  Box view;
  std::vector<SideView> sides;
  std::vector<std::size_t> frames;
  bool any_ground = false;
  for (std::size_t r = 0; r < c.runs.size(); ++r) {
    const auto& run = *c.runs[r].run;
    const auto& drawing = c.runs[r].scene->drawing;
    frames.push_back(c.options.time ? frame_at(run, *c.options.time) : c.windows[r].last);
    sides.push_back({plane, flat_of(drawing, {frames.back()}), {}, ground_of(drawing)});
    view.include(robot_at(drawing, frames.back(), plane, sides.back().flat).lines());
    if (sides.back().ground) view.y.include(sides.back().flat.floor);
    any_ground = any_ground || sides.back().ground.has_value();
  }
  view.pad(0.04);
  const double lowest_point = view.y.low;
  const auto page = page_of(c.options);
  const auto count = static_cast<double>(c.runs.size());
  const auto map = fit(view, page.width - page.left - 0.4, 20.0 / std::max(count, 2.0), 1.4);
  if (any_ground) {  // room that is left over is air, not soil
    const double rise = lowest_point - view.y.low;
    view.y = {view.y.low + rise, view.y.high + rise};
  }
  Heading heading;
  say_their_slopes(heading, c, plane, false);
  const auto above = make_above(page.width, page.left,
                                {.title = c.title,
                                 .with_title = c.options.title,
                                 .note = heading.note,
                                 .arrows = heading.arrows});
  const double pitch = map.height_cm + 0.8;
  Canvas canvas(page.width, below_cm + count * pitch - 0.3 + above.height_cm);
  for (std::size_t r = 0; r < c.runs.size(); ++r) {
    const double bottom = below_cm + (count - 1.0 - static_cast<double>(r)) * pitch;
    const bool lowest = r + 1 == c.runs.size();
    canvas.panel(page.left, page.left + map.width_cm, bottom, bottom + map.height_cm);
    canvas.axes(lowest ? Tracks::axis_name(c.options.along_y ? 1 : 0) + " (m)" : "", "z (m)",
                view.x, view.y);
    if (!lowest) canvas.hide_x_numbers();
    if (r == 0) canvas.head(above);
    canvas.text_cm(
        {page.left, bottom + map.height_cm + 0.25},
        shortened(fmt::format("t = {:.4g} s;  {}", c.runs[r].run->time[frames[r]], c.runs[r].label),
                  page.width - page.left - 0.2),
        "left font ',8'");
    draw_side_panel(canvas, c.runs[r].scene->drawing, frames[r], sides[r], view);
  }
  return canvas.finish();
}

/// When links touch, a panel a run.
Figure compare_footfalls(const Comparison& c) {
  const auto page = page_of(c.options);
  std::vector<Footfall> all;
  double height = 0.0;
  Heading heading;
  bool ground = false;
  bool pegs = false;
  for (const auto& run : c.runs) {
    all.push_back(footfall_of(*run.run, c.options));
    height += footfall_height(all.back().links.size()) + 0.8;
    ground = ground || all.back().of_ground;
    pegs = pegs || !all.back().pegs.empty();
  }
  if (ground) heading.legend.emplace_back("on the ground");
  if (pegs) heading.legend.emplace_back("on an obstacle");
  const auto above = make_above(
      page.width, page.left,
      {.title = c.title, .with_title = c.options.title, .note = "", .legend = heading.legend});
  Canvas canvas(page.width, below_cm + height - 0.3 + above.height_cm);
  double bottom = below_cm + height;
  const double right = page.width - 1.5;
  for (std::size_t r = 0; r < c.runs.size(); ++r) {
    const double size = footfall_height(all[r].links.size());
    bottom -= size + 0.8;
    draw_footfall_panel(canvas, all[r], c.times, page.left, right, bottom, r + 1 == all.size());
    canvas.text_cm({page.left, bottom + size + 0.25},
                   shortened(c.runs[r].label, page.width - page.left - 0.2), "left font ',8'");
    if (r > 0) continue;
    canvas.head(above);
    if (ground) canvas.legend_entry(footfall_fill(ground_colour), "on the ground");
    if (pegs) canvas.legend_entry(footfall_fill(colour::orange), "on an obstacle");
  }
  return canvas.finish();
}

}  // namespace coluber::app
