#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "coluber/drive/stepping.hpp"
#include "coluber/simulation/simulation.hpp"

#include "simulation/driver.hpp"
#include "simulation/explain.hpp"
#include "simulation/schedule.hpp"
#include "simulation/stop.hpp"
#include "simulation/tally.hpp"

namespace coluber::simulation {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t clock_interval = 16;  // steps between two looks at the clock
constexpr double progress_interval = 0.1;    // s of wall time
constexpr const char* continues_anyway = "; solver.on_failure = \"warn\" continues in spite of it";
constexpr std::uint32_t checkpoint_version = 5;

std::int64_t last_step(const Simulation& simulation) {
  return std::llround(simulation.scenario.duration / simulation.system->dt());
}

// A simulation put together by hand need not have any options.
template <typename T>
T given_or_default(const scenario::Scenario& scenario) {
  const T* given = scenario.find<T>();
  return given != nullptr ? *given : T{};
}

double start_time(const Simulation& simulation) {
  return simulation.controller != nullptr ? simulation.controller->start_time() : 0.0;
}

// All that lives from step to step beside the system and the controller. What is added to the loop
// and remembers something belongs in here, and into save() and restore() with it.
struct LoopState {
  StopConditions stop;
  Tally tally;
  std::unique_ptr<Driver> driver;

  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    bytes.section("loop", checkpoint_version);
    StopConditions::exchange(bytes, self.stop);
    Tally::exchange(bytes, self.tally);
  }
};

// False: the model keeps no checkpoints.
bool save_checkpoint(const Simulation& simulation, const LoopState& loop, ByteWriter& bytes) {
  LoopState::exchange(bytes, loop);
  loop.driver->save(bytes);
  bytes.section("controller", 1);
  if (simulation.controller != nullptr) simulation.controller->save_state(bytes);
  return simulation.system->save_state(bytes);
}

void restore_checkpoint(Simulation& simulation, LoopState& loop, std::string_view checkpoint) {
  ByteReader bytes(checkpoint, "checkpoint");
  LoopState::exchange(bytes, loop);
  loop.driver->restore(bytes);
  bytes.section("controller", 1);
  if (simulation.controller != nullptr) simulation.controller->restore_state(bytes);
  simulation.system->restore_state(bytes);
  bytes.finish();
  const std::int64_t k = simulation.system->step_count();
  const std::int64_t last = last_step(simulation);
  const std::int64_t first = loop.tally.first();
  if (first < 0 || first > k || k > last) {
    bytes.refuse(fmt::format("it was taken after step {} of {}", k, last));
  }
  if (!loop.tally.fits(k - first) || !loop.stop.fits(k)) {
    bytes.refuse("it counts what no run could");
  }
}

void put_together_summary(const Simulation& simulation, const Shown& shown, const Tally& tally,
                          const Driver& driver, std::int64_t steps, RunOutcome& outcome) {
  outcome.summary = shown.summary();
  for (std::string& warning : warn_of_torque(simulation, outcome.summary)) {
    outcome.warnings.push_back(std::move(warning));
  }
  for (std::string& warning : driver.warnings()) {
    if (!warning.empty()) outcome.warnings.push_back(std::move(warning));
  }
  for (std::string& warning : simulation.system->warnings()) {
    outcome.warnings.push_back(std::move(warning));
  }
  if (simulation.controller != nullptr) {
    for (std::string& warning : simulation.controller->warnings()) {
      outcome.warnings.push_back(std::move(warning));
    }
  }
  outcome.step_figures = tally.means();
  if (std::string warning = warn_of_unsolved(simulation, outcome.step_figures); !warning.empty()) {
    outcome.warnings.push_back(std::move(warning));
  }
  if (std::string warning = warn_of_rigid_residual(outcome.step_figures); !warning.empty()) {
    outcome.warnings.push_back(std::move(warning));
  }
  for (SummaryItem& item : tally.summary()) outcome.summary.push_back(std::move(item));
  const auto count = [&](const char* name, std::int64_t value) {
    outcome.summary.push_back({name, static_cast<double>(value), "", true});
  };
  count("failed_steps", tally.failed_steps());
  count("steps", steps);
  const double simulated = static_cast<double>(steps) * simulation.system->dt();
  outcome.summary.push_back(
      {"real_time_factor", outcome.wall_seconds > 0.0 ? simulated / outcome.wall_seconds : 0.0});
}

}  // namespace

