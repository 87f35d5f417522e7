#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "coluber/drive/stepping.hpp"

#include "simulation/explain.hpp"
#include "simulation/stepper_impl.hpp"

namespace coluber::simulation {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t clock_interval = 16;  // steps between two looks at the clock
constexpr double progress_interval = 0.1;    // s of wall time
constexpr const char* continues_anyway = "; solver.on_failure = \"warn\" continues in spite of it";

// A simulation put together by hand need not have any options.
template <typename T>
T given_or_default(const scenario::Scenario& scenario) {
  const T* given = scenario.find<T>();
  return given != nullptr ? *given : T{};
}

double start_time(const Simulation& simulation) {
  return simulation.controller != nullptr ? simulation.controller->start_time() : 0.0;
}

System& require_system(const Simulation& simulation) {
  if (simulation.system == nullptr) throw Error("a simulation needs a system to step");
  return *simulation.system;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Stepper::Impl::Impl(Simulation& given)
    : simulation(given),
      system(require_system(given)),
      stop_on_failure(given_or_default<drive::Stepping>(given.scenario).on_failure ==
                      drive::OnFailure::stop),
      stop(given_or_default<drive::Stop>(given.scenario), start_time(given), system),
      tally(system.figures(), system.step_count()),
      driver(make_driver(given)),
      schedule(system.dt(), given.scenario.record.rate_hz) {
  show();
  schedule.pass(system.step_count() - 1);
}

void Stepper::Impl::follow(const gait::Gait& gait) {
  driver->follow(gait);
  started = false;  // the references at the start of the next step are this gait's
}

void Stepper::Impl::take_frame(Recording& recording) {
  Profile* profile = recording.options.profile;
  lap(profile, Phase::bookkeeping);
  if (!recording.sinks.empty()) shown->observe(values);
  while (next_sink < recording.sinks.size()) {
    FrameSink* sink = recording.sinks[next_sink++];
    sink->frame(system.time(), *shown, values);
  }
  next_sink = 0;
  shown->start_frame();
  lap(profile, Phase::recording);
}

void Stepper::Impl::take_checkpoint(Recording& recording) {
  tally.wall = recording.wall_before + seconds_since(recording.begin);
  ByteWriter bytes;
  if (save(bytes)) recording.options.checkpoints->checkpoint(bytes.bytes());
  lap(recording.options.profile, Phase::recording);
}

void Stepper::Impl::report(Recording& recording, std::int64_t k) {
  const Clock::time_point now = Clock::now();
  if (std::chrono::duration<double>(now - recording.reported).count() < progress_interval) return;
  recording.reported = now;
  const double wall = std::chrono::duration<double>(now - recording.begin).count();
  const double simulated = static_cast<double>(k - recording.begun) * system.dt();
  recording.options.progress({.time = system.time(),
                              .duration = simulation.scenario.duration,
                              .real_time_factor = simulated / wall});
}

// One step from A to E of length dt, t = k·dt:
//   1. the driver takes it: references, the controller's command, the system's step
//   2. count it, judge it, watch for a runaway; the references move on
//   3. a frame, if one falls on E; the end, if a condition of [stop] holds there
//   4. a checkpoint, if one is wanted after E
// What may throw comes before a step, in 1, where the state is that at A, or after 2.
Stepped Stepper::Impl::advance(std::int64_t last, Recording* recording) {
  const double dt = system.dt();
  Profile* const profile = recording != nullptr ? recording->options.profile : nullptr;
  const bool records = recording != nullptr && !recording->sinks.empty();
  CheckpointSink* const sink = recording != nullptr ? recording->options.checkpoints : nullptr;
  const CheckpointSchedule checkpoints(dt, simulation.scenario.record.checkpoint_s);

  Stepped stepped;
  StepInfo info;
  std::int64_t k = system.step_count();
  const std::int64_t begun = k;
  while (k < last) {
    if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed)) {
      stepped.end = StepEnd::interrupted;
      message = fmt::format("interrupted at t = {:.6g} s", system.time());
      if (sink != nullptr) take_checkpoint(*recording);
      break;
    }
    const double t_A = static_cast<double>(k) * dt;
    const double t_E = static_cast<double>(k + 1) * dt;
    lap(profile, Phase::bookkeeping);
    if (records && schedule.falls_on(k + 1)) system.expect_frame();
    try {
      info = driver->step(t_A, t_E, profile);
    } catch (const Driver::Interrupted&) {
      continue;  // the state is still that at A
    }
    // The state is still that at A: no step was taken, nor could one be.
    if (info.status == Status::non_finite || system.step_count() == k) {
      tally.add_failure(info, t_E);
      ++stepped.failed_steps;
      beyond = system.step_count() - k;
      stepped.end = StepEnd::failed;
      message = explain_step(simulation, info, t_E);
      if (info.refused) message += continues_anyway;
      break;
    }
    ++k;
    tally.add(info);
    const bool sound = driver->look_after(t_E, message);
    driver->advance();
    if (info.status != Status::ok) {
      tally.add_failure(info, t_E);
      ++stepped.failed_steps;
      if (stop_on_failure) {
        stepped.end = StepEnd::failed;
        message = explain_step(simulation, info, t_E) + continues_anyway;
        break;
      }
    }
    if (!sound) {
      stepped.end = StepEnd::failed;
      break;
    }
    if (recording != nullptr && schedule.due(k)) take_frame(*recording);
    if (!past_stop && stop.triggered(system)) {
      past_stop = true;
      stepped.end = StepEnd::stopped;
      stopped_by = stop.key();
      message = stop.message();
      break;
    }
    if (recording == nullptr) continue;
    if (sink != nullptr && checkpoints.due(k) && sink->wants_checkpoint()) {
      take_checkpoint(*recording);
    }
    if (recording->options.progress && k % clock_interval == 0) report(*recording, k);
  }
  stepped.last = info;
  stepped.steps = k - begun;
  end = stepped.end;
  return stepped;
}

