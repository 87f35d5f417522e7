#pragma once

#include "coluber/core/export.hpp"
#include "coluber/path/path.hpp"

namespace coluber::path {

/// Where a point is seen from a path, in the Frenet frame of the nearest point.
struct Deviation {
  double s = 0.0;      ///< arc length of the nearest point (m)
  double z = 0.0;      ///< distance from it, positive to the left of the path (m), Murugendran (13)
  double theta = 0.0;  ///< direction of the path there (rad)
  double kappa = 0.0;  ///< its curvature there (1/m)
};

/// Finds the nearest point of the path as a local one: from `s` on, downhill, so that a moving
/// point keeps its branch where the path crosses itself. The point must be nearer to the path than
/// the path's centre of curvature.
COLUBER_EXPORT Deviation track(const Path& path, double s, const Vector2d& point);

/// heading less path direction, in (-pi, pi], Murugendran (13).
COLUBER_EXPORT double heading_error(double heading, const Deviation& deviation);

}  // namespace coluber::path
