#pragma once

// Twenty pegs near the robot and thousands it never comes near: what a broad phase is for.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "coluber/planar/snake.hpp"

#include "sample/snake.hpp"

namespace coluber::sample {

/// The 20 circles of benchmarks/data for n links; throws unless there is a file for n that holds
/// all of them.
inline std::vector<planar::Obstacle> circles(int n) {
  const std::string name = std::string(COLUBER_SOURCE_DIR) +
                           "/benchmarks/data/peers-scene-cylinders-" + std::to_string(n) + ".csv";
  std::ifstream file(name);
  std::string line;
  std::getline(file, line);  // header
  std::vector<planar::Obstacle> circles;
  planar::Obstacle circle;
  char comma = ',';
  while (file >> circle.H.x() >> comma >> circle.H.y() >> comma >> circle.L_H) {
    circles.push_back(circle);
  }
  constexpr std::size_t count = 20;
  if (circles.size() != count || !file.eof()) {
    throw std::runtime_error(name + ": expected 20 rows x,y,radius, got " +
                             std::to_string(circles.size()));
  }
  return circles;
}

/// The peers' start pose: link 1 points along +x with its rear end at the origin.
inline planar::State peers_start(const planar::Model& model) {
  return planar::make_state(model, Wave{}.angles(model.n() - 1), 0, {0.061, 0.0}, 0.0);
}

/// Adds `count` pegs on a lattice of 0.4 m round the whole path that the robot takes from the
/// peers' start in `seconds` among the obstacles it has, nearest to the path's middle first, none
/// ever within 5 cm of a link.
inline void plant_forest(planar::Model& model, std::size_t count, double seconds,
                         double dt = 1e-3) {
  constexpr double kSpacing = 0.4;
  constexpr double kRadius = 0.03;
  constexpr double kClear =
      0.05 + 0.005;  // links move less than 5 mm in the 5 ms between two poses
  std::vector<planar::Pose> path;
  planar::State state = peers_start(model);
  planar::Data data(model);
  planar::StepOptions options;
  options.dt = dt;
  JointCommand command(model.n() - 1);
  const auto steps = static_cast<int>(std::lround(seconds / dt));
  const int every = std::max(1, static_cast<int>(5e-3 / dt));
  for (int k = 0; k <= steps; ++k) {
    if (k % every == 0 || k == steps) {
      path.emplace_back();
      planar::compute_pose_at_time(model, state, dt, path.back());
    }
    follow({}, (k + 1) * dt, command);
    if (planar::step(model, state, data, command, options).status != Status::ok) {
      throw std::runtime_error("plant_forest: a step failed");
    }
  }
  Eigen::Vector2d low = path[0].origin;
  Eigen::Vector2d high = low;
  for (const planar::Pose& pose : path) {
    low = low.cwiseMin(pose.r.rowwise().minCoeff() + pose.origin);
    high = high.cwiseMax(pose.r.rowwise().maxCoeff() + pose.origin);
  }
  const auto is_clear = [&](const planar::Obstacle& peg) {
    const Eigen::Array2d outside =
        (low - peg.H).cwiseMax(peg.H - high).array() - kRadius - 0.2;  // a link's half length
    if ((outside > 0.0).any()) return true;
    for (const planar::Pose& pose : path) {
      for (int i = 0; i < model.n(); ++i) {
        const auto gap =
            planar::compute_gap(model.links[static_cast<std::size_t>(i)],
                                pose.r.col(i) + pose.origin, pose.cos(i), pose.sin(i), peg);
        if (gap.g < kClear) return false;
      }
    }
    return true;
  };
  const Eigen::Vector2d middle = 0.5 * (low + high);
  std::vector<planar::Obstacle> forest;
  for (int ring = 0; forest.size() < count; ++ring) {  // squares round the middle
    for (int ix = -ring; ix <= ring; ++ix) {
      for (int iy = -ring; iy <= ring; ++iy) {
        if (std::max(std::abs(ix), std::abs(iy)) != ring || forest.size() == count) continue;
        const planar::Obstacle peg{middle + kSpacing * Eigen::Vector2d(ix, iy), kRadius};
        if (is_clear(peg)) forest.push_back(peg);
      }
    }
  }
  model.obstacles.insert(model.obstacles.end(), forest.begin(), forest.end());
}

}  // namespace coluber::sample
