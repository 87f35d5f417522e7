#include "plot/outline.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>

namespace coluber::app {

using record::Drawing;
using record::DrawnBody;

namespace {

using Vector = std::array<double, 3>;
constexpr double pi = std::numbers::pi;
constexpr int circle_corners = 48;

bool finite(const auto& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

/// Takes points of a body to the world.
class Frame {
 public:
  explicit Frame(const std::array<double, 7>& pose) : origin_{pose[0], pose[1], pose[2]} {
    const double w = pose[3];
    const double x = pose[4];
    const double y = pose[5];
    const double z = pose[6];
    axes_[0] = {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)};
    axes_[1] = {2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)};
    axes_[2] = {2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)};
  }
  [[nodiscard]] const Vector& axis(std::size_t k) const { return axes_[k]; }
  [[nodiscard]] Vector point(double x, double y, double z) const {
    Vector p{};
    for (std::size_t k = 0; k < 3; ++k)
      p[k] = origin_[k] + x * axes_[0][k] + y * axes_[1][k] + z * axes_[2][k];
    return p;
  }

 private:
  Vector origin_;
  std::array<Vector, 3> axes_{};
};

/// The convex outline about points, counter-clockwise and closed  (Andrew's monotone chain).
Polyline hull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  const auto turns_left = [](const Point& a, const Point& b, const Point& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0.0;
  };
  Polyline line;
  const auto add = [&](std::size_t least, const Point& p) {
    while (line.size() >= least + 2 && !turns_left(line[line.size() - 2], line.back(), p))
      line.pop_back();
    line.push_back(p);
  };
  for (const Point& p : points) add(0, p);
  const std::size_t lower = line.size() - 1;
  for (std::size_t k = points.size() - 1; k-- > 0;) add(lower, points[k]);
  return line;  // ends where it began
}

/// All points within `radius` of the line from `b` to `a`: a capsule, or its shadow (Transeth 3.3).
Polyline stadium(Point b, Point a, double radius) {
  Polyline outline;
  constexpr int arc = 16;
  const double theta = std::atan2(a.y - b.y, a.x - b.x);
  const auto cap = [&](Point centre, double from) {
    for (int k = 0; k <= arc; ++k) {
      const double angle = theta + from + pi * k / arc;
      outline.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
    }
  };
  cap(a, -0.5 * pi);
  cap(b, 0.5 * pi);
  outline.push_back(outline.front());
  return outline;
}

/// A cylinder about the body's axis `along`, from -half to half.
Polyline cylinder(const Frame& frame, std::size_t along, double radius, double half,
                  const View& view) {
  std::vector<Point> points;
  for (const double end : {-half, half}) {
    for (int k = 0; k < circle_corners; ++k) {
      const double a = 2.0 * pi * k / circle_corners;
      Vector p{};
      p[along] = end;
      p[(along + 1) % 3] = radius * std::cos(a);
      p[(along + 2) % 3] = radius * std::sin(a);
      points.push_back(view.of(frame.point(p[0], p[1], p[2])));
    }
  }
  // seen along its axis it is round, and said exactly so
  if (std::abs(std::abs(frame.axis(along)[view.depth()]) - 1.0) < 1e-9)
    return circle(view.of(frame.point(0.0, 0.0, 0.0)), radius);
  return hull(std::move(points));
}

Polyline box(const Frame& frame, const Vector& size, const View& view) {
  std::vector<Point> corners;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      for (const double z : {-0.5, 0.5})
        corners.push_back(view.of(frame.point(x * size[0], y * size[1], z * size[2])));
  return hull(std::move(corners));
}

