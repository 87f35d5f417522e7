#pragma once

// Second route to one step in space: the thesis' six velocities a link, (v in world axes, omega in
// body axes), dense matrices, joints closed by multipliers, force directions as Transeth 4.3 prints
// them. Written from the equations alone; it shares no line with the library's step, and its
// gaps are its own too. Given the impulses of a step it says which velocities follow
// and how far they are from the laws.
//
// Differs from the thesis: angular momentum at the start of the step is given in world axes and
// turned into the axes of q_M, instead of adding -omega x Theta omega dt; and the laws have the
// compliances of docs/numerics.md.

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include "coluber/spatial/snake.hpp"

namespace coluber::absolute_spatial {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

inline Matrix3d skew(const Vector3d& a) {
  Matrix3d S;
  S << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return S;
}

/// Configuration q_M: centres and body axes (columns e_x, e_y, e_z).
struct Configuration {
  std::vector<Vector3d> r;
  std::vector<Matrix3d> R;
};

/// A point near a surface, its directions as columns of W.
struct Point {
  spatial::SurfaceIndex surface = spatial::kGround;
  int link = 0;
  int key = 0;
  double g = 0.0;
  VectorXd w_N, w_1, w_2;  ///< unit directions
  VectorXd w_V1, w_V2;     ///< rolling
  Vector2d mu{0.0, 0.0};
  double mu_V = 0.0;
};

/// Impulses of a point (N s), not scaled.
struct PointImpulse {
  double N = 0.0;
  Vector2d T = Vector2d::Zero(), V = Vector2d::Zero();
};

/// [f ; torque of f at a in body axes] on link i.
inline VectorXd direction(int n, int i, const Matrix3d& R, const Vector3d& a, const Vector3d& f) {
  VectorXd w = VectorXd::Zero(6 * n);
  w.segment<3>(6 * i) = f;
  w.segment<3>(6 * i + 3) =
      -(f.transpose() * skew(a) * R).transpose();  // v_P = v - skew(a) R omega
  return w;
}

/// Every point closer than 2 cm, in the order link, key.  Transeth (4.8), (4.10)-(4.15), 4.3
inline std::vector<Point> find_points(const spatial::Model& model, const Configuration& q,
                                      spatial::SurfaceIndex surface) {
  const int n = model.n();
  const Vector3d up = Vector3d::UnitZ();
  std::vector<Point> points;
  for (int i = 0; i < n; ++i) {
    const auto& link = model.links[static_cast<std::size_t>(i)];
    const Matrix3d& R = q.R[static_cast<std::size_t>(i)];
    const Vector3d& r = q.r[static_cast<std::size_t>(i)];
    const Vector3d e_z = R.col(2);
    if (surface == spatial::kGround) {
      for (const int key : {0, 1}) {
        const double s = (key == 0 ? -link.L_GS : link.L_GS) - link.offset;
        Point point;
        point.link = i;
        point.key = key;
        point.g = (r + s * e_z).dot(up) - link.L_SC;
        const Vector3d a = s * e_z - link.L_SC * up;
        const Vector3d along = Vector3d{e_z.x(), e_z.y(), 0.0}.normalized();
        point.w_N = direction(n, i, R, a, up);
        point.w_1 = direction(n, i, R, a, along);
        point.w_2 = direction(n, i, R, a, up.cross(along));
        point.w_V1 = point.w_V2 = VectorXd::Zero(6 * n);
        point.w_V1.segment<3>(6 * i + 3) = -link.L_SC * R.row(1).transpose();
        point.w_V2.segment<3>(6 * i + 3) = link.L_SC * R.row(0).transpose();
        point.mu = model.mu_T;
        point.mu_V = model.mu_V;
        if (point.g < 0.02) points.push_back(point);
      }
      continue;
    }
    for (int j = 0; j < static_cast<int>(model.obstacles.size()); ++j) {
      const auto& obstacle = model.obstacles[static_cast<std::size_t>(j)];
      const auto add = [&](double s, int end) {
        const Vector2d c = (r + s * e_z).head<2>() - obstacle.H;
        const Vector3d nrm{c.x() / c.norm(), c.y() / c.norm(), 0.0};
        Point point;
        point.surface = surface;
        point.link = i;
        point.key = 2 * j + end;
        point.g = c.norm() - obstacle.L_H - link.L_SC;
        // row = [nrm ; -nrm^T R skew((0,0,s))]
        point.w_N = VectorXd::Zero(6 * n);
        point.w_N.segment<3>(6 * i) = nrm;
        point.w_N.segment<3>(6 * i + 3) = -(nrm.transpose() * R * skew({0.0, 0.0, s})).transpose();
        const Vector3d a = s * e_z - link.L_SC * nrm;
        point.w_1 = direction(n, i, R, a, up.cross(nrm));
        point.w_2 = direction(n, i, R, a, up);
        point.w_V1 = point.w_V2 = VectorXd::Zero(6 * n);
        point.mu << obstacle.mu, obstacle.mu;
        if (point.g < 0.02) points.push_back(point);
      };
      const double rear = -link.L_GS - link.offset;
      const double front = link.L_GS - link.offset;
      if (link.spheres) {
        add(rear, 0);
        add(front, 1);
        continue;
      }
      const Vector2d e = e_z.head<2>();
      const double s = (obstacle.H - r.head<2>()).dot(e) / e.squaredNorm();
      add(s > front ? front : (s < rear ? rear : s), 0);
    }
  }
  return points;
}

/// W_J: three translations and the roll gap e_y,i . e_x,i+1 a joint; a yaw joint has the pitch gap
/// e_y,i . e_z,i+1 too.  Transeth (4.17)-(4.20), (4.62)-(4.65), 4.3.3
inline MatrixXd joint_directions(const spatial::Model& model, const Configuration& q) {
  const int n = model.n();
  const int rows = model.joint == spatial::Joint::cardan ? 4 : 5;
  MatrixXd W = MatrixXd::Zero(6 * n, rows * (n - 1));
  for (int i = 0; i + 1 < n; ++i) {
    const auto& a = model.links[static_cast<std::size_t>(i)];
    const auto& b = model.links[static_cast<std::size_t>(i + 1)];
    const Matrix3d& R_a = q.R[static_cast<std::size_t>(i)];
    const Matrix3d& R_b = q.R[static_cast<std::size_t>(i + 1)];
    const double ahead = 0.5 * a.L - a.offset;
    const double behind = 0.5 * b.L + b.offset;
    for (int axis = 0; axis < 3; ++axis) {
      const int column = rows * i + axis;
      const Vector3d e = Vector3d::Unit(axis);
      W.block<3, 1>(6 * i, column) = e;
      W.block<3, 1>(6 * i + 3, column) = -ahead * (R_a * skew(Vector3d::UnitZ())).transpose() * e;
      W.block<3, 1>(6 * i + 6, column) = -e;
      W.block<3, 1>(6 * i + 9, column) = -behind * (R_b * skew(Vector3d::UnitZ())).transpose() * e;
    }
    const Vector3d e_y = R_a.col(1);
    for (int gap = 0; gap < rows - 3; ++gap) {  // with e_x of the next link, then with its e_z
      const int own = gap == 0 ? 0 : 2;
      const Vector3d other = R_b.col(own);
      W.block<3, 1>(6 * i + 3, rows * i + 3 + gap) =
          -(R_a * skew(Vector3d::UnitY())).transpose() * other;
      W.block<3, 1>(6 * i + 9, rows * i + 3 + gap) =
          -(R_b * skew(Vector3d::Unit(own))).transpose() * e_y;
    }
  }
  return W;
}

/// Joint angles of R_(i+1) = R_i R_y(phi_h) R_x(phi_v), Transeth (4.96), (4.97).
inline Vector2d joint_angles(const Matrix3d& R_a, const Matrix3d& R_b) {
  const Matrix3d R = R_a.transpose() * R_b;
  return {-std::asin(std::clamp(R(2, 0), -1.0, 1.0)), std::atan2(R(2, 1), R(2, 2))};
}

/// One step as equations in absolute velocities.
struct Step {
  MatrixXd M;  ///< with the servos' implicit part
  VectorXd S;  ///< momentum at the start and impulses that are known
  MatrixXd W_J;
  Eigen::FullPivLU<MatrixXd> A_J;
  MatrixXd M_inv;

