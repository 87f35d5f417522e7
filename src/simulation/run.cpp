#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "coluber/simulation/simulation.hpp"

#include "simulation/loop_feedback.hpp"
#include "simulation/stop.hpp"

namespace coluber::simulation {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double runaway_factor = 20.0;      // times the largest rate of the reference …
constexpr double runaway_floor = 1.0;        // … which counts as at least this (rad/s) …
constexpr double runaway_time = 0.1;         // … for so long (s)
constexpr std::int64_t clock_interval = 16;  // steps between two looks at the clock
constexpr double progress_interval = 0.1;    // s of wall time

// Steps at which frames are taken: frame k at the step nearest to k/rate, no step twice.
class FrameSchedule {
 public:
  FrameSchedule(double dt, double rate_hz) : dt_(dt), rate_hz_(rate_hz) {}

  /// True at a frame's step; moves on to the next.
  bool due(std::int64_t step) {
    if (step != next_) return false;
    pass(step);
    return true;
  }

  /// Moves on to the first frame after this step.
  void pass(std::int64_t step) {
    while (next_ <= step) {
      ++k_;
      next_ = std::llround(static_cast<double>(k_) / (rate_hz_ * dt_));
    }
  }

 private:
  double dt_;
  double rate_hz_;
  std::int64_t k_ = 0;
  std::int64_t next_ = 0;
};

// Joint rates far above anything the reference asks for, step after step: the explicit servo feeds
// energy in. The motion stays finite and looks like a result, so it has to be told apart.
class RunawayGuard {
 public:
  /// Watches from `start` (s) on: joints whose motors are off may fall as they like.
  RunawayGuard(bool on, double max_rate, double start, double dt)
      : on_(on),
        limit_(runaway_factor * std::max(max_rate, runaway_floor)),
        start_(start),
        dt_(dt) {}

  bool triggered(double t, const Eigen::VectorXd& phidot) {
    if (!on_ || t <= start_ || phidot.size() == 0) return false;
    if (phidot.cwiseAbs().maxCoeff(&joint_) > limit_) {
      above_ += dt_;
    } else {
      above_ = 0.0;
    }
    return above_ >= runaway_time;
  }
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    bytes(self.above_, self.joint_);
  }
  [[nodiscard]] double limit() const { return limit_; }
  /// 0-based index of the fastest joint angle.
  [[nodiscard]] int angle() const { return static_cast<int>(joint_); }

 private:
  bool on_;
  double limit_;  // rad/s
  double start_;  // s
  double dt_;
  double above_ = 0.0;  // s without a break
  Eigen::Index joint_ = 0;
};

// Steps after which a checkpoint may be taken, `interval` seconds apart. Counted from the start of
// the run: a resumed one keeps them.
class CheckpointSchedule {
 public:
  CheckpointSchedule(double dt, double interval)
      : every_(std::max<std::int64_t>(1, std::llround(interval / dt))) {}
  [[nodiscard]] bool due(std::int64_t step) const { return step % every_ == 0; }

 private:
  std::int64_t every_;
};

// What the loop counts from its first step on.
struct Tally {
  std::int64_t first = 0;  // step the run began at
  std::int64_t failed_steps = 0;
  std::int64_t fallback_steps = 0;
  std::int64_t fallback_sweeps = 0;
  std::int64_t fallback_passes = 0;
  double fallback_gap_max = 0.0;
  std::int64_t iterations = 0;
  int iterations_max = 0;
  double residual_max = 0.0;
  double residual_law_max = 0.0;
  double residual_momentum_max = 0.0;
  double rigid_residual_max = 0.0;
  double first_failure = 0.0;  // s
  double worst_failure = 0.0;
  double wall = 0.0;  // s spent before the run was resumed

