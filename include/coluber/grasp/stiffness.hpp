#pragma once

#include <Eigen/Core>

#include "coluber/core/export.hpp"

// Stiffness of a grasp, ΔF = −κ ΔX: forces first, then moments. Contact frames: x and y along the
// surface, z away from the object.  Atakan 2.3, 3.8; Howard, Kumar 1996

namespace coluber::grasp {

using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Vector6d = Eigen::Matrix<double, 6, 1>;

/// [v]ₓ, with [v]ₓ a = v × a.
COLUBER_EXPORT Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& v);

/// A point contact with friction whose place is fixed.  Atakan (3.26)
///
/// Differs: (3.24) has another sign; its own derivation gives ΔM_z = F_y Δx − F_x Δy.
COLUBER_EXPORT Matrix6d compute_contact_stiffness(double k_t, double k_n,
                                                  const Eigen::Vector2d& F_t);

/// Principal curvatures of two bodies that touch, and the load of their contact.
struct Curvatures {
  double K_uA = 0.0, K_vA = 0.0;                  ///< 1/m, of the link; positive where it is convex
  double K_uB = 0.0, K_vB = 0.0;                  ///< 1/m, of the object
  double psi = 0.0;                               ///< rad, between their principal axes
  double F_n = 0.0;                               ///< N
  Eigen::Vector2d F_t = Eigen::Vector2d::Zero();  ///< N
  double M = 0.0;                                 ///< N m, about the normal
  double k_t = 0.0, k_n = 0.0;                    ///< N/m
  double k_theta = 0.0;                           ///< N m/rad
};

/// Stiffness of a contact that rolls as the curvatures say.  Atakan (2.20). False where both bodies
/// are flat in one direction: (L_A + L_B) has no inverse.
COLUBER_EXPORT bool compute_rolling_stiffness(const Curvatures& c, Matrix6d& kappa);

/// Where a contact is on the object.
struct ContactFrame {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< its axes as rows, in the object's axes
  Eigen::Vector3d p = Eigen::Vector3d::Zero();      ///< m, from the origin of the object
};

/// Tᵀ κ T with T = [R, [d]ₓ R; 0, R], d = −R p.
///
/// Differs: the printed T has [d]ₓ without R, right only where R is the identity.
COLUBER_EXPORT Matrix6d move_stiffness(const Matrix6d& kappa, const ContactFrame& frame);

/// Of a weight (N) that acts at p (m).  Atakan (2.21)
COLUBER_EXPORT Matrix6d compute_weight_stiffness(double weight, const Eigen::Vector3d& p);

/// Smallest eigenvalue of the symmetric part: above 0 the stiffness is definite.
COLUBER_EXPORT double compute_least_definite(const Matrix6d& kappa);
/// Smallest real part of the eigenvalues, and whether all of them are real.
struct LeastEigenvalue {
  double value = 0.0;
  bool real = true;
};
COLUBER_EXPORT LeastEigenvalue compute_least_eigenvalue(const Matrix6d& kappa);

/// κ⁺ (F, 0): how the object gives way to a force.  Atakan 4.3
COLUBER_EXPORT Vector6d compute_displacement(const Matrix6d& kappa, const Eigen::Vector3d& F);

}  // namespace coluber::grasp
