#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "coluber/core/export.hpp"

// The groups of rigid motions, SE(3), SO(3) and SE(2), and their algebras.  Ali (3.5)-(3.13), app.
// B
//
//   letter   code        meaning                                                         unit
//   g        g           pose (R, p): takes the child's coordinates to the parent's      -, m
//   eta      eta         body twist (V, Omega), LINEAR PART FIRST: velocity of the       m/s, rad/s
//                        frame's origin and angular velocity, in the frame's components
//   F        wrench      (N, C): force and moment about the frame's origin               N, N m
//   xi       xi          exponential coordinates of a pose, ordered as a twist           m, rad
//   sigma    sigma       the same as a chart along a motion, g = g_0 exp(sigma)          m, rad
//   eta^     -           [[Omega^, V], [0, 0]]; gdot = g eta^
//
// In the plane the order is (Vx, Vy, Omega). Three numbers are a rotation vector of SO(3) as well
// as a twist of SE(2): functions of the plane that take nothing else end in `_se2`. Pass vectors
// and matrices, not Eigen's expressions of them: `exp(Vector6d{h * eta})`.
//
// Sines come from `sincos`: all results are bit-identical on every processor.

namespace coluber::math {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// The matrix of the cross product: hat(a) b = a x b.
inline Eigen::Matrix3d hat(const Eigen::Vector3d& a) {
  Eigen::Matrix3d A;
  A << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return A;
}

/// Pose g = (R, p) of a child frame in its parent: a point x of the child is R x + p in the parent.
struct Pose {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p = Eigen::Vector3d::Zero();  ///< m
};

/// Pose of a grandchild: i_g_k = i_g_j * j_g_k.  Ali (3.7)
inline Pose operator*(const Pose& g, const Pose& h) { return {g.R * h.R, g.p + g.R * h.p}; }

/// Pose of the parent in the child.
inline Pose inverse(const Pose& g) { return {g.R.transpose(), -(g.R.transpose() * g.p)}; }

/// Ad_g = [[R, p^ R], [0, R]]: takes twists in the child's components to the parent's.
///
/// Differs: Ali (B.5) prints -R p^ in the corner, which holds for the p of g's inverse.
COLUBER_EXPORT Matrix6d Ad(const Pose& g);

/// ad_eta = [[Omega^, V^], [0, Omega^]]; ad_a b is the bracket [a, b].  Ali (B.8)
COLUBER_EXPORT Matrix6d ad(const Vector6d& eta);

/// Twist of the parent, seen at the child's origin in the child's components: Ad_(g^-1) eta, where
/// g is the child's pose in the parent.  Ali (3.6)
inline Vector6d to_child(const Pose& g, const Vector6d& eta) {
  const Eigen::Vector3d Omega = eta.tail<3>();
  Vector6d out;
  out.head<3>().noalias() = g.R.transpose() * (eta.head<3>() + Omega.cross(g.p));
  out.tail<3>().noalias() = g.R.transpose() * Omega;
  return out;
}

/// Wrench in the child's frame, carried to the parent's: Ad_(g^-1)^T F. Keeps the power,
/// to_parent(g, F) . eta = F . to_child(g, eta).
inline Vector6d to_parent(const Pose& g, const Vector6d& wrench) {
  const Eigen::Vector3d N = g.R * wrench.head<3>();
  Vector6d out;
  out.head<3>() = N;
  out.tail<3>().noalias() = g.R * wrench.tail<3>();
  out.tail<3>() += g.p.cross(N);
  return out;
}

/// Pose reached from the identity with the constant twist `xi` in unit time. Accurate at every
/// angle, also at none.
COLUBER_EXPORT Pose exp(const Vector6d& xi);

/// Rotation by |w| about w (rad): Rodrigues' formula.
COLUBER_EXPORT Eigen::Matrix3d exp(const Eigen::Vector3d& w);

/// xi with exp(xi) = g and an angle in [0, pi]; at pi one of the two.
COLUBER_EXPORT Vector6d log(const Pose& g);

/// Rotation vector of R (rad), of length [0, pi].
COLUBER_EXPORT Eigen::Vector3d log(const Eigen::Matrix3d& R);

/// Rate of the chart g = g_0 exp(sigma) where gdot = g eta^:
///   sigmadot = ad/(1 - exp(-ad)) eta = eta + 1/2 ad eta + 1/12 ad^2 eta - ...,  ad = ad_sigma,
/// in closed form. The chart ends where the angle of sigma reaches 2 pi.
COLUBER_EXPORT Vector6d dexp_inverse(const Vector6d& sigma, const Vector6d& eta);

/// The same on SO(3): R = R_0 exp(sigma), Rdot = R Omega^.
COLUBER_EXPORT Eigen::Vector3d dexp_inverse(const Eigen::Vector3d& sigma,
                                            const Eigen::Vector3d& Omega);

/// Unit quaternion of a rotation, with w >= 0. Takes the rounding errors out of a product of many:
/// `to_quaternion(R).toRotationMatrix()` is orthogonal to rounding.
COLUBER_EXPORT Eigen::Quaterniond to_quaternion(const Eigen::Matrix3d& R);

/// Pose of a child frame in its parent, in the plane. The angle is not wrapped: it counts turns.
struct Pose2 {
  Eigen::Vector2d p = Eigen::Vector2d::Zero();  ///< m
  double theta = 0.0;                           ///< rad
};

/// Pose of a grandchild; angles add.
COLUBER_EXPORT Pose2 operator*(const Pose2& g, const Pose2& h);

/// Pose of the parent in the child.
COLUBER_EXPORT Pose2 inverse(const Pose2& g);

/// Takes twists (Vx, Vy, Omega) in the child's components to the parent's: [[R, (p_y, -p_x)], [0,
/// 1]].
COLUBER_EXPORT Eigen::Matrix3d Ad(const Pose2& g);

/// ad of a twist of the plane: ad_se2(a) b is the bracket [a, b].
COLUBER_EXPORT Eigen::Matrix3d ad_se2(const Eigen::Vector3d& eta);

/// Twist of the parent, seen at the child's origin in the child's components.
COLUBER_EXPORT Eigen::Vector3d to_child(const Pose2& g, const Eigen::Vector3d& eta);

/// Wrench (N_x, N_y, C) in the child's frame, carried to the parent's.
COLUBER_EXPORT Eigen::Vector3d to_parent(const Pose2& g, const Eigen::Vector3d& wrench);

/// Pose reached from the identity with the constant twist `xi` in unit time.
COLUBER_EXPORT Pose2 exp_se2(const Eigen::Vector3d& xi);

/// xi with exp_se2(xi) = g, theta as it is: it must not be a multiple of 2 pi other than 0.
COLUBER_EXPORT Eigen::Vector3d log(const Pose2& g);

/// Rate of the chart g = g_0 exp_se2(sigma) where g moves with the body twist `eta`.
COLUBER_EXPORT Eigen::Vector3d dexp_inverse_se2(const Eigen::Vector3d& sigma,
                                                const Eigen::Vector3d& eta);

}  // namespace coluber::math
