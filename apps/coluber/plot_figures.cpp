#include "plot_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "plot_canvas.hpp"
#include "plot_fault.hpp"
#include "plot_names.hpp"

namespace coluber::app {
namespace {

using record::Trajectory;

constexpr double page_cm = 17.0;  ///< width of every figure: two columns of a journal page
constexpr double left_cm = 1.75;  ///< room for the y axis
constexpr double below_cm = 1.25;
constexpr double above_cm = 0.8;       ///< room for the title
constexpr double above_two_cm = 1.35;  ///< and for a remark and a legend under it
constexpr double degree = 180.0 / std::numbers::pi;

struct Entry {
  PlotName name;
  std::vector<std::string_view> needs;  ///< observables
  Figure (*draw)(const Trajectory&, const Scene&, const FigureOptions&);
};
const std::vector<Entry>& entries();

[[noreturn]] void reject(std::string message, std::string hint = "") {
  throw InputError(make_fault("", 0, 0, std::move(message), std::move(hint)));
}

const Observable& observable(const Trajectory& run, std::string_view name) {
  for (const auto& o : run.observables)
    if (o.name == name) return o;
  throw Error(fmt::format("the run has no {}", name));
}

int count_of(const Trajectory& run, std::string_view name) {
  const int count = observable(run, name).shape.at(0);
  if (count == 0) throw Error(fmt::format("the robot has no {}: nothing to draw", name));
  return count;
}

/// Frames [first, last] of the asked for window.
struct Window {
  std::size_t first = 0;
  std::size_t last = 0;
};

Window window_of(const Trajectory& run, const FigureOptions& options) {
  if (run.frames() == 0) reject("the run has no frames", "it may have been stopped at its start");
  Window window{0, run.frames() - 1};
  const auto& t = run.time;
  const double slack = 1e-9;
  if (options.from)
    window.first = static_cast<std::size_t>(
        std::lower_bound(t.begin(), t.end(), *options.from - slack) - t.begin());
  if (options.to) {
    const auto after = std::upper_bound(t.begin(), t.end(), *options.to + slack) - t.begin();
    window.last = after == 0 ? 0 : static_cast<std::size_t>(after - 1);
  }
  if (window.first >= window.last)
    reject(fmt::format("nothing to draw between {} and {} s", options.from.value_or(t.front()),
                       options.to.value_or(t.back())),
           fmt::format("the run has frames from {} to {} s", t.front(), t.back()));
  return window;
}

std::size_t frame_at(const Trajectory& run, double time) {
  const auto& t = run.time;
  if (time < t.front() - 1e-9 || time > t.back() + 1e-9)
    reject(fmt::format("the run has no frame at {} s", time),
           fmt::format("it has frames from {} to {} s", t.front(), t.back()));
  const auto after = std::lower_bound(t.begin(), t.end(), time);
  if (after == t.begin()) return 0;
  if (after == t.end()) return t.size() - 1;
  const auto k = static_cast<std::size_t>(after - t.begin());
  return t[k] - time < time - t[k - 1] ? k : k - 1;
}

/// 1-based numbers the figure is about: the user's choice if there is one.
std::vector<int> chosen(const FigureOptions& options, int count, std::vector<int> otherwise,
                        std::string_view what) {
  if (options.links.empty()) return otherwise;
  for (const int i : options.links)
    if (i < 1 || i > count)
      reject(fmt::format("there is no {} {}", what, i), fmt::format("this run has 1 to {}", count));
  return options.links;
}

std::vector<int> up_to(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = i + 1;
  return all;
}

/// At most 24 of them, evenly spread: more strips do not fit on a page.
std::vector<int> page_full(const std::vector<int>& numbers) {
  constexpr std::size_t most = 24;
  if (numbers.size() <= most) return numbers;
  std::vector<int> some;
  for (std::size_t k = 0; k < most; ++k)
    some.push_back(numbers[k * (numbers.size() - 1) / (most - 1)]);
  return some;
}

int middle_link(int count) { return (count + 1) / 2; }

Polyline over_time(const Trajectory& run, const Window& window, std::string_view name, int number,
                   int axis, double factor) {
  const auto values = run.column(name, number - 1, axis);
  Polyline line;
  line.reserve(window.last - window.first + 1);
  for (std::size_t k = window.first; k <= window.last; ++k)
    line.push_back({run.time[k], factor * values[k]});
  return line;
}

Polyline path_of(const Trajectory& run, const Window& window, int link) {
  const auto x = run.column("link_position", link - 1, 0);
  const auto y = run.column("link_position", link - 1, 1);
  Polyline line;
  const std::size_t stride = std::max<std::size_t>(1, (window.last - window.first) / 3000);
  for (std::size_t k = window.first; k < window.last; k += stride) line.push_back({x[k], y[k]});
  line.push_back({x[window.last], y[window.last]});
  return line;
}

void include(Range& range, const Polyline& line) {
  for (const auto& p : line) range.include(p.y);
}

/// A little air above and below; never an empty range.
Range padded(Range range, double share = 0.06) {
  if (!(range.low <= range.high)) return {-1.0, 1.0};
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  double air = share * range.width();
  if (range.width() <= 1e-9 * std::max(size, 1e-6)) air = size > 0.0 ? 0.1 * size : 1.0;
  return {range.low - air, range.high + air};
}

std::string line_style(std::string_view colour_name, double width = 1.2, int dash = 1) {
  return fmt::format("with lines linecolor '{}' linewidth {} dashtype {}", colour_name, width,
                     dash);
}

std::string polygon_style(std::string_view fill, std::string_view edge, double width = 0.7) {
  return fmt::format(
      "with filledcurves closed fillstyle solid 1.0 border linecolor '{}' fillcolor '{}' linewidth "
      "{}",
      edge, fill, width);
}

// ---- measured values over ours ------------------------------------------------------------------

const std::vector<double>* measured_column(const FigureOptions& options, const std::string& name) {
  if (options.measured == nullptr) return nullptr;
  const auto found = options.measured->columns.find(name);
  return found == options.measured->columns.end() ? nullptr : &found->second;
}

/// Circles far enough apart to be told apart.
std::string measured_style(std::string_view colour_name) {
  return fmt::format("with points pointtype 6 pointsize 0.55 linewidth 0.8 linecolor '{}'",
                     colour_name);
}

Polyline sparse(const Polyline& line, std::size_t most = 90) {
  const std::size_t stride = std::max<std::size_t>(1, (line.size() + most - 1) / most);
  Polyline result;
  for (std::size_t k = 0; k < line.size(); k += stride) result.push_back(line[k]);
  return result;
}

Polyline measured_over_time(const FigureOptions& options, const std::string& name, double factor,
                            Range times) {
  Polyline line;
  if (const auto* values = measured_column(options, name)) {
    for (std::size_t k = 0; k < values->size(); ++k) {
      const double t = options.measured->time[k];
      if (t >= times.low && t <= times.high) line.push_back({t, factor * (*values)[k]});
    }
  }
  return sparse(line);
}

Polyline measured_path(const FigureOptions& options, int link, Range times) {
  Polyline line;
  const auto* x = measured_column(options, fmt::format("link_position.{}.x", link));
  const auto* y = measured_column(options, fmt::format("link_position.{}.y", link));
  if (x == nullptr || y == nullptr) return line;
  for (std::size_t k = 0; k < x->size(); ++k) {
    const double t = options.measured->time[k];
    if (t >= times.low && t <= times.high) line.push_back({(*x)[k], (*y)[k]});
  }
  return sparse(line, 160);
}

// ---- top views ----------------------------------------------------------------------------------

/// Outline of link i: all points within `radius` of the core  (Transeth 3.3).
Polyline capsule(double x, double y, double theta, const scenario::Link& link) {
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
  cap(link.half_core - link.cg_offset, -0.5 * std::numbers::pi);
  cap(-link.half_core - link.cg_offset, 0.5 * std::numbers::pi);
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

std::vector<Polyline> robot_at(const Trajectory& run, const Scene& scene, std::size_t frame) {
  std::vector<Polyline> outlines;
  const int n = count_of(run, "link_position");
  for (int i = 0; i < n; ++i) {
    const auto& link = scene.links.at(static_cast<std::size_t>(i));
    outlines.push_back(capsule(run.at("link_position", frame, i, 0),
                               run.at("link_position", frame, i, 1), run.at("link_angle", frame, i),
                               link));
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

/// Discs with their numbers: inside a large one, beside a small one on the side away from `robot`.
void draw_obstacles(Canvas& canvas, const Scene& scene, const Box& view, const Map& map,
                    const Polyline& robot = {}) {
  std::vector<Polyline> discs;
  int number = 0;
  for (const auto& o : scene.obstacles) {
    ++number;
    if (o.x + o.radius < view.x.low || o.x - o.radius > view.x.high ||
        o.y + o.radius < view.y.low || o.y - o.radius > view.y.high)
      continue;
    discs.push_back(circle(o.x, o.y, o.radius));
    if (o.radius * map.cm_per_m > 0.3) {
      canvas.text({o.x, o.y}, fmt::format("{}", number), "center font ',7' textcolor '#ffffff'");
      continue;
    }
    Point away{1.0, 0.0};
    double nearest = 4.0 * (scene.links.empty() ? 0.0 : scene.links.front().radius) + o.radius;
    for (const auto& p : robot) {
      const double distance = std::hypot(o.x - p.x, o.y - p.y);
      if (distance >= nearest || distance == 0.0) continue;
      nearest = distance;
      away = {(o.x - p.x) / distance, (o.y - p.y) / distance};
    }
    const double offset = o.radius + 0.22 / map.cm_per_m;
    canvas.text({o.x + offset * away.x, o.y + offset * away.y}, fmt::format("{}", number),
                "center font ',7' textcolor '#555555'", Layer::back);
  }
  canvas.draw(discs, polygon_style("#6b6b6b", "#3a3a3a"));
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

/// Course from above: obstacles, robot, forces, path of the middle link  (Transeth fig 7.7a).
Figure draw_course(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const std::size_t frame = options.time ? frame_at(run, *options.time) : window.last;
  const int n = count_of(run, "link_position");
  const int middle = middle_link(n);
  const auto robot = robot_at(run, scene, frame);
  const auto path = path_of(run, window, middle);
  const auto arrows = contact_arrows(run, scene, frame);

  Box view;
  view.include(robot);
  if (options.zoom) {
    view.pad(0.12);
  } else {
    view.include(path);
    view.include(robot_at(run, scene, window.first));
    for (const auto& o : scene.obstacles) view.include(circle(o.x, o.y, o.radius));
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
  canvas.heading(scene.title, fmt::format("t = {:.4g} s", run.time[frame]));
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
  canvas.draw({path}, line_style(colour::blue, 0.9, 1));
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
  for (const auto& o : scene.obstacles) view.include(circle(o.x, o.y, o.radius));
  view.pad(0.04);
  const auto map = fit(view, page_cm - left_cm - 0.4, 10.0);

  constexpr double strip = 2.6;
  constexpr double gap = 0.35;
  const double map_bottom = below_cm + 2.0 * strip + gap + 1.6;
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
    const auto points = measured_path(options, links[k], times);
    if (points.empty()) continue;
    canvas.draw({points}, measured_style(distinct_colour(k)));
    any_measured = true;
  }
  if (any_measured) canvas.legend_entry(measured_style(colour::grey), options.measured->label);

  for (int axis = 0; axis < 2; ++axis) {
    const double bottom = axis == 0 ? below_cm + strip + gap : below_cm;
    const std::string letter = axis == 0 ? "x" : "y";
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
    canvas.axes(axis == 1 ? "time t (s)" : "", letter + " (m)", times, padded(y));
    if (axis == 0) canvas.hide_x_numbers();
    for (std::size_t k = 0; k < links.size(); ++k) {
      canvas.draw({thinned(lines[k])},
                  line_style(distinct_colour(k), links[k] == middle ? 1.5 : 1.0));
      if (!points[k].empty()) canvas.draw({points[k]}, measured_style(distinct_colour(k)));
    }
  }
  return canvas.finish();
}

// ---- quantities over time -----------------------------------------------------------------------

/// Where to cut an axis so that short impacts do not flatten everything else.
struct Cut {
  double limit = std::numeric_limits<double>::infinity();
  double peak = 0.0;
};

Cut cut_of(const std::vector<Polyline>& lines) {
  std::vector<double> sizes;
  for (const auto& line : lines)
    for (const auto& p : line)
      if (std::isfinite(p.y) && p.y != 0.0) sizes.push_back(std::abs(p.y));
  Cut cut;
  if (sizes.empty()) return cut;
  const auto at = static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), sizes.begin() + at, sizes.end());
  const double usual = sizes[static_cast<std::size_t>(at)];
  cut.peak = *std::max_element(sizes.begin(), sizes.end());
  if (cut.peak > 3.0 * usual) cut.limit = 1.25 * usual;
  return cut;
}

Range limited(Range range, const Cut& cut) {
  return {std::max(range.low, -cut.limit), std::min(range.high, cut.limit)};
}

/// One quantity of many links or joints, a strip each, all to the same scale.
struct Strip {
  std::string label;
  std::vector<Polyline> lines;     ///< one a component
  std::vector<Polyline> measured;  ///< the same
};

Figure draw_strips(const std::vector<Strip>& strips, const std::vector<std::string>& components,
                   std::string_view y_label, Range times, std::string_view title,
                   std::string_view unit) {
  std::vector<Polyline> all;
  for (const auto& strip : strips) all.insert(all.end(), strip.lines.begin(), strip.lines.end());
  const auto cut = cut_of(all);
  Range y{0.0, 0.0};
  for (const auto& line : all) include(y, line);
  y = padded(limited(y, cut));
  const std::string note =
      std::isfinite(cut.limit)
          ? fmt::format("peaks cut off; the highest is {:.3g} {}", cut.peak, unit)
          : "";
  const auto count = static_cast<double>(strips.size());
  const double gap = 0.12;
  const double size = strips.size() <= 3 ? 4.0 : std::clamp(19.0 / count, 0.5, 1.6);
  const double height = count * size + (count - 1.0) * gap;
  const double right = page_cm - 1.7;
  const bool one_row = note.empty() && components.size() < 2;
  Canvas canvas(page_cm, below_cm + height + (one_row ? above_cm : above_two_cm));
  for (std::size_t k = 0; k < strips.size(); ++k) {
    const double bottom = below_cm + (count - 1.0 - static_cast<double>(k)) * (size + gap);
    const bool lowest = k + 1 == strips.size();
    canvas.panel(left_cm, right, bottom, bottom + size);
    canvas.axes(lowest ? "time t (s)" : "", "", times, y);
    if (!lowest) canvas.hide_x_numbers();
    canvas.text_cm({right + 0.15, bottom + 0.5 * size}, strips[k].label, "left font ',8'");
    if (k == 0) {
      canvas.heading(title, note);
      if (components.size() > 1) canvas.legend_above();
      canvas.text_cm({left_cm - 1.35, below_cm + 0.5 * height}, y_label, "center rotate by 90");
    }
    for (std::size_t c = 0; c < strips[k].lines.size(); ++c)
      canvas.draw({thinned(strips[k].lines[c])}, line_style(distinct_colour(c), 1.0),
                  k == 0 && components.size() > 1 ? components[c] : "");
    for (std::size_t c = 0; c < strips[k].measured.size(); ++c)
      if (!strips[k].measured[c].empty())
        canvas.draw({strips[k].measured[c]}, measured_style(distinct_colour(c)));
  }
  return canvas.finish();
}

/// Contact forces by link over time: x and y of a few links, a strip a link of many
/// (Transeth fig 7.7b-c).
Figure draw_forces(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const int n = count_of(run, "contact_force");
  std::vector<int> touching;
  for (const int i : up_to(n)) {
    const auto x = run.column("contact_force", i - 1, 0);
    const auto y = run.column("contact_force", i - 1, 1);
    for (std::size_t k = window.first; k <= window.last; ++k) {
      if (x[k] == 0.0 && y[k] == 0.0) continue;
      touching.push_back(i);
      break;
    }
  }
  const auto links = chosen(options, n, page_full(touching.empty() ? up_to(n) : touching), "link");
  const std::vector<std::string> letters{"x", "y"};
  std::vector<Strip> strips;
  for (const int i : links) {
    Strip strip{fmt::format("link {}", i), {}, {}};
    for (const int axis : {0, 1}) {
      const auto column = fmt::format("contact_force.{}.{}", i, axis == 0 ? "x" : "y");
      strip.lines.push_back(over_time(run, window, "contact_force", i, axis, 1.0));
      strip.measured.push_back(measured_over_time(options, column, 1.0, times));
    }
    strips.push_back(std::move(strip));
  }
  if (strips.size() > 3)
    return draw_strips(strips, letters, "contact force (N)", times, scene.title, "N");

  std::vector<Strip> by_axis{{"", {}, {}}, {"", {}, {}}};
  std::vector<Polyline> all;
  for (const auto& strip : strips) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      by_axis[axis].lines.push_back(strip.lines[axis]);
      by_axis[axis].measured.push_back(strip.measured[axis]);
      all.push_back(strip.lines[axis]);
    }
  }
  const auto cut = cut_of(all);
  constexpr double size = 4.2;
  const double right = page_cm - 0.5;
  Canvas canvas(page_cm, below_cm + 2.0 * size + 0.4 + above_two_cm);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    Range y{0.0, 0.0};
    for (const auto& line : by_axis[axis].lines) include(y, line);
    const double bottom = axis == 0 ? below_cm + size + 0.4 : below_cm;
    canvas.panel(left_cm, right, bottom, bottom + size);
    canvas.axes(axis == 1 ? "time t (s)" : "", fmt::format("contact force {} (N)", letters[axis]),
                times, padded(limited(y, cut)));
    if (axis == 0) {
      canvas.hide_x_numbers();
      canvas.legend_above();
      canvas.heading(scene.title,
                     std::isfinite(cut.limit)
                         ? fmt::format("peaks cut off; the highest is {:.3g} N", cut.peak)
                         : "");
    }
    for (std::size_t k = 0; k < links.size(); ++k) {
      canvas.draw({thinned(by_axis[axis].lines[k])}, line_style(distinct_colour(k), 1.2),
                  axis == 0 ? strips[k].label : "");
      if (!by_axis[axis].measured[k].empty())
        canvas.draw({by_axis[axis].measured[k]}, measured_style(distinct_colour(k)));
    }
  }
  return canvas.finish();
}

/// One curve a joint in colours ordered along the body.
void draw_by_joint(Canvas& canvas, const std::vector<int>& joints, int count,
                   const std::vector<Polyline>& lines, bool titles) {
  const std::size_t skip = (joints.size() + 19) / 20;  // at most 20 in the legend
  for (std::size_t k = 0; k < joints.size(); ++k)
    canvas.draw({thinned(lines[k])},
                line_style(sequential_colour(static_cast<std::size_t>(joints[k] - 1),
                                             static_cast<std::size_t>(count)),
                           1.1),
                titles && k % skip == 0 ? fmt::format("joint {}", joints[k]) : "");
}

/// Joint angles and, where the reference is known, how well they follow it.
Figure draw_angles(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const int count = count_of(run, "joint_angle");
  const auto joints = chosen(options, count, up_to(count), "joint");
  std::vector<Polyline> lines;
  for (const int i : joints) lines.push_back(over_time(run, window, "joint_angle", i, 0, degree));
  std::vector<Polyline> references(joints.size());
  if (scene.gait) {
    Eigen::VectorXd phi_d(count);
    Eigen::VectorXd phidot_d(count);
    for (std::size_t k = window.first; k <= window.last; ++k) {
      scene.gait->evaluate(run.time[k], phi_d, phidot_d);
      for (std::size_t j = 0; j < joints.size(); ++j)
        references[j].push_back({run.time[k], degree * phi_d(joints[j] - 1)});
    }
  }
  Range y = empty_range();
  Range error_range = empty_range();
  std::vector<Polyline> errors(joints.size());
  std::vector<Polyline> points;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    include(y, lines[j]);
    include(y, references[j]);
    points.push_back(
        measured_over_time(options, fmt::format("joint_angle.{}", joints[j]), degree, times));
    include(y, points.back());
    if (references[j].empty()) continue;
    for (std::size_t k = 0; k < lines[j].size(); ++k)
      errors[j].push_back({lines[j][k].x, lines[j][k].y - references[j][k].y});
    include(error_range, errors[j]);
  }
  const bool with_errors = scene.gait != nullptr;
  const double strip = 5.2;
  const double error_strip = with_errors ? 2.8 : -0.4;
  const double right = page_cm - 2.5;
  Canvas canvas(page_cm, below_cm + error_strip + 0.4 + strip + above_cm);
  const double bottom = below_cm + error_strip + 0.4;
  canvas.panel(left_cm, right, bottom, bottom + strip);
  canvas.axes(with_errors ? "" : "time t (s)", "joint angle (deg)", times, padded(y));
  if (with_errors) canvas.hide_x_numbers();
  canvas.legend_right();
  canvas.heading(scene.title);
  draw_by_joint(canvas, joints, count, lines, true);
  if (with_errors) {
    for (const auto& reference : references)
      canvas.draw({thinned(reference)}, line_style(colour::black, 0.6, 3));
    canvas.legend_entry(line_style(colour::black, 0.6, 3), "reference");
  }
  bool any_measured = false;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (points[j].empty()) continue;
    canvas.draw({points[j]},
                measured_style(sequential_colour(static_cast<std::size_t>(joints[j] - 1),
                                                 static_cast<std::size_t>(count))));
    any_measured = true;
  }
  if (any_measured) canvas.legend_entry(measured_style(colour::grey), "measured");
  if (with_errors) {
    const auto cut = cut_of(errors);
    canvas.panel(left_cm, right, below_cm, below_cm + error_strip);
    canvas.axes("time t (s)", "error (deg)", times, padded(limited(error_range, cut)));
    if (std::isfinite(cut.limit))
      canvas.text_cm({right + 0.15, below_cm + error_strip - 0.3},
                     fmt::format("cut; {:.2g}° max", cut.peak), "left font ',7'");
    draw_by_joint(canvas, joints, count, errors, false);
  }
  return canvas.finish();
}

