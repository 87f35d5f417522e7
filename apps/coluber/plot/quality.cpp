#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "plot/map.hpp"
#include "plot/parts.hpp"

// Whether a robot can pass along a path, place by place.

namespace coluber::app {

using record::Trajectory;

namespace {

/// What a place is; each with a colour, and with a shape where there are few.
enum class Verdict : unsigned char { feasible, rank_alone, neither };
struct VerdictLook {
  std::string_view words;
  std::string_view row;
  std::string_view tone;
  int point;    ///< gnuplot's pointtype
  double size;  ///< of it
};
constexpr std::array<VerdictLook, 3> verdicts{
    {{"feasible", "feasible", colour::blue, 7, 0.45},
     {"by rank only: limits or signs fail", "rank only", colour::orange, 9, 0.6},
     {"neither", "neither", colour::vermillion, 2, 0.6}}};

constexpr std::size_t few_places = 60;  // have a mark each

Verdict verdict_at(const Trajectory& run, std::size_t frame) {
  if (run.at("feasible", frame) > 0.5) return Verdict::feasible;
  return run.at("rank", frame) > 0.5 ? Verdict::rank_alone : Verdict::neither;
}

/// Places that follow one another and are the same.
struct Stretch {
  Verdict verdict;
  std::size_t first;
  std::size_t last;
};
std::vector<Stretch> stretches_of(const Trajectory& run, const Window& window) {
  std::vector<Stretch> all;
  for (std::size_t k = window.first; k <= window.last; ++k) {
    const Verdict verdict = verdict_at(run, k);
    if (all.empty() || all.back().verdict != verdict) all.push_back({verdict, k, k});
    all.back().last = k;
  }
  return all;
}

/// Points of the path by its arc length. It is drawn from the first place on.
class PathRuler {
 public:
  PathRuler(const record::Drawing& drawing, double from) {
    for (const auto& body : drawing.bodies) {
      if (body.moving() || body.points.empty()) continue;
      double s = from;
      for (std::size_t k = 0; k < body.points.size(); ++k) {
        const Point p = from_above.of(body.points[k]);
        if (k > 0) s += std::hypot(p.x - points_.back().x, p.y - points_.back().y);
        points_.push_back(p);
        s_.push_back(s);
      }
      return;
    }
  }
  [[nodiscard]] bool empty() const { return points_.empty(); }
  [[nodiscard]] Polyline line() const { return points_; }
  [[nodiscard]] Point at(double s) const {
    const auto after = std::upper_bound(s_.begin(), s_.end(), s) - s_.begin();
    if (after == 0) return points_.front();
    if (after == std::ssize(s_)) return points_.back();
    const auto k = static_cast<std::size_t>(after);
    const double share = (s - s_[k - 1]) / (s_[k] - s_[k - 1]);
    return {points_[k - 1].x + share * (points_[k].x - points_[k - 1].x),
            points_[k - 1].y + share * (points_[k].y - points_[k - 1].y)};
  }
  [[nodiscard]] double distance(Point to) const {
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto& p : points_) nearest = std::min(nearest, std::hypot(p.x - to.x, p.y - to.y));
    return nearest;
  }
  [[nodiscard]] Polyline between(double from, double to) const {
    Polyline line{at(from)};
    for (std::size_t k = 0; k < s_.size(); ++k)
      if (s_[k] > from && s_[k] < to) line.push_back(points_[k]);
    line.push_back(at(to));
    return line;
  }

