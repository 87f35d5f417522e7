#pragma once

// Random spatial scenes: any chain, joint, friction, step and gait among cylinders.

#include <cmath>
#include <functional>
#include <random>

#include "sample/spatial.hpp"

namespace coluber::spatial::sample {

struct StressScene {
  Model model;
  State state;
  StepOptions options;
  Wave wave;
};

struct StressRange {
  double mu_low = 0.01, mu_high = 0.63;
  nonsmooth::Law law = nonsmooth::Law::anchored;
  bool rough = true;  ///< cylinders with friction in every other scene
};

/// 3 to 40 links with one or two axes a joint, rolling friction 0 to 0.1, friction ellipses of
/// ratio up to 100, cylinders with friction 0 to 0.5, steps of 0.25 to 5 ms, waves of up to 400
/// deg/s, with two axes vertical ones of up to 20 deg; one robot in five is dropped. All choices
/// are independent.
inline StressScene make_stress_scene(std::uint64_t seed, const StressRange& range) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto between = [&](double low, double high) { return low + (high - low) * unit(random); };
  const auto one_in = [&](unsigned count) { return random() % count == 0; };
  StressScene scene;
  Model& model = scene.model;
  const int n = 3 + static_cast<int>(random() % 38);
  const Joint joint = one_in(2) ? Joint::cardan : Joint::yaw;
  model = one_in(3) ? make_odd_links(n, joint, random) : make_aiko(n);
  model.joint = joint;
  const bool spheres = one_in(2);
  for (Link& link : model.links) link.spheres = spheres;
  const double mu = between(range.mu_low, range.mu_high);
  const double ratio = one_in(4) ? std::pow(10.0, between(0.0, 2.0)) : 1.0;
  model.mu_T = one_in(2) ? Vector2d{mu, mu / ratio} : Vector2d{mu / ratio, mu};
  model.mu_V = one_in(5) ? 0.0 : between(0.0, 0.1);
  if (one_in(6)) {
    model.tilt = between(0.0, 0.2);
    model.tilt_direction = between(-3.0, 3.0);
  }
  Wave& wave = scene.wave;
  wave.A_h = between(10.0, 60.0) * kDegree;
  wave.w_h = between(20.0, 400.0) * kDegree;
  wave.beta_h = between(-90.0, 90.0) * kDegree;
  wave.A_v = between(0.0, 20.0) * kDegree;
  wave.w_v = wave.w_h;
  wave.beta_v = wave.beta_h;
  wave.beta_0 = between(-180.0, 180.0) * kDegree;
  // Flat at first: the vertical wave lifts the robot off the ground by its servos.
  JointCommand start(model.angles());
  wave.set(0.0, n - 1, model.axes(), start);
  for (int j = 0; model.axes() == 2 && j + 1 < n; ++j) start.phi_d(2 * j + 1) = 0.0;
  const bool dropped = one_in(5);
  const double height = dropped ? between(0.0, 0.3) : 0.0;
  const double pitch = dropped ? between(0.0, 0.3) : 0.0;  // link 1 lowest of a straight robot
  if (pitch > 0.0) start.phi_d.setZero();
  const Link& first = model.links.front();
  scene.state =
      make_state(model, start.phi_d, 0,
                 {0.0, 0.0, first.L_SC + height + (first.L_GS + first.offset) * std::sin(pitch)},
                 compute_axes(between(-3.0, 3.0), pitch, 0.0));
  // cylinders anywhere near the robot that do not overlap it
  Pose pose;
  compute_pose_at_time(model, scene.state, 0.0, pose);
  const double roughness = one_in(2) ? between(0.0, 0.5) : 0.0;
  while (model.obstacles.size() < 12) {
    const auto i = static_cast<int>(random() % static_cast<unsigned>(n));
    const Vector2d centre = pose.centre(i).head<2>();
    model.obstacles.push_back({centre + Vector2d{between(-0.4, 0.4), between(-0.4, 0.4)},
                               between(0.01, 0.1), range.rough ? roughness : 0.0});
    if (compute_penetration(model, pose)[kCylinders] > 0.0) model.obstacles.pop_back();
  }
  scene.options.dt = between(2.5e-4, 5e-3);
  scene.options.law = range.law;
  scene.options.newton.tolerance = ratio > 10.0 ? 1e-12 : 1e-10;
  return scene;
}

struct StressTally {
  long steps = 0, failed = 0, fallback = 0, sweeps = 0, touched = 0, in_flight = 0;
  double residual = 0.0;        ///< largest
  double rigid_residual = 0.0;  ///< largest
};

/// `seconds` of motion; `failed(state, command, info)` is called with the state and command at the
/// start of a step that did not converge.
inline void run_stress(
    const StressScene& scene, double seconds, StressTally& tally,
    const std::function<void(const State&, const JointCommand&, const StepInfo&)>& failed = {}) {
  const Model& model = scene.model;
  State state = scene.state;
  State before;
  Data data(model);
  JointCommand command = make_servos(model, 800.0, 2.0);
  const int count = static_cast<int>(seconds / scene.options.dt);
  for (int k = 0; k < count; ++k) {
    scene.wave.set((k + 1) * scene.options.dt, model.n() - 1, model.axes(), command);
    if (failed) before = state;
    const StepInfo info = step(model, state, data, command, scene.options);
    ++tally.steps;
    tally.sweeps += info.iterations;
    if (info.fallback_sweeps > 0) ++tally.fallback;
    if (info.status != Status::ok) {
      ++tally.failed;
      if (failed) failed(before, command, info);
    }
    tally.residual = std::max(tally.residual, info.residual);
    tally.rigid_residual = std::max(tally.rigid_residual, info.rigid_residual);
    if (data.obstacle_impulse.norm() > 0.0) ++tally.touched;
    if (data.ground_impulse.norm() == 0.0) ++tally.in_flight;
    if (info.status == Status::non_finite) return;
  }
}

}  // namespace coluber::spatial::sample
