#pragma once

// Parts of a step that do not depend on what the links are. `State` is a model's: joint angles
// `phi`, rates `phidot`, `phidot_2`, `phidot_3` and root twists `twist`, … of the last three steps,
// newest first.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include <Eigen/Core>

#include "coluber/chain/step_data.hpp"
#include "coluber/chain/step_options.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/nonsmooth/point_memory.hpp"
#include "coluber/nonsmooth/step_info.hpp"

#include "nonsmooth/constants.hpp"
#include "nonsmooth/solve_step.hpp"
#include "servo.hpp"

namespace coluber::chain {

/// Whether a point with the gap g (m) is in the problem.
inline bool is_active(double g, const StepOptions& options) {
  return options.activation == nonsmooth::Activation::landing || g <= 0.0;
}

/// b of the normal law (m/s): a point lands on the surface, penetration is worked off.
inline double landing_speed(double g, const StepOptions& options) {
  return options.activation == nonsmooth::Activation::gap ? 0.0
                                                          : nonsmooth::landing_speed(g, options.dt);
}

/// Servo and first guess of the joint axis of node k.
template <int T, typename State>
void fill_joint(const State& state, const JointCommand& command, double dt, std::size_t k,
                StepData<T>& data) {
  const int j = data.angle_of_node[k];
  nonsmooth::Node<T>& node = data.problem.nodes[k];
  node.held = command.prescribed;
  if (node.held) {
    node.sd = 0.0;
    node.sr = 0.0;
    node.limit = std::numeric_limits<double>::infinity();
    data.solution.rate[k] = command.phidot_d(j);
    data.previous.rate[k] = command.phidot_d(j);
    return;
  }
  const Servo servo = make_servo(command, j, state.phi(j), dt, data.Theta_min);
  node.sd = servo.sd;
  node.sr = servo.sr;
  node.limit = servo.limit;
  data.solution.rate[k] =
      nonsmooth::extrapolate(state.k >= 3, state.phidot(j), state.phidot_2(j), state.phidot_3(j));
  data.previous.rate[k] = state.phidot(j);
}

/// First guess of the root.
template <int T, typename State>
void fill_root(const State& state, StepData<T>& data) {
  data.solution.root =
      nonsmooth::extrapolate(state.k >= 3, state.twist, state.twist_2, state.twist_3);
  data.previous.root = state.twist;
}

/// The root's twist at E; the older ones move down the predictor's history.
template <typename State, typename Twist>
void push_twist(State& state, const Twist& twist) {
  state.twist_3 = state.twist_2;
  state.twist_2 = state.twist;
  state.twist = twist;
}

/// The older rates move down; `phidot` is to be overwritten.
template <typename State>
void push_rates(State& state) {
  state.phidot_3.swap(state.phidot_2);
  state.phidot_2.swap(state.phidot);
}

/// Joints are not put nowhere.
inline bool is_finite_if_prescribed(const JointCommand& command) {
  return !command.prescribed ||
         (command.phi_M.allFinite() && command.phi_d.allFinite() && command.phidot_d.allFinite());
}

/// Joints of a prescribed step go to their references in its middle; before the step.
template <typename State>
void place_joints(State& state, const JointCommand& command) {
  if (command.prescribed) state.phi = command.phi_M;
}

/// Joint angles at q_M of the next step. Prescribed ones are at the end of this step where their
/// references are, not where they were integrated to.
template <typename State>
void advance_joints(State& state, const JointCommand& command, double dt) {
  if (command.prescribed) {
    state.phi = command.phi_d + 0.5 * dt * state.phidot;
  } else {
    state.phi += dt * state.phidot;
  }
}

/// Velocities at E and torques of the plain step's answer, which has just been judged: the
/// residual's sums are what a motor that holds its joint's rate gives.
template <int T, typename State>
void take_rates(State& state, StepData<T>& data, const JointCommand& command, double dt) {
  push_twist(state, data.solution.root);
  push_rates(state);
  for (std::size_t k = 0; k + 1 < data.problem.nodes.size(); ++k) {
    const int j = data.angle_of_node[k];
    if (j < 0) continue;  // a shaft
    const double rate = data.solution.rate[k];
    state.phidot(j) = rate;
    const nonsmooth::Node<T>& node = data.problem.nodes[k];
    data.tau(j) = node.held
                      ? node.s.dot(data.residual.defect[k]) / dt
                      : mean_torque(nonsmooth::joint_impulse(node, rate), dt, command.tau_max(j));
  }
}

/// Work of the motors, after the rates have been taken: all of it, and what drove.
template <int T, typename State>
void update_servo_work(const State& state, const StepData<T>& data, double dt, StepWork& work) {
  double servo = 0.0;
  double positive = 0.0;
  for (Eigen::Index j = 0; j < data.tau.size(); ++j) {
    const double done = 0.5 * dt * data.tau(j) * (state.phidot_2(j) + state.phidot(j));
    servo += done;
    positive += std::max(done, 0.0);
  }
  work.servo = servo;
  work.positive = positive;
}

/// Works and energy of the step into the results; what they leave over is the scheme's.
template <int T>
void close_balance(StepWork work, double T_A, double T_E, StepData<T>& data) {
  work.scheme = T_E - T_A - work.servo - work.friction - work.contact - work.gravity;
  data.work = work;
  data.kinetic_energy = T_E;
}

/// Names what is not finite, the command first: it is where such values usually come from. A joint
/// has `axes` angles.
template <int T>
nonsmooth::ContactStepInfo name_non_finite(const JointCommand& command, int axes,
                                           const StepData<T>& data,
                                           nonsmooth::ContactStepInfo info) {
  info.status = Status::non_finite;
  info.quantity = "velocity";
  for (Eigen::Index j = 0; j < command.tau.size(); ++j) {
    const double sum = command.tau(j) + command.k_P(j) + command.phi_d(j) + command.k_D(j) +
                       command.phidot_d(j) + command.phi_M(j);  // zero unless prescribed
    if (!std::isfinite(sum) || std::isnan(command.tau_max(j))) {
      info.quantity = "command of joint";
      info.index = static_cast<int>(j) / axes + 1;
      return info;
    }
  }
  for (Eigen::Index i = 0; i < command.shafts.tau.size(); ++i) {
    const ShaftCommand& shafts = command.shafts;
    if (!std::isfinite(shafts.tau(i) + shafts.k(i) + shafts.rate(i)) ||
        std::isnan(shafts.tau_max(i))) {
      info.quantity = "command of the wheels of link";
      info.index = static_cast<int>(i) + 1;
      return info;
    }
  }
  for (std::size_t k = 0; k < data.solution.twist.size(); ++k) {
    if (data.link_of_node[k] >= 0 && !data.solution.twist[k].allFinite()) {
      info.quantity = "velocity of link";
      info.index = data.link_of_node[k] + 1;
    }
  }
  return info;
}

/// Newton in a fast step, from the guess in its arrays; law `rigid` with its proximal term moved
/// along. Nothing if it did not settle. `bound` (N s) is the kernel's own.
template <typename FastStep>
auto settle(FastStep& fast, const StepOptions& options, double impulse_scale, double bound,
            int& sweeps) {
  const double tolerance = options.newton.tolerance * impulse_scale;
  const bool rigid = options.law == nonsmooth::Law::rigid;
  const int max_sweeps = options.newton.max_sweeps + (rigid ? options.newton.max_sweeps / 3 : 0);
  std::optional<decltype(fast.kernels.solve(fast.arrays, 0.0, 0.0, 0))> answer;
  while (sweeps < max_sweeps) {
    const auto result = fast.kernels.solve(fast.arrays, tolerance, bound, max_sweeps - sweeps);
    sweeps += result.sweeps;
    if (!result.settled) break;
    if (!rigid || fast.kernels.gap(fast.arrays) <= options.newton.gap * impulse_scale) {
      answer = result;
      break;
    }
    fast.kernels.move_anchors(fast.arrays);
  }
  return answer;
}

/// A fast step's own residual (N s) as the step's.
template <typename FastResidual>
void report(const FastResidual& residual, double impulse_scale, nonsmooth::ContactStepInfo& info) {
  info.residual_law = residual.law / impulse_scale;
  info.residual_momentum = residual.momentum / impulse_scale;
  info.residual = std::max(info.residual_law, info.residual_momentum);
  info.rigid_residual = std::max(residual.rigid_law, residual.momentum) / impulse_scale;
}

/// Judges `data.solution`, a fast step's answer, by `data.problem`, the one that the plain step
/// would have solved: nothing that the fast step keeps counts. Both residuals have roundings of
/// their own, which grow with the chain; an answer that is ten times worse than the fast step says
/// is `not_converged`.
///
/// Both find the gaps by themselves, to a rounding of places that are `place` (m) from the origin
/// at most; a landing speed is a gap over dt, so in short steps that rounding is most of the
/// residual.
template <int T>
void audit(const StepOptions& options, double place, StepData<T>& data,
           nonsmooth::ContactStepInfo& info) {
  const nonsmooth::Residual residual =
      nonsmooth::compute_residual(data.problem, data.solution, data.residual, options.law);
  data.audit = residual;
  const bool good = nonsmooth::bears_out(
      residual.law, residual.momentum,
      std::max({options.newton.tolerance, info.residual, 0.1 * options.accepted}), [&] {
        nonsmooth::Rounding rounding =
            nonsmooth::compute_rounding(data.problem, data.solution, data.residual);
        const double sums = 8.0 + static_cast<double>(data.problem.nodes.size());  // of a place
        const double speed = 2.0 * sums * nonsmooth::kRoundoff * place / options.dt;
        rounding.law += nonsmooth::kProxR * speed / data.problem.impulse_scale;
        return rounding;
      });
  if (!good && info.status == Status::ok) {
    info.status = Status::not_converged;
    if (residual.worst_node >= 0) {
      info.quantity = "impulse on link";
      info.index = data.link_of_node[static_cast<std::size_t>(residual.worst_node)] + 1;
    }
  }
  lap(data.profile, Phase::residual);
}

}  // namespace coluber::chain
