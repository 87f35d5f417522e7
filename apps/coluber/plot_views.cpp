#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

#include "plot_parts.hpp"

// Pictures seen from above.

namespace coluber::app {

using record::Trajectory;

namespace {

std::string polygon_style(std::string_view fill, std::string_view edge, double width = 0.7) {
  return fmt::format(
      "with filledcurves closed fillstyle solid 1.0 border linecolor '{}' fillcolor '{}' linewidth "
      "{}",
      edge, fill, width);
}

/// Outline of link i: all points within `radius` of the core  (Transeth 3.3). Of a link that is
/// not level its shadow: the core is `level` times as long.
Polyline capsule(double x, double y, double theta, const scenario::Link& link, double level = 1.0) {
  Polyline outline;
  constexpr int arc = 16;
  const double c = std::cos(theta);
  const double s = std::sin(theta);
  const auto cap = [&](double centre, double from) {
    for (int k = 0; k <= arc; ++k) {
      const double a = theta + from + std::numbers::pi * k / arc;
      outline.push_back(
          {x + centre * c + link.radius * std::cos(a), y + centre * s + link.radius * std::sin(a)});
    }
  };
  // the outline is about the link's middle, the position is its centre of gravity
  cap(level * (link.half_core - link.cg_offset), -0.5 * std::numbers::pi);
  cap(level * (-link.half_core - link.cg_offset), 0.5 * std::numbers::pi);
  outline.push_back(outline.front());
  return outline;
}

Polyline circle(double x, double y, double radius) {
  Polyline outline;
  constexpr int corners = 48;
  for (int k = 0; k <= corners; ++k) {
    const double a = 2.0 * std::numbers::pi * k / corners;
    outline.push_back({x + radius * std::cos(a), y + radius * std::sin(a)});
  }
  return outline;
}

/// Length of a link's axis seen from above; the axis is the third of the body.
double level_of(const Trajectory& run, std::size_t frame, int link) {
  if (!run.has("link_quaternion")) return 1.0;
  const double x = run.at("link_quaternion", frame, link, 1);
  const double y = run.at("link_quaternion", frame, link, 2);
  const double up = 1.0 - 2.0 * (x * x + y * y);
  return std::sqrt(std::max(0.0, 1.0 - up * up));
}

std::vector<Polyline> robot_at(const Trajectory& run, const Scene& scene, std::size_t frame) {
  std::vector<Polyline> outlines;
  const int n = count_of(run, "link_position");
  for (int i = 0; i < n; ++i) {
    const auto& link = scene.links.at(static_cast<std::size_t>(i));
    outlines.push_back(capsule(run.at("link_position", frame, i, 0),
                               run.at("link_position", frame, i, 1), run.at("link_angle", frame, i),
                               link, level_of(run, frame, i)));
  }
  return outlines;
}

struct Box {
  Range x = empty_range();
  Range y = empty_range();
  void include(const Polyline& line) {
    for (const auto& p : line) {
      x.include(p.x);
      y.include(p.y);
    }
  }
  void include(const std::vector<Polyline>& lines) {
    for (const auto& line : lines) include(line);
  }
  void pad(double air) {
    x = {x.low - air, x.high + air};
    y = {y.low - air, y.high + air};
  }
};

/// A map of this box fills the page's width; a tall one is made narrower instead.
struct Map {
  double cm_per_m = 1.0;
  double width_cm = 0.0;
  double height_cm = 0.0;
};

Map fit(Box& box, double width_cm, double max_height_cm) {
  Map map;
  map.cm_per_m = std::min(width_cm / box.x.width(), max_height_cm / box.y.width());
  // equal scales: widen the shorter side of the box to the panel
  const double spare = width_cm / map.cm_per_m - box.x.width();
  box.x = {box.x.low - 0.5 * spare, box.x.high + 0.5 * spare};
  map.width_cm = width_cm;
  map.height_cm = std::max(map.cm_per_m * box.y.width(), 2.0);
  const double lack = map.height_cm / map.cm_per_m - box.y.width();
  box.y = {box.y.low - 0.5 * lack, box.y.high + 0.5 * lack};
  return map;
}

/// What there is on paper already (cm): discs, and words about their middles.
class Occupied {
 public:
  void add_disc(Point at, double radius) { boxes_.push_back({at, radius, radius}); }
  /// False: the word would lie over something; else its place is taken from now on.
  bool take(Point at, std::string_view word) {
    const Box box{at, 0.08 * static_cast<double>(word.size()) + 0.05, 0.12};
    const auto over = [&](const Box& other) {
      return std::abs(other.at.x - at.x) < other.half_width + box.half_width &&
             std::abs(other.at.y - at.y) < other.half_height + box.half_height;
    };
    if (std::any_of(boxes_.begin(), boxes_.end(), over)) return false;
    boxes_.push_back(box);
    return true;
  }

