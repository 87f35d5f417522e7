#include "plot/map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "plot/parts.hpp"

namespace coluber::app {
namespace {

/// A word's box on paper (cm).
struct WordBox {
  Point at;
  double half_width;
  double half_height;
  [[nodiscard]] bool meets(const WordBox& other) const {
    return std::abs(other.at.x - at.x) < other.half_width + half_width &&
           std::abs(other.at.y - at.y) < other.half_height + half_height;
  }
  /// Clips the segment to the box  (Liang and Barsky).
  [[nodiscard]] bool meets(Point a, Point b) const {
    double enter = 0.0;
    double leave = 1.0;
    const auto clip = [&](double from, double by, double half) {
      if (by == 0.0) return std::abs(from) <= half;
      const double t1 = (-half - from) / by;
      const double t2 = (half - from) / by;
      enter = std::max(enter, std::min(t1, t2));
      leave = std::min(leave, std::max(t1, t2));
      return enter <= leave;
    };
    return clip(a.x - at.x, b.x - a.x, half_width) && clip(a.y - at.y, b.y - a.y, half_height);
  }
};

bool inside(const Polyline& polygon, Point p) {
  bool in = false;
  for (std::size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
    const Point a = polygon[i];
    const Point b = polygon[j];
    if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) in = !in;
  }
  return in;
}

/// What there is on paper already (cm), and words that find a place among it.
class Occupied {
 public:
  Occupied(const Shown& shown, double scale) {
    for (const auto& line : shown.bodies) bodies_.push_back(scaled(line, scale));
    for (const auto& line : shown.lines) lines_.push_back(scaled(line, scale));
  }
  void add_disc(Point at, double radius) { boxes_.push_back({at, radius, radius}); }
  void add(const WordBox& box) { boxes_.push_back(box); }
  [[nodiscard]] bool free(const WordBox& box, bool of_lines) const {
    if (std::any_of(boxes_.begin(), boxes_.end(), [&](const auto& b) { return b.meets(box); }))
      return false;
    for (const auto& body : bodies_)
      if (crosses(body, box) || inside(body, box.at)) return false;
    return !of_lines || std::none_of(lines_.begin(), lines_.end(),
                                     [&](const auto& line) { return crosses(line, box); });
  }

 private:
  static Polyline scaled(const Polyline& line, double scale) {
    Polyline result;
    for (const auto& p : line) result.push_back({scale * p.x, scale * p.y});
    return result;
  }
  static bool crosses(const Polyline& line, const WordBox& box) {
    for (std::size_t k = 1; k < line.size(); ++k)
      if (box.meets(line[k - 1], line[k])) return true;
    return false;
  }

  std::vector<WordBox> boxes_;
  std::vector<Polyline> bodies_;
  std::vector<Polyline> lines_;
};

/// A place for the number of a disc (cm): away from what is next to it, else around it, nearer
/// places first; none where all lie on something.
std::optional<Point> place_beside(Point disc, double radius, Point away, std::string_view word,
                                  const WordBox& paper, Occupied& occupied) {
  const double start = std::atan2(away.y, away.x);
  for (const bool of_lines : {true, false}) {
    for (const double gap : {0.22, 0.36, 0.52}) {
      for (const int turn : {0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8}) {
        const double angle = start + turn * std::numbers::pi / 8.0;
        const WordBox box{
            {disc.x + (radius + gap) * std::cos(angle), disc.y + (radius + gap) * std::sin(angle)},
            0.08 * static_cast<double>(word.size()) + 0.03,
            0.12};
        const bool on_paper = std::abs(box.at.x - paper.at.x) + box.half_width < paper.half_width &&
                              std::abs(box.at.y - paper.at.y) + box.half_height < paper.half_height;
        if (!on_paper || !occupied.free(box, of_lines)) continue;
        occupied.add(box);
        return box.at;
      }
    }
  }
  return std::nullopt;
}

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

}  // namespace

void Box::include(const Polyline& line) {
  for (const auto& p : line) {
    x.include(p.x);
    y.include(p.y);
  }
}

void Box::include(const std::vector<Polyline>& lines) {
  for (const auto& line : lines) include(line);
}

void Box::pad(double air) {
  x = {x.low - air, x.high + air};
  y = {y.low - air, y.high + air};
}