/// A band of this half width about a curve, with round ends.
Polyline band(const Polyline& curve, const std::vector<double>& half_width) {
  Polyline left;
  Polyline right;
  Point normal{0.0, 1.0};
  const std::size_t last = curve.size() - 1;
  double heading_first = 0.0;
  double heading_last = 0.0;
  for (std::size_t k = 0; k <= last; ++k) {
    const Point& before = curve[k == 0 ? 0 : k - 1];
    const Point& after = curve[std::min(k + 1, last)];
    const double length = std::hypot(after.x - before.x, after.y - before.y);
    if (length > 0.0) {  // else it points to the reader: as before
      normal = {(before.y - after.y) / length, (after.x - before.x) / length};
    }
    heading_last = std::atan2(-normal.x, normal.y);
    if (k == 0) heading_first = heading_last;
    left.push_back({curve[k].x + half_width[k] * normal.x, curve[k].y + half_width[k] * normal.y});
    right.push_back({curve[k].x - half_width[k] * normal.x, curve[k].y - half_width[k] * normal.y});
  }
  constexpr int arc = 8;
  const auto cap = [&](Polyline& to, Point centre, double radius, double from) {
    for (int k = 1; k < arc; ++k) {
      const double angle = from + pi * k / arc;
      to.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
    }
  };
  Polyline outline = right;
  cap(outline, curve[last], half_width[last], heading_last - 0.5 * pi);
  outline.insert(outline.end(), left.rbegin(), left.rend());
  cap(outline, curve[0], half_width[0], heading_first + 0.5 * pi);
  outline.push_back(outline.front());
  return outline;
}

/// A tube through points.
Outline curve_outline(const std::vector<Vector>& points, std::vector<double> radii,
                      const View& view) {
  Polyline line;
  for (const Vector& p : points) {
    if (!finite(p)) return {};
    line.push_back(view.of(p));
  }
  if (line.size() < 2) return {};
  const bool thick =
      std::any_of(radii.begin(), radii.end(), [](double r) { return std::isfinite(r) && r > 0.0; });
  if (!thick) return {std::move(line), false};
  for (double& r : radii)
    if (!(r > 0.0) || !std::isfinite(r)) r = 0.0;
  return {band(line, radii), true};
}

double size_of(const DrawnBody& body, std::size_t k) {
  return k < body.size.size() ? body.size[k] : 0.0;
}

bool is_curve(const DrawnBody& body) { return body.polyline_field || !body.points.empty(); }

/// k of obstacle_k; 0 for other names.
int number_in(const std::string& name) {
  const auto at = name.rfind('_');
  if (at == std::string::npos) return 0;
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, fault] = std::from_chars(name.data() + at + 1, end, number);
  return fault == std::errc{} && stop == end && number > 0 ? number : 0;
}

}  // namespace

Polyline circle(Point centre, double radius) {
  Polyline outline;
  for (int k = 0; k <= circle_corners; ++k) {
    const double a = 2.0 * pi * k / circle_corners;
    outline.push_back({centre.x + radius * std::cos(a), centre.y + radius * std::sin(a)});
  }
  return outline;
}

Outline outline_of(const Drawing& drawing, const DrawnBody& body, std::size_t frame,
                   const View& view, const Flat& flat) {
  if (is_curve(body)) {
    const auto points = drawing.points(body, frame);
    std::vector<double> radii(points.size(), size_of(body, 0));
    if (body.radius_field) {
      const auto own = drawing.at(*body.radius_field, frame);
      radii.assign(own.begin(), own.end());
    }
    return curve_outline(points, std::move(radii), view);
  }
  const auto pose = drawing.pose(body, frame);
  if (!finite(pose)) return {};
  const Frame at(pose);
  const double a = size_of(body, 0);
  const double b = size_of(body, 1);
  if (body.shape == "capsule")
    return {stadium(view.of(at.point(-b, 0.0, 0.0)), view.of(at.point(b, 0.0, 0.0)), a)};
  if (body.shape == "sphere") return {circle(view.of(at.point(0.0, 0.0, 0.0)), a)};
  if (body.shape == "cylinder") return {cylinder(at, 2, a, 0.5 * b, view)};
  if (body.shape == "wheel") return {cylinder(at, 1, a, 0.5 * b, view)};
  if (body.shape == "tube") return {cylinder(at, 0, a, 0.5 * b, view)};
  if (body.shape == "box") return {box(at, {a, b, size_of(body, 2)}, view)};
  if (body.shape == "circle") {
    if (view.up != 2) return {cylinder(at, 2, a, 0.0, view)};
    const Point centre = view.of(at.point(0.0, 0.0, 0.0));
    const double top = flat.floor + flat.height;
    return {{{centre.x - a, flat.floor},
             {centre.x + a, flat.floor},
             {centre.x + a, top},
             {centre.x - a, top},
             {centre.x - a, flat.floor}}};
  }
  return {};
}

