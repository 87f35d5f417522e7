#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"

namespace coluber::world {

/// Something round that does not move: a circle in the plane, in space the vertical cylinder over
/// it.
struct Obstacle {
  Eigen::Vector2d H = Eigen::Vector2d::Zero();  ///< centre (m)
  double L_H = 0.0;                             ///< radius (m)
  double mu = 0.0;                              ///< friction coefficient
};

/// Obstacles by place: the broad phase. Built once, as obstacles do not move; a search then looks
/// at the neighbourhood alone, however many obstacles there are elsewhere.
///
/// An obstacle is kept once, by its centre, in the level whose cells are about as wide as itself,
/// so that one wall among thousands of pegs does not make every search long. A level is a list of
/// its occupied cells in the order (column, row, obstacle): nothing is kept for empty ones.
class COLUBER_EXPORT ObstacleGrid {
 public:
  ObstacleGrid() = default;
  /// Sorts the obstacles; they need not outlive it.
  explicit ObstacleGrid(std::span<const Obstacle> obstacles);

  /// Appends to `found`, in ascending order, every obstacle with |H - centre| <= around + L_H.
  /// Allocates only if `found` has to grow.
  void find(const Eigen::Vector2d& centre, double around, std::vector<int>& found) const;

  [[nodiscard]] bool empty() const { return levels_.empty(); }  ///< there are no obstacles
  [[nodiscard]] std::size_t bytes() const;                      ///< memory it takes

 private:
  struct Entry {
    std::int32_t column = 0;
    std::int32_t row = 0;
    std::int32_t obstacle = 0;
    double x = 0.0, y = 0.0, radius = 0.0;  // m
  };
  struct Level {
    double cell = 0.0;        // width of a cell (m)
    double radius_max = 0.0;  // of its obstacles (m)
    std::vector<Entry> entries;
  };
  std::vector<Level> levels_;  // those that hold obstacles, finest first
};

}  // namespace coluber::world