/// Joint torques over time, a strip a joint.
Figure draw_torques(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const int count = count_of(run, "joint_torque");
  std::vector<Strip> strips;
  for (const int i : chosen(options, count, page_full(up_to(count)), "joint"))
    strips.push_back(
        {fmt::format("joint {}", i),
         {over_time(run, window, "joint_torque", i, 0, 1.0)},
         {measured_over_time(options, fmt::format("joint_torque.{}", i), 1.0, times)}});
  return draw_strips(strips, {"torque"}, "joint torque (N m)", times, scene.title, "N m");
}

/// Kinetic energy, and the work of everything that changed it.
Figure draw_energy(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  const auto kinetic = over_time(run, window, "energy", 1, 0, 1.0);
  struct Work {
    std::string_view name;
    std::string_view title;
    std::string_view colour_name;
    Polyline line;
  };
  std::vector<Work> works{{"work_servo", "joint servos", colour::blue, {}},
                          {"work_friction", "ground friction", colour::vermillion, {}},
                          {"work_contact", "obstacles", colour::green, {}},
                          {"work_gravity", "gravity", colour::purple, {}},
                          {"work_scheme", "time stepping", colour::grey, {}}};
  Range y = empty_range();
  Range kinetic_range{0.0, 0.0};
  include(kinetic_range, kinetic);
  for (auto& work : works) {
    if (!run.has(work.name)) continue;
    work.line = over_time(run, window, work.name, 1, 0, 1.0);
    if (std::all_of(work.line.begin(), work.line.end(), [](const Point& p) { return p.y == 0.0; }))
      work.line.clear();
    include(y, work.line);
  }
  const bool with_works = y.low <= y.high;
  const double strip = 3.2;
  const double work_strip = with_works ? 4.4 : -0.4;
  const double right = page_cm - 3.2;
  Canvas canvas(page_cm, below_cm + work_strip + 0.4 + strip + above_cm);
  const double bottom = below_cm + work_strip + 0.4;
  canvas.panel(left_cm, right, bottom, bottom + strip);
  canvas.axes(with_works ? "" : "time t (s)", "kinetic (J)", times, padded(kinetic_range));
  if (with_works) canvas.hide_x_numbers();
  canvas.heading(scene.title);
  canvas.draw({thinned(kinetic)}, line_style(colour::black, 1.0));
  const auto points = measured_over_time(options, "energy", 1.0, times);
  if (!points.empty()) canvas.draw({points}, measured_style(colour::black));
  if (with_works) {
    canvas.panel(left_cm, right, below_cm, below_cm + work_strip);
    canvas.axes("time t (s)", "work since start (J)", times, padded(y));
    canvas.legend_right();
    for (const auto& work : works)
      if (!work.line.empty())
        canvas.draw({thinned(work.line)}, line_style(work.colour_name, 1.3), work.title);
  }
  return canvas.finish();
}

