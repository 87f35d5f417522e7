#include "coluber/world/obstacle_grid.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace coluber::world {
namespace {

// Width of the finest cells. Searches are about 0.2 m to all sides (a link, the 2 cm of the landing
// rule and the 10 cm a link may move before the next search), so that they cover some 3 by 3 cells.
constexpr double kFinestCell = 0.25;

/// Column or row of a coordinate. Monotone for all values: what lies outside the numbered cells
/// counts to the outermost ones, and is still found there.
std::int32_t cell_of(double coordinate, double cell) {
  constexpr double kOutermost = 1 << 30;
  const double index = std::floor(coordinate / cell);
  if (!(index > -kOutermost)) return -(1 << 30);
  if (!(index < kOutermost)) return 1 << 30;
  return static_cast<std::int32_t>(index);
}

/// Cells of level l are kFinestCell 2^l wide: at least an obstacle's diameter, or the finest.
int level_of(double radius) {
  if (2.0 * radius <= kFinestCell) return 0;
  return std::ilogb(2.0 * radius / kFinestCell) + 1;
}

}  // namespace

ObstacleGrid::ObstacleGrid(std::span<const Obstacle> obstacles) {
  std::map<int, Level> by_level;
  for (std::size_t j = 0; j < obstacles.size(); ++j) {
    const Obstacle& obstacle = obstacles[j];
    const int number = level_of(obstacle.L_H);
    Level& level = by_level[number];
    level.cell = std::ldexp(kFinestCell, number);
    level.radius_max = std::max(level.radius_max, obstacle.L_H);
    level.entries.push_back({cell_of(obstacle.H.x(), level.cell),
                             cell_of(obstacle.H.y(), level.cell), static_cast<std::int32_t>(j),
                             obstacle.H.x(), obstacle.H.y(), obstacle.L_H});
  }
  for (auto& [number, level] : by_level) {
    std::sort(level.entries.begin(), level.entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.column, a.row, a.obstacle) < std::tie(b.column, b.row, b.obstacle);
    });
    level.entries.shrink_to_fit();
    levels_.push_back(std::move(level));
  }
}

void ObstacleGrid::find(const Eigen::Vector2d& centre, double around,
                        std::vector<int>& found) const {
  const auto first_new = static_cast<std::ptrdiff_t>(found.size());
  for (const Level& level : levels_) {
    // A little wider than needed, so that rounding leaves none out; the distance decides.
    const double reach = around + level.radius_max;
    const double half = reach + 1e-9 * (reach + std::abs(centre.x()) + std::abs(centre.y()));
    const std::int32_t last_column = cell_of(centre.x() + half, level.cell);
    const std::int32_t first_row = cell_of(centre.y() - half, level.cell);
    const std::int32_t last_row = cell_of(centre.y() + half, level.cell);

    // From one occupied cell to the next: the entries of a column's rows stand side by side.
    const auto seek = [&](auto from, std::int32_t column) {
      return std::lower_bound(from, level.entries.end(), std::pair{column, first_row},
                              [](const Entry& entry, const auto& cell) {
                                return std::pair{entry.column, entry.row} < cell;
                              });
    };
    auto entry = seek(level.entries.begin(), cell_of(centre.x() - half, level.cell));
    while (entry != level.entries.end() && entry->column <= last_column) {
      if (entry->row < first_row) {
        entry = seek(entry, entry->column);
      } else if (entry->row > last_row) {
        entry = seek(entry, entry->column + 1);
      } else {
        const double dx = entry->x - centre.x();
        const double dy = entry->y - centre.y();
        const double limit = around + entry->radius;
        if (dx * dx + dy * dy <= limit * limit) found.push_back(entry->obstacle);
        ++entry;
      }
    }
  }
  std::sort(found.begin() + first_new, found.end());
}

std::size_t ObstacleGrid::bytes() const {
  std::size_t sum = levels_.capacity() * sizeof(Level);
  for (const Level& level : levels_) sum += level.entries.capacity() * sizeof(Entry);
  return sum;
}

}  // namespace coluber::world
