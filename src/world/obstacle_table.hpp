#pragma once

#include <filesystem>
#include <vector>

#include "coluber/core/error.hpp"
#include "coluber/world/keys.hpp"

namespace coluber::world {

/// Obstacles of a CSV file `x,y,radius` or `x,y,radius,friction`, one per line.
struct ObstacleTable {
  std::vector<ObstacleKeys> obstacles;
  std::vector<int> lines;          ///< where each was given
  std::vector<Diagnostic> faults;  ///< everything wrong with it; then there are no obstacles
};

/// Reads at most `most` obstacles. Throws nothing: what is wrong is in `faults`.
ObstacleTable load_obstacle_table(const std::filesystem::path& file, std::size_t most);

}  // namespace coluber::world
