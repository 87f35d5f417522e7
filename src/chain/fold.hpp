#pragma once

#include <optional>
#include <span>
#include <utility>

#include <Eigen/Core>

#include "coluber/drive/build.hpp"

namespace coluber::chain {

/// A link as it lies at the start.
struct PlacedCapsule {
  Eigen::Vector3d middle;  ///< between its joints (m)
  Eigen::Vector3d axis;    ///< unit vector towards the next link
  double length = 0.0;     ///< joint to joint (m)
  double half_core = 0.0;  ///< m
  double radius = 0.0;     ///< m
};

/// Shortest distance between the cores of two links (m).
double compute_core_distance(const PlacedCapsule& a, const PlacedCapsule& b);

/// Two links, counted from 0, of which one lies within the other: the core of the one is nearer to
/// the core of the other than the larger of their radii; of neighbours, so are their middles. Pairs
/// that are as near in a straight robot do not count.
std::optional<std::pair<int, int>> find_fold(std::span<const PlacedCapsule> links);

/// Links do not touch each other in any model: a robot that starts folded onto itself is warned of.
/// Whether it does.
bool warn_of_fold(const drive::Build& build, std::span<const PlacedCapsule> links);

}  // namespace coluber::chain