/// How exactly the contact laws hold in every step, and what that took.
Figure draw_residual(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_of(run, options);
  const Range times{run.time[window.first], run.time[window.last]};
  // zero has no place on a logarithmic axis
  const auto on_log_axis = [&](std::string_view name) {
    auto line = over_time(run, window, name, 1, 0, 1.0);
    for (auto& p : line)
      if (!(p.y > 0.0)) p.y = std::numeric_limits<double>::quiet_NaN();
    return line;
  };
  std::vector<Polyline> lines{on_log_axis("residual")};
  std::vector<std::string> titles{"law solved"};
  std::vector<std::string_view> colours{colour::blue};
  if (run.has("rigid_residual")) {
    lines.push_back(on_log_axis("rigid_residual"));
    titles.emplace_back("rigid law");
    colours.push_back(colour::orange);
  }
  Range y = empty_range();
  for (const auto& line : lines) include(y, line);
  if (!(y.low <= y.high)) y = {1e-16, 1e-8};
  y.low = std::pow(10.0, std::floor(std::log10(y.low) - 0.2));
  y.high = std::pow(10.0, std::ceil(std::log10(y.high) + 0.2));
  const bool with_iterations = run.has("iterations");
  const double strip = 4.6;
  const double lower = with_iterations ? 2.4 : -0.4;
  const double right = page_cm - 2.7;
  Canvas canvas(page_cm, below_cm + lower + 0.4 + strip + above_cm);
  const double bottom = below_cm + lower + 0.4;
  canvas.panel(left_cm, right, bottom, bottom + strip);
  canvas.logarithmic_y();
  canvas.axes(with_iterations ? "" : "time t (s)", "scaled residual", times, y);
  if (with_iterations) canvas.hide_x_numbers();
  canvas.legend_right();
  canvas.heading(scene.title);
  for (std::size_t k = lines.size(); k-- > 0;)
    canvas.draw({thinned(lines[k])}, line_style(colours[k], 0.9), titles[k]);
  if (with_iterations) {
    const auto iterations = over_time(run, window, "iterations", 1, 0, 1.0);
    Range count{0.0, 1.0};
    include(count, iterations);
    canvas.panel(left_cm, right, below_cm, below_cm + lower);
    canvas.axes("time t (s)", "iterations", times, padded(count));
    canvas.draw({thinned(iterations)}, line_style(colour::black, 0.9));
  }
  return canvas.finish();
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      {{"course", "from above: obstacles, robot outline, contact forces, path of the middle link"},
       {"link_position", "link_angle"},
       draw_course},
      {{"path", "paths of the first, middle and last link, and their coordinates over time"},
       {"link_position"},
       draw_path},
      {{"forces", "contact forces on the links over time"}, {"contact_force"}, draw_forces},
      {{"angles", "joint angles with their references and the tracking error"},
       {"joint_angle"},
       draw_angles},
      {{"torques", "joint torques"}, {"joint_torque"}, draw_torques},
      {{"energy", "kinetic energy and the work of servos, friction, contacts and gravity"},
       {"energy"},
       draw_energy},
      {{"residual", "scaled residuals of the contact laws and the solver's iterations"},
       {"residual"},
       draw_residual}};
  return all;
}

