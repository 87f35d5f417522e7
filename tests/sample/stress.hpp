#pragma once

// Random planar scenes: any chain, friction, servo step and gait among pegs.

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "coluber/planar/snake.hpp"

#include "sample/snake.hpp"

namespace coluber::sample {

struct StressScene {
  planar::Model model;
  planar::State state;
  planar::StepOptions options;
  Wave wave;
  double torque_limit = std::numeric_limits<double>::infinity();  ///< N m
  // on wheels: references that hold for 25 ms, gains and speed of their own
  double k_P = 0.0, k_D = 0.0, k_w = 0.0, rate = 0.0;
  double wheel_torque_limit = std::numeric_limits<double>::infinity();  ///< N m
};

struct StressRange {
  double mu_low = 0.01, mu_high = 0.63;
  nonsmooth::Law law = nonsmooth::Law::anchored;
  bool wheels = false;  ///< under every link, with the same friction along and across
};

/// 3 to 60 links, alike or all different, 1 or 2 friction points, friction ellipses of ratio up to
/// 100 with either axis the slippery one, pegs with friction 0 to 0.5, steps of 0.25 to 5 ms, waves
/// of up to 400 deg/s, motors with and without a limit. Every property is drawn by itself: any may
/// meet any other. The draws come first and in a fixed order, so that a seed means the same robot
/// and gait in every range.
inline StressScene stress_scene(std::uint64_t seed, const StressRange& range) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto between = [&](double low, double high) { return low + (high - low) * unit(random); };
  const auto decades = [&](double low, double high) {
    return low * std::pow(high / low, unit(random));
  };
  const auto one_in = [&](double count) { return unit(random) * count < 1.0; };

  const int n = 3 + static_cast<int>(58.0 * unit(random));
  const double dt = between(2.5e-4, 5e-3);
  const double mu = between(range.mu_low, range.mu_high);
  const double slender = decades(1.0, 100.0);
  const double ratio = one_in(2) ? slender : 1.0;
  const bool slippery_along = one_in(2);
  const int friction_points = one_in(2) ? 1 : 2;
  const double roughness = between(0.0, 0.5);
  const double obstacle_friction = one_in(3) ? 0.0 : roughness;
  const double limit = decades(0.5, 20.0);
  const bool limited = one_in(4);
  const bool odd = one_in(3);
  const double heading = between(-3.0, 3.0);

  StressScene scene;
  scene.wave = {between(10.0, 60.0) * kDegree, between(20.0, 400.0) * kDegree,
                between(-90.0, 90.0) * kDegree};
  planar::Model& model = scene.model;
  model = odd ? odd_links(n, random) : aiko(n);
  model.friction_points = friction_points;
  model.mu_T = slippery_along ? Eigen::Vector2d{mu / ratio, mu} : Eigen::Vector2d{mu, mu / ratio};
  scene.state = planar::make_state(model, scene.wave.angles(n - 1), 0, {0.0, 0.0}, heading);
  if (limited) scene.torque_limit = limit;
  scene.options.dt = dt;
  scene.options.law = range.law;
  scene.options.newton.tolerance = ratio > 10.0 ? 1e-12 : 1e-10;

  // pegs anywhere near the robot that do not overlap it
  planar::Pose pose;
  compute_pose_at_time(model, scene.state, 0.0, pose);
  while (model.obstacles.size() < 12) {
    const Eigen::Vector2d centre =
        pose.origin + pose.r.col(static_cast<Eigen::Index>(unit(random) * n));
    const double x = between(-0.4, 0.4);
    const double y = between(-0.4, 0.4);
    const planar::Obstacle peg{centre + Eigen::Vector2d{x, y}, between(0.01, 0.1),
                               obstacle_friction};
    bool clear = true;
    for (int i = 0; i < n; ++i) {
      clear = clear && compute_gap(model.links[static_cast<std::size_t>(i)],
                                   pose.r.col(i) + pose.origin, pose.cos(i), pose.sin(i), peg)
                               .g > 0.0;
    }
    if (clear) model.obstacles.push_back(peg);
  }
  if (!range.wheels) return scene;
  model.mu_T.setConstant(mu);
  scene.options.newton.tolerance = 1e-10;
  add_wheels(model, scene.state);
  for (planar::Axle& axle : model.axles) axle.Theta_w = decades(2e-4, 5e-3);
  scene.k_P = decades(10.0, 800.0);
  scene.k_D = decades(0.2, 2.0);
  scene.k_w = one_in(6) ? 0.0 : decades(0.05, 5.0);
  scene.rate = between(-15.0, 15.0);
  if (one_in(4)) scene.wheel_torque_limit = decades(0.01, 1.0);
  return scene;
}

struct StressTally {
  long steps = 0, failed = 0, fallback = 0, sweeps = 0, touched = 0;
  double residual = 0.0;             ///< largest
  double rigid_residual = 0.0;       ///< largest
  double law = 0.0, momentum = 0.0;  ///< largest residual of each
  long over = 0;                     ///< steps with a residual over 1e-9
};

/// `seconds` of motion; `failed(scene, state, command, info)` is called with the state and command
/// at the start of a step that did not converge.
inline void run_stress(const StressScene& scene, double seconds, StressTally& tally,
                       const std::function<void(const planar::State&, const JointCommand&,
                                                const nonsmooth::ContactStepInfo&)>& failed = {}) {
  planar::State state = scene.state;
  planar::State before;
  planar::Data data(scene.model);
  const bool wheels = scene.model.has_wheels();
  JointCommand command(scene.model.n() - 1, wheels ? scene.model.n() : 0);
  command.tau_max.setConstant(scene.torque_limit);
  const int count = static_cast<int>(seconds / scene.options.dt);
  for (int k = 0; k < count; ++k) {
    const double t = (k + 1) * scene.options.dt;
    follow(scene.wave, wheels ? 0.025 * std::floor(t / 0.025) : t, command);
    if (wheels) {
      command.k_P.setConstant(scene.k_P);
      command.k_D.setConstant(scene.k_D);
      command.shafts.k.setConstant(scene.k_w);
      command.shafts.rate.setConstant(scene.rate);
      command.shafts.tau_max.setConstant(scene.wheel_torque_limit);
    }
    if (failed) before = state;
    const nonsmooth::ContactStepInfo info =
        planar::step(scene.model, state, data, command, scene.options);
    ++tally.steps;
    tally.sweeps += info.iterations;
    if (info.fallback_sweeps > 0) ++tally.fallback;
    if (info.status != Status::ok) {
      ++tally.failed;
      if (failed) failed(before, command, info);
    }
    tally.residual = std::max(tally.residual, info.residual);
    tally.law = std::max(tally.law, info.residual_law);
    tally.momentum = std::max(tally.momentum, info.residual_momentum);
    if (info.residual > 1e-9) ++tally.over;
    tally.rigid_residual = std::max(tally.rigid_residual, info.rigid_residual);
    if (data.obstacle_impulse.norm() > 0.0) ++tally.touched;
    if (info.status == Status::non_finite) return;
  }
}

}  // namespace coluber::sample
