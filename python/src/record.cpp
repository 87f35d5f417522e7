// Reading run folders, and packing a run for the page that replays it.
#include "coluber/record/marks.hpp"
#include "coluber/record/replay_pack.hpp"
#include "coluber/record/run_state.hpp"
#include "coluber/record/trajectory.hpp"

#include "arrays.hpp"

namespace coluber::python {

namespace {

nb::dict load(nb::handle folder) {
  const std::filesystem::path path = to_path(folder);
  record::Trajectory t;
  std::string run;
  {
    const nb::gil_scoped_release release;
    record::require_run_folder(path);
    run = record::load_run_json(path);
    t = record::load_trajectory(path);
  }
  nb::dict dict;
  const std::size_t count = t.frames();
  const std::size_t length[] = {count};
  const std::size_t shape[] = {count, count > 0 ? t.values.size() / count : 0};
  dict["run"] = to_python(run);
  dict["observables"] = describe(t.observables);
  dict["time"] = make_array(std::move(t.time), length);
  dict["values"] = make_array(std::move(t.values), shape);
  return dict;
}

}  // namespace

void bind_record(nb::module_& m) {
  m.attr("page_mark") = to_python(record::page_mark);
  m.def("load_run", &load, nb::arg("folder"),
        nb::sig("def load_run(folder: str | os.PathLike[str]) -> dict[str, Any]"),
        "run.json and all frames of a run folder.");
  m.def(
      "pack_run",
      [](nb::handle folder) {
        const std::filesystem::path path = to_path(folder);
        record::PackedRun packed;
        {
          const nb::gil_scoped_release release;
          packed = record::pack_run(path);
        }
        return to_python(packed.json);
      },
      nb::arg("folder"), nb::sig("def pack_run(folder: str | os.PathLike[str]) -> str"),
      "What a page carries of a run folder, as JSON.");
}

}  // namespace coluber::python