  /// u_E for the impulses `P` of all contacts, W P.  Transeth (4.110) with the sign of (3.75)
  [[nodiscard]] VectorXd velocity(const VectorXd& P) const {
    const VectorXd free = M_inv * (S + P);
    if (W_J.cols() == 0) return free;
    return free - M_inv * W_J * A_J.solve(W_J.transpose() * free);
  }
};

/// From the velocities v and the angular momenta l (world axes) at the start of the step.
inline Step make_step(const spatial::Model& model, const Configuration& q,
                      const Eigen::Matrix3Xd& v, const Eigen::Matrix3Xd& l,
                      const JointCommand& command, double dt) {
  const int n = model.n();
  Step step;
  step.M = MatrixXd::Zero(6 * n, 6 * n);
  step.S = VectorXd::Zero(6 * n);
  const Vector3d weight = model.g * Vector3d{std::sin(model.tilt) * std::cos(model.tilt_direction),
                                             std::sin(model.tilt) * std::sin(model.tilt_direction),
                                             -std::cos(model.tilt)};
  for (int i = 0; i < n; ++i) {
    const auto& link = model.links[static_cast<std::size_t>(i)];
    step.M.diagonal().segment<6>(6 * i) << link.m, link.m, link.m, link.Theta_psi, link.Theta_psi,
        link.Theta_rho;
    step.S.segment<3>(6 * i) = link.m * (Vector3d{v.col(i)} + dt * weight);
    step.S.segment<3>(6 * i + 3) = q.R[static_cast<std::size_t>(i)].transpose() * l.col(i);
  }
  // (4.89) with the torque counted positive where it drives the angle up
  const int axes = model.axes();
  double Theta_min = model.links[0].Theta_psi;
  for (const auto& link : model.links) Theta_min = std::min(Theta_min, link.Theta_psi);
  for (int i = 0; i + 1 < n; ++i) {
    const Matrix3d& R_a = q.R[static_cast<std::size_t>(i)];
    const Matrix3d& R_b = q.R[static_cast<std::size_t>(i + 1)];
    const Vector2d phi = joint_angles(R_a, R_b);
    for (int axis = 0; axis < axes; ++axis) {
      const int j = axes * i + axis;
      VectorXd B = VectorXd::Zero(6 * n);
      if (axis == 0) {
        B.segment<3>(6 * i + 3) = -Vector3d::UnitY();
        B.segment<3>(6 * i + 9) = R_b.transpose() * R_a.col(1);
      } else {
        B.segment<3>(6 * i + 3) = -R_a.transpose() * R_b.col(0);
        B.segment<3>(6 * i + 9) = Vector3d::UnitX();
      }
      // A stiff servo looks further ahead than to the end of the step, docs/theory-planar.md.
      const double s = command.k_P(j) * dt * dt / Theta_min;
      const double ahead = s > 1.0 ? 0.5 - 0.5 / s : 0.0;  // steps
      const double sd = dt * command.k_D(j) + (0.5 + ahead) * dt * dt * command.k_P(j);
      const double phi_d = command.phi_d(j) + ahead * dt * command.phidot_d(j);
      const double sr = dt * (command.tau(j) + command.k_P(j) * (phi_d - phi(axis)) +
                              command.k_D(j) * command.phidot_d(j));
      step.M += sd * B * B.transpose();
      step.S += sr * B;
    }
  }
  step.M_inv = step.M.inverse();
  step.W_J = joint_directions(model, q);
  if (n > 1) step.A_J.compute(step.W_J.transpose() * step.M_inv * step.W_J);
  return step;
}

/// Nearest point of the ellipse |x/a|² + |y/b|² <= 1 to v: the thesis' prox, by Newton from
/// below on t with (a v_x/(a² + t))² + (b v_y/(b² + t))² = 1.
inline Vector2d nearest_in_ellipse(const Vector2d& v, double a, double b) {
  if (!(a > 0.0) || !(b > 0.0)) return Vector2d::Zero();
  const auto value = [&](double t) {
    return std::pow(a * v.x() / (a * a + t), 2) + std::pow(b * v.y() / (b * b + t), 2) - 1.0;
  };
  if (value(0.0) <= 0.0) return v;
  double t = std::max({0.0, a * std::abs(v.x()) - a * a, b * std::abs(v.y()) - b * b});
  for (int k = 0; k < 200; ++k) {
    const double slope = -2.0 * (std::pow(a * v.x(), 2) / std::pow(a * a + t, 3) +
                                 std::pow(b * v.y(), 2) / std::pow(b * b + t, 3));
    const double next = t - value(t) / slope;
    if (!(next > t)) break;
    t = next;
  }
  return {a * a * v.x() / (a * a + t), b * b * v.y() / (b * b + t)};
}

}  // namespace coluber::absolute_spatial