Map fit(Box& box, double width_cm, double max_height_cm, double min_height_cm) {
  Map map;
  map.cm_per_m = std::min(width_cm / box.x.width(), max_height_cm / box.y.width());
  // equal scales: widen the shorter side of the box to the panel
  const double spare = width_cm / map.cm_per_m - box.x.width();
  box.x = {box.x.low - 0.5 * spare, box.x.high + 0.5 * spare};
  map.width_cm = width_cm;
  map.height_cm = std::max(map.cm_per_m * box.y.width(), min_height_cm);
  const double lack = map.height_cm / map.cm_per_m - box.y.width();
  box.y = {box.y.low - 0.5 * lack, box.y.high + 0.5 * lack};
  return map;
}

std::string polygon_style(std::string_view fill, std::string_view edge, double width) {
  return fmt::format(
      "with filledcurves closed fillstyle solid 1.0 border linecolor '{}' fillcolor '{}' linewidth "
      "{}",
      edge, fill, width);
}

std::vector<Polyline> DrawnRobot::lines() const {
  std::vector<Polyline> all;
  for (const Outline& outline : outlines) all.push_back(outline.line);
  return all;
}

DrawnRobot robot_at(const record::Drawing& drawing, std::size_t frame, const View& view,
                    const Flat& flat) {
  DrawnRobot robot;
  for (const auto* body : moving_bodies(drawing)) {
    auto outline = outline_of(drawing, *body, frame, view, flat);
    if (outline.line.empty()) continue;  // a shape that is not known, or nowhere
    robot.outlines.push_back(std::move(outline));
    robot.shapes.push_back(body->shape);
    if (body->polyline_field) robot.heads.push_back(view.of(drawing.points(*body, frame).front()));
    if (body->shape == "wheel" && view.up == 2)
      robot.spokes.push_back(spoke_of(drawing, *body, frame, view));
  }
  return robot;
}

void draw_robot(Canvas& canvas, const DrawnRobot& robot) {
  for (std::size_t i = robot.outlines.size(); i-- > 0;) {
    const auto& [line, filled] = robot.outlines[i];
    if (robot.shapes[i] == "wheel") continue;
    if (filled)
      canvas.draw({line}, polygon_style(i == 0 ? "#8fc7e6" : "#dcecf6", "#31688e", 0.6));
    else
      canvas.draw({line}, "with lines linecolor '#31688e' linewidth 2.0");
  }
  const bool from_side = !robot.spokes.empty();
  const std::string wheel_style =
      from_side ? "with filledcurves closed fillstyle transparent solid 0.25 border linecolor "
                  "'#2f3840' fillcolor '#54606a' linewidth 1.0"
                : polygon_style("#54606a", "#2f3840", 0.4);
  for (std::size_t i = 0; i < robot.outlines.size(); ++i)
    if (robot.shapes[i] == "wheel") canvas.draw({robot.outlines[i].line}, wheel_style);
  canvas.draw(robot.spokes, line_style("#2f3840", 1.2));
  if (!robot.heads.empty())
    canvas.draw({robot.heads}, "with points pointtype 7 pointsize 0.4 linecolor '#31688e'");
}

void draw_shade(Canvas& canvas, const DrawnRobot& robot, std::string_view colour_name) {
  const auto style = [&](double strength) {
    return fmt::format(
        "with filledcurves closed fillstyle transparent solid {} border linecolor '{}' fillcolor "
        "'{}' linewidth 0.7",
        strength, colour_name, colour_name);
  };
  std::vector<Polyline> others;
  std::vector<Polyline> curves;
  std::vector<Polyline> first;
  std::vector<Polyline> wheels;
  for (std::size_t i = 0; i < robot.outlines.size(); ++i) {
    const auto& [line, filled] = robot.outlines[i];
    (!filled                      ? curves
     : robot.shapes[i] == "wheel" ? wheels
     : i == 0                     ? first
                                  : others)
        .push_back(line);
  }
  // a single curve is all of a robot: its head is marked, not the whole
  canvas.draw(others, style(0.15));
  canvas.draw(first, style(robot.heads.empty() ? 0.6 : 0.3));
  canvas.draw(wheels, style(0.6));
  canvas.draw(curves, fmt::format("with lines linecolor '{}' linewidth 2.0", colour_name));
  if (!robot.heads.empty())
    canvas.draw({robot.heads},
                fmt::format("with points pointtype 7 pointsize 0.5 linecolor '{}'", colour_name));
}