 private:
  struct Box {
    Point at;
    double half_width;
    double half_height;
  };
  std::vector<Box> boxes_;
};

constexpr std::size_t many_obstacles = 60;  // more are neither all numbered nor all in the picture

/// The nearest point of a line that is closer than `nearest`.
std::optional<Point> closest(const Polyline& line, Point to, double& nearest) {
  std::optional<Point> found;
  for (const auto& p : line) {
    const double distance = std::hypot(to.x - p.x, to.y - p.y);
    if (distance >= nearest) continue;
    nearest = distance;
    found = p;
  }
  return found;
}

/// Discs with their numbers: inside a large one, beside a small one on the side away from `robot`.
/// Of very many only those next to the robot are numbered, and none over another.
void draw_obstacles(Canvas& canvas, const Scene& scene, const Box& view, const Map& map,
                    const Polyline& robot = {}, const std::vector<int>& numbers = {}) {
  struct Disc {
    std::size_t index;
    double distance;              // to the robot (m)
    std::optional<Point> beside;  // the point of the robot next to it, if that is near
  };
  std::vector<Polyline> outlines;
  std::vector<Disc> discs;
  Occupied occupied;
  for (std::size_t k = 0; k < scene.obstacles.size(); ++k) {
    const auto& o = scene.obstacles[k];
    if (o.x + o.radius < view.x.low || o.x - o.radius > view.x.high ||
        o.y + o.radius < view.y.low || o.y - o.radius > view.y.high)
      continue;
    outlines.push_back(circle(o.x, o.y, o.radius));
    occupied.add_disc({o.x * map.cm_per_m, o.y * map.cm_per_m}, o.radius * map.cm_per_m);
    double distance = std::numeric_limits<double>::infinity();
    const auto point = closest(robot, {o.x, o.y}, distance);
    const double reach = 4.0 * (scene.links.empty() ? 0.0 : scene.links.front().radius) + o.radius;
    discs.push_back({k, distance, distance < reach && distance > 0.0 ? point : std::nullopt});
  }
  const bool many = discs.size() > many_obstacles;
  if (many) {
    std::sort(discs.begin(), discs.end(), [](const Disc& a, const Disc& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.index < b.index;
    });
    const auto far =
        std::find_if(discs.begin(), discs.end(), [](const Disc& disc) { return !disc.beside; });
    discs.erase(far, discs.end());
  }
  for (const Disc& disc : discs) {
    const auto& o = scene.obstacles[disc.index];
    const auto word =
        fmt::format("{}", numbers.empty() ? static_cast<int>(disc.index) + 1 : numbers[disc.index]);
    if (o.radius * map.cm_per_m > 0.3) {
      canvas.text({o.x, o.y}, word, "center font ',7' textcolor '#ffffff'");
      continue;
    }
    Point away{1.0, 0.0};
    if (disc.beside)
      away = {(o.x - disc.beside->x) / disc.distance, (o.y - disc.beside->y) / disc.distance};
    const double offset = o.radius + 0.22 / map.cm_per_m;
    const Point at{o.x + offset * away.x, o.y + offset * away.y};
    if (many && !occupied.take({at.x * map.cm_per_m, at.y * map.cm_per_m}, word)) continue;
    canvas.text(at, word, "center font ',7' textcolor '#555555'", Layer::back);
  }
  canvas.draw(outlines, polygon_style("#6b6b6b", "#3a3a3a", many ? 0.3 : 0.7));
}

/// The obstacles that a picture has to have in it: all, or of very many those about what it shows.
void include_obstacles(Box& view, const Scene& scene) {
  Box about = view;
  if (scene.obstacles.size() > many_obstacles && view.x.high >= view.x.low)
    about.pad(0.15 + 0.1 * std::max(view.x.width(), view.y.width()));
  for (const auto& o : scene.obstacles) {
    const bool near =
        o.x > about.x.low && o.x < about.x.high && o.y > about.y.low && o.y < about.y.high;
    if (near || scene.obstacles.size() <= many_obstacles) view.include(circle(o.x, o.y, o.radius));
  }
}

struct Arrow {
  Point from;
  Point force;
};

/// Mean force of each touching link over 0.1 s about `time`, at the point where it touches.
std::vector<Arrow> contact_arrows(const Trajectory& run, const Scene& scene, std::size_t frame) {
  std::vector<Arrow> arrows;
  if (!run.has("contact_force")) return arrows;
  constexpr double half_window = 0.05;
  const double t = run.time[frame];
  const int n = count_of(run, "contact_force");
  for (int i = 0; i < n; ++i) {
    Point impulse;
    double span = 0.0;
    for (std::size_t k = 1; k < run.frames(); ++k) {
      if (run.time[k] <= t - half_window + 1e-9 || run.time[k] > t + half_window + 1e-9) continue;
      const double interval = run.time[k] - run.time[k - 1];
      impulse.x += interval * run.at("contact_force", k, i, 0);
      impulse.y += interval * run.at("contact_force", k, i, 1);
      span += interval;
    }
    const Point force = span > 0.0 ? Point{impulse.x / span, impulse.y / span} : Point{};
    if (std::hypot(force.x, force.y) < 1e-3) continue;
    // the touching obstacle is the nearest; gap as in Transeth (3.8)-(3.12)
    const auto& link = scene.links.at(static_cast<std::size_t>(i));
    const double x = run.at("link_position", frame, i, 0);
    const double y = run.at("link_position", frame, i, 1);
    const double theta = run.at("link_angle", frame, i);
    const double c = std::cos(theta);
    const double s = std::sin(theta);
    Point from{x, y};
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto& o : scene.obstacles) {
      const double along =
          std::clamp((o.x - x) * c + (o.y - y) * s, -link.half_core - link.cg_offset,
                     link.half_core - link.cg_offset);
      const double px = x + along * c - o.x;
      const double py = y + along * s - o.y;
      const double distance = std::hypot(px, py);
      const double gap = distance - o.radius - link.radius;
      if (gap < nearest && distance > 0.0) {
        nearest = gap;
        from = {o.x + o.radius * px / distance, o.y + o.radius * py / distance};
      }
    }
    arrows.push_back({from, force});
  }
  return arrows;
}

}  // namespace

