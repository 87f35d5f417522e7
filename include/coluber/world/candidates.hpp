#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "coluber/world/obstacle_grid.hpp"

namespace coluber::world {

/// Pairs of a body and an obstacle that can touch before some body has moved a fixed way: the
/// obstacles of body k are obstacle[first[k] … first[k+1]), in ascending order.
struct Candidates {
  std::vector<int> first, obstacle;
  Eigen::Matrix2Xd built_at;  ///< centres of the bodies when the list was built (m)
  bool valid = false;         ///< false: the next update() builds it anew

  /// How far a body may move before the pairs are searched anew (m).
  static constexpr double kReach = 0.1;

  /// Room for so many bodies and pairs.
  void reserve(std::size_t bodies, std::size_t pairs) {
    first.resize(bodies + 1);
    obstacle.reserve(pairs);
    built_at.resize(2, static_cast<Eigen::Index>(bodies));
  }

  /// Builds the list unless it still holds. `centre(k)` is where body k is, `around(k)` how far
  /// from there an obstacle's surface counts as near (m).
  template <typename Centre, typename Around>
  void update(const ObstacleGrid& grid, std::size_t bodies, const Centre& centre,
              const Around& around) {
    if (valid && first.size() == bodies + 1 && (grid.empty() || holds(bodies, centre))) return;
    reserve(bodies, 0);
    obstacle.clear();
    for (std::size_t k = 0; k < bodies; ++k) {
      first[k] = static_cast<int>(obstacle.size());
      const Eigen::Vector2d here = centre(k);
      built_at.col(static_cast<Eigen::Index>(k)) = here;
      grid.find(here, around(k) + kReach, obstacle);
    }
    first[bodies] = static_cast<int>(obstacle.size());
    valid = true;
  }

 private:
  template <typename Centre>
  [[nodiscard]] bool holds(std::size_t bodies, const Centre& centre) const {
    for (std::size_t k = 0; k < bodies; ++k) {
      const Eigen::Vector2d here = centre(k);
      const auto moved = here - built_at.col(static_cast<Eigen::Index>(k));
      if (!(moved.squaredNorm() <= kReach * kReach)) return false;
    }
    return true;
  }
};

}  // namespace coluber::world
