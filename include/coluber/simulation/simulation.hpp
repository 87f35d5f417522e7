#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coluber/control/controller.hpp"
#include "coluber/core/export.hpp"
#include "coluber/core/profile.hpp"
#include "coluber/core/system.hpp"
#include "coluber/gait/gait.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::simulation {

/// A scenario come alive. Replace `gait` or `controller` by your own before `run`.
struct Simulation {
  scenario::Scenario scenario;
  std::unique_ptr<System> system;
  std::unique_ptr<gait::Gait> gait;
  std::unique_ptr<control::Controller> controller;
  std::vector<std::string> warnings;  ///< found at load, e.g. the explicit servo's limit on dt
};

/// Builds robot, world, gait and controller. Throws InputError (start inside an obstacle, …).
COLUBER_EXPORT Simulation make_simulation(const scenario::Scenario& scenario);

/// Receives the frames of a run.
class COLUBER_EXPORT FrameSink {
 public:
  FrameSink() = default;
  FrameSink(const FrameSink&) = delete;
  FrameSink& operator=(const FrameSink&) = delete;
  virtual ~FrameSink() = default;
  /// A frame: the state of `system` at its time(), values as `System::observe` wrote them.
  virtual void frame(const System& system, std::span<const double> values) = 0;
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
  std::function<void(const Progress&)> progress;  ///< called a few times a second
  Profile* profile = nullptr;                     ///< takes the time by phase, if there is one
};

/// What became of a run.
struct [[nodiscard]] RunOutcome {
  RunStatus status = RunStatus::completed;
  std::string message;     ///< why it ended early: time, quantity, link; "" if it did not
  std::string stopped_by;  ///< the key of [stop] that ended a completed run early; else ""
  std::vector<std::string> warnings;  ///< in order of appearance
  std::vector<SummaryItem>
      summary;  ///< design contract: distance, mean_speed, …, failed_steps, steps
  double iterations_mean = 0.0;
  int iterations_max = 0;
  double wall_seconds = 0.0;      ///< of the stepping loop
  std::uint64_t final_state = 0;  ///< hash
};

/// Runs to the scenario's duration or until a condition of its [stop] holds. Frame k is the step
/// nearest to k/rate_hz; an end between two frames adds none.
COLUBER_EXPORT RunOutcome run(Simulation& simulation, std::span<FrameSink* const> sinks,
                              const RunOptions& options = {});

}  // namespace coluber::simulation
