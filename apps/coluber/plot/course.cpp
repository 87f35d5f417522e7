#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "plot/map.hpp"
#include "plot/parts.hpp"
#include "plot/tracks.hpp"

// The robot among its obstacles, seen from above.

namespace coluber::app {

using record::Drawing;
using record::DrawnBody;
using record::Trajectory;

namespace {

const std::string arrow_style = fmt::format(
    "head filled size screen 0.011,18 fixed linewidth 1.6 linecolor '{}'", colour::vermillion);

constexpr double scale_gap_cm = 0.6;   // from the note above the panel to the scale of the forces
constexpr double large_link_cm = 0.6;  // a link of this thickness has room for a larger number

struct Arrow {
  Point from;
  Point force;
};

struct Arrows {
  std::vector<Arrow> all;
  bool mean = true;  ///< over 0.1 s; else of the very frame
  [[nodiscard]] double strongest() const {
    double most = 0.0;
    for (const auto& a : all) most = std::max(most, std::hypot(a.force.x, a.force.y));
    return most;
  }
};

/// Mean of a force on link i over 0.1 s about a frame.
Point mean_force(const Trajectory& run, std::size_t frame, int i) {
  constexpr double half_window = 0.05;
  const double t = run.time[frame];
  Point impulse;
  double span = 0.0;
  for (std::size_t k = 1; k < run.frames(); ++k) {
    if (run.time[k] <= t - half_window + 1e-9 || run.time[k] > t + half_window + 1e-9) continue;
    const double interval = run.time[k] - run.time[k - 1];
    impulse.x += interval * run.at("contact_force", k, i, 0);
    impulse.y += interval * run.at("contact_force", k, i, 1);
    span += interval;
  }
  return span > 0.0 ? Point{impulse.x / span, impulse.y / span} : Point{};
}

/// Where a link touches: the surface of the obstacle next to it; gap as in Transeth (3.8)-(3.12).
Point touching_point(const Drawing& drawing, const DrawnBody& link,
                     const std::vector<Obstacle>& obstacles, std::size_t frame) {
  const auto pose = drawing.pose(link, frame);
  const double x = pose[0];
  const double y = pose[1];
  Point from{x, y};
  // the core of a capsule, seen from above; other bodies are taken for their middles
  double half_core = 0.0;
  if (link.shape == "capsule" && link.size.size() > 1) half_core = link.size[1];
  const double radius = half_thickness(link);
  const double along_x = 1.0 - 2.0 * (pose[5] * pose[5] + pose[6] * pose[6]);
  const double along_y = 2.0 * (pose[4] * pose[5] + pose[3] * pose[6]);
  const double level = std::hypot(along_x, along_y);
  const double c = level > 0.0 ? along_x / level : 1.0;
  const double s = level > 0.0 ? along_y / level : 0.0;
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& o : obstacles) {
    const double along = std::clamp((o.centre.x - x) * c + (o.centre.y - y) * s, -level * half_core,
                                    level * half_core);
    const double px = x + along * c - o.centre.x;
    const double py = y + along * s - o.centre.y;
    const double distance = std::hypot(px, py);
    const double gap = distance - o.radius - radius;
    if (gap < nearest && distance > 0.0) {
      nearest = gap;
      from = {o.centre.x + o.radius * px / distance, o.centre.y + o.radius * py / distance};
    }
  }
  return from;
}

/// Forces of obstacles on the links: their means, where the run has recorded forces by link, else
/// the contacts that are drawn.
Arrows contact_arrows(const Trajectory& run, const Drawing& drawing,
                      const std::vector<Obstacle>& obstacles, std::size_t frame) {
  constexpr double least_force = 1e-3;
  Arrows arrows;
  const auto links = links_of(drawing);
  if (run.has("contact_force") && components_of(run, "contact_force") >= 2) {
    const int n =
        std::min(observable(run, "contact_force").shape.at(0), static_cast<int>(links.size()));
    for (int i = 0; i < n; ++i) {
      const Point force = mean_force(run, frame, i);
      if (std::hypot(force.x, force.y) < least_force) continue;
      const auto& link = *links[static_cast<std::size_t>(i)];
      arrows.all.push_back({touching_point(drawing, link, obstacles, frame), force});
    }
    return arrows;
  }
  arrows.mean = false;
  for (std::size_t k = 0; k < drawing.fields.size(); ++k) {
    const auto& field = drawing.fields[k];
    if (field.kind != "contact" || !field.name.ends_with(".contact")) continue;
    const auto slots = drawing.at(k, frame);
    for (std::size_t s = 0; s + 5 < slots.size(); s += 6) {
      const Point force{slots[s + 3], slots[s + 4]};
      if (std::hypot(force.x, force.y) >= least_force)  // an open one is NaN
        arrows.all.push_back({{slots[s], slots[s + 1]}, force});
    }
  }
  return arrows;
}

/// The forces.
void draw_arrows(Canvas& canvas, const Arrows& arrows, double m_per_N) {
  std::vector<Point> from;
  std::vector<Point> by;
  for (const auto& a : arrows.all) {
    from.push_back(a.from);
    by.push_back({m_per_N * a.force.x, m_per_N * a.force.y});
  }
  canvas.draw_vectors(from, by, arrow_style);
}

/// The scale of the forces in a row above the panel, which ends at `right` (cm).
struct ForceScale {
  std::string words;
  double unit = 0.0;
  double length_cm = 0.0;
};
void draw_force_scale(Canvas& canvas, const ForceScale& scale, double right, double y, Page page,
                      double height) {
  canvas.command(fmt::format("set arrow from screen {:.6f},{:.6f} to screen {:.6f},{:.6f} {}",
                             (right - scale.length_cm) / page.width, y / height, right / page.width,
                             y / height, arrow_style));
  canvas.text_cm({right - scale.length_cm - 0.15, y}, scale.words, "right font ',8'", "#666666");
}

/// The numbers of the links, where there is room for them.
void number_links(Canvas& canvas, const Drawing& drawing, const Polyline& centres, const Map& map) {
  const auto links = links_of(drawing);
  if (links.size() != centres.size() || links.empty()) return;
  const double link_cm = 2.0 * half_thickness(*links.front()) * map.cm_per_m;
  if (!(link_cm > 0.28) || links.size() > 40) return;
  for (std::size_t i = 0; i < centres.size(); ++i)
    canvas.text(
        centres[i], fmt::format("{}", i + 1),
        fmt::format("center font ',{}' textcolor '#1a1a1a'", link_cm > large_link_cm ? 7 : 5));
}

}  // namespace

