#pragma once

#include "coluber/planar/minimal.hpp"

// What the algorithms of the minimal model share.

namespace coluber::planar {

/// How the first link's start O_2 lies and moves, in the axes of a call.
struct Root {
  double theta = 0.0;
  double omega = 0.0;
  double v_x = 0.0, v_y = 0.0;
};

/// The root of q, qdot: world axes.
Root root_of(const Eigen::Ref<const VectorXd>& q, const Eigen::Ref<const VectorXd>& qdot);

/// Angles of the links and where their starts are, relative to O_2.  Transeth (6.2)
void update_positions(double theta, const Eigen::Ref<const VectorXd>& phi, RobotData& data);

/// Turning rates of the links and velocities of their starts.  Transeth (6.4)
void update_velocities(const Root& root, const Eigen::Ref<const VectorXd>& phidot, RobotData& data);

/// Friction of every link from the positions and velocities in `data`.  Transeth (6.19)-(6.26)
void update_friction(const SmoothFriction& friction, RobotData& data);

/// No friction.
void clear_friction(RobotData& data);

/// Inertia and first moment about each link's start of the links from it on: J, s_x, s_y. Returns
/// the mass of all.
double update_composites(RobotData& data);

/// Accelerations from the positions, velocities and link forces in `data`: root force `root`
/// (x, y, moment about O_2), joint torques `tau`; `data.alpha`, `a_x`, `a_y` of the links' starts.
void update_accelerations(const Vector3d& root, const Eigen::Ref<const VectorXd>& tau,
                          RobotData& data);

}  // namespace coluber::planar