 private:
  Polyline points_;
  std::vector<double> s_;
};

double step_of(const Trajectory& run) {
  return run.frames() < 2 ? 0.01 : run.at("place", 1) - run.at("place", 0);
}

std::string verdict_points(const VerdictLook& look) {
  return fmt::format("with points pointtype {} pointsize {} linewidth 1.4 linecolor '{}'",
                     look.point, look.size, look.tone);
}

/// Where the rear end is at the places, in the colours of what they are.
void draw_places(Canvas& canvas, const Trajectory& run, const Window& window,
                 const PathRuler& ruler) {
  const double half = 0.5 * step_of(run);
  const bool few = window.last - window.first < few_places;
  for (std::size_t v = 0; v < verdicts.size(); ++v) {
    std::vector<Polyline> lines;
    Polyline points;
    for (const auto& stretch : stretches_of(run, window)) {
      if (stretch.verdict != static_cast<Verdict>(v)) continue;
      lines.push_back(ruler.between(run.at("place", stretch.first) - half,
                                    run.at("place", stretch.last) + half));
      for (std::size_t k = stretch.first; few && k <= stretch.last; ++k)
        points.push_back(ruler.at(run.at("place", k)));
    }
    if (lines.empty()) continue;
    canvas.draw(lines, line_style(verdicts[v].tone, few ? 1.6 : 3.0));
    canvas.draw({points}, verdict_points(verdicts[v]));
  }
}

/// Three rows over s, one of them filled at every place.
void draw_verdicts(Canvas& canvas, const Trajectory& run, const Window& window) {
  const double half = 0.5 * step_of(run);
  for (std::size_t v = 0; v < verdicts.size(); ++v) {
    const double y = 2.0 - static_cast<double>(v);
    std::vector<Polyline> boxes;
    for (const auto& stretch : stretches_of(run, window)) {
      if (stretch.verdict != static_cast<Verdict>(v)) continue;
      const double from = run.at("place", stretch.first) - half;
      const double to = run.at("place", stretch.last) + half;
      boxes.push_back(
          {{from, y - 0.3}, {to, y - 0.3}, {to, y + 0.3}, {from, y + 0.3}, {from, y - 0.3}});
    }
    canvas.draw(boxes, polygon_style(verdicts[v].tone, verdicts[v].tone, 0.3));
  }
}

std::string figures_of(const Trajectory& run, const Window& window, const Polyline& margin) {
  std::size_t feasible = 0;
  double lowest = std::numeric_limits<double>::infinity();
  bool all = true;
  for (std::size_t k = window.first; k <= window.last; ++k)
    feasible += verdict_at(run, k) == Verdict::feasible ? 1U : 0U;
  for (const auto& p : margin) {
    all = all && std::isfinite(p.y);
    lowest = std::min(lowest, p.y);
  }
  const std::size_t count = window.last - window.first + 1;
  auto words = fmt::format("feasible at {} of {} place{}", feasible, count, count == 1 ? "" : "s");
  if (all) words += fmt::format(", least margin {:.3g} N", lowest);
  return words;
}

}  // namespace

Polyline over_place(const Trajectory& run, const Window& window, std::string_view name) {
  const auto s = run.column("place");
  const auto values = run.column(name);
  Polyline line;
  for (std::size_t k = window.first; k <= window.last; ++k) line.push_back({s[k], values[k]});
  return line;
}

Range places_of(const Trajectory& run, const Window& window) {
  const double half = 0.5 * step_of(run);
  return {run.at("place", window.first) - half, run.at("place", window.last) + half};
}

