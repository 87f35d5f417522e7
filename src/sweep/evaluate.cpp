#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <exception>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "coluber/core/error.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/simulation/simulation.hpp"
#include "coluber/sweep/row.hpp"

namespace coluber::sweep {

namespace {

/// Processor time of this thread (s).
double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += ';';
    } else {
      line += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return line;
}

/// Key and message, no place: files lie elsewhere on another machine.
std::string reason_of(const InputError& error) {
  const auto& faults = error.faults();
  if (faults.empty()) return "";
  const Diagnostic& first = faults.front();
  std::string reason =
      first.key.empty() ? first.message : fmt::format("{}: {}", first.key, first.message);
  if (faults.size() > 1) reason += fmt::format(" (and {} more)", faults.size() - 1);
  return in_one_line(reason);
}

/// The run of one point. False if it was interrupted.
bool run_point(const Sweep& sweep, const Point& point, const EvaluateOptions& options, Row& row) {
  simulation::Simulation simulation = simulation::make_simulation(sweep.options(point));
  const double steps = simulation.scenario.duration / simulation.system->dt();
  if (steps > sweep.limits().steps) {
    row.status = Status::refused;
    row.reason =
        fmt::format("limits.steps: {:.0f} steps are more than {:.0f}", steps, sweep.limits().steps);
    return true;
  }
  record::TrajectorySink frames;
  const std::array<simulation::FrameSink*, 1> sinks{&frames};
  simulation::RunOptions run;
  run.interrupt = options.interrupt;
  // a bound on the wall time looks at the clock beside the steps
  std::atomic<bool> stop = false;
  bool late = false;
  if (std::isfinite(sweep.limits().wall_s)) {
    const auto begin = std::chrono::steady_clock::now();
    run.interrupt = &stop;
    run.progress = [&, begin](const simulation::Progress&) {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      late = late || passed.count() > sweep.limits().wall_s;
      if (late || (options.interrupt != nullptr && options.interrupt->load())) stop = true;
    };
  }
  auto outcome = sweep.reads_frames()
                     ? simulation::run(simulation, sinks, run)
                     : simulation::run(simulation, std::span<simulation::FrameSink* const>(), run);
  if (outcome.status == simulation::RunStatus::interrupted) {
    if (!late) return false;
    row.status = Status::timeout;
    row.reason = fmt::format("limits.wall_s: longer than {} s", sweep.limits().wall_s);
  } else if (outcome.status == simulation::RunStatus::failed) {
    row.status = Status::failed;
    row.reason = in_one_line(outcome.message);
  }
  row.steps = simulation.system->step_count();
  row.final_state = fmt::format("{:016x}", outcome.final_state);
  const measure::MeasuredRun measured{frames.take(), std::move(outcome.summary)};
  for (std::size_t k = 0; k < row.values.size(); ++k) {
    std::string why;
    row.values[k] = sweep.compute(k, measured, why);
    if (!why.empty() && row.reason.empty()) row.reason = in_one_line(why);
  }
  return true;
}

}  // namespace

std::optional<Row> evaluate(const Sweep& sweep, const Point& point,
                            const EvaluateOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpu = thread_seconds();
  Row row;
  row.point = point.number;
  row.hash = point.hash;
  row.values.assign(sweep.columns().size(), std::numeric_limits<double>::quiet_NaN());
  row.host = host_name();
  row.process = ::getpid();
  try {
    if (!run_point(sweep, point, options, row)) return {};
  } catch (const InputError& error) {
    row.status = Status::refused;
    row.reason = reason_of(error);
  } catch (const std::bad_alloc&) {
    row.status = Status::failed;
    row.reason = "out of memory";
  } catch (const std::exception& error) {
    row.status = Status::failed;
    row.reason = in_one_line(error.what());
  }
  row.cpu_s = thread_seconds() - cpu;
  row.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return row;
}

std::vector<std::string> evaluate_lines(const Sweep& sweep, std::span<const std::int64_t> points,
                                        const EvaluateOptions& options) {
  std::vector<std::string> lines;
  for (const std::int64_t number : points) {
    const auto row = evaluate(sweep, sweep.point(number), options);
    if (!row) break;
    lines.push_back(to_line(*row));
  }
  return lines;
}

}  // namespace coluber::sweep
