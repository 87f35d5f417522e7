// coluber._core.Simulation and StepInfo.
#include <fmt/format.h>

#include "simulation.hpp"

namespace coluber::python {

namespace {

using simulation::StepEnd;

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  return nb::inst_ptr<Engine>(self)->traverse(visit, arg);
}

int clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<Engine>(self)->clear();
  return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {0, nullptr}};

const System& readable(const Engine& engine) {
  engine.check_readable();
  return engine.system();
}

const char* word_of(StepEnd end) {
  switch (end) {
    case StepEnd::done:
      return "done";
    case StepEnd::stopped:
      return "stopped";
    case StepEnd::interrupted:
      return "interrupted";
    case StepEnd::failed:
      return "failed";
  }
  return "";
}

nb::dict figures(const StepReport& report) {
  nb::dict dict;
  for (std::size_t i = 0; i < report.figure_count; ++i) {
    dict[to_python((*report.names)[i].name)] = report.figures[i];
  }
  return dict;
}

void bind_info(nb::module_& m) {
  nb::class_<StepReport>(m, "StepInfo", "What a call of step() did.")
      .def_prop_ro(
          "end", [](const StepReport& r) { return word_of(r.end); },
          nb::sig("def end(self) -> str"),
          "Why it came back: \"done\", \"stopped\" by a condition of [stop], or \"failed\".")
      .def_prop_ro(
          "ok", [](const StepReport& r) { return r.end == StepEnd::done && r.failed_steps == 0; },
          nb::sig("def ok(self) -> bool"), "Every step was taken and came out.")
      .def_prop_ro(
          "status", [](const StepReport& r) { return to_python(to_string(r.status)); },
          nb::sig("def status(self) -> str"),
          "Of the last step tried: \"ok\", \"not converged\", \"not finite\" or \"not taken\".")
      .def_ro("steps", &StepReport::steps, "Steps taken.")
      .def_ro("failed_steps", &StepReport::failed_steps,
              "Steps that did not converge, or could not be taken.")
      .def_prop_ro(
          "quantity", [](const StepReport& r) { return to_python(r.quantity); },
          nb::sig("def quantity(self) -> str"), "What was not finite or worst in the last step.")
      .def_ro("index", &StepReport::index,
              "Number of the link, joint or contact it belongs to, from 1; 0: none.")
      .def_prop_ro("figures", &figures, nb::sig("def figures(self) -> dict[str, float]"),
                   "Figures of the last step, by name: residuals, iterations.")
      .def_prop_ro(
          "message", [](const StepReport& r) { return to_python(r.message); },
          nb::sig("def message(self) -> str"), "Why it ended early; empty if it did not.")
      .def_prop_ro(
          "stopped_by", [](const StepReport& r) { return to_python(r.stopped_by); },
          nb::sig("def stopped_by(self) -> str"), "The key of [stop] that ended it; empty: none.")
      .def("__repr__", [](const StepReport& r) {
        std::string text = fmt::format("StepInfo(end='{}', status='{}', steps={}", word_of(r.end),
                                       to_string(r.status), r.steps);
        if (r.failed_steps > 0) text += fmt::format(", failed_steps={}", r.failed_steps);
        return to_python(text + ")");
      });
}

}  // namespace

void bind_simulation(nb::module_& m) {
  bind_info(m);
  nb::class_<Engine>(m, "Simulation", nb::type_slots(slots),
                     "Base of coluber.Simulation: the C++ library's stepper.")
      .def(nb::init<const scenario::Scenario&>(), nb::arg("scenario"))
      .def("step", &Engine::step, nb::arg("n") = 1,
           nb::sig("def step(self, n: int = 1) -> StepInfo"),
           "Takes `n` steps of `dt` seconds, beyond the scenario's duration too. Views are current "
           "afterwards; forces are means over these steps. It ends early where a condition of "
           "[stop] holds. Raises StepError if a step fails, unless solver.on_failure = \"warn\".")
      .def("__getitem__", &Engine::view, nb::arg("name"),
           nb::sig("def __getitem__(self, name: str, /) -> Array"),
           "A read-only view of an observable (SI units). It is made once and follows the "
           "simulation: copy what you keep. It outlives the simulation.")
      .def_prop_ro(
          "time", [](const Engine& e) { return readable(e).time(); }, "Simulated time (s).")
      .def_prop_ro(
          "dt", [](const Engine& e) { return e.system().dt(); }, "Length of a step (s).")
      .def_prop_ro(
          "step_count", [](const Engine& e) { return readable(e).step_count(); },
          "Steps taken since the start: time = step_count * dt.")
      .def_prop_ro(
          "joint_count", &Engine::reference_count,
          "Joint angles that references and torques are for; 0 where the model takes none.")
      .def_prop_ro("shaft_count", &Engine::shaft_count, "Driven wheels.")
      .def_prop_ro(
          "state_hash", [](const Engine& e) { return to_hex(readable(e).state_hash()); },
          "Hash of the state, 16 hex digits: equal states have equal hashes, bit for bit. It is "
          "`final_state` of run.json.")
      .def(
          "_observables", [](const Engine& e) { return describe(e.observables()); },
          nb::sig("def _observables(self) -> list[tuple[str, str, str, tuple[int, ...], "
                  "tuple[str, ...]]]"))
      .def("_gait", &Engine::gait, nb::sig("def _gait(self) -> object"))
      .def("_set_gait", &Engine::set_gait, nb::arg("gait").none(),
           nb::sig("def _set_gait(self, gait: object) -> None"))
      .def("_controller", &Engine::controller, nb::sig("def _controller(self) -> object"))
      .def("_set_controller", &Engine::set_controller, nb::arg("controller").none(),
           nb::sig("def _set_controller(self, controller: object) -> None"))
      .def("_set_reference", &Engine::set_reference, nb::arg("phi_d").none(),
           nb::sig("def _set_reference(self, phi_d: object) -> None"))
      .def("_save_state", &Engine::save_state, nb::sig("def _save_state(self) -> bytes"))
      .def("_restore_state", &Engine::restore_state, nb::arg("state"),
           nb::sig("def _restore_state(self, state: bytes) -> None"))
      .def("_run", &Engine::run, nb::arg("progress").none(),
           nb::sig("def _run(self, progress: Callable[[float, float, float], object] | None) -> "
                   "dict[str, Any]"))
      .def("_frames", &Engine::frames, nb::sig("def _frames(self) -> dict[str, Any]"))
      .def("_record", &Engine::record, nb::arg("folder"), nb::arg("force"), nb::arg("resume"),
           nb::arg("progress").none(),
           nb::sig("def _record(self, folder: str | os.PathLike[str], force: bool, resume: bool, "
                   "progress: Callable[[float, float, float], object] | None) -> dict[str, Any]"));
}

}  // namespace coluber::python
