#pragma once

// Random spatial scenes: any chain, joint, friction, step and gait, with and without cylinders.

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "sample/spatial.hpp"

namespace coluber::spatial::sample {

/// What stands around the robot.
enum class Surroundings : std::uint8_t { none, smooth, rough };

struct StressScene {
  Model model;
  State state;
  StepOptions options;
  Wave wave;
  double k_P = 800.0, k_D = 2.0;
  double torque_limit = std::numeric_limits<double>::infinity();  ///< N m
  Surroundings surroundings = Surroundings::none;
  double mu = 0.0;  ///< the largest coefficient of ground and cylinders
};

struct StressRange {
  double mu_low = 0.01, mu_high = 1.2;  ///< of ground and rough cylinders alike
  nonsmooth::Law law = nonsmooth::Law::anchored;
  bool limits = false;  ///< motors of 0.5 to 20 N m in every other scene
};

/// 3 to 40 links, alike or all different, one or two axes a joint, end spheres or capsules, rolling
/// friction 0 to 0.1 in half of the scenes, friction ellipses of ratio up to 100 in half, either
/// axis the slippery one; no cylinders, smooth or rough ones; steps of 0.25 to 5 ms, waves of up to
/// 400 deg/s, vertical ones of up to 20 deg in step with the horizontal or not, stiff and soft
/// servos; slopes, and robots that are dropped. Every property is drawn by itself: any may meet any
/// other. The draws come first and in a fixed order, so that a seed means the same robot and gait
/// in every range.
inline StressScene make_stress_scene(std::uint64_t seed, const StressRange& range) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto between = [&](double low, double high) { return low + (high - low) * unit(random); };
  const auto decades = [&](double low, double high) {
    return low * std::pow(high / low, unit(random));
  };
  const auto one_in = [&](double count) { return unit(random) * count < 1.0; };

  const int n = 3 + static_cast<int>(38.0 * unit(random));
  const double dt = between(2.5e-4, 5e-3);
  const double mu = between(range.mu_low, range.mu_high);
  const double slender = decades(1.0, 100.0);
  const double ratio = one_in(2) ? slender : 1.0;
  const bool slippery_along = one_in(2);
  const double rolling = between(0.0, 0.1);
  const bool rolls = one_in(2);
  const double roughness = between(range.mu_low, range.mu_high);
  const auto surroundings = static_cast<Surroundings>(static_cast<int>(3.0 * unit(random)));
  const Joint joint = one_in(2) ? Joint::cardan : Joint::yaw;
  const bool odd = one_in(3);
  const bool spheres = one_in(2);
  const double tilt = between(0.0, 0.2);
  const double tilt_direction = between(-3.0, 3.0);
  const bool slope = one_in(6);
  const bool soft = one_in(4);
  const double limit = decades(0.5, 20.0);
  const bool limited = one_in(2);
  const double heading = between(-3.0, 3.0);
  const double fall = between(0.0, 0.3);
  const double dive = between(0.0, 0.3);
  const bool dropped = one_in(5);
  const bool diving = one_in(2);

  StressScene scene;
  Wave& wave = scene.wave;
  wave.A_h = between(10.0, 60.0) * kDegree;
  wave.w_h = between(20.0, 400.0) * kDegree;
  wave.beta_h = between(-90.0, 90.0) * kDegree;
  wave.A_v = between(0.0, 20.0) * kDegree;
  wave.w_v = between(20.0, 400.0) * kDegree;
  wave.beta_v = between(-90.0, 90.0) * kDegree;
  wave.beta_0 = between(-180.0, 180.0) * kDegree;
  if (one_in(2)) {  // in step
    wave.w_v = wave.w_h;
    wave.beta_v = wave.beta_h;
  }

  Model& model = scene.model;
  model = odd ? make_odd_links(n, joint, random) : make_aiko(n);
  model.joint = joint;
  for (Link& link : model.links) link.spheres = spheres;
  model.mu_T = slippery_along ? Vector2d{mu / ratio, mu} : Vector2d{mu, mu / ratio};
  model.mu_V = rolls ? rolling : 0.0;
  if (slope) {
    model.tilt = tilt;
    model.tilt_direction = tilt_direction;
  }
  if (soft) {
    scene.k_P = 60.0;
    scene.k_D = 0.4;
  }
  if (range.limits && limited) scene.torque_limit = limit;

