#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "plot/compare_parts.hpp"
#include "plot/map.hpp"
#include "plot/parts.hpp"

// The torques and obstacle forces that a force map chose at one instant, seen from above.

namespace coluber::app {

using record::Drawing;
using record::Trajectory;

namespace {

constexpr std::string_view mapped_colour = "#c2318f";  // as on the page: not that of contact forces
constexpr double torque_strip_cm = 2.8;
constexpr double map_gap_cm = 1.7;
constexpr double arrow_room = 0.19;  // of the map's width, the strongest force at most

/// What an obstacle does to a link.
struct MappedForce {
  Point at;          ///< m
  Point total;       ///< N
  Point constraint;  ///< N, without friction
};

/// A force map of one frame.
struct MappedFrame {
  std::size_t frame = 0;
  DrawnRobot robot;
  Polyline centres;  ///< of gravity
  Polyline joints;
  std::vector<MappedForce> forces;
  std::vector<double> torques;  ///< N m
  std::optional<double> limit;  ///< N m
  [[nodiscard]] bool at_limit(std::size_t joint) const {
    return limit && std::abs(torques[joint]) >= *limit * (1.0 - 1e-6);
  }
};

/// How far an outline reaches from a point along a direction.
double reach_of(const DrawnRobot& robot, std::size_t link, Point from, Point way) {
  double reach = 0.0;
  if (link < robot.outlines.size())
    for (const auto& p : robot.outlines[link].line)
      reach = std::max(reach, (p.x - from.x) * way.x + (p.y - from.y) * way.y);
  return reach;
}

/// Where link k and the next one meet: c1 + a e1 = c2 - b e2. What links in line leave open goes by
/// how far their outlines reach.
Point joint_after(const MappedFrame& map, std::size_t k, double theta1, double theta2) {
  const Point c1 = map.centres[k];
  const Point c2 = map.centres[k + 1];
  const Point e1{std::cos(theta1), std::sin(theta1)};
  const Point e2{std::cos(theta2), std::sin(theta2)};
  const Point d{c2.x - c1.x, c2.y - c1.y};
  // least squares with a hair of (a - a0)² + (b - b0)²
  constexpr double hair = 1e-9;
  const double a0 = reach_of(map.robot, k, c1, e1);
  const double b0 = reach_of(map.robot, k + 1, c2, {-e2.x, -e2.y});
  const double mixed = e1.x * e2.x + e1.y * e2.y;
  const double own = 1.0 + hair;
  const double r1 = e1.x * d.x + e1.y * d.y + hair * a0;
  const double r2 = e2.x * d.x + e2.y * d.y + hair * b0;
  const double a = (own * r1 - mixed * r2) / (own * own - mixed * mixed);
  return {c1.x + a * e1.x, c1.y + a * e1.y};
}

/// The point and the force of a link's arrow; none where nothing touches.
std::optional<std::array<Point, 2>> arrow_of(const Drawing& drawing, const std::string& name,
                                             std::size_t frame) {
  for (std::size_t k = 0; k < drawing.fields.size(); ++k) {
    const auto& field = drawing.fields[k];
    if (field.kind != "contact" || field.name != name || field.count < 6) continue;
    const auto slot = drawing.at(k, frame);
    if (!std::isfinite(slot[0] + slot[1] + slot[3] + slot[4])) return std::nullopt;
    return std::array{Point{slot[0], slot[1]}, Point{slot[3], slot[4]}};
  }
  return std::nullopt;
}

MappedFrame mapped_frame(const Trajectory& run, const Scene& scene, std::size_t frame) {
  MappedFrame mapped{.frame = frame,
                     .robot = robot_at(scene.drawing, frame, from_above),
                     .centres = {},
                     .joints = {},
                     .forces = {},
                     .torques = {},
                     .limit = scene.torque_limit};
  const int n = count_of(run, "mapped_force");
  for (int i = 0; i < n; ++i) {
    mapped.centres.push_back(
        {run.at("link_position", frame, i, 0), run.at("link_position", frame, i, 1)});
    const auto total = arrow_of(scene.drawing, fmt::format("link_{}.mapped_force", i + 1), frame);
    const auto part =
        arrow_of(scene.drawing, fmt::format("link_{}.mapped_constraint", i + 1), frame);
    if (total && part) mapped.forces.push_back({(*total)[0], (*total)[1], (*part)[1]});
  }
  for (int j = 0; j + 1 < n; ++j) {
    const auto k = static_cast<std::size_t>(j);
    mapped.joints.push_back(
        joint_after(mapped, k, run.at("link_angle", frame, j), run.at("link_angle", frame, j + 1)));
  }
  for (int j = 0; j < count_of(run, "mapped_torque"); ++j)
    mapped.torques.push_back(run.at("mapped_torque", frame, j));
  return mapped;
}

std::size_t mapped_frame_asked(const Trajectory& run, const FigureOptions& options,
                               const Window& window) {
  return options.time ? frame_at(run, *options.time) : window.last;
}

/// Which instant it is, and what the QP said of it.
std::string instant_words(const Trajectory& run, std::size_t frame) {
  std::string words;
  if (run.has("place"))
    words = fmt::format("rear end at s = {:.4g} m", run.at("place", frame));
  else if (run.frames() > 1)
    words = fmt::format("t = {:.4g} s", run.time[frame]);
  if (run.has("qp_status")) {
    constexpr std::array<std::string_view, 4> states{"optimal", "the wish is missed: slack",
                                                     "infeasible: no torques", "not solved"};
    const double status = run.at("qp_status", frame);
    const bool known = status >= 0.0 && status < 4.0;
    words += fmt::format("{}{}", words.empty() ? "" : ";  ",
                         states[known ? static_cast<std::size_t>(status) : 3]);
  }
  return words;
}

/// Metres on the axes for a newton, a round number.
struct MapScale {
  double m_per_N = 0.0;
  double unit = 0.0;  ///< N, a large force
  [[nodiscard]] std::string words() const {
    return fmt::format("arrows: {:g} N = {:.4g} m on the axes", unit, unit * m_per_N);
  }
};
/// Centimetres on paper for a metre.
double paper_scale(const Box& view, double width_cm) {
  return std::min(width_cm / view.x.width(), 12.0 / view.y.width());
}

MapScale scale_in(const Box& view, const std::vector<MappedFrame>& maps, double width_cm) {
  double strongest = 0.0;
  for (const auto& map : maps)
    for (const auto& force : map.forces)
      strongest = std::max({strongest, std::hypot(force.total.x, force.total.y),
                            std::hypot(force.constraint.x, force.constraint.y)});
  if (!(strongest > 1e-6)) return {};  // rounding errors of none
  const double most = arrow_room * width_cm / paper_scale(view, width_cm) / strongest;
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  MapScale scale{power, round_below(strongest)};
  for (const double digits : {1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (digits * power <= most) scale.m_per_N = digits * power;
  return scale;
}

Point tip_of(const MappedForce& force, Point by, double m_per_N) {
  return {force.at.x + m_per_N * by.x, force.at.y + m_per_N * by.y};
}

/// Words beyond an end of the robot.
struct EndName {
  std::string words;
  Point at;      ///< m, its middle
  Polyline box;  ///< m
};
/// "link 1" and "link 20".
std::vector<EndName> end_names(const MappedFrame& map, double cm_per_m) {
  std::vector<EndName> names;
  const std::size_t n = map.centres.size();
  if (n < 2 || map.joints.size() + 1 != n) return names;
  const auto add = [&](std::size_t link, Point joint, Point centre) {
    const double length = std::hypot(centre.x - joint.x, centre.y - joint.y);
    if (!(length > 0.0)) return;
    const Point way{(centre.x - joint.x) / length, (centre.y - joint.y) / length};
    const double reach = reach_of(map.robot, link, centre, way);
    EndName name{fmt::format("link {}", link + 1), {}, {}};
    const double width = 0.5 * width_of_words(name.words, 7.0) / cm_per_m;
    const double height = 0.13 / cm_per_m;
    const double gap =
        reach + 0.1 / cm_per_m +
        std::min(width / std::max(1e-9, std::abs(way.x)), height / std::max(1e-9, std::abs(way.y)));
    name.at = {centre.x + gap * way.x, centre.y + gap * way.y};
    name.box = {{name.at.x - width, name.at.y - height}, {name.at.x + width, name.at.y + height}};
    names.push_back(std::move(name));
  };
  add(0, map.joints.front(), map.centres.front());
  add(n - 1, map.joints.back(), map.centres.back());
  return names;
}

/// The robots, the arrows, and the obstacles that push.
Box box_of(const std::vector<MappedFrame>& maps, const std::vector<Obstacle>& obstacles,
           double width_cm, MapScale& scale) {
  Box view;
  for (const auto& map : maps) {
    view.include(map.robot.lines());
    for (const auto& force : map.forces)
      for (const auto& o : obstacles)
        if (std::hypot(o.centre.x - force.at.x, o.centre.y - force.at.y) < 2.0 * o.radius + 0.05)
          view.include(o.outline);
  }
  const double air = 0.03 * std::max(view.x.width(), view.y.width());
  scale = scale_in(view, maps, width_cm);
  for (const auto& map : maps)
    for (const auto& force : map.forces)
      view.include(Polyline{tip_of(force, force.total, scale.m_per_N),
                            tip_of(force, force.constraint, scale.m_per_N)});
  for (const auto& map : maps)
    for (const auto& name : end_names(map, 0.9 * paper_scale(view, width_cm)))
      view.include(name.box);
  view.pad(air);
  return view;
}

/// Arrows on paper: a shaft and a head of the same form in every format; the head of a short arrow
/// is smaller.
struct PaperArrows {
  std::vector<Polyline> shafts;
  std::vector<Polyline> heads;
};
PaperArrows arrows_on_paper(const MappedFrame& map, const MapScale& scale, bool constraint,
                            const Map& paper) {
  PaperArrows arrows;
  const double cm_per_m = paper.cm_per_m;
  for (const auto& force : map.forces) {
    const Point size = constraint ? force.constraint : force.total;
    const double length = scale.m_per_N * std::hypot(size.x, size.y);
    if (!(length * cm_per_m > 0.03)) continue;
    const Point way{scale.m_per_N * size.x / length, scale.m_per_N * size.y / length};
    const Point tip = tip_of(force, size, scale.m_per_N);
    const double head = std::min(0.02 * paper.width_cm / cm_per_m, 0.5 * length);
    const Point neck{tip.x - head * way.x, tip.y - head * way.y};
    const double half = 0.33 * head;
    arrows.shafts.push_back({force.at, neck});
    arrows.heads.push_back({tip,
                            {neck.x - half * way.y, neck.y + half * way.x},
                            {neck.x + half * way.y, neck.y - half * way.x},
                            tip});
  }
  return arrows;
}

const std::string dashed_shaft =
    fmt::format("with lines linecolor '{}' linewidth 1.2 dashtype (6,5)", mapped_colour);

void draw_constraint_parts(Canvas& canvas, const PaperArrows& arrows) {
  canvas.draw(arrows.shafts, dashed_shaft);
  canvas.draw(arrows.heads, polygon_style("#ffffff", mapped_colour, 1.0));
}

void draw_totals(Canvas& canvas, const PaperArrows& arrows, std::string_view tone) {
  canvas.draw(arrows.shafts, line_style(tone, 1.8));
  canvas.draw(arrows.heads, polygon_style(tone, tone, 0.5));
}

const std::string joint_rim =
    "with points pointtype 6 pointsize 0.38 linewidth 0.9 linecolor '#31688e'";
const std::string limit_mark =
    fmt::format("with points pointtype 7 pointsize 0.55 linecolor '{}'", colour::vermillion);
const std::string centre_mark =
    fmt::format("with points pointtype 7 pointsize 0.22 linecolor '{}'", colour::black);

void draw_joints(Canvas& canvas, const MappedFrame& map) {
  Polyline limited_joints;
  for (std::size_t j = 0; j < map.joints.size() && j < map.torques.size(); ++j)
    if (map.at_limit(j)) limited_joints.push_back(map.joints[j]);
  canvas.draw({map.joints}, "with points pointtype 7 pointsize 0.38 linecolor '#ffffff'");
  canvas.draw({map.joints}, joint_rim);
  canvas.draw({map.centres}, centre_mark);
  canvas.draw({limited_joints}, limit_mark);
}

/// Bars from zero at whole numbers.
std::vector<Polyline> bars(const MappedFrame& map, bool at_limit) {
  std::vector<Polyline> all;
  for (std::size_t j = 0; j < map.torques.size(); ++j) {
    if (map.at_limit(j) != at_limit || !std::isfinite(map.torques[j])) continue;
    const double x = static_cast<double>(j) + 1.0;
    const double y = map.torques[j];
    all.push_back({{x - 0.3, 0.0}, {x + 0.3, 0.0}, {x + 0.3, y}, {x - 0.3, y}, {x - 0.3, 0.0}});
  }
  return all;
}

/// Axes of the torques over the joints' numbers, with the limits where they are not far off.
struct TorqueAxes {
  Range joints{0.5, 1.5};
  Range y{0.0, 0.0};
  std::optional<double> limit;  ///< drawn
};
TorqueAxes torque_axes(const std::vector<MappedFrame>& maps) {
  TorqueAxes axes;
  std::optional<double> limit = maps.front().limit;
  for (const auto& map : maps) {
    for (const double torque : map.torques) axes.y.include(torque);
    axes.joints.high = std::max(axes.joints.high, static_cast<double>(map.torques.size()) + 0.5);
    if (map.limit != limit) limit.reset();
  }
  const double most = std::max(-axes.y.low, axes.y.high);
  if (limit && (most == 0.0 || *limit < 5.0 * most)) {
    axes.limit = limit;
    axes.y.include(*limit);
    axes.y.include(-*limit);
  }
  axes.y = padded(axes.y, least::torque);
  return axes;
}

void draw_torque_axes(Canvas& canvas, const TorqueAxes& axes, double left, double right,
                      std::string_view limit_tone) {
  canvas.panel(left, right, below_cm, below_cm + torque_strip_cm);
  canvas.axes("joint", "torque (N m)", axes.joints, axes.y);
  int step = 1;
  while (axes.joints.width() / step > right - left) step = step == 1 ? 2 : step == 2 ? 5 : 2 * step;
  canvas.command(fmt::format("set xtics {}", step));  // whole numbers, one a centimetre
  canvas.draw({{{axes.joints.low, 0.0}, {axes.joints.high, 0.0}}}, line_style(colour::grey, 0.6));
  if (!axes.limit) return;
  canvas.text_cm({right - 0.05, below_cm + torque_strip_cm + 0.15},
                 fmt::format("limit {:g} N m", *axes.limit), "right font ',7'");
  for (const double level : {-*axes.limit, *axes.limit})
    canvas.draw({{{axes.joints.low, level}, {axes.joints.high, level}}},
                line_style(limit_tone, 0.9, 2));
}

/// The map's axes above the strip of torques.
Canvas canvas_of(const Page& page, const Above& above, const Map& map, const Box& view) {
  const double bottom = below_cm + torque_strip_cm + map_gap_cm;
  const double top = bottom + map.height_cm;
  Canvas canvas(page.width, top + above.height_cm);
  canvas.panel(page.left, page.left + map.width_cm, bottom, top);
  canvas.axes("x (m)", "y (m)", view.x, view.y);
  canvas.head(above);
  return canvas;
}

}  // namespace

/// The frozen instant: obstacles, links, joints, centres of gravity and forces  (Holden fig 3), and
/// the torques of the joints.
Figure draw_force_map(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_or_frame(run, options);
  const std::size_t frame = mapped_frame_asked(run, options, window);
  const std::vector<MappedFrame> maps{mapped_frame(run, scene, frame)};
  const auto& mapped = maps.front();
  auto obstacles = obstacles_of(scene.drawing, from_above);
  const auto curves = standing_curves(scene.drawing, from_above);
  const auto page = page_of(options);
  const double width_cm = page.width - page.left - 0.4;
  MapScale scale;
  Box view = box_of(maps, obstacles, width_cm, scale);
  const auto map = fit(view, width_cm, 12.0);
  keep_whole(obstacles, view);
  const auto axes = torque_axes(maps);

  Heading heading{instant_words(run, frame)};
  if (scale.m_per_N > 0.0)
    heading.note += fmt::format("{}{}", heading.note.empty() ? "" : ";  ", scale.words());
  bool limited_joint = false;
  for (std::size_t j = 0; j < mapped.torques.size(); ++j)
    limited_joint = limited_joint || mapped.at_limit(j);
  std::vector<std::pair<std::string, std::string>> legend;
  if (scale.m_per_N > 0.0) {
    legend.emplace_back("force on the link", line_style(mapped_colour, 1.8));
    legend.emplace_back("its constraint part", dashed_shaft);
  }
  legend.emplace_back("joint", joint_rim);
  legend.emplace_back("centre of gravity", centre_mark);
  if (limited_joint) legend.emplace_back("torque at its limit", limit_mark);
  if (!curves.empty())
    legend.emplace_back(std::string(path_words), line_style(path_colour, path_width));
  for (const auto& [words, style] : legend) heading.legend.push_back(words);
  const auto above = above_of(options, scene, heading);
  const double right = page.left + map.width_cm;
  Canvas canvas = canvas_of(page, above, map, view);
  draw_standing_curves(canvas, curves);
  Shown shown{mapped.robot.lines(), {}, mapped.centres};
  for (const auto& force : mapped.forces)
    for (const Point by : {force.total, force.constraint})
      shown.lines.push_back({force.at, tip_of(force, by, scale.m_per_N)});
  const auto moving = moving_bodies(scene.drawing);
  shown.half_thickness = moving.empty() ? 0.0 : half_thickness(*moving.front());
  draw_obstacles(canvas, obstacles, view, map, shown);
  draw_robot(canvas, mapped.robot);
  draw_joints(canvas, mapped);
  for (const auto& name : end_names(mapped, map.cm_per_m))
    canvas.text(name.at, name.words, "center font ',7' textcolor '#31688e'");
  draw_constraint_parts(canvas, arrows_on_paper(mapped, scale, true, map));
  draw_totals(canvas, arrows_on_paper(mapped, scale, false, map), mapped_colour);
  for (const auto& [words, style] : legend) canvas.legend_entry(style, words);

  draw_torque_axes(canvas, axes, page.left, right, colour::vermillion);
  canvas.draw(bars(mapped, false), polygon_style("#8fc7e6", "#31688e", 0.5));
  canvas.draw(bars(mapped, true), polygon_style(colour::vermillion, "#8a3d00", 0.5));
  return canvas.finish();
}

/// The same of several runs in one map, each in its colour, and their torques side by side.
Figure compare_force_maps(const Comparison& c) {
  std::vector<MappedFrame> maps;
  std::vector<Obstacle> obstacles;
  Heading heading;
  std::vector<std::string> instants;
  for (std::size_t r = 0; r < c.runs.size(); ++r) {
    const auto& run = *c.runs[r].run;
    maps.push_back(
        mapped_frame(run, *c.runs[r].scene, mapped_frame_asked(run, c.options, c.windows[r])));
    for (auto& o : obstacles_of(c.runs[r].scene->drawing, from_above)) {
      const bool known =
          std::any_of(obstacles.begin(), obstacles.end(), [&](const Obstacle& other) {
            return std::hypot(o.centre.x - other.centre.x, o.centre.y - other.centre.y) <
                   0.1 * o.radius;
          });
      o.number = 0;  // the runs may number them differently
      if (!known) obstacles.push_back(std::move(o));
    }
    const auto words = instant_words(run, maps.back().frame);
    if (std::find(instants.begin(), instants.end(), words) == instants.end())
      instants.push_back(words);
  }
  const auto page = page_of(c.options);
  const double width_cm = page.width - page.left - 0.4;
  MapScale scale;
  Box view = box_of(maps, obstacles, width_cm, scale);
  const auto map = fit(view, width_cm, 12.0);
  keep_whole(obstacles, view);
  const auto axes = torque_axes(maps);
  heading.note = fmt::format("{}", fmt::join(instants, " | "));
  if (scale.m_per_N > 0.0)
    heading.note += fmt::format("{}{}", heading.note.empty() ? "" : ";  ", scale.words());
  const auto above = compared_above(c, heading);
  const double right = page.left + map.width_cm;
  Canvas canvas = canvas_of(page, above, map, view);
  draw_obstacles(canvas, obstacles, view, map);
  for (std::size_t r = 0; r < maps.size(); ++r)
    draw_shade(canvas, maps[r].robot, distinct_colour(r));
  for (std::size_t r = 0; r < maps.size(); ++r)
    draw_totals(canvas, arrows_on_paper(maps[r], scale, false, map), distinct_colour(r));
  legend_of_runs(canvas, c);

  draw_torque_axes(canvas, axes, page.left, right, colour::grey);
  for (std::size_t r = 0; r < maps.size(); ++r) {
    Polyline line;
    for (std::size_t j = 0; j < maps[r].torques.size(); ++j)
      line.push_back({static_cast<double>(j) + 1.0, maps[r].torques[j]});
    canvas.draw({line}, run_style(r, 0.8));
    canvas.draw({line}, fmt::format("with points pointtype {} pointsize 0.45 linecolor '{}'",
                                    r == 0 ? 7 : 6, distinct_colour(r)));
  }
  return canvas.finish();
}

}  // namespace coluber::app
