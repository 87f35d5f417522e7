#pragma once

#include <limits>
#include <span>

#include <Eigen/Core>

#include "coluber/core/export.hpp"

/// Distances between links, seen as capsules: of two, and of a chain to itself.
namespace coluber::world {

/// All points within `radius` of the segment from `start` to `end`. A sphere has start = end.
struct Capsule {
  Eigen::Vector3d start = Eigen::Vector3d::Zero();  ///< m
  Eigen::Vector3d end = Eigen::Vector3d::Zero();    ///< m
  double radius = 0.0;                              ///< m
};

/// Where two segments are nearest: at start + s (end - start) and the same with t.
struct SegmentsNearest {
  double distance = 0.0;  ///< m, between the two points
  double s = 0.0;         ///< on the first, in [0, 1]
  double t = 0.0;         ///< on the second, in [0, 1]
};

/// Nearest points of the axes of two capsules; radii do not count. Of parallel segments that face
/// each other, one pair of many: an end with the point beside it.
COLUBER_EXPORT SegmentsNearest find_nearest(const Capsule& a, const Capsule& b);

/// Distance between the surfaces of two capsules (m): axes less radii, negative where they overlap.
COLUBER_EXPORT double compute_distance(const Capsule& a, const Capsule& b);

/// Where a chain comes nearest to itself.
struct SelfDistance {
  double distance = std::numeric_limits<double>::infinity();  ///< m, as compute_distance gives it
  int first = -1;   ///< 0-based; -1: the chain has no such pair
  int second = -1;  ///< 0-based, > first
};

/// Least distance between the links i and j of a chain with j - i > `skip`: with 1 neighbours,
/// which share a joint and always overlap, do not count. Of equal pairs the first. Allocates
/// nothing.
COLUBER_EXPORT SelfDistance compute_self_distance(std::span<const Capsule> chain, int skip = 1);

}  // namespace coluber::world