  // What so many steps can have counted, with room to count on.
  [[nodiscard]] bool fits(std::int64_t steps) const {
    const auto some = [&](std::int64_t n) { return n >= 0 && n <= steps; };
    const auto many = [](std::int64_t n) {
      return n >= 0 && n <= std::numeric_limits<std::int64_t>::max() / 2;
    };
    return some(failed_steps) && some(fallback_steps) && many(fallback_sweeps) &&
           many(fallback_passes) && many(iterations) && iterations_max >= 0;
  }

  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    auto& [first, failed_steps, fallback_steps, fallback_sweeps, fallback_passes, fallback_gap_max,
           iterations, iterations_max, residual_max, residual_law_max, residual_momentum_max,
           rigid_residual_max, first_failure, worst_failure, wall] = self;
    bytes(first, failed_steps, fallback_steps, fallback_sweeps, fallback_passes, fallback_gap_max,
          iterations, iterations_max, residual_max, residual_law_max, residual_momentum_max,
          rigid_residual_max, first_failure, worst_failure, wall);
  }
};

// All that lives from step to step beside the system and the controller. What is added to the loop
// and remembers something belongs in here, and into exchange() with it.
struct LoopState {
  RunawayGuard guard;
  JointCommand command;  // a controller may leave entries as they were
  StopConditions stop;
  Tally tally;

  static constexpr std::uint32_t version = 2;

  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    auto& [guard, command, stop, tally] = self;
    bytes.section("loop", version);
    RunawayGuard::exchange(bytes, guard);
    auto& [tau, k_P, phi_d, k_D, phidot_d, tau_max] = command;
    bytes(tau, k_P, phi_d, k_D, phidot_d, tau_max);
    StopConditions::exchange(bytes, stop);
    Tally::exchange(bytes, tally);
  }
};

std::int64_t last_step(const Simulation& simulation) {
  return std::llround(simulation.scenario.duration / simulation.system->dt());
}

// False: the model keeps no checkpoints.
bool save_checkpoint(const Simulation& simulation, const LoopState& loop, ByteWriter& bytes) {
  LoopState::exchange(bytes, loop);
  bytes.section("controller", 1);
  simulation.controller->save_state(bytes);
  return simulation.system->save_state(bytes);
}

void restore_checkpoint(Simulation& simulation, LoopState& loop, std::string_view checkpoint) {
  ByteReader bytes(checkpoint, "checkpoint");
  LoopState::exchange(bytes, loop);
  bytes.section("controller", 1);
  simulation.controller->restore_state(bytes);
  simulation.system->restore_state(bytes);
  bytes.finish();
  const std::int64_t k = simulation.system->step_count();
  const std::int64_t last = last_step(simulation);
  if (loop.tally.first < 0 || loop.tally.first > k || k > last) {
    bytes.refuse(fmt::format("it was taken after step {} of {}", k, last));
  }
  if (!loop.tally.fits(k - loop.tally.first) || !loop.stop.fits(k)) {
    bytes.refuse("it counts what no run could");
  }
}

// What was said at load about this word, for an error that comes of it.
std::string said_at_load(const Simulation& simulation, std::string_view word) {
  const auto found = std::ranges::find_if(simulation.warnings, [&](const std::string& warning) {
    return warning.find(word) != std::string::npos;
  });
  return found == simulation.warnings.end() ? std::string() : " (" + *found + ")";
}

std::string explain_runaway(const Simulation& simulation, const RunawayGuard& guard, double t) {
  const auto joints = static_cast<int>(simulation.scenario.robot.link.size()) - 1;
  const int axes = joints > 0 ? simulation.system->joint_count() / joints : 1;  // of a joint
  const scenario::Controller& controller = simulation.scenario.controller;
  const bool servo = controller.name == "pd";
  std::string text = fmt::format(
      "runaway at t = {:.6g} s: joint {} and others moved faster than {:.4g} rad/s for {} s; ", t,
      guard.angle() / axes + 1, guard.limit(), runaway_time);
  const std::string said = said_at_load(simulation, "explicit");
  if (said.empty() && controller.noise != scenario::Noise{}) {
    return text + "solver.dt is within what the gains allow: what is measured is mostly noise";
  }
  text += fmt::format("the explicit {} is unstable at dt = {} s{}; take a smaller solver.dt or {}",
                      servo ? "servo" : "controller", simulation.system->dt(), said,
                      servo ? "controller.servo = \"implicit\"" : "smaller gains");
  return text;
}

