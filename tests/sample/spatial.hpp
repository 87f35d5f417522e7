#pragma once

// Robots and gaits of the spatial tests: Aiko of Transeth chapter 7 and the robot of the peers'
// scene.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "coluber/spatial/snake.hpp"

namespace coluber::spatial::sample {

inline constexpr double kDegree = std::numbers::pi / 180.0;

/// Aiko: Transeth table 7.1.
inline Model make_aiko(int links = 11) {
  Model model;
  model.links.assign(static_cast<std::size_t>(links),
                     {7.5 / 11.0, 1.32e-3, 9.40e-4, 0.122, 0.0393, 0.0525, 0.0, false});
  model.mu_V = 0.02;
  return model;
}

/// Robot of the peers' scene (benchmarks/peers): yaw joints, friction 0.3, no rolling friction.
inline Model make_peer(int links) {
  Model model;
  model.joint = Joint::yaw;
  model.links.assign(static_cast<std::size_t>(links),
                     {0.682, 1.32e-3, 9.40e-4, 0.122, 0.0393, 0.0525, 0.0, true});
  model.mu_T << 0.3, 0.3;
  return model;
}

/// A robot whose links all differ, centres of gravity off the middle.
inline Model make_odd_links(int links, Joint joint, std::mt19937_64& random) {
  std::uniform_real_distribution<double> factor(0.6, 1.6);
  std::uniform_real_distribution<double> offset(-0.01, 0.01);
  Model model = make_aiko(links);
  model.joint = joint;
  for (Link& link : model.links) {
    link.m *= factor(random);
    link.Theta_psi *= factor(random);
    link.Theta_rho = link.Theta_psi * factor(random);
    link.L *= factor(random);
    link.L_GS *= factor(random);
    link.offset = offset(random);
  }
  return model;
}

/// Wave of Transeth (7.3)-(7.5): angles in rad, rates in rad/s.
struct Wave {
  double A_h = 40.0 * kDegree, w_h = 80.0 * kDegree, beta_h = -50.0 * kDegree;
  double A_v = 0.0, w_v = 0.0, beta_v = 0.0, beta_0 = 0.0;

  void set(double t, int joints, int axes, JointCommand& command) const {
    for (int j = 0; j < joints; ++j) {
      const auto put = [&](int index, double A, double w, double angle) {
        command.phi_d(index) = A * std::sin(angle);
        command.phidot_d(index) = A * w * std::cos(angle);
      };
      put(axes * j, A_h, w_h, w_h * t + j * beta_h);
      if (axes == 2) put(axes * j + 1, A_v, w_v, w_v * t + j * beta_v + beta_0);
    }
  }
};

/// Sidewinding, Transeth (7.5).
inline Wave sidewinding() {
  Wave wave;
  wave.A_h = 30.0 * kDegree;
  wave.A_v = 10.0 * kDegree;
  wave.w_v = wave.w_h;
  wave.beta_v = wave.beta_h;
  wave.beta_0 = 90.0 * kDegree;
  return wave;
}

/// Implicit servos with these gains on every angle.
inline JointCommand make_servos(const Model& model, double k_P, double k_D) {
  JointCommand command(model.angles());
  command.k_P.setConstant(k_P);
  command.k_D.setConstant(k_D);
  return command;
}

/// Start of the peers' scene, turned by `heading` about the vertical: link 1 begins at the origin
/// and points along it, the others follow the references at t = 0.
inline State start_peer(const Model& model, double heading = 0.0) {
  JointCommand command(model.angles());
  Wave{}.set(0.0, model.n() - 1, model.axes(), command);
  return make_state(
      model, command.phi_d, 0,
      {0.061 * std::cos(heading), 0.061 * std::sin(heading), model.links.front().L_SC},
      compute_axes(heading, 0.0, 0.0));
}

/// Sets the robot in motion: `twist` (omega, v) of the middle link and the joint rates; the links'
/// velocities follow from link to link. Positions, given for t = 0, go on to the middle of the
/// first step.
inline void set_motion(const Model& model, const nonsmooth::Twist<6>& twist, const VectorXd& phidot,
                       double dt, State& state) {
  Pose pose;
  pose.resize(model);
  compute_pose(model, state.r, state.p, state.phi, pose);
  state.twist = state.twist_2 = state.twist_3 = twist;
  state.phidot = state.phidot_2 = state.phidot_3 = phidot;
  const auto relative = [&](int joint) -> Vector3d {  // omega_(joint+1) - omega_joint
    Vector3d omega = phidot(model.axes() * joint) * pose.e_y.col(joint);
    if (model.axes() == 2) omega += phidot(2 * joint + 1) * pose.e_x.col(joint + 1);
    return omega;
  };
  const auto place = [&](int i, int from) {  // velocity of link i from its neighbour's
    const int lower = std::min(i, from);
    const Link& link = model.links[static_cast<std::size_t>(lower)];
    const Vector3d o = pose.r.col(lower) + (0.5 * link.L - link.offset) * pose.e_z.col(lower);
    const Vector3d at_joint = Vector3d{state.v.col(from)} +
                              Vector3d{state.omega.col(from)}.cross(o - Vector3d{pose.r.col(from)});
    state.v.col(i) = at_joint + Vector3d{state.omega.col(i)}.cross(Vector3d{pose.r.col(i)} - o);
  };
  const int b = model.base();
  state.omega.col(b) = twist.head<3>();
  state.v.col(b) = twist.tail<3>();
  for (int i = b + 1; i < model.n(); ++i) {
    state.omega.col(i) = Vector3d{state.omega.col(i - 1)} + relative(i - 1);
    place(i, i - 1);
  }
  for (int i = b - 1; i >= 0; --i) {
    state.omega.col(i) = Vector3d{state.omega.col(i + 1)} - relative(i);
    place(i, i + 1);
  }
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const Vector3d omega = state.omega.col(i);
    const Vector3d e_z = pose.e_z.col(i);
    state.l.col(i) =
        link.Theta_psi * (omega - omega.dot(e_z) * e_z) + link.Theta_rho * omega.dot(e_z) * e_z;
  }
  const Vector3d half = 0.5 * dt * twist.head<3>();
  state.r += 0.5 * dt * twist.tail<3>();
  state.phi += 0.5 * dt * phidot;
  if (half.norm() > 0.0) {
    const Quaterniond q(Eigen::AngleAxisd(half.norm(), half.normalized()));
    const Quaterniond turned = q * Quaterniond(state.p(0), state.p(1), state.p(2), state.p(3));
    state.p << turned.w(), turned.x(), turned.y(), turned.z();
    state.p.normalize();
  }
}

/// World positions of the links' centres of gravity at t = k dt.
inline Matrix3Xd link_positions(const Model& model, const State& state, double dt) {
  Pose pose;
  compute_pose_at_time(model, state, dt, pose);
  Matrix3Xd position = pose.r;
  position.colwise() += pose.origin;
  return position;
}

/// Mean of the link centres at t = k dt.
inline Eigen::Vector3d compute_centre(const Model& model, const State& state, double dt) {
  return link_positions(model, state, dt).rowwise().mean();
}

}  // namespace coluber::spatial::sample
