#pragma once

#include <vector>

#include <Eigen/Core>

#include "coluber/planar/force_map.hpp"
#include "coluber/planar/snake.hpp"
#include "coluber/world/obstacle_grid.hpp"

namespace coluber::control {

/// Finds the obstacles that a planar robot has within reach. Owns its scratch.
class PegsAtLinks {
 public:
  /// Of this robot among these obstacles; they count within `reach` (m) of a link's surface.
  PegsAtLinks(const planar::Model& model, double reach);

  /// One contact per link, by link: of the obstacles whose nearest link it is, the nearest. `r`:
  /// centres of gravity (m), `axis`: unit vectors towards the next link, a column per link.
  void find(const planar::Columns& r, const planar::Columns& axis,
            std::vector<planar::LinkContact>& contacts);

 private:
  struct Near {
    int obstacle = 0;
    int link = 0;
    planar::Gap gap;
  };
  const planar::Model& model_;
  double reach_;
  world::ObstacleGrid grid_;
  std::vector<int> found_;
  std::vector<Near> near_;    // by obstacle, as they are found
  std::vector<int> of_link_;  // index into near_; -1: none
};

}  // namespace coluber::control
