#include "plot/map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace coluber::app {
namespace {

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
  for (std::size_t i = 0; i < robot.outlines.size(); ++i)
    if (robot.shapes[i] == "wheel")
      canvas.draw({robot.outlines[i].line}, polygon_style("#54606a", "#2f3840", 0.4));
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
  for (std::size_t i = 0; i < robot.outlines.size(); ++i) {
    const auto& [line, filled] = robot.outlines[i];
    (!filled ? curves : i == 0 ? first : others).push_back(line);
  }
  // a single curve is all of a robot: its head is marked, not the whole
  canvas.draw(others, style(0.15));
  canvas.draw(first, style(robot.heads.empty() ? 0.6 : 0.3));
  canvas.draw(curves, fmt::format("with lines linecolor '{}' linewidth 2.0", colour_name));
  if (!robot.heads.empty())
    canvas.draw({robot.heads},
                fmt::format("with points pointtype 7 pointsize 0.5 linecolor '{}'", colour_name));
}

void draw_obstacles(Canvas& canvas, const std::vector<Obstacle>& obstacles, const Box& view,
                    const Map& map, const Polyline& robot, double half_thickness,
                    const std::vector<int>& numbers) {
  struct Disc {
    std::size_t index;
    double distance;              // to the robot (m)
    std::optional<Point> beside;  // the point of the robot next to it, if that is near
  };
  std::vector<Polyline> outlines;
  std::vector<Disc> discs;
  Occupied occupied;
  for (std::size_t k = 0; k < obstacles.size(); ++k) {
    const auto& o = obstacles[k];
    if (o.centre.x + o.radius < view.x.low || o.centre.x - o.radius > view.x.high ||
        o.centre.y + o.radius < view.y.low || o.centre.y - o.radius > view.y.high)
      continue;
    outlines.push_back(o.outline);
    occupied.add_disc({o.centre.x * map.cm_per_m, o.centre.y * map.cm_per_m},
                      o.radius * map.cm_per_m);
    double distance = std::numeric_limits<double>::infinity();
    const auto point = closest(robot, {o.centre.x, o.centre.y}, distance);
    const double reach = 4.0 * half_thickness + o.radius;
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
    const double offset = o.radius + 0.22 / map.cm_per_m;
    const Point at{o.centre.x + offset * away.x, o.centre.y + offset * away.y};
    if (many && !occupied.take({at.x * map.cm_per_m, at.y * map.cm_per_m}, word)) continue;
    canvas.text(at, word, "center font ',7' textcolor '#555555'", Layer::back);
  }
  canvas.draw(outlines, polygon_style("#6b6b6b", "#3a3a3a", many ? 0.3 : 0.7));
}

void draw_standing_curves(Canvas& canvas, const std::vector<Outline>& curves) {
  for (const Outline& curve : curves) {
    if (curve.filled)
      canvas.draw({curve.line}, polygon_style("#e4e4e4", "#c4c4c4", 0.5));
    else
      canvas.draw({curve.line}, "with lines linecolor '#8c8c8c' linewidth 0.9 dashtype 2");
  }
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