// With what was said at load that such a step may come of: r_T of the thesis' iteration, very many
// links, torques held for too long a step.
std::string explain_step(const Simulation& simulation, const StepInfo& info, double t) {
  const std::string_view quantity = info.quantity;
  std::string where;
  if (!quantity.empty()) {
    where = info.index > 0 ? fmt::format(" ({} {})", quantity, info.index)
                           : fmt::format(" ({})", quantity);
  }
  std::string said = said_at_load(simulation, "solver.thesis.r_T");
  said += said_at_load(simulation, "explicit");
  if (info.status == Status::non_finite) {
    return fmt::format("a value is not finite after the step to t = {:.6g} s{}{}", t, where, said);
  }
  if (simulation.scenario.world.smooth_friction) {
    return fmt::format(
        "the integration to t = {:.6g} s gave up after {} steps{}{}; a wider "
        "world.friction_smoothing, smaller gains or other tolerances in [solver.smooth] may help",
        t, info.iterations, where, said);
  }
  return fmt::format(
      "the step to t = {:.6g} s did not converge: residual {:.3g} after {} iterations{}{}{}", t,
      info.residual, info.iterations, where, said, said_at_load(simulation, "robot.links"));
}

// Torques that no motor of the robot's size has, as a controller without a limit may ask for.
void warn_of_torque(const scenario::Scenario& scenario, RunOutcome& outcome) {
  const auto find = [&](std::string_view name) {
    const auto item = std::ranges::find(outcome.summary, name, &SummaryItem::name);
    return item == outcome.summary.end() ? 0.0 : item->value;
  };
  double weight = 0.0;
  double length = 0.0;
  for (const scenario::Link& link : scenario.robot.link) {
    weight += link.mass * 9.81;
    length += link.length;
  }
  const double torque = find("max_torque");
  if (!(torque > weight * length)) return;
  outcome.warnings.push_back(fmt::format(
      "joint torques of up to {:.4g} N m, at t = {:.4g} s: more than holds the whole robot out at "
      "the end of an arm of its own length ({:.3g} N m); no motor of its size has that, "
      "controller.torque_limit cuts it off",
      torque, find("max_torque_time"), weight * length));
}

}  // namespace