  // Flat at first: the vertical wave lifts the robot off the ground by its servos.
  JointCommand start(model.angles());
  wave.set(0.0, n - 1, model.axes(), start);
  for (int j = 0; model.axes() == 2 && j + 1 < n; ++j) start.phi_d(2 * j + 1) = 0.0;
  const double height = dropped ? fall : 0.0;
  const double pitch = dropped && diving ? dive : 0.0;  // link 1 lowest of a straight robot
  if (pitch > 0.0) start.phi_d.setZero();
  const Link& first = model.links.front();
  scene.state =
      make_state(model, start.phi_d, 0,
                 {0.0, 0.0, first.L_SC + height + (first.L_GS + first.offset) * std::sin(pitch)},
                 compute_axes(heading, pitch, 0.0));

  // cylinders anywhere near the robot that do not overlap it
  scene.surroundings = surroundings;
  scene.mu = surroundings == Surroundings::rough ? std::max(mu, roughness) : mu;
  Pose pose;
  compute_pose_at_time(model, scene.state, 0.0, pose);
  while (surroundings != Surroundings::none && model.obstacles.size() < 12) {
    const Vector2d centre = pose.centre(static_cast<int>(unit(random) * n)).head<2>();
    const double x = between(-0.4, 0.4);
    const double y = between(-0.4, 0.4);
    model.obstacles.push_back({centre + Vector2d{x, y}, between(0.01, 0.1),
                               surroundings == Surroundings::rough ? roughness : 0.0});
    if (compute_penetration(model, pose)[kCylinders] > 0.0) model.obstacles.pop_back();
  }
  scene.options.dt = dt;
  scene.options.law = range.law;
  scene.options.newton.tolerance = ratio > 10.0 ? 1e-12 : 1e-10;
  return scene;
}

/// Counts and largest values over steps. Residuals are those recomputed outside the solver.
struct StressTally {
  long scenes = 0, steps = 0, failed = 0, fallback = 0, sweeps = 0, touched = 0, in_flight = 0;
  double law = 0.0, momentum = 0.0;
  double rigid_law = 0.0;  ///< of the set-valued law, and momentum
  double gap = 0.0;        ///< of the fallback's proximal terms

  StressTally& operator+=(const StressTally& other) {
    scenes += other.scenes;
    steps += other.steps;
    failed += other.failed;
    fallback += other.fallback;
    sweeps += other.sweeps;
    touched += other.touched;
    in_flight += other.in_flight;
    law = std::max(law, other.law);
    momentum = std::max(momentum, other.momentum);
    rigid_law = std::max(rigid_law, other.rigid_law);
    gap = std::max(gap, other.gap);
    return *this;
  }
};

/// `seconds` of motion; `failed(state, command, info)` is called with the state and command at the
/// start of a step that did not converge.
inline void run_stress(const StressScene& scene, double seconds, StressTally& tally,
                       const std::function<void(const State&, const JointCommand&,
                                                const nonsmooth::ContactStepInfo&)>& failed = {}) {
  const Model& model = scene.model;
  State state = scene.state;
  State before;
  Data data(model);
  JointCommand command = make_servos(model, scene.k_P, scene.k_D);
  command.tau_max.setConstant(scene.torque_limit);
  ++tally.scenes;
  const int count = static_cast<int>(seconds / scene.options.dt);
  for (int k = 0; k < count; ++k) {
    scene.wave.set((k + 1) * scene.options.dt, model.n() - 1, model.axes(), command);
    if (failed) before = state;
    const nonsmooth::ContactStepInfo info = step(model, state, data, command, scene.options);
    ++tally.steps;
    tally.sweeps += info.iterations;
    if (info.fallback_sweeps > 0) ++tally.fallback;
    if (info.status != Status::ok) {
      ++tally.failed;
      if (failed) failed(before, command, info);
    }
    tally.law = std::max(tally.law, info.residual_law);
    tally.momentum = std::max(tally.momentum, info.residual_momentum);
    tally.rigid_law = std::max(tally.rigid_law, info.rigid_residual);
    tally.gap = std::max(tally.gap, info.gap);
    if (data.obstacle_impulse.norm() > 0.0) ++tally.touched;
    if (data.ground_impulse.norm() == 0.0) ++tally.in_flight;
    if (info.status == Status::non_finite) return;
  }
}

}  // namespace coluber::spatial::sample
