#pragma once

// Ready-made robots and gaits shared by tests and benchmarks.

#include <cmath>
#include <numbers>
#include <random>

#include "coluber/core/system.hpp"
#include "coluber/planar/snake.hpp"

namespace coluber::sample {

inline constexpr double kDegree = std::numbers::pi / 180.0;

/// Aiko, Transeth table 7.1.
inline planar::Model aiko(int n = 11) {
  planar::Model model;
  model.links.assign(static_cast<std::size_t>(n),
                     {7.5 / 11.0, 1.32e-3, 0.122, 0.0393, 0.0525, 0.0});
  return model;
}

/// The nine pegs of Transeth table 7.3.
inline std::vector<planar::Obstacle> course() {
  return {{{0.087, 0.077}, 0.02}, {{0.474, 0.082}, 0.03}, {{0.882, 0.101}, 0.01},
          {{1.201, 0.097}, 0.02}, {{1.671, 0.178}, 0.03}, {{1.927, 0.110}, 0.01},
          {{2.394, 0.153}, 0.02}, {{2.705, 0.061}, 0.03}, {{3.119, 0.128}, 0.01}};
}

/// A robot whose links all differ, centres of gravity off the middle.
inline planar::Model odd_links(int n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> factor(0.6, 1.6);
  std::uniform_real_distribution<double> offset(-0.01, 0.01);
  planar::Model model = aiko(n);
  for (planar::Link& link : model.links) {
    link.m *= factor(random);
    link.Theta *= factor(random);
    link.L *= factor(random);
    link.L_GS *= factor(random);
    link.offset = offset(random);
  }
  return model;
}

/// Lateral undulation, Transeth (7.1) with (7.3).
struct Wave {
  double A = 40.0 * kDegree;
  double omega = 80.0 * kDegree;
  double beta = -50.0 * kDegree;

  [[nodiscard]] double angle(int joint, double t) const {
    return A * std::sin(omega * t + joint * beta);
  }
  [[nodiscard]] double rate(int joint, double t) const {
    return A * omega * std::cos(omega * t + joint * beta);
  }
  [[nodiscard]] Eigen::VectorXd angles(int joints, double t = 0.0) const {
    Eigen::VectorXd phi(joints);
    for (int j = 0; j < joints; ++j) phi(j) = angle(j, t);
    return phi;
  }
};

/// Start pose of Transeth's obstacle runs: mean line of the wave along e_x, link 1 leading at the
/// +x end, the centre of link n at the origin.
inline planar::State course_start(const planar::Model& model, const Wave& wave = {}) {
  const int n = model.n();
  const Eigen::VectorXd phi = wave.angles(n - 1);
  const double theta_1 =
      std::numbers::pi - wave.A * std::cos(0.5 * wave.beta) / (2.0 * std::sin(0.5 * wave.beta));
  return planar::make_state(model, phi, n - 1, {0.0, 0.0}, theta_1 + phi.sum());
}

/// Implicit servo command towards the wave at the end of step k.
inline void follow(const Wave& wave, double t_E, JointCommand& command, double k_P = 800.0,
                   double k_D = 2.0) {
  for (Eigen::Index j = 0; j < command.tau.size(); ++j) {
    command.k_P(j) = k_P;
    command.k_D(j) = k_D;
    command.phi_d(j) = wave.angle(static_cast<int>(j), t_E);
    command.phidot_d(j) = wave.rate(static_cast<int>(j), t_E);
  }
}

/// Servo that holds the given angles.
inline JointCommand hold(const Eigen::VectorXd& phi, double k_P = 800.0, double k_D = 2.0) {
  JointCommand command(static_cast<int>(phi.size()));
  command.k_P.setConstant(k_P);
  command.k_D.setConstant(k_D);
  command.phi_d = phi;
  return command;
}

/// World position of every link's centre of gravity at t = k dt.
inline Eigen::Matrix2Xd link_positions(const planar::Model& model, const planar::State& state,
                                       double dt) {
  planar::Pose pose;
  planar::compute_pose_at_time(model, state, dt, pose);
  Eigen::Matrix2Xd position = pose.r;
  position.colwise() += pose.origin;
  return position;
}

/// Gives every link PIKo's wheels and puts a robot at rest on them.
inline void add_wheels(planar::Model& model, planar::State& state) {
  model.friction_points = 2;
  model.axles.assign(model.links.size(), {0.065, 0.002, 0.018, 0.041});
  state.wheel = state.omega = state.omega_2 = state.omega_3 = Eigen::VectorXd::Zero(model.n());
  state.ground.assign(2 * model.links.size(), {});
}

/// PIKo of Murugendran et al., or as much of it, on a floor of friction `mu`.
inline planar::Model piko(int n = 6, double mu = 0.2) {
  planar::Model model;
  model.links.assign(static_cast<std::size_t>(n), {1.2, 0.002, 0.122, 0.04, 0.03, 0.0});
  model.axles.assign(model.links.size(), {0.065, 0.002, 0.018, 0.041});
  model.friction_points = 2;
  model.mu_T.setConstant(mu);
  return model;
}

}  // namespace coluber::sample