/// The obstacles' numbers in the fullest of the scenes, so that one taken away renumbers none;
/// empty, which means 1, 2, …, if this scene has others.
static std::vector<int> numbers_in(const std::vector<PathPanel>& panels, const Scene& scene) {
  const auto fullest =
      std::max_element(panels.begin(), panels.end(), [](const PathPanel& a, const PathPanel& b) {
        return a.scene->obstacles.size() < b.scene->obstacles.size();
      });
  const auto& all = fullest->scene->obstacles;
  std::vector<int> numbers;
  for (const auto& o : scene.obstacles) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const scenario::Obstacle& other) {
      return other.x == o.x && other.y == o.y && other.radius == o.radius;
    });
    if (same == all.end()) return {};
    numbers.push_back(static_cast<int>(same - all.begin()) + 1);
  }
  return numbers;
}

/// Course from above: obstacles, robot, forces, path of the middle link  (Transeth fig 7.7a).
Figure draw_course(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const std::size_t frame = options.time ? frame_at(run, *options.time) : window.last;
  const int n = count_of(run, "link_position");
  if (scene.links.size() != static_cast<std::size_t>(n))
    throw Error(
        fmt::format("run.json describes {} links, the trajectory has {}", scene.links.size(), n));
  const int middle = middle_link(n);
  const auto robot = robot_at(run, scene, frame);
  const auto path = path_of(run, window, middle);
  const Range times{run.time[window.first], run.time[window.last]};
  const auto measured = measured_path(options, middle, times);
  const auto arrows = contact_arrows(run, scene, frame);

  Box view;
  view.include(robot);
  if (options.zoom) {
    view.pad(0.12);
  } else {
    view.include(path);
    view.include(measured);
    view.include(robot_at(run, scene, window.first));
    include_obstacles(view, scene);
    view.pad(0.06);
  }
  // the strongest force is drawn as long as a robot of this size leaves room for
  double strongest = 0.0;
  for (const auto& a : arrows) strongest = std::max(strongest, std::hypot(a.force.x, a.force.y));
  const double arrow_cm = 1.6;
  const double width_cm = page_cm - left_cm - 0.4;
  const double guess = std::min(width_cm / view.x.width(), 13.0 / view.y.width());
  const double m_per_N = strongest > 0.0 ? arrow_cm / guess / strongest : 0.0;
  for (const auto& a : arrows)
    view.include(
        Polyline{{a.from.x + 1.1 * m_per_N * a.force.x, a.from.y + 1.1 * m_per_N * a.force.y}});
  const auto map = fit(view, width_cm, 13.0);

  const double top = below_cm + map.height_cm;
  const double height = top + above_two_cm;
  Canvas canvas(page_cm, height);
  canvas.panel(left_cm, left_cm + map.width_cm, below_cm, top);
  canvas.axes("x (m)", "y (m)", view.x, view.y);
  auto note = fmt::format("t = {:.4g} s", run.time[frame]);
  if (!measured.empty()) note += fmt::format(";  circles: {}", options.measured->label);
  canvas.heading(scene.title, note);
  const bool ghost = !options.zoom && frame != window.first;
  if (ghost) {
    canvas.draw(robot_at(run, scene, window.first), line_style(colour::pale, 0.7));
  }
  Polyline centres;
  for (int i = 0; i < n; ++i)
    centres.push_back({run.at("link_position", frame, i, 0), run.at("link_position", frame, i, 1)});
  auto kept_free = centres;
  if (ghost)
    for (int i = 0; i < n; ++i)
      kept_free.push_back({run.at("link_position", window.first, i, 0),
                           run.at("link_position", window.first, i, 1)});
  draw_obstacles(canvas, scene, view, map, kept_free);
  // link n first, so that link 1, the leading one, lies on top
  for (std::size_t i = robot.size(); i-- > 0;)
    canvas.draw({robot[i]}, polygon_style(i == 0 ? "#8fc7e6" : "#dcecf6", "#31688e", 0.6));
  // where the link has been, and fainter where it will go
  const std::size_t now = std::clamp(frame, window.first, window.last);
  if (now < window.last)
    canvas.draw({path_of(run, {now, window.last}, middle)}, line_style("#b9d7e8", 0.8));
  if (now > window.first)
    canvas.draw({path_of(run, {window.first, now}, middle)}, line_style(colour::blue, 0.9));
  if (!measured.empty()) canvas.draw({measured}, measured_style(colour::blue));
  const double link_cm = 2.0 * scene.links.front().radius * map.cm_per_m;
  if (link_cm > 0.28 && n <= 40) {
    for (int i = 0; i < n; ++i)
      canvas.text(centres[static_cast<std::size_t>(i)], fmt::format("{}", i + 1),
                  fmt::format("center font ',{}' textcolor '#1a1a1a'", link_cm > 0.6 ? 7 : 5));
  }
  if (!arrows.empty()) {
    std::vector<Point> from;
    std::vector<Point> by;
    for (const auto& a : arrows) {
      from.push_back(a.from);
      by.push_back({m_per_N * a.force.x, m_per_N * a.force.y});
    }
    canvas.draw_vectors(
        from, by,
        fmt::format("head filled size screen 0.011,18 fixed linewidth 1.6 linecolor '{}'",
                    colour::vermillion));
    // the scale, in the margin above
    const double unit = round_below(strongest);
    const double length_cm = unit * m_per_N * map.cm_per_m;
    const double right = left_cm + map.width_cm;
    canvas.command(
        fmt::format("set arrow from screen {:.6f},{:.6f} to screen {:.6f},{:.6f} head filled size "
                    "screen 0.011,18 "
                    "fixed linewidth 1.6 linecolor '{}'",
                    (right - length_cm) / page_cm, (height - 0.88) / height, right / page_cm,
                    (height - 0.88) / height, colour::vermillion));
    canvas.text_cm({right - length_cm - 0.15, height - 0.88},
                   fmt::format("contact force, mean over 0.1 s:  {:g} N", unit), "right font ',8'",
                   "#666666");
  }
  return canvas.finish();
}

