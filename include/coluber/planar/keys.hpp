#pragma once

#include <cstdint>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::planar {

/// What a scenario says of a robot in the plane beside its links and its world.
struct Keys {
  int friction_points = 1;                     ///< per link
  Eigen::Vector2d viscous_friction{0.0, 0.0};  ///< along and across the link (s/m)
  double friction_smoothing = 1e-3;            ///< m/s
};

/// What it says of the ground's friction against turning.
struct RotationKeys {
  double rotational_friction = 0.0;  ///< m s
};

/// Law of the ground's Coulomb friction.
enum class FrictionLaw : std::uint8_t { set_valued, smooth };

/// What it says of the model in minimal coordinates.
struct MinimalKeys {
  FrictionLaw friction_law = FrictionLaw::set_valued;
  double rtol = 1e-6;  ///< of the integrator, for smooth friction
  double atol = 1e-8;
};

/// The keys of Keys.
COLUBER_EXPORT const keys::Section& planar_keys();
/// The keys of RotationKeys.
COLUBER_EXPORT const keys::Section& rotation_keys();
/// The keys of MinimalKeys.
COLUBER_EXPORT const keys::Section& minimal_keys();

}  // namespace coluber::planar
