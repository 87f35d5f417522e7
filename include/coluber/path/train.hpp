#pragma once

#include <span>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/path/path.hpp"

namespace coluber::path {

/// A chain laid on a path, every joint and both ends on it, and sliding along it. Points and links
/// are counted from the rear.
struct Train {
  Eigen::VectorXd s;      ///< n + 1 arc lengths of rear end, joints, front end (m)
  Eigen::Matrix2Xd r;     ///< n + 1 points: where they are (m)
  Eigen::Matrix2Xd v;     ///< their velocities (m/s)
  Eigen::Matrix2Xd a;     ///< their accelerations (m/s²)
  Eigen::VectorXd theta;  ///< n links: direction from rear to front point (rad). Continuous along
                          ///< the chain: each within pi of the link behind it, the rear link within
                          ///< pi of the path's direction at its rear end
  Eigen::VectorXd omega;  ///< their rates (rad/s)
  Eigen::VectorXd alpha;  ///< their angular accelerations (rad/s²)
};

/// Lays links of these lengths (m, > 0, from the rear) with the rear end at arc length s, which
/// moves with `speed` (m/s) and `acceleration` (m/s²). Each point is the first one on the path,
/// from the point behind it on, at the link's distance. Where the curvature jumps, accelerations
/// are those of the path's own value there.
///
/// `train` is sized to n links; nothing is allocated if it has that size. False if a link finds no
/// place ahead within 32 of its lengths, as on a path that is curled tighter than the link, or if
/// it would be square to the path in front, where it cannot slide: the points and links from there
/// on are then NaN.
[[nodiscard]] COLUBER_EXPORT bool lay_train(const Path& path, std::span<const double> length,
                                            double s, double speed, double acceleration,
                                            Train& train);

}  // namespace coluber::path
