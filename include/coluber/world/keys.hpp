#pragma once

#include <filesystem>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::world {

/// `[world]`: the ground.
struct GroundKeys {
  double gravity = 9.81;
  double tilt_deg = 0.0;
  double tilt_direction_deg = 0.0;
  Eigen::Vector2d friction{0.2, 0.2};  ///< along and across the link
};

/// `[world]` of a model that has no ground: along -z, none by default.
struct GravityKeys {
  double gravity = 0.0;
};

/// `[[world.obstacle]]`: a circle, in space the vertical cylinder over it, in m.
struct ObstacleKeys {
  double x = 0.0;
  double y = 0.0;
  double radius = 0.0;
  double friction = 0.0;
};

/// `[world]`: what stands on the ground.
struct Obstacles {
  std::vector<ObstacleKeys> obstacle{};  ///< when checked: those of the file, then of the table
  std::filesystem::path obstacle_table{};
};

/// The keys of GroundKeys.
COLUBER_EXPORT const keys::Section& ground_keys();
/// The keys of GravityKeys.
COLUBER_EXPORT const keys::Section& gravity_keys();
/// The keys of Obstacles.
COLUBER_EXPORT const keys::Section& obstacle_keys();

}  // namespace coluber::world
