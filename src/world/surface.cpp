#include "coluber/world/surface.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace coluber::world {
namespace {

/// From a link's centre to the farther end of its core (m).
double half_of(const PlacedLink& link) {
  return std::max(std::abs(link.rear), std::abs(link.front));
}

/// Where a capsule's axis is nearest to the vertical through H: the foot of the perpendicular, held
/// between the ends of the core. An upright link is taken at its middle.
/// Differs: Transeth (4.10)-(4.14) has a formula for the side and one for the end spheres, and no
/// foot; the gap is the same.
double nearest_on_core(const PlacedLink& link, const Eigen::Vector2d& H) {
  const Eigen::Vector2d e = link.axis.head<2>();
  const double square = e.squaredNorm();
  if (!(square > 1e-24)) return 0.5 * (link.rear + link.front);
  const double s = (H - link.centre.head<2>()).dot(e) / square;
  return std::clamp(s, link.rear, link.front);
}

}  // namespace

SurfacePoint Plane::locate(const PlacedLink& link, int key) const {
  SurfacePoint point;
  point.key = key;
  point.s = key == 0 ? link.rear : link.front;
  point.g = link.centre.z() + point.s * link.axis.z() - link.radius;
  return point;
}

void Plane::find(std::span<const PlacedLink> links, double near, SurfacePoints& found) {
  found.first.resize(links.size() + 1);
  found.points.clear();
  for (std::size_t i = 0; i < links.size(); ++i) {
    found.first[i] = static_cast<int>(found.points.size());
    for (int key = 0; key < 2; ++key) {
      SurfacePoint point = locate(links[i], key);
      if (point.g >= near) continue;
      point.link = static_cast<int>(i);
      found.points.push_back(point);
    }
  }
  found.first[links.size()] = static_cast<int>(found.points.size());
}

// Keys are 2 j for cylinder j, and 2 j + 1 for the front sphere of a link that has two.
SurfacePoint locate_on_cylinder(const PlacedLink& link, std::span<const Obstacle> obstacles,
                                int key) {
  SurfacePoint point;
  point.key = key;
  point.body = key / 2;
  const Obstacle& obstacle = obstacles[static_cast<std::size_t>(point.body)];
  if (link.spheres) {
    point.s = key % 2 == 0 ? link.rear : link.front;
  } else {
    point.s = nearest_on_core(link, obstacle.H);
  }
  const Eigen::Vector2d c = link.centre.head<2>() + point.s * link.axis.head<2>() - obstacle.H;
  const double distance = std::sqrt(c.squaredNorm());
  point.g = distance - obstacle.L_H - link.radius;
  if (distance > 0.0) {
    point.normal << c / distance, 0.0;
  } else {  // on the cylinder's axis: any way out
    point.normal = Eigen::Vector3d::UnitX();
  }
  return point;
}

SurfacePoint Cylinders::locate(const PlacedLink& link, int key) const {
  return locate_on_cylinder(link, obstacles_, key);
}

Cylinders::Cylinders(std::vector<Obstacle> obstacles)
    : obstacles_(std::move(obstacles)), grid_(obstacles_) {}

std::size_t Cylinders::points_a_link() const {
  return std::min<std::size_t>(2 * obstacles_.size(), 64);
}

void Cylinders::reserve(std::size_t links) {
  candidates_.reserve(links, std::min(links * obstacles_.size(), 64 * links + 64));
}

void Cylinders::find(std::span<const PlacedLink> links, double near, SurfacePoints& found) {
  found.first.resize(links.size() + 1);
  found.points.clear();
  if (obstacles_.empty()) {
    std::ranges::fill(found.first, 0);
    return;
  }
  candidates_.update(
      grid_, links.size(),
      [&](std::size_t i) -> Eigen::Vector2d { return links[i].centre.head<2>(); },
      [&](std::size_t i) { return half_of(links[i]) + links[i].radius + near; });
  for (std::size_t i = 0; i < links.size(); ++i) {
    const PlacedLink& link = links[i];
    found.first[i] = static_cast<int>(found.points.size());
    const double half = half_of(link);
    for (int c = candidates_.first[i]; c < candidates_.first[i + 1]; ++c) {
      const int j = candidates_.obstacle[static_cast<std::size_t>(c)];
      const Obstacle& obstacle = obstacles_[static_cast<std::size_t>(j)];
      const double reach = half + link.radius + obstacle.L_H + near;
      if ((link.centre.head<2>() - obstacle.H).squaredNorm() >= reach * reach) continue;
      for (int key = 2 * j; key <= 2 * j + (link.spheres ? 1 : 0); ++key) {
        SurfacePoint point = locate(link, key);
        if (point.g >= near) continue;
        point.link = static_cast<int>(i);
        found.points.push_back(point);
      }
    }
  }
  found.first[links.size()] = static_cast<int>(found.points.size());
}

void Cylinders::insert(std::span<const SurfacePoint> points, SurfacePoints& found) {
  for (const SurfacePoint& point : points) {
    const auto begin = found.points.begin();
    const auto link = static_cast<std::size_t>(point.link);
    const auto at = std::find_if(begin + found.first[link], begin + found.first[link + 1],
                                 [&](const SurfacePoint& other) { return other.key > point.key; });
    found.points.insert(at, point);
    for (std::size_t i = link + 1; i < found.first.size(); ++i) ++found.first[i];
  }
}

}  // namespace coluber::world