RunOutcome Stepper::Impl::outcome() const {
  RunOutcome outcome;
  outcome.status = end == StepEnd::failed        ? RunStatus::failed
                   : end == StepEnd::interrupted ? RunStatus::interrupted
                                                 : RunStatus::completed;
  outcome.message = message;
  outcome.stopped_by = stopped_by;
  outcome.wall_seconds = tally.wall;
  const auto warn = [&](std::string warning) {
    if (!warning.empty()) outcome.warnings.push_back(std::move(warning));
  };
  const auto warn_all = [&](std::vector<std::string> warnings) {
    for (std::string& warning : warnings) warn(std::move(warning));
  };
  for (const drive::Warning& warning : simulation.warnings) warn(warning.text);
  const std::int64_t steps = system.step_count() - beyond - tally.first();
  if (outcome.status != RunStatus::failed) warn(tally.failures(steps));

  outcome.summary = shown->summary();
  warn_all(warn_of_torque(simulation, outcome.summary));
  warn_all(driver->warnings());
  warn_all(system.warnings());
  if (simulation.controller != nullptr) warn_all(simulation.controller->warnings());
  outcome.step_figures = tally.means();
  warn(warn_of_unsolved(simulation, outcome.step_figures));
  warn(warn_of_rigid_residual(outcome.step_figures));
  for (SummaryItem& item : tally.summary()) outcome.summary.push_back(std::move(item));
  const auto count = [&](const char* name, std::int64_t value) {
    outcome.summary.push_back({name, static_cast<double>(value), "", true});
  };
  count("failed_steps", tally.failed_steps());
  count("steps", steps);
  const double timed = static_cast<double>(steps - tally.untimed) * system.dt();
  outcome.summary.push_back({"real_time_factor", tally.wall > 0.0 ? timed / tally.wall : 0.0});
  outcome.final_state = system.state_hash();
  return outcome;
}

Stepper::Stepper(Simulation& simulation) : impl_(std::make_unique<Impl>(simulation)) {}
Stepper::Stepper(Stepper&&) noexcept = default;
Stepper& Stepper::operator=(Stepper&&) noexcept = default;
Stepper::~Stepper() = default;

Stepped Stepper::step(std::int64_t n) {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  impl.begin_call();
  impl.next_sink = 0;
  impl.start();
  impl.shown->start_frame();
  const std::int64_t k = impl.system.step_count();
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() - k;
  struct Untimed {
    Impl& impl;
    std::int64_t from;
    ~Untimed() { impl.tally.untimed += impl.system.step_count() - from; }
  } const untimed{impl, k};
  return impl.advance(k + std::clamp<std::int64_t>(n, 0, most), nullptr);
}

const std::string& Stepper::message() const { return impl_->message; }
const std::string& Stepper::stopped_by() const { return impl_->stopped_by; }

