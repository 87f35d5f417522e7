// scenario::Scenario: load, parse, and what the Python class needs to take it apart.
#include "coluber/scenario/scenario.hpp"

#include <fmt/format.h>
#include <nanobind/stl/vector.h>

#include "coluber/keys/registry.hpp"
#include "coluber/simulation/registry.hpp"

#include "bind.hpp"

namespace coluber::python {

namespace {

using scenario::Scenario;

std::vector<const keys::Section*> sections_of(const Scenario& scenario) {
  // the registry is filled when it is first asked for models
  static_cast<void>(simulation::models());
  return keys::registry().sections_of(
      {.model = scenario.model, .gait = scenario.gait, .controller = scenario.controller});
}

// `resolved` has the name and the hash of files whose contents count; these are their places.
nb::dict files(const Scenario& given) {
  Scenario scenario = given;  // OptionSet::of() makes what is missing
  nb::dict found;
  for (const keys::Section* section : sections_of(scenario)) {
    for (const keys::Row& row : section->rows()) {
      if (!row.key.by_contents) continue;
      const keys::Node value = row.write(section->address(scenario.options.of(*section)));
      if (value.kind != keys::Node::Kind::text || value.text.empty()) continue;
      found[to_python(row.key.name)] =
          to_python(std::filesystem::absolute(value.text).lexically_normal().string());
    }
  }
  return found;
}

}  // namespace

void bind_scenario(nb::module_& m) {
  nb::class_<Scenario>(m, "Scenario", "A validated scenario, as the C++ library holds it.")
      .def_prop_ro("title", [](const Scenario& s) { return to_python(s.title); })
      .def_ro("duration", &Scenario::duration)
      .def_ro("seed", &Scenario::seed)
      .def_prop_ro("model", [](const Scenario& s) { return to_python(s.model); })
      .def_prop_ro("gait", [](const Scenario& s) { return to_python(s.gait); })
      .def_prop_ro("controller", [](const Scenario& s) { return to_python(s.controller); })
      .def_prop_ro("path", [](const Scenario& s) { return to_python(s.path.string()); })
      .def_prop_ro("text", [](const Scenario& s) { return to_python(s.text); })
      .def_prop_ro("resolved", [](const Scenario& s) { return to_python(s.resolved); })
      .def_prop_ro("hash", [](const Scenario& s) { return to_hex(s.hash); })
      .def_prop_ro("files", &files, nb::sig("def files(self) -> dict[str, str]"))
      .def_prop_ro(
          "given",
          [](const Scenario& s) {
            nb::list keys;
            for (const auto& [key, where] : s.locations) keys.append(to_python(key));
            return keys;
          },
          nb::sig("def given(self) -> list[str]"))
      .def_prop_ro(
          "warnings",
          [](const Scenario& s) {
            nb::list texts;
            for (const keys::Warning& warning : s.warnings) texts.append(to_python(warning.text));
            return texts;
          },
          nb::sig("def warnings(self) -> list[str]"));
  m.def(
      "load",
      [](nb::handle file, const std::vector<std::string>& overrides) {
        const std::filesystem::path path = to_path(file);
        nb::gil_scoped_release release;
        return scenario::load(path, overrides);
      },
      nb::arg("file"), nb::arg("overrides"),
      nb::sig("def load(file: str | os.PathLike[str], overrides: list[str]) -> Scenario"));
  m.def(
      "parse",
      [](const std::string& text, nb::handle folder, const std::vector<std::string>& overrides,
         const std::string& name) {
        const std::filesystem::path path = to_path(folder);
        nb::gil_scoped_release release;
        return scenario::parse(text, path, overrides, name);
      },
      nb::arg("text"), nb::arg("folder"), nb::arg("overrides"), nb::arg("name"),
      nb::sig("def parse(text: str, folder: str | os.PathLike[str], overrides: list[str], "
              "name: str) -> Scenario"));
}

}  // namespace coluber::python
