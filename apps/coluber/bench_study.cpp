// Scenes of `coluber bench` that are for a command: one instant, computed over and over.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/study.hpp"

#include "bench_row.hpp"

namespace coluber::app {

namespace {

constexpr double kRound = 5e-3;  // s: how long each timed round of a part lasts at least

// Contacts of the first family of arrows (the others repeat them), and the largest residual.
class StudyWatcher final : public simulation::FrameSink {
 public:
  void frame(double /*t*/, const Shown& shown, std::span<const double> values) override {
    const std::vector<ArrowFamily>& families = shown.arrows();
    if (!families.empty()) {
      slots_.resize(families[0].bodies.size() * static_cast<std::size_t>(families[0].slots));
      shown.contacts(0, slots_);
      for (const ContactSlot& slot : slots_) contacts_ += std::isnan(slot.point.x()) ? 0.0 : 1.0;
    }
    std::size_t at = 0;
    for (const Observable& observable : shown.observables()) {
      if (observable.name == "qp_residual") residual_ = std::max(residual_, values[at]);
      at += static_cast<std::size_t>(observable.size());
    }
    frames_ += 1.0;
  }
  [[nodiscard]] double contacts() const { return contacts_ / frames_; }
  [[nodiscard]] double residual() const { return residual_; }

 private:
  std::vector<ContactSlot> slots_;
  double contacts_ = 0.0;
  double residual_ = 0.0;
  double frames_ = 0.0;
};

}  // namespace

BenchRow measure_study(const BenchScene& scene, int n, int repeat) {
  simulation::StudyJob job =
      simulation::make_study(scene.command, scenario::load(scene.scenario, scene.changes(n)));
  StudyWatcher watcher;
  simulation::FrameSink* const sinks[] = {&watcher};
  const simulation::RunOutcome seen = simulation::run(job, sinks);
  if (seen.status != simulation::RunStatus::completed) {
    throw Error(fmt::format("{}, n = {}: {}", scene.name, n, seen.message));
  }
  BenchRow out;
  out.name = scene.name;
  out.n = n;
  if (!scene.law.empty()) out.law = scene.law;
  if (!scene.solver.empty()) out.solver = scene.solver;
  out.contacts_mean = watcher.contacts();
  out.residual_max = watcher.residual();
  const std::vector<simulation::StudyPart> parts = job.study->time_parts(repeat, kRound);
  if (parts.empty()) {
    throw Error(fmt::format("{}: {} does not time its parts", scene.name, scene.command));
  }
  for (const simulation::StudyPart& part : parts) {
    const double us = 1e6 * part.seconds;
    if (part.name == "assembly") out.assembly_us = us;
    if (part.name == "qp") out.qp_us = us;
    if (part.name == "qp_warm") out.qp_warm_us = us;
  }
  out.us_per_step = out.assembly_us + out.qp_us;
  return out;
}

}  // namespace coluber::app
