#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::chain {

/// What `start.position` places and `start.velocity` moves.
enum class Place : std::uint8_t {
  link,            ///< the centre of gravity of start.link
  centre_of_mass,  ///< of the whole robot
  mean,            ///< of the links' centres of gravity
};

/// `[start]` of a robot in the plane, beside what every chain has.
struct PlaneStart {
  std::vector<double> link_angle{};           ///< rad; none: by shape and heading
  std::vector<double> link_rate{};            ///< rad/s; none: zero
  std::optional<Eigen::Vector2d> velocity{};  ///< m/s
  Place place = Place::link;
};

/// The keys of PlaneStart.
COLUBER_EXPORT const keys::Section& plane_start_keys();

}  // namespace coluber::chain
