#pragma once

#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::chain {

/// What a scenario says of the wheels of a link.
struct AxleKeys {
  double wheel_radius = 0.065;   ///< m
  double wheel_inertia = 0.002;  ///< kg m², of both and their shaft
  double axle_offset = 0.0;      ///< m, ahead of the link's middle, towards the next link
  double half_track = 0.041;     ///< m
};

/// Wheels of a robot.
struct WheelKeys {
  std::vector<AxleKeys> link{};  ///< when checked, one per link
};

/// The keys of WheelKeys.
COLUBER_EXPORT const keys::Section& wheel_keys();

}  // namespace coluber::chain