const Entry* find_entry(std::string_view name) {
  for (const auto& entry : entries())
    if (entry.name.name == name) return &entry;
  return nullptr;
}

}  // namespace

std::span<const PlotName> plot_names() {
  static const std::vector<PlotName> names = [] {
    std::vector<PlotName> list;
    for (const auto& entry : entries()) list.push_back(entry.name);
    return list;
  }();
  return names;
}

bool can_draw(std::string_view name, const Trajectory& run) {
  const auto* entry = find_entry(name);
  return entry != nullptr &&
         std::all_of(entry->needs.begin(), entry->needs.end(), [&](std::string_view need) {
           return run.has(need) && observable(run, need).size() > 0;
         });
}

Figure make_figure(std::string_view name, const Trajectory& run, const Scene& scene,
                   const FigureOptions& options) {
  const auto* entry = find_entry(name);
  if (entry == nullptr) throw Error(fmt::format("there is no plot \"{}\"", name));
  for (const auto need : entry->needs) static_cast<void>(observable(run, need));
  return entry->draw(run, scene, options);
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
  const double pitch = map.height_cm + 1.9;
  Canvas canvas(page_cm, count * pitch + 0.1);
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const double bottom = below_cm + (count - 1.0 - static_cast<double>(k)) * pitch;
    canvas.panel(left_cm, left_cm + map.width_cm, bottom, bottom + map.height_cm);
    canvas.axes("x (m)", "y (m)", view.x, view.y);
    canvas.text_cm({left_cm, bottom + map.height_cm + 0.3}, panels[k].title, "left font ',8'");
    draw_obstacles(canvas, *panels[k].scene, view, map);
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
