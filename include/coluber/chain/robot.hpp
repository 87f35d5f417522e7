#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::drive {
struct Build;
}

namespace coluber::chain {

/// One link as the file spells it. SI units.
struct Link {
  double mass = 7.5 / 11.0;   ///< kg
  double inertia = 1.32e-3;   ///< kg m², about the centre of gravity, vertical axis
  double length = 0.122;      ///< m, joint to joint (L)
  double half_core = 0.0393;  ///< m, half length of the capsule's core (L_GS)
  double radius = 0.0525;     ///< m, of the capsule (L_SC)
  double cg_offset = 0.0;     ///< m, centre of gravity ahead of the link's middle, towards link i+1
};

/// `[robot]` of a robot that is a chain of links.
struct Robot {
  std::optional<int> links{};
  std::vector<Link> link{};  ///< when checked, one per link
  bool known = false;        ///< the number of links is certain: nothing of it has been refused
};

/// `[start]` of such a robot.
struct Start {
  std::optional<keys::WordOrNumbers> shape{};          ///< "straight", "gait", or angles in degrees
  int link = 1;                                        ///< 1-based: this link …
  Eigen::Vector2d position = Eigen::Vector2d::Zero();  ///< … has its centre here (m)
  double heading_deg = 180.0;                          ///< direction from link 1 to link n

  /// The robot starts in the shape of its gait.
  [[nodiscard]] bool as_gait() const { return shape && shape->word == "gait"; }
};

/// The keys of Robot.
COLUBER_EXPORT const keys::Section& robot_keys();
/// The keys of Start.
COLUBER_EXPORT const keys::Section& start_keys();

/// Joint angles at the start (rad), `angles` of them.
COLUBER_EXPORT Eigen::VectorXd compute_start_angles(const drive::Build& build, int angles);

/// Angle of link 1 (rad) for which a robot with these yaw angles lies along the direction 0, from
/// link 1 to the last: the mean line of a harmonic gait's wave if at least half of one lies on the
/// robot, else the mean of the link angles.
COLUBER_EXPORT double first_link_angle(const drive::Build& build, const Eigen::VectorXd& yaw);

/// Minus the mean over the links of the sums of `phi`: what link 1 is turned by for a mean of zero.
COLUBER_EXPORT double minus_mean_angle(const Eigen::VectorXd& phi);

/// Very many links: what rounding makes of them.
void warn_of_many_links(const drive::Build& build);

}  // namespace coluber::chain
