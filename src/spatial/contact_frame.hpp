#pragma once

#include <cmath>

#include "coluber/spatial/snake.hpp"

namespace coluber::spatial {

/// Directions of friction at a point and their coefficients.
struct ContactFrame {
  Vector3d t_1, t_2;
  Vector2d mu;
};

/// A link whose axis has a shorter horizontal part stands upright.
inline constexpr double kUpright = 1e-9;

/// Horizontal direction of a link; e_x for one that stands upright, where no direction is along it.
inline Vector3d along_ground(const Vector3d& e_z) {
  const double length = std::sqrt(e_z.x() * e_z.x() + e_z.y() * e_z.y());
  if (!(length > kUpright)) return Vector3d::UnitX();
  return {e_z.x() / length, e_z.y() / length, 0.0};
}

/// On the ground along and across the link, Transeth (4.36), (4.37); at a cylinder along its
/// horizontal tangent and along the vertical.
inline ContactFrame compute_frame(const Model& model, SurfaceIndex surface,
                                  const world::SurfacePoint& point, const Vector3d& e_z) {
  if (surface == kGround) {
    const Vector3d along = along_ground(e_z);
    return {along, {-along.y(), along.x(), 0.0}, model.mu_T};
  }
  const double mu = model.obstacles[static_cast<std::size_t>(point.body)].mu;
  return {{-point.normal.y(), point.normal.x(), 0.0}, Vector3d::UnitZ(), {mu, mu}};
}

/// A link as surfaces see it, apart from where it is.
inline world::PlacedLink shape_of(const Link& link) {
  world::PlacedLink placed;
  placed.rear = -link.L_GS - link.offset;
  placed.front = link.L_GS - link.offset;
  placed.radius = link.L_SC;
  placed.spheres = link.spheres;
  return placed;
}

/// The link as it is in a pose.
inline void place(const Pose& pose, int i, world::PlacedLink& placed) {
  placed.centre = pose.centre(i);
  placed.axis = pose.e_z.col(i);
}

}  // namespace coluber::spatial
