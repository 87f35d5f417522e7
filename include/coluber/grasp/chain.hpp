#pragma once

#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "coluber/core/export.hpp"

// Lasso grasping while moving, Atakan 2005. Symbols of this module:
//
//   letter     code          meaning                                      unit     equation
//   n          links         links                                        -        2.5.1
//   θ_yi, θ_zi pitch, yaw    pitch, then yaw of joint i; i = 0: the head  rad      (2.34)
//   P_0        P0            free tip of link 1, the head                 m        (2.36)
//   e_yi, e_zi e_y, e_z      pitch and yaw axis of joint i                -        (2.35)
//   l_i        along         direction of a link, head to tail            -        (2.34)
//   P_fi       mid           middle of a link                             m        (2.37)
//   u          u             rates of all pitches, then of all yaws       rad/s    2.5.1
//   w          w             head, rises, contact offsets                 m, rad   (3.15)
//   A, B       A, B          A ẇ = B u                                    -        (2.50), (3.15)
//
// Links and joints count from 0 in here, as in the thesis: joint i is at the front of link i.

namespace coluber::grasp {

/// A chain of equal links with two axes per joint, some of them on wheels.
struct Model {
  int links = 15;
  double length = 1.0;         ///< m, of a link
  double radius = 0.05;        ///< m, of a link
  std::vector<int> wheeled{};  ///< links on wheels, ascending

  /// Joints between links.
  [[nodiscard]] int joints() const { return links - 1; }
  /// Entries of u.
  [[nodiscard]] int inputs() const { return 2 * (links - 1); }
  /// Links on wheels.
  [[nodiscard]] int wheels() const { return static_cast<int>(wheeled.size()); }
};

/// Where a chain is. Angles are never wrapped.
struct Configuration {
  /// Straight, flat, its head at the origin.
  explicit Configuration(int links)
      : pitch(Eigen::VectorXd::Zero(links)), yaw(Eigen::VectorXd::Zero(links)) {}

  Eigen::Vector3d P0 = Eigen::Vector3d::Zero();  ///< m
  Eigen::VectorXd pitch;                         ///< rad; entry 0 is the head's
  Eigen::VectorXd yaw;                           ///< rad; entry 0 is the head's
};

/// Its links in space.
struct Chain {
  /// Room for so many links.
  explicit Chain(int links)
      : R(static_cast<std::size_t>(links)),
        joint(3, links + 1),
        mid(3, links),
        along(3, links),
        e_y(3, links),
        e_z(3, links),
        angles_(static_cast<std::size_t>(2 * links)),
        sines_(angles_.size()),
        cosines_(angles_.size()) {}

  std::vector<Eigen::Matrix3d> R;  ///< of every link; x along it
  Eigen::Matrix3Xd joint;          ///< front end of every link, and the end of the last (m)
  Eigen::Matrix3Xd mid;            ///< P_fi (m)
  Eigen::Matrix3Xd along;          ///< unit vectors, head to tail
  Eigen::Matrix3Xd e_y, e_z;       ///< axes of the joints

  /// Velocity of the middle of link i per rate of pitch j <= i.
  [[nodiscard]] Eigen::Vector3d by_pitch(int i, int j) const {
    return e_y.col(j).cross(mid.col(i) - joint.col(j));
  }
  /// The same of yaw j.
  [[nodiscard]] Eigen::Vector3d by_yaw(int i, int j) const {
    return e_z.col(j).cross(mid.col(i) - joint.col(j));
  }

 private:
  friend void update_chain(const Model& model, const Configuration& q, Chain& chain);
  std::vector<double> angles_, sines_, cosines_;
};

/// Places all links.  Atakan (2.34)-(2.37)
COLUBER_EXPORT void update_chain(const Model& model, const Configuration& q, Chain& chain);

/// Moves the chain up or down so that its wheels are at z = 0 in the mean.
COLUBER_EXPORT void settle(const Model& model, Configuration& q, Chain& chain);

/// Pitches for which the joints of the chain are at these heights (m), yaws as they are; one per
/// front end of a link and one for the end of the last. The first link that cannot get there, or
/// -1.
COLUBER_EXPORT int pitch_to_heights(const Model& model, const Eigen::VectorXd& heights,
                                    Configuration& q);

/// The same for the rises (m) of the middles of links 1 … n-1 over the head, which is level.
COLUBER_EXPORT int pitch_to_rises(const Model& model, const Eigen::VectorXd& rises,
                                  Configuration& q);

}  // namespace coluber::grasp
