#include "coluber/simulation/stepper.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/gait/held.hpp"

#include "simulation/driver.hpp"
#include "simulation/explain.hpp"
#include "simulation/fingerprint.hpp"
#include "simulation/schedule.hpp"
#include "simulation/stop.hpp"
#include "simulation/tally.hpp"

namespace coluber::simulation {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t clock_interval = 16;  // steps between two looks at the clock
constexpr double progress_interval = 0.1;    // s of wall time
constexpr const char* continues_anyway = "; solver.on_failure = \"warn\" continues in spite of it";
constexpr std::uint32_t checkpoint_version = 6;
constexpr std::uint32_t state_version = 1;

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

// All that lives from step to step beside the parts of the simulation. What is added here and
// remembered belongs into save() and restore() too.
struct Stepper::Impl {
  explicit Impl(Simulation& given)
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
    Clock::time_point begin, reported;
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

  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    bytes.section("loop", checkpoint_version);
    StopConditions::exchange(bytes, self.stop);
    Tally::exchange(bytes, self.tally);
    bytes(self.past_stop);
  }
  bool save(ByteWriter& bytes) const;
  void restore(ByteReader& bytes);
  void restore_or_stay(ByteReader& bytes);
  const Fingerprint& print();
  void follow(const gait::Gait& gait);
};

bool Stepper::Impl::save(ByteWriter& bytes) const {
  exchange(bytes, *this);
  driver->save(bytes);
  bytes.section("references", 1);
  bytes(holder != nullptr);
  if (holder != nullptr) bytes(held);
  bytes.section("gait", 1);
  if (simulation.gait != nullptr) simulation.gait->save_state(bytes);
  bytes.section("controller", 1);
  if (simulation.controller != nullptr) simulation.controller->save_state(bytes);
  return system.save_state(bytes);
}

void Stepper::Impl::restore(ByteReader& bytes) {
  exchange(bytes, *this);
  driver->restore(bytes);
  bytes.section("references", 1);
  bool holds = false;
  bytes(holds);
  Eigen::VectorXd phi_d(driver->reference_count());
  if (holds) {
    bytes(phi_d);
    if (!phi_d.allFinite()) bytes.refuse("a reference is not finite");
  }
  bytes.section("gait", 1);
  if (simulation.gait != nullptr) simulation.gait->restore_state(bytes);
  bytes.section("controller", 1);
  if (simulation.controller != nullptr) simulation.controller->restore_state(bytes);
  // before the system: it may forget what comes back with its state
  const bool held_before = holder != nullptr;
  if (holds) {
    held = phi_d;
    auto next = std::make_unique<gait::Held>(std::move(phi_d));
    driver->follow(*next);
    holder = std::move(next);
  } else if (held_before && simulation.gait != nullptr) {
    driver->follow(*simulation.gait);
    holder.reset();
  }
  system.restore_state(bytes);
  bytes.finish();
  const std::int64_t k = system.step_count();
  const std::int64_t first = tally.first();
  if (first < 0 || first > k) {
    bytes.refuse(fmt::format("it was taken after step {}, and begun at step {}", k, first));
  }
  if (!tally.fits(k - first) || !stop.fits(k)) bytes.refuse("it counts what no run could");
  started = false;
  next_sink = 0;
}

// Where the bytes do not fit, everything is as it was.
void Stepper::Impl::restore_or_stay(ByteReader& bytes) {
  ByteWriter before;
  const bool kept = save(before);
  const bool was_started = started;
  const std::size_t sink = next_sink;
  try {
    restore(bytes);
  } catch (...) {
    if (kept) {
      ByteReader back(before.bytes(), "");
      restore(back);
      started = was_started;
      next_sink = sink;
    }
    throw;
  }
  schedule = FrameSchedule(system.dt(), simulation.scenario.record.rate_hz);
}

const Fingerprint& Stepper::Impl::print() {
  if (!fingerprint) fingerprint.emplace(simulation);
  return *fingerprint;
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
      stepped.last = driver->step(t_A, t_E, profile);
    } catch (const Driver::Interrupted&) {
      continue;  // the state is still that at A
    }
    const StepInfo& info = stepped.last;
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
    std::string runaway = driver->look_after(t_E);
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
    if (!runaway.empty()) {
      stepped.end = StepEnd::failed;
      message = std::move(runaway);
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

std::string Stepper::save_state() const {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  ByteWriter bytes;
  impl.print().save(bytes);
  const double wall = std::exchange(impl.tally.wall, 0.0);
  const std::int64_t untimed = std::exchange(impl.tally.untimed, 0);
  const bool kept = impl.save(bytes);
  impl.tally.wall = wall;
  impl.tally.untimed = untimed;
  if (!kept) {
    throw Error(fmt::format("the model \"{}\" keeps no state", impl.simulation.scenario.model));
  }
  return seal("state", state_version, bytes.bytes());
}

void Stepper::restore_state(std::string_view bytes) {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  ByteReader payload(unseal("state", state_version, bytes, "state"), "state");
  impl.print().require(payload);
  impl.restore_or_stay(payload);
  impl.tally.untimed = impl.system.step_count() - impl.tally.first();
}

std::string Stepper::keep() const {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  ByteWriter bytes;
  if (!impl.save(bytes)) {
    throw Error(fmt::format("the model \"{}\" keeps no state", impl.simulation.scenario.model));
  }
  return bytes.bytes();
}

void Stepper::put_back(const std::string& kept) {
  Impl& impl = *impl_;
  const Impl::Claim claim(impl);
  ByteReader bytes(kept, "state");
  impl.restore(bytes);
  impl.schedule = FrameSchedule(impl.system.dt(), impl.simulation.scenario.record.rate_hz);
}

Simulation& Stepper::simulation() const { return impl_->simulation; }

}  // namespace coluber::simulation
