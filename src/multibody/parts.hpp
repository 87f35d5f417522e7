#pragma once

#include <span>

#include "coluber/multibody/data.hpp"
#include "coluber/multibody/evaluate.hpp"

// Steps of evaluate(), one file each.

namespace coluber::multibody {

/// Rates of a joint: along and about its axis.
struct JointRate {
  double along = 0.0, about = 0.0;
};

/// Those of a body, of the vector of all coordinates.
inline JointRate joint_rate(const Node& node, const Eigen::VectorXd& rates) {
  const int k = node.first;
  switch (node.joint) {
    case Joint::revolute:
      return {0.0, rates(k)};
    case Joint::prismatic:
      return {rates(k), 0.0};
    case Joint::cylindrical:
      return {rates(k), rates(k + 1)};
    case Joint::fixed:
      break;
  }
  return {};
}
inline JointRate joint_rate(const Model& model, int j, const Eigen::VectorXd& rates) {
  return joint_rate(model.node(j), rates);
}

/// Twist of unit rate of coordinate k, in its body's frame.
inline Vector6d screw(const Model& model, int k) {
  return Vector6d::Unit(model.axis_of[static_cast<std::size_t>(k)]);
}

/// Adds A ṙ.
inline void add_joint(const JointRate& rate, Vector6d& eta) {
  eta(2) += rate.along;
  eta(5) += rate.about;
}

/// ad_eta (A ṙ) for a body's own twist: what the joint's rate adds to the acceleration. It may be
/// its own or its parent's: ad of A ṙ itself vanishes.
inline Vector6d joint_bias(const Vector6d& eta, const JointRate& rate) {
  const double a = rate.along;
  const double b = rate.about;
  Vector6d zeta;
  zeta << a * eta(4) + b * eta(1), -a * eta(3) - b * eta(0), 0.0, b * eta(4), -b * eta(3), 0.0;
  return zeta;
}

/// Pose of a body in its parent, for sine and cosine of its angle and the way along its axis.
inline void set_pose(const Pose& joint_frame, double s, double c, double along, Pose& g) {
  const Eigen::Matrix3d& R = joint_frame.R;
  g.R.col(0).noalias() = c * R.col(0) + s * R.col(1);
  g.R.col(1).noalias() = c * R.col(1) - s * R.col(0);
  g.R.col(2) = R.col(2);
  g.p.noalias() = joint_frame.p + along * R.col(2);
}
inline void set_pose(const Body& body, double s, double c, double along, Pose& g) {
  set_pose(body.joint_frame, s, c, along, g);
}

/// Covectors of a wheel on its body: across it, and along its rolling direction.
struct WheelRow {
  Vector6d across = Vector6d::Zero(), along = Vector6d::Zero();
};
WheelRow wheel_row(const Wheel& wheel, double beta);

/// a · b of covectors and twists of a body that moves in the plane.
inline Eigen::Vector3d in_plane(const Vector6d& x) { return {x(0), x(1), x(5)}; }
inline Vector6d from_plane(const Eigen::Vector3d& x) {
  Vector6d all = Vector6d::Zero();
  all(0) = x(0);
  all(1) = x(1);
  all(5) = x(2);
  return all;
}

// ---- kinematics.cpp
/// Poses of all bodies in their parents, covectors of all wheels.
void update_poses(const Model& model, Data& data);
/// Twists of all bodies from `data.eta_o`, rates of the followers on the way.
Outcome update_velocities(const Model& model, Data& data);
/// Accelerations of all bodies from `data.etadot_o`, those of the followers on the way.
void update_accelerations(const Model& model, Data& data);
/// Rolling and sliding of the wheels.
void update_wheels(const Model& model, Data& data);

// ---- base_rows.cpp
/// Velocity level: `base.rows.a`, `b` at time t.
void update_rows(const Model& model, const Program& program, double t, const Data& data,
                 Data::Base& base);
/// Acceleration level: `base.rows.gamma`, with the reference body's twist in `base.eta_o`.
void update_row_bias(const Model& model, Data::Base& base);
/// Chooses `wanted` independent rows, first ones first.
void choose_rows(const Rows& rows, int count, int wanted, double tolerance, RowBasis& basis);
/// Those that determine a system of this kind: its leading rows, or as above.
void choose_rows(const Rows& rows, const Classification& as, double tolerance, RowBasis& basis);
/// How much of a row is across some others, 0 to 1.
double share_of_row(const Rows& rows, std::span<const int> others, int row);
/// Column k of B, an entry per row; false if no row depends on coordinate k.
bool compute_row_column(const Model& model, const Data::Base& base, int k, Eigen::VectorXd& b);
/// x of least norm with a x = -rhs for the chosen rows.
Eigen::Vector3d solve_rows(const RowBasis& basis, const Eigen::VectorXd& rhs);
/// Smallest singular value of the chosen rows.
double smallest_singular_value(const RowBasis& basis);

// ---- base_motion.cpp
/// The reference body's motion from the wheels alone, also at singular instants.
Outcome solve_base(const Model& model, const Classification& as, const Program& program, double t,
                   const EvaluateOptions& options, Data& data);

// ---- evaluate.cpp
/// Coordinates that are imposed, followers and those of loops, together in `data`.
void gather(const Model& model, const Configuration& at, Data& data);

// ---- dynamics.cpp
/// M x of a rigid inertia: [[m 1, -h^], [h^, I]]  Ali (3.5)
Vector6d times(const RigidInertia& M, const Vector6d& x);
/// F_gyr + F_ext of all bodies, momenta, powers of the forces; `loads`: false leaves F_ext out.
void update_forces(const Model& model, const Eigen::Matrix3d& R, Data& data, bool loads = true);
/// Composite inertia and wrench of the reference body.  Ali (3.27), (3.28)
void update_composite(const Model& model, Data& data);
/// Acceleration of a reference body that moves by its dynamics.  Ali (3.29), (3.66)
Outcome solve_dynamics(const Model& model, Data& data);

// ---- torques.cpp
/// Joint torques, wheel forces, wheel torques, balances.
void update_torques(const Model& model, const EvaluateOptions& options, Data& data);

// ---- loops.cpp
/// Rates and accelerations of passive coordinates.
Outcome update_loops(const Model& model, Data& data);
/// Moves the torques of passive coordinates to the active ones.  Ali (A.4)
void reduce_loop_torques(const Model& model, Data& data);

}  // namespace coluber::multibody