/// Course from above: obstacles, robot, forces, path of the middle link  (Transeth fig 7.7a).
Figure draw_course(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_or_frame(run, options);
  const std::size_t frame = options.time ? frame_at(run, *options.time) : window.last;
  const auto& drawing = scene.drawing;
  const Tracks tracks(run, drawing);
  const int middle = tracks.middle();
  const auto obstacles = obstacles_of(drawing, from_above);
  const auto curves = standing_curves(drawing, from_above);
  const auto robot = robot_at(drawing, frame, from_above);
  const auto before = robot_at(drawing, window.first, from_above);
  const auto path = tracks.path(window, middle);
  const Range times{run.time[window.first], run.time[window.last]};
  const auto measured = measured_path(options, middle, times);
  const auto arrows = contact_arrows(run, drawing, obstacles, frame);

  Box view;
  view.include(robot.lines());
  if (options.zoom) {
    view.pad(0.12);
  } else {
    view.include(path);
    view.include(measured);
    view.include(before.lines());
    include_curves(view, curves);
    include_obstacles(view, obstacles);
    view.pad(0.06);
  }
  // the strongest force is drawn as long as a robot of this size leaves room for
  const auto page = page_of(options);
  const double strongest = arrows.strongest();
  const double arrow_cm = 1.6;
  const double width_cm = page.width - page.left - 0.4;
  const double guess = std::min(width_cm / view.x.width(), 13.0 / view.y.width());
  const double m_per_N = strongest > 0.0 ? arrow_cm / guess / strongest : 0.0;
  for (const auto& a : arrows.all)
    view.include(
        Polyline{{a.from.x + 1.1 * m_per_N * a.force.x, a.from.y + 1.1 * m_per_N * a.force.y}});
  const auto map = fit(view, width_cm, 13.0);

  Heading heading{fmt::format("t = {:.4g} s", run.time[frame])};
  if (!curves.empty()) heading.note += fmt::format(";  yellow: {}", path_words);
  if (!measured.empty()) heading.note += fmt::format(";  circles: {}", options.measured->label);
  say_slope(heading, scene, from_above);
  ForceScale scale;
  if (!arrows.all.empty()) {
    scale.unit = round_below(strongest);
    scale.length_cm = scale.unit * m_per_N * map.cm_per_m;
    scale.words =
        fmt::format("{}contact force{}:  {:g} N", page.narrow && arrows.mean ? "mean " : "",
                    arrows.mean && !page.narrow ? ", mean over 0.1 s" : "", scale.unit);
    const double taken = width_of_words(heading.note) +
                         (heading.arrows.empty() ? 0.0 : arrow_room_cm) + scale_gap_cm +
                         width_of_words(scale.words) + scale.length_cm;
    heading.spare_rows = taken > width_cm ? 1 : 0;
  }
  const auto above = above_of(options, scene, heading);
  const int scale_row =
      above.note_row + static_cast<int>(above.note.size()) - 1 + heading.spare_rows;
  const double top = below_cm + map.height_cm;
  const double height = top + above.height_cm;
  const double right = page.left + map.width_cm;
  Canvas canvas(page.width, height);
  canvas.panel(page.left, right, below_cm, top);
  canvas.axes("x (m)", "y (m)", view.x, view.y);
  canvas.head(above);
  draw_standing_curves(canvas, curves);
  const bool ghost = !options.zoom && frame != window.first;
  if (ghost) canvas.draw(before.lines(), line_style(colour::pale, 0.7));
  Polyline centres;
  for (const int i : up_to(tracks.count())) centres.push_back(from_above.of(tracks.at(frame, i)));
  Shown shown{robot.lines(), {path}, centres};
  if (ghost) {
    for (auto& line : before.lines()) shown.bodies.push_back(std::move(line));
    for (const int i : up_to(tracks.count()))
      shown.robot.push_back(from_above.of(tracks.at(window.first, i)));
  }
  for (const auto& a : arrows.all)
    shown.lines.push_back(
        {a.from, {a.from.x + m_per_N * a.force.x, a.from.y + m_per_N * a.force.y}});
  const auto moving = moving_bodies(drawing);
  shown.half_thickness = moving.empty() ? 0.0 : half_thickness(*moving.front());
  draw_obstacles(canvas, obstacles, view, map, shown);
  draw_robot(canvas, robot);
  // where the link has been, and fainter where it will go
  const std::size_t now = std::clamp(frame, window.first, window.last);
  if (now < window.last)
    canvas.draw({tracks.path({now, window.last}, middle)}, line_style("#b9d7e8", 0.8));
  if (now > window.first)
    canvas.draw({tracks.path({window.first, now}, middle)}, line_style(colour::blue, 0.9));
  if (!measured.empty()) canvas.draw({measured}, measured_style(colour::blue));
  number_links(canvas, drawing, centres, map);
  if (!arrows.all.empty()) {
    draw_arrows(canvas, arrows, m_per_N);
    draw_force_scale(canvas, scale, right, height - Above::row_cm(scale_row), page, height);
  }
  return canvas.finish();
}

}  // namespace coluber::app
