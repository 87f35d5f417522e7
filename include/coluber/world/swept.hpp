#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/world/obstacle_grid.hpp"
#include "coluber/world/surface.hpp"

namespace coluber::world {

/// A link and how it moves through a step.
struct MovingLink {
  PlacedLink start;
  Eigen::Vector3d v = Eigen::Vector3d::Zero();      ///< of its centre (m/s)
  Eigen::Vector3d omega = Eigen::Vector3d::Zero();  ///< rad/s
};

/// Upper bound on the way (m) of any point of the link's core within `dt`.
COLUBER_EXPORT double compute_way(const MovingLink& link, double dt);

/// Where the link is after the time `t` (s).
COLUBER_EXPORT PlacedLink place_after(const MovingLink& link, double t);

/// Obstacles that a link meets on its way through a step, where its motion is longer than what
/// counts as near: it would be on one side before and on the other after.
class COLUBER_EXPORT SweptContacts {
 public:
  /// Room for so many obstacles on the way of one link.
  void reserve(std::size_t obstacles) {
    on_the_way_.reserve(obstacles);
    keys_.reserve(2 * obstacles);
  }

  /// First touch of one link with each obstacle on its way that `is_near(key)` does not have:
  /// appended to `found`, with the gap (m) that the link may close along the normal of the touch,
  /// both as seen from the start of the motion. One that it grazes on its way out is not there.
  template <typename IsNear>
  void find(const ObstacleGrid& grid, std::span<const Obstacle> obstacles, const MovingLink& link,
            int index, double dt, const IsNear& is_near, std::vector<SurfacePoint>& found) {
    for (const int key : find_keys(grid, link.start, dt * link.v)) {
      if (is_near(key)) continue;
      SurfacePoint point;
      if (!meet(obstacles, link, key, dt, point)) continue;
      point.link = index;
      found.push_back(point);
    }
  }

  /// The first obstacle (0-based) that the link gets deep into or through between `start` and
  /// `end`, and was not in before: by 5 mm, or by half of the smaller radius. -1: none.
  int find_passed(const ObstacleGrid& grid, std::span<const Obstacle> obstacles,
                  const PlacedLink& start, const PlacedLink& end);

 private:
  std::span<const int> find_keys(const ObstacleGrid& grid, const PlacedLink& start,
                                 const Eigen::Vector3d& way);
  static bool meet(std::span<const Obstacle> obstacles, const MovingLink& link, int key, double dt,
                   SurfacePoint& point);

  std::vector<int> on_the_way_, keys_;
};

}  // namespace coluber::world