void draw_obstacles(Canvas& canvas, const std::vector<Obstacle>& obstacles, const Box& view,
                    const Map& map, const Shown& shown, const std::vector<int>& numbers) {
  struct Disc {
    std::size_t index;
    double distance;              // to the robot (m)
    std::optional<Point> beside;  // the point of the robot next to it, if that is near
  };
  std::vector<Polyline> outlines;
  std::vector<Disc> discs;
  Occupied occupied(shown, map.cm_per_m);
  for (std::size_t k = 0; k < obstacles.size(); ++k) {
    const auto& o = obstacles[k];
    if (o.centre.x + o.radius < view.x.low || o.centre.x - o.radius > view.x.high ||
        o.centre.y + o.radius < view.y.low || o.centre.y - o.radius > view.y.high)
      continue;
    outlines.push_back(o.outline);
    occupied.add_disc({o.centre.x * map.cm_per_m, o.centre.y * map.cm_per_m},
                      o.radius * map.cm_per_m);
    double distance = std::numeric_limits<double>::infinity();
    const auto point = closest(shown.robot, {o.centre.x, o.centre.y}, distance);
    const double reach = 4.0 * shown.half_thickness + o.radius;
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
  const WordBox paper{{0.5 * (view.x.low + view.x.high) * map.cm_per_m,
                       0.5 * (view.y.low + view.y.high) * map.cm_per_m},
                      0.5 * view.x.width() * map.cm_per_m,
                      0.5 * view.y.width() * map.cm_per_m};
  for (const Disc& disc : discs) {
    const auto& o = obstacles[disc.index];
    const int number = numbers.empty() ? o.number : numbers[disc.index];
    if (number == 0) continue;
    const auto word = fmt::format("{}", number);
    if (o.radius * map.cm_per_m > 0.3) {
      canvas.text({o.centre.x, o.centre.y}, word, "center font ',7' textcolor '#ffffff'");
      continue;
    }
    Point away{1.0, 0.0};
    if (disc.beside)
      away = {(o.centre.x - disc.beside->x) / disc.distance,
              (o.centre.y - disc.beside->y) / disc.distance};
    const auto at = place_beside({o.centre.x * map.cm_per_m, o.centre.y * map.cm_per_m},
                                 o.radius * map.cm_per_m, away, word, paper, occupied);
    if (at)
      canvas.text({at->x / map.cm_per_m, at->y / map.cm_per_m}, word,
                  "center font ',7' textcolor '#555555'", Layer::back);
  }
  canvas.draw(outlines, polygon_style("#6b6b6b", "#3a3a3a", many ? 0.3 : 0.7));
}

void draw_standing_curves(Canvas& canvas, const std::vector<Outline>& curves,
                          std::string_view colour_name) {
  for (const Outline& curve : curves) {
    // broad enough to be seen on both sides of a robot's own path along it
    if (curve.filled)
      canvas.draw({curve.line}, polygon_style(colour_name, colour_name, 1.8));
    else
      canvas.draw({curve.line}, line_style(colour_name, path_width));
  }
}

void include_curves(Box& view, const std::vector<Outline>& curves) {
  for (const Outline& curve : curves) view.include(curve.line);
}

void keep_whole(std::vector<Obstacle>& obstacles, const Box& view) {
  std::erase_if(obstacles, [&](const Obstacle& o) {
    return o.centre.x - o.radius < view.x.low || o.centre.x + o.radius > view.x.high ||
           o.centre.y - o.radius < view.y.low || o.centre.y + o.radius > view.y.high;
  });
}

void include_obstacles(Box& view, const std::vector<Obstacle>& obstacles) {
  Box about = view;
  if (obstacles.size() > many_obstacles && view.x.high >= view.x.low)
    about.pad(0.15 + 0.1 * std::max(view.x.width(), view.y.width()));
  for (const auto& o : obstacles) {
    const bool near = o.centre.x > about.x.low && o.centre.x < about.x.high &&
                      o.centre.y > about.y.low && o.centre.y < about.y.high;
    if (near || obstacles.size() <= many_obstacles) view.include(o.outline);
  }
}

}  // namespace coluber::app
