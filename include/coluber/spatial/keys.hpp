#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"
#include "coluber/spatial/snake.hpp"

namespace coluber::spatial {

/// What of a link meets obstacles.
enum class LinkShape : std::uint8_t { capsule, spheres };

/// What a scenario says of a link in space beside what it has in the plane.
struct LinkKeys {
  double inertia_axial = 9.40e-4;  ///< kg m², about the link's own axis
  LinkShape shape = LinkShape::capsule;
};

/// What it says of a robot in space beside its links, its world and its solver.
struct Keys {
  Joint joint = Joint::cardan;
  std::vector<LinkKeys> link{};  ///< when checked, one per link
  std::optional<double> z{};  ///< height of the placed link's centre (m); none: robot on the ground
  double pitch_deg = 0.0;     ///< positive: link n above link 1
  double roll_deg = 0.0;
  double rolling_friction = 0.0;
  LoadSharing load_sharing = LoadSharing::least_squares;
  double r_N = 0.1;   ///< kg, of the thesis' iteration
  double r_V = 0.05;  ///< kg
};

/// The keys of Keys.
COLUBER_EXPORT const keys::Section& spatial_keys();

}  // namespace coluber::spatial