// One step from A to E of length dt, t = k·dt:
//   1. the driver takes it: references, the controller's command, the system's step
//   2. judge the step, watch for a runaway
//   3. a frame, if one falls on E; the end, if a condition of [stop] holds there
//   4. a checkpoint, if one is wanted after E
RunOutcome run(Simulation& simulation, std::span<FrameSink* const> sinks,
               const RunOptions& options) {
  System& system = *simulation.system;
  const scenario::Scenario& scenario = simulation.scenario;
  const double dt = system.dt();
  const std::int64_t last = last_step(simulation);
  const auto stepping = given_or_default<drive::Stepping>(scenario);
  const bool stop_on_failure = stepping.on_failure == drive::OnFailure::stop;

  ShownTogether shown = simulation.shown();
  std::vector<double> values(static_cast<std::size_t>(frame_size(shown.observables())));
  FrameSchedule schedule(dt, scenario.record.rate_hz);
  LoopState loop{
      StopConditions(given_or_default<drive::Stop>(scenario), start_time(simulation), system),
      Tally(system.figures(), system.step_count()), make_driver(simulation, options.interrupt)};
  if (!options.resume.empty()) {
    restore_checkpoint(simulation, loop, options.resume);
    schedule.pass(system.step_count());
  }
  auto& [stop, tally, driver] = loop;
  const CheckpointSchedule checkpoints(dt, scenario.record.checkpoint_s);
  const std::int64_t begun = system.step_count();

  RunOutcome outcome;
  for (const drive::Warning& warning : simulation.warnings)
    outcome.warnings.push_back(warning.text);

  const auto take_frame = [&] {
    lap(options.profile, Phase::bookkeeping);
    if (!sinks.empty()) shown.observe(values);
    for (FrameSink* sink : sinks) sink->frame(system.time(), shown, values);
    shown.start_frame();
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
  driver->start();
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
    if (!sinks.empty() && schedule.falls_on(k + 1)) system.expect_frame();
    StepInfo info;
    try {
      info = driver->step(t_A, t_E, options.profile);
    } catch (const Driver::Interrupted&) {
      continue;  // the state is still that at A
    }
    // The state is still that at A: no step was taken, nor could one be.
    if (info.status == Status::non_finite || system.step_count() == k) {
      tally.add_failure(info, t_E);
      outcome.status = RunStatus::failed;
      outcome.message = explain_step(simulation, info, t_E);
      if (info.refused) outcome.message += continues_anyway;
      break;
    }
    ++k;
    tally.add(info);
    if (info.status != Status::ok) {
      tally.add_failure(info, t_E);
      if (stop_on_failure) {
        outcome.status = RunStatus::failed;
        outcome.message = explain_step(simulation, info, t_E) + continues_anyway;
        break;
      }
    }
    if (std::string why = driver->look_after(t_E); !why.empty()) {
      outcome.status = RunStatus::failed;
      outcome.message = std::move(why);
      break;
    }
    if (schedule.due(k)) take_frame();
    if (stop.triggered(system)) {
      outcome.stopped_by = stop.key();
      outcome.message = stop.message();
      break;
    }
    driver->advance();
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

  const std::int64_t steps = k - tally.first();
  if (std::string text = tally.failures(steps);
      !text.empty() && outcome.status != RunStatus::failed) {
    outcome.warnings.push_back(std::move(text));
  }
  put_together_summary(simulation, shown, tally, *driver, steps, outcome);
  outcome.final_state = system.state_hash();
  return outcome;
}

}  // namespace coluber::simulation
