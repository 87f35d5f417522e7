#include "coluber/simulation/study.hpp"

#include <chrono>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace coluber::simulation {

RunOutcome run(StudyJob& job, std::span<FrameSink* const> sinks,
               const std::atomic<bool>* interrupt) {
  const auto begin = std::chrono::steady_clock::now();
  Study& study = *job.study;
  std::vector<double> values(static_cast<std::size_t>(frame_size(study.observables())));
  RunOutcome outcome;
  for (const drive::Warning& warning : job.warnings) outcome.warnings.push_back(warning.text);
  const std::size_t frames = study.frame_count();
  for (std::size_t k = 0; k < frames; ++k) {
    if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed)) {
      outcome.status = RunStatus::interrupted;
      outcome.message = fmt::format("interrupted after {} of {} frames", k, frames);
      break;
    }
    study.go_to(k);
    if (!sinks.empty()) study.observe(values);
    for (FrameSink* sink : sinks) sink->frame(study.time(), study, values);
    study.start_frame();
  }
  outcome.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (outcome.status == RunStatus::completed) {
    outcome.message = study.failure();
    if (!outcome.message.empty()) outcome.status = RunStatus::failed;
  }
  for (std::string& text : study.warnings()) outcome.warnings.push_back(std::move(text));
  outcome.summary = study.summary();
  return outcome;
}

}  // namespace coluber::simulation
