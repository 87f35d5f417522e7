#pragma once

#include <Eigen/Core>

#include "coluber/core/export.hpp"

namespace coluber {

/// How the first link lies and moves: what a model-based controller measures beside the joints.
/// Transeth 6.2: its "tail", q = (r, theta, phi).
struct BaseState {
  Eigen::Vector2d r = Eigen::Vector2d::Zero();  ///< its end away from link 2, O_2 (m)
  double theta = 0.0;                           ///< angle of its axis, which points to link 2 (rad)
  Eigen::Vector2d v = Eigen::Vector2d::Zero();  ///< of that end, world axes (m/s)
  double thetadot = 0.0;                        ///< rad/s
};

/// A robot in the plane that tells how its first link lies and moves.
class COLUBER_EXPORT MovingBase {
 public:
  MovingBase() = default;
  MovingBase(const MovingBase&) = delete;
  MovingBase& operator=(const MovingBase&) = delete;
  virtual ~MovingBase() = default;
  /// As of now.
  virtual void base_state(BaseState& base) const = 0;
};

}  // namespace coluber
