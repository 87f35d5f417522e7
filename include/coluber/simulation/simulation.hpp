#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/control/controller.hpp"
#include "coluber/core/export.hpp"
#include "coluber/core/profile.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/build.hpp"
#include "coluber/gait/gait.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::simulation {

/// A scenario come alive. Replace `gait` or `controller` by your own before `run`.
struct COLUBER_EXPORT Simulation {
  scenario::Scenario scenario;
  std::unique_ptr<System> system;
  std::unique_ptr<gait::Gait> gait;                 ///< null where the model takes none
  std::unique_ptr<control::Controller> controller;  ///< null where the model takes none
  std::vector<drive::Warning> warnings{};  ///< found at load, e.g. the explicit servo's limit on dt

  /// System, controller and gait, in this order: what is recorded and drawn. For as long as the
  /// simulation and its parts live.
  [[nodiscard]] ShownTogether shown() const;
};

/// Builds robot, world, gait and controller. Throws InputError (start inside an obstacle, a
/// controller that asks for what the model does not offer, more frames than a disk holds, …).
COLUBER_EXPORT Simulation make_simulation(const scenario::Scenario& scenario);

/// Receives the frames of a run.
class COLUBER_EXPORT FrameSink {
 public:
  FrameSink() = default;
  FrameSink(const FrameSink&) = delete;
  FrameSink& operator=(const FrameSink&) = delete;
  virtual ~FrameSink() = default;
  /// A frame: what is shown at time `t` (s), values as `Shown::observe` wrote them.
  virtual void frame(double t, const Shown& shown, std::span<const double> values) = 0;
};

/// Receives the checkpoints of a run.
class COLUBER_EXPORT CheckpointSink {
 public:
  CheckpointSink() = default;
  CheckpointSink(const CheckpointSink&) = delete;
  CheckpointSink& operator=(const CheckpointSink&) = delete;
  virtual ~CheckpointSink() = default;
  /// Asked every `record.checkpoint_s` of simulated time: is one wanted now? Making and keeping one
  /// costs wall time, the run's numbers do not depend on the answer.
  virtual bool wants_checkpoint() = 0;
  /// All the run needs to continue after the frames it has given so far; for `RunOptions::resume`.
  virtual void checkpoint(std::string_view bytes) = 0;
};

/// How a run ended.
enum class RunStatus : std::uint8_t { completed, interrupted, failed };

/// How far a run is.
struct Progress {
  double time = 0.0;              ///< simulated (s)
  double duration = 0.0;          ///< s
  double real_time_factor = 0.0;  ///< simulated over wall time
};

/// What a caller of run() may ask for.
struct RunOptions {
  const std::atomic<bool>* interrupt =
      nullptr;  ///< set from a signal handler: stop after this step
  std::function<void(const Progress&)> progress{};  ///< called a few times a second
  Profile* profile = nullptr;                       ///< takes the time by phase, if there is one
  /// Given a checkpoint now and then, and one more when the run is interrupted.
  CheckpointSink* checkpoints = nullptr;
  /// Continues after this checkpoint of the same simulation: frames, summary and final state are
  /// bit-identical to those of a run that was never interrupted. Empty: starts at the beginning.
  std::string_view resume{};
};

/// What became of a run.
struct [[nodiscard]] RunOutcome {
  RunStatus status = RunStatus::completed;
  std::string message{};     ///< why it ended early: time, quantity, link; "" if it did not
  std::string stopped_by{};  ///< the key of [stop] that ended a completed run early; else ""
  std::vector<std::string> warnings{};  ///< in order of appearance
  /// Figures of the system, controller and gait, then those of the steps: residual_max, …,
  /// failed_steps, steps, real_time_factor.
  std::vector<SummaryItem> summary{};
  /// Mean and largest of what each step had, by name: "iterations".
  struct StepMean {
    std::string name;
    double mean = 0.0;
    double largest = 0.0;
  };
  std::vector<StepMean> step_figures{};
  double wall_seconds = 0.0;      ///< of the stepping loop
  std::uint64_t final_state = 0;  ///< hash
};

/// Runs to the scenario's duration or until a condition of its [stop] holds. Frame k is the step
/// nearest to k/rate_hz; an end between two frames adds none. Throws FileError if `options.resume`
/// does not fit the simulation.
COLUBER_EXPORT RunOutcome run(Simulation& simulation, std::span<FrameSink* const> sinks,
                              const RunOptions& options = {});

}  // namespace coluber::simulation
