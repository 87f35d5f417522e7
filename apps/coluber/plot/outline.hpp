#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "coluber/record/drawing.hpp"

#include "plot/canvas.hpp"

namespace coluber::app {

// Bodies of a run as lines on paper, whatever model they belong to.

/// Plane that a picture is drawn in: two axes of the world.
struct View {
  std::size_t right = 0;  ///< axis that points to the right: 0 is x, 1 is y, 2 is z
  std::size_t up = 1;     ///< axis that points up
  /// The same axis along which one looks.
  [[nodiscard]] std::size_t depth() const { return 3 - right - up; }
  [[nodiscard]] Point of(const std::array<double, 3>& p) const { return {p[right], p[up]}; }
};
inline constexpr View from_above{0, 1};

Polyline circle(Point centre, double radius);

/// What a body looks like in a view.
struct Outline {
  Polyline line;       ///< empty: nothing to be seen
  bool filled = true;  ///< false: a curve without thickness
};

/// Outline of a body in a frame. Planes, shapes that are not known and bodies without a place have
/// none. A circle, which is flat, is seen from the side as a disc that lies on `floor` and is
/// `height` high.
struct Flat {
  double floor = 0.0;
  double height = 0.0;
};
Outline outline_of(const record::Drawing& drawing, const record::DrawnBody& body, std::size_t frame,
                   const View& view, const Flat& flat = {});

/// From the axle of a wheel to its rim, along the wheel's own z axis.
Polyline spoke_of(const record::Drawing& drawing, const record::DrawnBody& wheel, std::size_t frame,
                  const View& view);

/// Half of what the body measures across; 0 where that is not known.
double half_thickness(const record::DrawnBody& body);

/// The moving bodies.
std::vector<const record::DrawnBody*> moving_bodies(const record::Drawing& drawing);
/// Those of them called link_1, link_2, …; in their order.
std::vector<const record::DrawnBody*> links_of(const record::Drawing& drawing);
/// Where a body is: its origin, of a curve the middle one of its points.
std::array<double, 3> place_of(const record::Drawing& drawing, const record::DrawnBody& body,
                               std::size_t frame);

/// A body that stands still, seen in a view: an obstacle.
struct Obstacle {
  Point centre;
  double radius = 0.0;  ///< of the circle about it that holds it all
  int number = 0;       ///< k of obstacle_k; 0: it has none
  Polyline outline;
};
std::vector<Obstacle> obstacles_of(const record::Drawing& drawing, const View& view,
                                   const Flat& flat = {});

/// Curves that stand still: paths to follow. Each as wide as it is said to be, or a mere line. From
/// the side, those in the plane of the ground lie on the floor of `flat`.
std::vector<Outline> standing_curves(const record::Drawing& drawing, const View& view,
                                     const Flat& flat = {});

/// Height of the ground in a view from the side; none where there is no level ground.
std::optional<double> ground_of(const record::Drawing& drawing);

}  // namespace coluber::app
