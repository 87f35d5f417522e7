// Studies: jobs without time, by the name of their subcommand.
#include "coluber/simulation/study.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "coluber/record/replay_sink.hpp"
#include "coluber/record/run_folder.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/scenario/scenario.hpp"

#include "arrays.hpp"
#include "signals.hpp"
#include "simulation.hpp"

namespace coluber::python {

namespace {

// The study's frames and figures; `folder`, unless None, becomes a run folder too.
nb::dict run_study(const std::string& name, const scenario::Scenario& scenario, nb::handle folder,
                   bool force) {
  simulation::StudyJob job = simulation::make_study(name, scenario);
  record::TrajectorySink trajectory;
  record::ReplaySink replay(job.scenario.title, job.study->rate_hz());
  std::vector<simulation::FrameSink*> sinks{&trajectory, &replay};
  std::optional<record::RunFolder> out;
  if (!folder.is_none()) {
    out.emplace(to_path(folder), job,
                record::RunFolderOptions{.force = force, .options = {{"study", name}}});
    sinks.push_back(&*out);
  }
  simulation::RunOutcome outcome;
  {
    SignalWatch watch;
    try {
      const nb::gil_scoped_release release;
      outcome = simulation::run(job, sinks, watch.flag());
      if (out) static_cast<void>(out->finish(outcome));
    } catch (const std::exception& error) {
      if (out) out->abandon(error.what());
      throw;
    }
    if (outcome.status == simulation::RunStatus::interrupted) {
      watch.handle();
      throw Error(outcome.message);
    }
  }
  nb::dict dict = to_dict(outcome);
  const record::Trajectory& t = trajectory.trajectory();
  const std::size_t count = t.frames();
  const std::size_t length[] = {count};
  const std::size_t shape[] = {count, count > 0 ? t.values.size() / count : 0};
  dict["observables"] = describe(t.observables);
  dict["time"] = make_array(std::vector<double>(t.time), length);
  dict["values"] = make_array(std::vector<double>(t.values), shape);
  const record::Replay packed = replay.replay();
  dict["replay"] =
      nb::make_tuple(to_python(packed.header), nb::bytes(packed.data.data(), packed.data.size()));
  dict["report"] = to_python(job.study->report());
  dict["json"] = to_python(job.study->json());
  return dict;
}

}  // namespace

void bind_study(nb::module_& m) {
  m.def("run_study", &run_study, nb::arg("name"), nb::arg("scenario"), nb::arg("folder").none(),
        nb::arg("force"),
        nb::sig("def run_study(name: str, scenario: Scenario, folder: str | os.PathLike[str] | "
                "None, force: bool) -> dict[str, Any]"),
        "Computes all frames of a study.");
}

}  // namespace coluber::python