// One step from A to E of length dt, t = k·dt:
//   1. references at E (those at A are the last step's)     gait
//   2. command of the step from state at A and references   controller
//   3. state at E                                           system
//      (a model that is integrated has the controller at work inside the step: 2 and 3 in one)
//   4. judge the step, watch for a runaway
//   5. a frame, if one falls on E; the end, if a condition of [stop] holds there
//   6. a checkpoint, if one is wanted after E
RunOutcome run(Simulation& simulation, std::span<FrameSink* const> sinks,
               const RunOptions& options) {
  System& system = *simulation.system;
  const scenario::Scenario& scenario = simulation.scenario;
  const double dt = system.dt();
  const int joints = system.joint_count();
  const std::int64_t last = last_step(simulation);

  Eigen::VectorXd phi(joints);
  Eigen::VectorXd phidot(joints);
  Eigen::VectorXd phi_d_A(joints);
  Eigen::VectorXd phidot_d_A(joints);
  Eigen::VectorXd phi_d_E(joints);
  Eigen::VectorXd phidot_d_E(joints);
  Eigen::VectorXd phidd_d_A =
      Eigen::VectorXd::Constant(joints, std::numeric_limits<double>::quiet_NaN());
  BaseState base;
  std::vector<double> values(static_cast<std::size_t>(frame_size(system.observables())));
  FrameSchedule schedule(dt, scenario.record.rate_hz);
  LoopState loop{RunawayGuard(!scenario.controller.implicit_servo && !system.takes_feedback(),
                              simulation.gait->max_rate(), scenario.controller.start_time, dt),
                 JointCommand(joints), StopConditions(scenario, system),
                 Tally{.first = system.step_count()}};
  if (!options.resume.empty()) {
    restore_checkpoint(simulation, loop, options.resume);
    schedule.pass(system.step_count());
  }
  auto& [guard, command, stop, tally] = loop;
  std::optional<LoopFeedback> feedback;  // at work inside the step, where the model can have it so
  if (system.takes_feedback() && simulation.controller->continuous()) {
    feedback.emplace(system, *simulation.gait, *simulation.controller,
                     scenario.controller.start_time, options.interrupt);
  }
  const CheckpointSchedule checkpoints(dt, scenario.record.checkpoint_s);
  const std::int64_t begun = system.step_count();

  RunOutcome outcome;
  outcome.warnings = simulation.warnings;

  const auto take_frame = [&] {
    lap(options.profile, Phase::bookkeeping);
    if (!sinks.empty()) system.observe(values);
    for (FrameSink* sink : sinks) sink->frame(system, values);
    system.start_frame();
    lap(options.profile, Phase::recording);
  };

  system.set_profile(options.profile);
  if (options.profile != nullptr) options.profile->start();
  const double wall_before = tally.wall;
  const Clock::time_point begin = Clock::now();
  const auto take_checkpoint = [&] {
    tally.wall = wall_before + std::chrono::duration<double>(Clock::now() - begin).count();
    ByteWriter bytes;
    if (save_checkpoint(simulation, loop, bytes)) options.checkpoints->checkpoint(bytes.bytes());
    lap(options.profile, Phase::recording);
  };

  Clock::time_point reported = begin;
  simulation.gait->evaluate(system.time(), phi_d_A, phidot_d_A);
  system.joint_state(phi, phidot);
  if (schedule.due(begun)) take_frame();

  std::int64_t k = begun;
  while (k < last) {
    if (options.interrupt != nullptr && options.interrupt->load(std::memory_order_relaxed)) {
      outcome.status = RunStatus::interrupted;
      outcome.message = fmt::format("interrupted at t = {:.6g} s", system.time());
      if (options.checkpoints != nullptr) take_checkpoint();
      break;
    }
    const double t_A = static_cast<double>(k) * dt;
    const double t_E = static_cast<double>(k + 1) * dt;
    lap(options.profile, Phase::bookkeeping);
    simulation.gait->evaluate(t_E, phi_d_E, phidot_d_E);
    lap(options.profile, Phase::references);
    StepInfo info;
    if (feedback) {
      try {
        info = system.step_under(*feedback, phi_d_E);
      } catch (const LoopFeedback::Interrupted&) {
        continue;  // the state is still that at A
      }
    } else {
      const bool model_based = simulation.controller->model_based();
      if (model_based) simulation.gait->evaluate_acceleration(t_A, phidd_d_A);
      const bool has_base = model_based && system.base_state(base);
      command.phi_d = phi_d_E;
      command.phidot_d = phidot_d_E;
      simulation.controller->update({.t = t_A,
                                     .dt = dt,
                                     .phi = phi,
                                     .phidot = phidot,
                                     .phi_d_A = phi_d_A,
                                     .phidot_d_A = phidot_d_A,
                                     .phi_d_E = phi_d_E,
                                     .phidot_d_E = phidot_d_E,
                                     .phidd_d_A = phidd_d_A,
                                     .base = has_base ? &base : nullptr,
                                     .system = system},
                                    command);
      lap(options.profile, Phase::controller);
      info = system.step(command);
    }
    // The state is still that at A: no step was taken, nor could one be.
    if (info.status == Status::non_finite || system.step_count() == k) {
      ++tally.failed_steps;
      outcome.status = RunStatus::failed;
      outcome.message = explain_step(simulation, info, t_E);
      break;
    }
    ++k;
    tally.iterations += info.iterations;
    if (info.fallback_sweeps > 0) {
      ++tally.fallback_steps;
      tally.fallback_sweeps += info.fallback_sweeps;
      tally.fallback_passes += info.fallback_passes;
      tally.fallback_gap_max = std::max(tally.fallback_gap_max, info.gap);
    }
    tally.iterations_max = std::max(tally.iterations_max, info.iterations);
    tally.residual_max = std::max(tally.residual_max, info.residual);
    tally.residual_law_max = std::max(tally.residual_law_max, info.residual_law);
    tally.residual_momentum_max = std::max(tally.residual_momentum_max, info.residual_momentum);
    tally.rigid_residual_max = std::max(tally.rigid_residual_max, info.rigid_residual);
    if (info.status != Status::ok) {
      if (tally.failed_steps++ == 0) tally.first_failure = t_E;
      tally.worst_failure = std::max(tally.worst_failure, info.residual);
      if (scenario.solver.stop_on_failure) {
        outcome.status = RunStatus::failed;
        outcome.message = explain_step(simulation, info, t_E) +
                          "; solver.on_failure = \"warn\" goes on in spite of it";
        break;
      }
    }
    system.joint_state(phi, phidot);
    if (guard.triggered(t_E, phidot)) {
      outcome.status = RunStatus::failed;
      outcome.message = explain_runaway(simulation, guard, t_E);
      break;
    }
    if (schedule.due(k)) take_frame();
    if (stop.triggered(system)) {
      outcome.stopped_by = stop.key();
      outcome.message = stop.message();
      break;
    }
    phi_d_A.swap(phi_d_E);
    phidot_d_A.swap(phidot_d_E);
    if (options.checkpoints != nullptr && checkpoints.due(k) &&
        options.checkpoints->wants_checkpoint()) {
      take_checkpoint();
    }

    if (options.progress && k % clock_interval == 0) {
      const Clock::time_point now = Clock::now();
      if (std::chrono::duration<double>(now - reported).count() >= progress_interval) {
        reported = now;
        const double wall = std::chrono::duration<double>(now - begin).count();
        options.progress({.time = t_E,
                          .duration = scenario.duration,
                          .real_time_factor = static_cast<double>(k - begun) * dt / wall});
      }
    }
  }
  lap(options.profile, Phase::bookkeeping);
  system.set_profile(nullptr);
  outcome.wall_seconds = wall_before + std::chrono::duration<double>(Clock::now() - begin).count();

  const std::int64_t steps = k - tally.first;
  if (tally.failed_steps > 0 && outcome.status != RunStatus::failed) {
    outcome.warnings.push_back(fmt::format(
        "{} of {} steps did not converge: first at t = {:.6g} s, largest residual {:.3g}",
        tally.failed_steps, steps, tally.first_failure, tally.worst_failure));
  }
  outcome.iterations_mean =
      steps > 0 ? static_cast<double>(tally.iterations) / static_cast<double>(steps) : 0.0;
  outcome.iterations_max = tally.iterations_max;
  outcome.summary = system.summary();
  warn_of_torque(scenario, outcome);
  outcome.summary.push_back({"residual_max", tally.residual_max, ""});
  outcome.summary.push_back({"residual_law_max", tally.residual_law_max, ""});
  outcome.summary.push_back({"residual_momentum_max", tally.residual_momentum_max, ""});
  outcome.summary.push_back({"rigid_residual_max", tally.rigid_residual_max, ""});
  outcome.summary.push_back({"failed_steps", static_cast<double>(tally.failed_steps), ""});
  outcome.summary.push_back({"fallback_steps", static_cast<double>(tally.fallback_steps), ""});
  outcome.summary.push_back({"fallback_sweeps", static_cast<double>(tally.fallback_sweeps), ""});
  if (scenario.solver.law == "rigid") {  // the only law with proximal passes
    outcome.summary.push_back({"fallback_passes", static_cast<double>(tally.fallback_passes), ""});
    outcome.summary.push_back({"fallback_gap_max", tally.fallback_gap_max, ""});
  }
  outcome.summary.push_back({"steps", static_cast<double>(steps), ""});
  outcome.summary.push_back(
      {"real_time_factor",
       outcome.wall_seconds > 0.0 ? static_cast<double>(steps) * dt / outcome.wall_seconds : 0.0,
       ""});
  outcome.final_state = system.state_hash();
  return outcome;
}

}  // namespace coluber::simulation