/// Where links went, and the middle link's coordinates over time  (Transeth fig 7.6, 7.14, 7.16).
Figure draw_path(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const int n = count_of(run, "link_position");
  const int middle = middle_link(n);
  std::vector<int> usual{middle};
  if (n >= 3) usual = {1, middle, n};
  const auto links = chosen(options, n, usual, "link");
  const Range times{run.time[window.first], run.time[window.last]};

  Box view;
  std::vector<Polyline> paths;
  for (const int i : links) {
    paths.push_back(path_of(run, window, i));
    view.include(paths.back());
    view.include(measured_path(options, i, times));
  }
  include_obstacles(view, scene);
  view.pad(0.04);
  const auto map = fit(view, page_cm - left_cm - 0.4, 10.0);

  constexpr double strip = 2.6;
  constexpr double gap = 0.35;
  // z too where there is one and a link moves along it
  int axes = std::min(2, components_of(run, "link_position"));
  for (const int i : links) {
    if (components_of(run, "link_position") < 3) break;
    Range z = empty_range();
    include(z, over_time(run, window, "link_position", i, 2, 1.0));
    if (z.width() > least::moving) axes = 3;
  }
  const double map_bottom = below_cm + axes * strip + (axes - 1) * gap + 1.6;
  const double map_top = map_bottom + map.height_cm;
  const double right = left_cm + map.width_cm;
  Canvas canvas(page_cm, map_top + above_two_cm);
  canvas.panel(left_cm, right, map_bottom, map_top);
  canvas.axes("x (m)", "y (m)", view.x, view.y);
  canvas.legend_above();
  canvas.heading(scene.title);
  draw_obstacles(canvas, scene, view, map);
  bool any_measured = false;
  for (std::size_t k = 0; k < links.size(); ++k) {
    canvas.draw({paths[k]}, line_style(distinct_colour(k), links[k] == middle ? 1.5 : 1.0),
                fmt::format("link {}", links[k]));
    // where it ended: all there is to see of a link at rest
    canvas.draw(
        {{paths[k].back()}},
        fmt::format("with points pointtype 7 pointsize 0.4 linecolor '{}'", distinct_colour(k)));
    const auto points = measured_path(options, links[k], times);
    if (points.empty()) continue;
    canvas.draw({points}, measured_style(distinct_colour(k)));
    any_measured = true;
  }
  if (any_measured) canvas.legend_entry(measured_style(colour::grey), options.measured->label);

  for (int axis = 0; axis < axes; ++axis) {
    const bool lowest = axis + 1 == axes;
    const double bottom = below_cm + (axes - 1 - axis) * (strip + gap);
    const std::string letter = component_name(run, "link_position", axis);
    Range y = empty_range();
    std::vector<Polyline> lines;
    std::vector<Polyline> points;
    for (const int i : links) {
      lines.push_back(over_time(run, window, "link_position", i, axis, 1.0));
      points.push_back(
          measured_over_time(options, fmt::format("link_position.{}.{}", i, letter), 1.0, times));
      include(y, lines.back());
      include(y, points.back());
    }
    canvas.panel(left_cm, right, bottom, bottom + strip);
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

/// The robot at several times, darker from one to the next, and the path of its middle link
/// (Transeth fig 7.3, 7.12).
Figure draw_postures(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const int n = count_of(run, "link_position");
  if (scene.links.size() != static_cast<std::size_t>(n))
    throw Error(
        fmt::format("run.json describes {} links, the trajectory has {}", scene.links.size(), n));
  std::vector<std::size_t> frames;
  for (const double t : options.times) frames.push_back(frame_at(run, t));
  constexpr std::size_t usual = 4;
  for (std::size_t k = 0; frames.size() < usual && options.times.empty(); ++k)
    frames.push_back(window.first + k * (window.last - window.first) / (usual - 1));
  const int middle = middle_link(n);
  const auto path = path_of(run, window, middle);

  Box view;
  view.include(path);
  for (const auto frame : frames) view.include(robot_at(run, scene, frame));
  for (const auto& o : scene.obstacles) view.include(circle(o.x, o.y, o.radius));
  view.pad(0.06);
  const auto map = fit(view, page_cm - left_cm - 0.4, 13.0);
  const double top = below_cm + map.height_cm;
  Canvas canvas(page_cm, top + above_two_cm);
  canvas.panel(left_cm, left_cm + map.width_cm, below_cm, top);
  canvas.axes("x (m)", "y (m)", view.x, view.y);
  canvas.legend_above();
  canvas.heading(scene.title);
  draw_obstacles(canvas, scene, view, map);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const auto edge = sequential_colour(k, frames.size());
    const auto robot = robot_at(run, scene, frames[k]);
    const auto style = [&](double strength) {
      return fmt::format(
          "with filledcurves closed fillstyle transparent solid {} border linecolor '{}' fillcolor "
          "'{}' linewidth 0.7",
          strength, edge, edge);
    };
    canvas.draw(std::vector<Polyline>(robot.begin() + 1, robot.end()), style(0.15));
    canvas.draw({robot.front()}, style(0.6));
    canvas.legend_entry(fmt::format("with lines linecolor '{}' linewidth 4", edge),
                        fmt::format("t = {:.4g} s", run.time[frames[k]]));
  }
  canvas.draw({path}, line_style(colour::vermillion, 1.1));
  return canvas.finish();
}

Figure make_path_comparison(const std::vector<PathPanel>& panels, int link) {
  Box view;
  std::vector<Polyline> paths;
  for (const auto& panel : panels) {
    paths.push_back(path_of(*panel.run, window_of(*panel.run, {}), link));
    view.include(paths.back());
    for (const auto& o : panel.scene->obstacles) view.include(circle(o.x, o.y, o.radius));
  }
  view.pad(0.05);
  const auto map = fit(view, page_cm - left_cm - 0.4, 10.0);
  const auto count = static_cast<double>(panels.size());
  // nothing but paths: one over the other, to be compared
  if (std::all_of(panels.begin(), panels.end(),
                  [](const PathPanel& panel) { return panel.scene->obstacles.empty(); })) {
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
    draw_obstacles(canvas, *panels[k].scene, view, map, {}, numbers_in(panels, *panels[k].scene));
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
