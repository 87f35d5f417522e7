#pragma once

#include <Eigen/Core>

#include "coluber/core/export.hpp"

namespace coluber::world {

/// Where a segment comes near a vertical prism, seen from above.
struct PrismPoint {
  double g = 0.0;  ///< distance (m); inside, less than 0: how far it has to move to be out
  Eigen::Vector2d normal =
      Eigen::Vector2d::UnitX();  ///< unit vector, from the prism to the segment
};

/// The prism of any height over a convex polygon (`corners` counter-clockwise, at least three, no
/// two at one place) and the segment from `a` to `b`, seen from above: the distance in space, since
/// the nearest points are at one height. For vertical cylinders see `locate_on_cylinder`.
COLUBER_EXPORT PrismPoint locate_on_prism(const Eigen::Ref<const Eigen::Matrix2Xd>& corners,
                                          const Eigen::Vector2d& a, const Eigen::Vector2d& b);

}  // namespace coluber::world
