#pragma once

#include <Eigen/Core>

#include "coluber/rod/data.hpp"

namespace coluber::rod {

/// Twist in a section's axes, carried to the head's: Ad_h x.
inline Vector6d twist_to_head(const Pose& h, const Vector6d& x) {
  const Eigen::Vector3d W = h.R * x.tail<3>();
  Vector6d out;
  out.tail<3>() = W;
  out.head<3>().noalias() = h.R * x.head<3>();
  out.head<3>() += h.p.cross(W);
  return out;
}

/// Wrench in the head's axes, in those of a section.
inline Vector6d wrench_to_section(const Pose& h, const Vector6d& wrench) {
  const Eigen::Vector3d N = wrench.head<3>();
  Vector6d out;
  out.head<3>().noalias() = h.R.transpose() * N;
  out.tail<3>().noalias() = h.R.transpose() * (wrench.tail<3>() - h.p.cross(N));
  return out;
}

/// Bracket ad_a b.
inline Vector6d bracket(const Vector6d& a, const Vector6d& b) {
  const Eigen::Vector3d Wa = a.tail<3>();
  const Eigen::Vector3d Wb = b.tail<3>();
  Vector6d out;
  out.head<3>() = Wa.cross(Eigen::Vector3d(b.head<3>())) + Eigen::Vector3d(a.head<3>()).cross(Wb);
  out.tail<3>() = Wa.cross(Wb);
  return out;
}

/// ad_x^T (N, C) = (−W × N, −V × N − W × C).
inline Vector6d dual_bracket(const Vector6d& x, const Vector6d& wrench) {
  const Eigen::Vector3d V = x.head<3>();
  const Eigen::Vector3d W = x.tail<3>();
  const Eigen::Vector3d N = wrench.head<3>();
  Vector6d out;
  out.head<3>() = N.cross(W);
  out.tail<3>() = N.cross(V) + Eigen::Vector3d(wrench.tail<3>()).cross(W);
  return out;
}

/// The inertia of a section seen from the head: Ad_k^T M Ad_k.
class SectionInertia {
 public:
  explicit SectionInertia(const Model& model)
      : M_(model.M), round_(M_(0) == M_(1) && M_(0) == M_(2) && M_(4) == M_(5)) {}

  /// Momentum of a section for a twist, both in the head's axes.
  [[nodiscard]] Vector6d operator()(const Pose& h, const Vector6d& eta) const {
    Vector6d out;
    if (!round_) return math::to_parent(h, M_.cwiseProduct(math::to_child(h, eta)));
    const Eigen::Vector3d W = eta.tail<3>();
    const Eigen::Vector3d N = M_(0) * (eta.head<3>() + W.cross(h.p));
    const Eigen::Vector3d t = h.R.col(0);
    out.head<3>() = N;
    out.tail<3>() = M_(4) * W + ((M_(3) - M_(4)) * t.dot(W)) * t + h.p.cross(N);
    return out;
  }

 private:
  Vector6d M_;
  bool round_;
};

/// Sums of Ad_k^T M Ad_k: blocks [P, Sᵀ; S, I], S = p^ P.
struct Composite {
  Eigen::Matrix3d P = Eigen::Matrix3d::Zero();
  Eigen::Matrix3d S = Eigen::Matrix3d::Zero();
  Eigen::Matrix3d I = Eigen::Matrix3d::Zero();

  void add(double weight, const Vector6d& M, const Pose& h) {
    const Eigen::Matrix3d hat = math::hat(h.p);
    const Eigen::Vector3d A = weight * M.head<3>();
    const Eigen::Vector3d B = weight * M.tail<3>();
    if (A.x() == A.y() && A.x() == A.z() && B.y() == B.z()) {
      P.diagonal().array() += A.x();
      S += A.x() * hat;
      const Eigen::Vector3d t = h.R.col(0);
      I += ((B.x() - B.y()) * t) * t.transpose() - (A.x() * h.p) * h.p.transpose();
      I.diagonal().array() += B.y() + A.x() * h.p.squaredNorm();
      return;
    }
    const Eigen::Matrix3d RA = h.R * A.asDiagonal() * h.R.transpose();
    const Eigen::Matrix3d pRA = hat * RA;
    P += RA;
    S += pRA;
    I += h.R * B.asDiagonal() * h.R.transpose() - pRA * hat;
  }
  void write(Matrix6d& M_o) const {
    M_o.topLeftCorner<3, 3>() = P;
    M_o.topRightCorner<3, 3>() = S.transpose();
    M_o.bottomLeftCorner<3, 3>() = S;
    M_o.bottomRightCorner<3, 3>() = I;
  }
};

/// Force laws and gravity on a section, head axes, and their powers.
struct SectionForce {
  Vector6d wrench = Vector6d::Zero();
  double friction = 0.0, gravity = 0.0;
};

/// Of a section with pose h and twist eta, both seen from the head; `gravity` in the head's axes.
SectionForce compute_section_force(const Model& model, const Pose& h, const Vector6d& eta,
                                   const Eigen::Vector3d& gravity);

Fault update_shape_adaptive(const Model& model, const StrainLaw& strain, double t, Data& data);
Fault update_motion_adaptive(const Model& model, const StrainLaw& strain, double t, Data& data);
Fault update_internal_adaptive(const Model& model, const StrainLaw& strain, double t, Data& data);

}  // namespace coluber::rod
