#pragma once

#include <optional>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::control {

/// `[controller]` of obstacle-aided locomotion in closed loop.
struct ForceLoopKeys {
  double lead = 0.05;    ///< m
  double reach = 0.002;  ///< m
  bool map = true;
  std::optional<Eigen::Vector2d> assumed_friction{};  ///< obstacles, ground; none: the world's
};

/// The keys of ForceLoopKeys.
COLUBER_EXPORT const keys::Section& force_loop_keys();

}  // namespace coluber::control