/// The path with what its places are, then margin, largest torque and verdict over the arc length
/// of the rear end  (Holden VI-A).
Figure draw_quality(const Trajectory& run, const Scene& scene, const FigureOptions& options) {
  const auto window = window_or_frame(run, options);
  const Range s = places_of(run, window);
  const auto margin = over_place(run, window, "margin");
  const auto torque = over_place(run, window, "torque_max");
  auto obstacles = obstacles_of(scene.drawing, from_above);
  const PathRuler ruler(scene.drawing, run.at("place", 0));
  const auto page = page_of(options);
  const double right = page.width - 0.4;

  Box view;
  view.include(ruler.line());
  for (const auto& o : obstacles)
    if (ruler.distance(o.centre) < o.radius + 0.1) view.include(o.outline);
  const bool with_map = !ruler.empty();
  Map map;
  if (with_map) {
    view.pad(0.05 * std::max(view.x.width(), view.y.width()));
    map = fit(view, right - page.left, 8.0);
    keep_whole(obstacles, view);
  }

  constexpr double strip = 3.0;
  constexpr double rows = 1.5;
  constexpr double gap = 0.4;
  const double strips = rows + 2.0 * (strip + gap);
  Heading heading{figures_of(run, window, margin)};
  if (with_map) heading.note += ";  marks on the path: place of the rear end";
  std::vector<std::pair<std::string, std::string>> legend;
  for (std::size_t v = 0; v < verdicts.size(); ++v) {
    bool any = false;
    for (const auto& stretch : stretches_of(run, window))
      any = any || stretch.verdict == static_cast<Verdict>(v);
    if (any) legend.emplace_back(std::string(verdicts[v].words), verdict_points(verdicts[v]));
  }
  for (const auto& [words, style] : legend) heading.legend.push_back(words);
  const auto above = above_of(options, scene, heading);
  const double map_bottom = below_cm + strips + (with_map ? 1.7 : 0.0);
  const double top = map_bottom + map.height_cm;
  Canvas canvas(page.width, top + above.height_cm);
  if (with_map) {
    canvas.panel(page.left, page.left + map.width_cm, map_bottom, top);
    canvas.axes("x (m)", "y (m)", view.x, view.y);
    canvas.head(above);
    for (const auto& [words, style] : legend) canvas.legend_entry(style, words);
    canvas.draw({ruler.line()}, line_style(colour::pale, path_width));
    draw_obstacles(
        canvas, obstacles, view, map,
        {.bodies = {}, .lines = {ruler.line()}, .robot = ruler.line(), .half_thickness = 0.05});
    draw_places(canvas, run, window, ruler);
  }

  // a place between gaps is a point
  const std::string values =
      fmt::format("with linespoints linecolor '{}' linewidth 1.1 pointtype 7 pointsize {}",
                  colour::black, margin.size() < 200 ? 0.28 : 0.1);
  Range y{0.0, 0.0};
  include(y, margin);
  double bottom = below_cm + rows + gap + strip + gap;
  canvas.panel(page.left, right, bottom, bottom + strip);
  canvas.axes("", "margin (N)", s, padded(y, least::force));
  canvas.hide_x_numbers();
  if (!with_map) {
    canvas.head(above);
    for (const auto& [words, style] : legend) canvas.legend_entry(style, words);
  }
  canvas.draw({{{s.low, 0.0}, {s.high, 0.0}}}, line_style(colour::grey, 0.7));
  canvas.draw({thinned(margin)}, values);
  if (std::ranges::none_of(margin, [](const Point& p) { return std::isfinite(p.y); }))
    canvas.text_cm({0.5 * (page.left + right), bottom + 0.3 * strip},
                   "none: no torques within the limit meet the motion", "center font ',8'",
                   "#666666");

  bottom = below_cm + rows + gap;
  y = {0.0, 0.0};
  include(y, torque);
  const bool none = !(y.high > 0.0);
  const bool near = scene.torque_limit && (none || *scene.torque_limit < 6.0 * y.high);
  if (near) y.include(*scene.torque_limit);
  canvas.panel(page.left, right, bottom, bottom + strip);
  canvas.axes("", "max. torque (N m)", s, padded(y, least::torque));
  canvas.hide_x_numbers();
  if (near)
    canvas.draw({{{s.low, *scene.torque_limit}, {s.high, *scene.torque_limit}}},
                line_style(colour::vermillion, 0.9, 2));
  if (scene.torque_limit)
    canvas.text_cm({right - 0.05, bottom + strip + 0.15},
                   fmt::format("limit {:g} N m", *scene.torque_limit), "right font ',7'",
                   "#9c4500");
  if (none)
    canvas.text_cm({0.5 * (page.left + right), bottom + 0.5 * strip}, "none: no place is feasible",
                   "center font ',8'", "#666666");
  canvas.draw({thinned(torque)}, values);

  canvas.panel(page.left, right, below_cm, below_cm + rows);
  canvas.axes("arc length of the rear end s (m)", "", s, {-0.6, 2.6});
  canvas.command(fmt::format("set ytics ({} 2, {} 1, {} 0)", gnuplot_quoted(verdicts[0].row),
                             gnuplot_quoted(verdicts[1].row), gnuplot_quoted(verdicts[2].row)));
  draw_verdicts(canvas, run, window);
  return canvas.finish();
}

}  // namespace coluber::app