Polyline spoke_of(const Drawing& drawing, const DrawnBody& wheel, std::size_t frame,
                  const View& view) {
  const Frame at(drawing.pose(wheel, frame));
  return {view.of(at.point(0.0, 0.0, 0.0)), view.of(at.point(0.0, 0.0, size_of(wheel, 0)))};
}

double half_thickness(const DrawnBody& body) {
  if (body.shape == "box") return 0.5 * std::min(size_of(body, 0), size_of(body, 1));
  return size_of(body, 0);
}

std::vector<const DrawnBody*> moving_bodies(const Drawing& drawing) {
  std::vector<const DrawnBody*> found;
  for (const DrawnBody& body : drawing.bodies)
    if (body.moving()) found.push_back(&body);
  return found;
}

std::vector<const DrawnBody*> links_of(const Drawing& drawing) {
  auto found = moving_bodies(drawing);
  std::erase_if(found, [](const DrawnBody* body) { return !body->name.starts_with("link_"); });
  return found;
}

std::array<double, 3> place_of(const Drawing& drawing, const DrawnBody& body, std::size_t frame) {
  if (is_curve(body)) {
    const auto points = drawing.points(body, frame);
    if (!points.empty()) return points[points.size() / 2];
  }
  const auto pose = drawing.pose(body, frame);
  return {pose[0], pose[1], pose[2]};
}

std::vector<Obstacle> obstacles_of(const Drawing& drawing, const View& view, const Flat& flat) {
  std::vector<Obstacle> found;
  for (const DrawnBody& body : drawing.bodies) {
    if (body.moving() || is_curve(body)) continue;
    Obstacle obstacle;
    obstacle.outline = outline_of(drawing, body, 0, view, flat).line;
    if (obstacle.outline.empty()) continue;
    obstacle.centre = view.of({body.pose[0], body.pose[1], body.pose[2]});
    obstacle.number = number_in(body.name);
    for (const Point& p : obstacle.outline)
      obstacle.radius =
          std::max(obstacle.radius, std::hypot(p.x - obstacle.centre.x, p.y - obstacle.centre.y));
    found.push_back(std::move(obstacle));
  }
  return found;
}

std::vector<Outline> standing_curves(const Drawing& drawing, const View& view, const Flat& flat) {
  std::vector<Outline> found;
  const double ground = ground_of(drawing).value_or(0.0);
  for (const DrawnBody& body : drawing.bodies) {
    if (body.moving() || body.points.empty()) continue;
    auto outline = outline_of(drawing, body, 0, view);
    if (outline.line.empty()) continue;
    const auto points = drawing.points(body, 0);
    const bool on_ground =
        std::all_of(points.begin(), points.end(), [&](const Vector& p) { return p[2] == ground; });
    if (view.up == 2 && on_ground)
      for (Point& p : outline.line) p.y += flat.floor - ground;
    found.push_back(std::move(outline));
  }
  return found;
}

std::optional<double> ground_of(const Drawing& drawing) {
  for (const DrawnBody& body : drawing.bodies) {
    if (body.moving() || body.shape != "plane") continue;
    const Frame frame(body.pose);
    if (std::abs(std::abs(frame.axis(2)[2]) - 1.0) < 1e-9) return body.pose[2];
  }
  return std::nullopt;
}

}  // namespace coluber::app
