#pragma once

// Robots and gaits of the spatial tests: Aiko of Transeth chapter 7 and the robot of the peers'
// scene.

#include <cmath>
#include <numbers>

#include "coluber/spatial/snake.hpp"

namespace coluber::sample {

inline constexpr double kDegree = std::numbers::pi / 180.0;

/// Aiko: Transeth table 7.1.
inline spatial::Model make_aiko(int links = 11) {
  spatial::Model model;
  model.links.assign(static_cast<std::size_t>(links),
                     {7.5 / 11.0, 1.32e-3, 9.40e-4, 0.122, 0.0393, 0.0525, 0.0, false});
  model.mu_V = 0.02;
  return model;
}

/// Robot of the peers' scene (benchmarks/peers): yaw joints, friction 0.3, no rolling friction.
inline spatial::Model make_peer(int links) {
  spatial::Model model;
  model.joint = spatial::Joint::yaw;
  model.links.assign(static_cast<std::size_t>(links),
                     {0.682, 1.32e-3, 9.40e-4, 0.122, 0.0393, 0.0525, 0.0, true});
  model.mu_T << 0.3, 0.3;
  return model;
}

/// Wave of Transeth (7.3)-(7.5): angles in rad, rates in rad/s.
struct Wave {
  double A_h = 40.0 * kDegree, w_h = 80.0 * kDegree, beta_h = -50.0 * kDegree;
  double A_v = 0.0, w_v = 0.0, beta_v = 0.0, beta_0 = 0.0;
  bool soft_start = false;

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

/// Implicit servos with these gains on every angle.
inline JointCommand make_servos(const spatial::Model& model, double k_P, double k_D) {
  JointCommand command(model.angles());
  command.k_P.setConstant(k_P);
  command.k_D.setConstant(k_D);
  return command;
}

/// Start of the peers' scene, turned by `heading` about the vertical: link 1 begins at the origin
/// and points along it, the others follow the references at t = 0.
inline spatial::State start_peer(const spatial::Model& model, double heading = 0.0) {
  JointCommand command(model.angles());
  Wave{}.set(0.0, model.n() - 1, model.axes(), command);
  return spatial::make_state(
      model, command.phi_d, 0,
      {0.061 * std::cos(heading), 0.061 * std::sin(heading), model.links.front().L_SC},
      spatial::compute_axes(heading, 0.0, 0.0));
}

/// Mean of the link centres at t = k dt.
inline Eigen::Vector3d compute_centre(const spatial::Model& model, const spatial::State& state,
                                      double dt) {
  spatial::Pose pose;
  spatial::compute_pose_at_time(model, state, dt, pose);
  return pose.origin + pose.r.rowwise().mean();
}

}  // namespace coluber::sample
