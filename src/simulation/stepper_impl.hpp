#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coluber/core/error.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/simulation/stepper.hpp"

#include "simulation/driver.hpp"
#include "simulation/fingerprint.hpp"
#include "simulation/schedule.hpp"
#include "simulation/stop.hpp"
#include "simulation/tally.hpp"

namespace coluber::simulation {

/// All that lives from step to step beside the parts of the simulation. What is added here and
/// remembered belongs into save() and restore() too.
struct Stepper::Impl {
  explicit Impl(Simulation& given);

  Simulation& simulation;
  System& system;
  bool stop_on_failure;
  StopConditions stop;
  Tally tally;
  std::unique_ptr<Driver> driver;
  FrameSchedule schedule;
  std::unique_ptr<ShownTogether> shown;
  std::vector<double> values;  // of a frame
  Eigen::VectorXd held;        // references instead of the gait's; empty: none
  std::unique_ptr<gait::Held> holder;
  std::optional<Fingerprint> fingerprint;  // made when it is asked for

  bool started = false;       // the driver
  bool past_stop = false;     // a condition was reported: they are not looked at any more
  std::size_t next_sink = 0;  // of a frame that was broken off; 0: none was
  std::atomic<bool> busy{false};
  const std::atomic<bool>* interrupt = nullptr;

  // of the last call
  std::int64_t beyond = 0;  // a step that the system counted though it was not finite
  StepEnd end = StepEnd::done;
  std::string message, stopped_by;

  // What run() has going on beside the steps.
  struct Recording {
    std::span<FrameSink* const> sinks;
    const RunOptions& options;
    std::chrono::steady_clock::time_point begin, reported;
    double wall_before;  // s
    std::int64_t begun;  // step
  };

  /// Throws out of a call while another is under way.
  class Claim {
   public:
    explicit Claim(Impl& impl) : impl_(impl) {
      if (impl.busy.exchange(true, std::memory_order_acquire)) {
        throw Error(
            "this simulation is being stepped: it cannot be stepped or changed by another thread, "
            "or from inside its own callbacks");
      }
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim() { impl_.busy.store(false, std::memory_order_release); }

   private:
    Impl& impl_;
  };

  void show() {
    // it cannot be moved
    shown.reset(new ShownTogether(simulation.shown()));  // NOLINT(modernize-make-unique)
    values.resize(static_cast<std::size_t>(coluber::frame_size(shown->observables())));
  }

  void begin_call() {
    beyond = 0;
    end = StepEnd::done;
    message.clear();
    stopped_by.clear();
  }

  void start() {
    if (started) return;
    driver->start();
    started = true;
  }

  Stepped advance(std::int64_t last, Recording* recording);
  void take_frame(Recording& recording);
  void take_checkpoint(Recording& recording);
  void report(Recording& recording, std::int64_t k);
  [[nodiscard]] RunOutcome outcome() const;

  // stepper_state.cpp
  bool save(ByteWriter& bytes) const;
  void restore(ByteReader& bytes);
  void restore_or_stay(ByteReader& bytes);
  const Fingerprint& print();
  void follow(const gait::Gait& gait);
};

}  // namespace coluber::simulation
