#include "reproduce/judge.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/core/thread_pool.hpp"
#include "coluber/record/drawing_sink.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/simulation/simulation.hpp"
#include "coluber/simulation/study.hpp"

namespace coluber::app {
namespace {

/// Simulates the scenario, or does the study that the run is for.
simulation::RunOutcome do_run(DoneRun& run, const std::vector<simulation::FrameSink*>& sinks) {
  if (run.command.empty()) {
    auto simulation = simulation::make_simulation(run.scenario);
    return simulation::run(simulation, sinks);
  }
  const auto job =
      std::make_shared<simulation::StudyJob>(simulation::make_study(run.command, run.scenario));
  auto outcome = simulation::run(*job, sinks);
  run.answer = job->study->json();
  run.time_parts = [job] { return job->study->time_parts(5, 0.0); };
  return outcome;
}

void compute_run(DoneRun& run) {
  try {
    record::TrajectorySink sink;
    record::DrawingSink drawing;
    std::vector<simulation::FrameSink*> sinks{&sink};
    if (run.drawn) sinks.push_back(&drawing);
    const auto outcome = do_run(run, sinks);
    run.trajectory = sink.trajectory();
    run.drawing = drawing.take();
    run.summary = outcome.summary;
    if (outcome.status != simulation::RunStatus::completed)
      run.failure = outcome.message.empty() ? "the run did not complete" : outcome.message;
  } catch (const std::exception& error) {
    run.failure = error.what();
  }
}

/// Steps of a run, to tell long ones from short ones.
double step_count(const scenario::Scenario& scenario) {
  const auto keys = nlohmann::json::parse(scenario.resolved);
  return scenario.duration / keys.value("/solver/dt"_json_pointer, 1e-3);
}

/// The ways that all runs of the claim are done in.
std::vector<const Way*> ways_of(const ClaimFile& file, const Claim& claim) {
  std::vector<const Way*> ways;
  const auto names = runs_needed(claim);
  for (const auto& way : file.ways)
    if (std::ranges::all_of(
            names, [&](const auto& name) { return done_in(file.runs.find(name)->second, way); }))
      ways.push_back(&way);
  return ways;
}

std::string in_full(const MeasureValue& value) {
  if (const auto* links = std::get_if<std::vector<int>>(&value))
    return fmt::format("{{{}}}", fmt::join(*links, ", "));
  return fmt::format("{:.6g}", std::get<double>(value));
}

}  // namespace

RunStore::Key RunStore::key_of(const ClaimRun& run, const Way& way) {
  auto changes = run.set;
  if (!run.as_it_is) changes.insert(changes.end(), way.set.begin(), way.set.end());
  return {run.scenario.string(), run.command, std::move(changes)};
}

void RunStore::request(const ClaimRun& run, const Way& way) {
  auto key = key_of(run, way);
  if (runs_.contains(key)) return;
  auto done = std::make_unique<DoneRun>();
  done->scenario = scenario::load(run.scenario, std::get<2>(key));
  done->command = run.command;
  runs_.emplace(std::move(key), std::move(done));
}

void RunStore::keep_drawing(const ClaimRun& run, const Way& way) {
  if (const auto found = runs_.find(key_of(run, way)); found != runs_.end())
    found->second->drawn = true;
}

void RunStore::compute(int threads) {
  // the runs with most steps first: the last one to end ends soon after the others
  std::vector<std::pair<double, DoneRun*>> queue;
  for (auto& [key, run] : runs_) queue.emplace_back(step_count(run->scenario), run.get());
  std::sort(queue.begin(), queue.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  ThreadPool(threads).for_each(queue.size(), [&](std::size_t k) { compute_run(*queue[k].second); });
}

const DoneRun& RunStore::at(const ClaimRun& run, const Way& way) const {
  const auto found = runs_.find(key_of(run, way));
  if (found == runs_.end())
    throw Error(fmt::format("run {} was not asked for in the way \"{}\"", run.name, way.name));
  return *found->second;
}

bool usable(const ClaimRun& run, const DoneRun& done) {
  return done.failure.empty() || (run.may_fail && done.trajectory.frames() > 0);
}

bool fulfils(const MeasureValue& value, const Bounds& bounds) {
  if (const auto* links = std::get_if<std::vector<int>>(&value))
    return bounds.equals && *links == *bounds.equals;
  const double number = std::get<double>(value);
  // written so that a NaN fulfils nothing
  return !bounds.equals && (!bounds.at_least || number >= *bounds.at_least) &&
         (!bounds.at_most || number <= *bounds.at_most) && std::isfinite(number);
}

void request_runs(const ClaimFile& file, const Claim& claim, RunStore& store) {
  for (const auto& name : runs_needed(claim))
    for (const auto& way : ways_of(file, claim)) store.request(file.runs.find(name)->second, *way);
}

Verdict judge(const ClaimFile& file, const Claim& claim, const RunStore& store) {
  Verdict verdict;
  verdict.claim = &claim;
  verdict.judged = claim.judged.empty() ? file.ways.back().name : claim.judged;
  verdict.status = ClaimStatus::not_reproducible;
  if (!claim.is_measured()) return verdict;

  const auto measure = [&](const MeasureSpec& spec, const std::string& run, const Way& way) {
    return measure::compute_measure(spec, run, [&](const std::string& name) -> const MeasuredRun& {
      const auto found = file.runs.find(name);
      if (found == file.runs.end()) throw Error("the measure does not say which run it is of");
      const auto& done = store.at(found->second, way);
      if (!usable(found->second, done))
        throw Error(fmt::format("the run {} failed: {}", name, done.failure));
      return done;
    });
  };
  const bool comparable = claim.recorded != ClaimStatus::not_reproducible;
  if (comparable) verdict.status = ClaimStatus::differs;
  const std::string& control_run = claim.control_run.empty() ? claim.run : claim.control_run;
  const MeasureSpec& control_measure =
      claim.control_measure.empty() ? claim.measure : claim.control_measure;
  for (const auto* way : ways_of(file, claim)) {
    try {
      verdict.values.emplace_back(way->name, measure(claim.measure, claim.run, *way));
      if (claim.kind == ClaimKind::behaviour)
        verdict.controls.emplace_back(way->name, measure(control_measure, control_run, *way));
    } catch (const Error& error) {
      verdict.failures.push_back(fmt::format("{}: {}", way->name, error.what()));
    }
  }
  if (!verdict.failures.empty()) return verdict;

  // where one way decides, the others are told beside it and held to nothing
  const auto held = [&](std::string_view way) {
    return claim.judged.empty() || way == claim.judged;
  };

  const auto holds = [&](const MeasureValue& value) {
    if (claim.kind != ClaimKind::behaviour && claim.published)
      return std::abs(std::get<double>(value) - *claim.published) <= claim.tolerance;
    if (!claim.holds.empty()) return fulfils(value, claim.holds);
    // nothing but a figure without numbers: an independent computation stands for it
    return std::abs(std::get<double>(value) - *claim.expected) <= claim.band;
  };
  // what the source does not give is held to our own value and stays what it is
  if (comparable && holds(*verdict.measured())) verdict.status = ClaimStatus::reproduced;
  if (verdict.status > claim.recorded)
    verdict.failures.push_back(fmt::format("status {}, recorded is {}", to_string(verdict.status),
                                           to_string(claim.recorded)));

  if (claim.kind == ClaimKind::behaviour) {
    for (const auto& [way, value] : verdict.values)
      if (held(way) && claim.recorded != ClaimStatus::differs && !holds(value))
        verdict.failures.push_back(
            fmt::format("{}: {} does not show the behaviour", way, in_full(value)));
    for (const auto& [way, value] : verdict.controls)
      if (held(way) && fulfils(value, claim.holds))
        verdict.failures.push_back(fmt::format(
            "{}: the negative control shows the behaviour too ({})", way, in_full(value)));
    return verdict;
  }
  for (const auto& [way, value] : verdict.values) {
    const double number = std::get<double>(value);
    if (held(way) && !(std::abs(number - *claim.expected) <= claim.band))
      verdict.failures.push_back(fmt::format("{}: {:.6g} has left {:g} ± {:g} {}", way, number,
                                             *claim.expected, claim.band, claim.unit));
  }
  return verdict;
}

}  // namespace coluber::app
