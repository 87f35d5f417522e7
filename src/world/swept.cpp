#include "coluber/world/swept.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace coluber::world {
namespace {

double core_of(const PlacedLink& link) {
  return std::max(std::abs(link.rear), std::abs(link.front));
}

}  // namespace

double compute_way(const MovingLink& link, double dt) {
  return dt * (link.v.norm() + link.omega.norm() * core_of(link.start));
}

PlacedLink place_after(const MovingLink& link, double t) {
  PlacedLink there = link.start;
  there.centre += t * link.v;
  const double rate = link.omega.norm();
  if (rate > 0.0) {
    there.axis = Eigen::AngleAxisd(rate * t, Eigen::Vector3d{link.omega / rate}) * there.axis;
  }
  return there;
}

std::span<const int> SweptContacts::find_keys(const ObstacleGrid& grid, const PlacedLink& start,
                                              const Eigen::Vector3d& way) {
  on_the_way_.clear();
  keys_.clear();
  const Eigen::Vector3d half_way = 0.5 * way;
  const Eigen::Vector2d middle = (start.centre + half_way).head<2>();
  grid.find(middle, core_of(start) + start.radius + half_way.norm(), on_the_way_);
  for (const int j : on_the_way_) {
    keys_.push_back(2 * j);
    if (start.spheres) keys_.push_back(2 * j + 1);
  }
  return keys_;
}

// No point of the link moves faster than the bound of compute_way(), so that the gap cannot close
// before gap/bound: steps of that length never jump over the obstacle.
bool SweptContacts::meet(std::span<const Obstacle> obstacles, const MovingLink& link, int key,
                         double dt, SurfacePoint& point) {
  constexpr double touch = 1e-6;  // m
  constexpr int most = 1000;      // one that grazes comes closer ever more slowly
  const double way = compute_way(link, dt);
  double share = 0.0;  // of the step
  for (int i = 0; i < most; ++i) {
    point = locate_on_cylinder(place_after(link, share * dt), obstacles, key);
    if (point.g <= touch) break;
    share += point.g / way;
    if (share > 1.0) return false;
  }
  if (point.g > touch) return false;
  const Eigen::Vector3d arm = point.s * link.start.axis;
  const double closing = -point.normal.dot(link.v + link.omega.cross(arm));
  if (!(closing > 0.0)) return false;
  point.g = share * dt * closing;
  return true;
}

int SweptContacts::find_passed(const ObstacleGrid& grid, std::span<const Obstacle> obstacles,
                               const PlacedLink& start, const PlacedLink& end) {
  const Eigen::Vector3d moved = end.centre - start.centre;
  const Eigen::Vector3d turned = end.axis - start.axis;
  const double way = moved.norm() + 2.0 * turned.norm() * core_of(start);  // at most, on its arc
  for (const int key : find_keys(grid, start, moved)) {
    const Obstacle& obstacle = obstacles[static_cast<std::size_t>(key / 2)];
    const double small = std::min(start.radius, obstacle.L_H);
    const double deep = -std::min(5e-3, 0.5 * small);  // m
    if (locate_on_cylinder(start, obstacles, key).g < deep) continue;
    // as fine as the smaller of the two round things
    const double parts = std::min(1e4, std::ceil(2.0 * way / small) + 1.0);
    for (double part = 1.0; part <= parts; part += 1.0) {
      PlacedLink there = start;
      there.centre += part / parts * moved;
      there.axis = (start.axis + part / parts * turned).normalized();
      if (locate_on_cylinder(there, obstacles, key).g < deep) return key / 2;
    }
  }
  return -1;
}

}  // namespace coluber::world