RunOutcome Stepper::run(std::span<FrameSink* const> sinks, const RunOptions& options) {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  System& system = impl.system;
  const std::int64_t last = std::llround(impl.simulation.scenario.duration / system.dt());
  if (!options.resume.empty()) {
    ByteReader bytes(options.resume, "checkpoint");
    impl.restore_or_stay(bytes);
    const std::int64_t k = system.step_count();
    if (k > last) bytes.refuse(fmt::format("it was taken after step {} of {}", k, last));
    impl.schedule.pass(k);
  }
  impl.begin_call();

  // detached again, whatever throws
  struct Attached {
    Impl& impl;
    const std::atomic<bool>* interrupt;
    double wall_before;
    Clock::time_point begin;
    ~Attached() {
      impl.system.set_profile(nullptr);
      impl.interrupt = interrupt;
      impl.driver->watch(interrupt);
      impl.tally.wall = wall_before + seconds_since(begin);
    }
  };
  {
    if (impl.next_sink == 0) impl.schedule.pass(system.step_count() - 1);
    system.set_profile(options.profile);
    if (options.profile != nullptr) options.profile->start();
    const Attached attached{impl, impl.interrupt, impl.tally.wall, Clock::now()};
    if (options.interrupt != nullptr) {
      impl.interrupt = options.interrupt;
      impl.driver->watch(options.interrupt);
    }
    Impl::Recording recording{sinks,          options,         attached.begin,
                              attached.begin, impl.tally.wall, system.step_count()};
    impl.start();
    if (impl.next_sink > 0 || impl.schedule.due(recording.begun)) impl.take_frame(recording);
    static_cast<void>(impl.advance(last, &recording));
    lap(options.profile, Phase::bookkeeping);
  }
  return impl.outcome();
}

void Stepper::set_interrupt(const std::atomic<bool>* interrupt) {
  const Impl::Claim claim(*impl_);
  impl_->interrupt = interrupt;
  impl_->driver->watch(interrupt);
}

const Shown& Stepper::shown() const { return *impl_->shown; }

int Stepper::frame_size() const { return static_cast<int>(impl_->values.size()); }

void Stepper::observe(std::span<double> frame) {
  const Impl::Claim claim(*impl_);
  if (frame.size() != impl_->values.size()) {
    throw Error(fmt::format("the frame has {} numbers, the simulation shows {}", frame.size(),
                            impl_->values.size()));
  }
  impl_->start();
  impl_->shown->observe(frame);
}

void Stepper::set_gait(std::unique_ptr<gait::Gait> gait) {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  if (gait == nullptr) throw Error("a gait is wanted, not none");
  if (impl.simulation.gait == nullptr || impl.simulation.controller == nullptr) {
    throw Error(fmt::format("the model \"{}\" takes no gait between steps",
                            impl.simulation.scenario.model));
  }
  static_cast<void>(gait->max_rate());  // what throws, throws before anything is changed
  impl.follow(*gait);
  impl.holder.reset();
  impl.simulation.gait = std::move(gait);
  impl.show();
}

void Stepper::set_controller(std::unique_ptr<control::Controller> controller) {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  Simulation& simulation = impl.simulation;
  if (controller == nullptr) throw Error("a controller is wanted, not none");
  if (simulation.controller == nullptr) {
    throw Error(fmt::format("the model \"{}\" takes no controller", simulation.scenario.model));
  }
  const std::string why = controller->connect(impl.system, simulation.warnings);
  if (!why.empty()) {
    throw Error(fmt::format("the controller {}; the model \"{}\" does not offer that", why,
                            simulation.scenario.model));
  }
  simulation.controller.swap(controller);
  try {
    std::unique_ptr<Driver> driver = make_driver(simulation);
    driver->watch(impl.interrupt);
    if (impl.holder != nullptr) {
      driver->follow(*impl.holder);
    } else if (simulation.gait != nullptr) {
      driver->follow(*simulation.gait);
    }
    impl.driver = std::move(driver);
  } catch (...) {
    simulation.controller.swap(controller);
    throw;
  }
  impl.started = false;
  impl.show();
}

void Stepper::hold_references(std::span<const double> phi_d) {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  const auto wanted = static_cast<std::size_t>(impl.driver->reference_count());
  if (wanted == 0) {
    throw Error(
        fmt::format("the model \"{}\" takes no references", impl.simulation.scenario.model));
  }
  if (phi_d.size() != wanted) {
    throw Error(fmt::format("{} references were given, the robot has {} joint angles", phi_d.size(),
                            wanted));
  }
  for (std::size_t j = 0; j < wanted; ++j) {
    if (std::isfinite(phi_d[j])) continue;
    throw Error(fmt::format("reference {} is {}", j + 1, phi_d[j]));
  }
  impl.held = Eigen::Map<const Eigen::VectorXd>(phi_d.data(), static_cast<Eigen::Index>(wanted));
  if (impl.holder != nullptr) {
    impl.holder->hold(impl.held);
  } else {
    impl.holder = std::make_unique<gait::Held>(impl.held);
  }
  impl.follow(*impl.holder);
}

void Stepper::follow_gait() {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  if (impl.holder == nullptr) return;
  impl.follow(*impl.simulation.gait);
  impl.holder.reset();
}

bool Stepper::holds_references() const { return impl_->holder != nullptr; }

int Stepper::reference_count() const { return impl_->driver->reference_count(); }

Simulation& Stepper::simulation() const { return impl_->simulation; }

}  // namespace coluber::simulation
