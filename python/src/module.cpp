// The module coluber._core: the C++ library as Python sees it. Names are those of C++.
#include <fmt/format.h>
#include <nanobind/stl/vector.h>

#include "coluber/core/code_path.hpp"
#include "coluber/core/nearest.hpp"
#include "coluber/core/version.hpp"
#include "coluber/simulation/registry.hpp"

#include "bind.hpp"

namespace coluber::python {

nb::str to_python(std::string_view text) {
  PyObject* object =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (object == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(object);
}

std::filesystem::path to_path(nb::handle path) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &bytes) == 0) throw nb::python_error();
  const nb::object owner = nb::steal(bytes);
  return std::string(PyBytes_AsString(bytes), static_cast<std::size_t>(PyBytes_Size(bytes)));
}

std::string to_hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

nb::list describe(const std::vector<Observable>& observables) {
  nb::list rows;
  for (const Observable& row : observables) {
    nb::list shape;
    for (const int extent : row.shape) shape.append(extent);
    nb::list components;
    for (const std::string& label : row.components) components.append(to_python(label));
    rows.append(nb::make_tuple(to_python(row.name), to_python(row.unit), to_python(row.doc),
                               nb::tuple(shape), nb::tuple(components)));
  }
  return rows;
}

std::string did_you_mean(const std::string& name, const std::vector<Observable>& observables) {
  std::vector<std::string> names;
  for (const Observable& row : observables) names.push_back(row.name);
  const std::string guess = nearest(name, names);
  return guess.empty() ? std::string() : fmt::format(", did you mean \"{}\"?", guess);
}

namespace {

template <typename Entry>
nb::list names_and_docs(const std::vector<Entry>& entries) {
  nb::list rows;
  for (const Entry& entry : entries) {
    rows.append(nb::make_tuple(to_python(entry.keys.name), to_python(entry.keys.doc)));
  }
  return rows;
}

nb::dict build_info_dict() {
  const BuildInfo& info = build_info();
  nb::dict dict;
  dict["version"] = to_python(info.version);
  dict["revision"] = to_python(info.revision);
  dict["compiler"] = to_python(info.compiler);
  dict["build_type"] = to_python(info.build_type);
  dict["flags"] = to_python(info.flags);
  nb::dict libraries;
  for (const Library& library : info.libraries) {
    libraries[to_python(library.name)] = to_python(library.version);
  }
  dict["libraries"] = libraries;
  return dict;
}

}  // namespace

}  // namespace coluber::python

NB_MODULE(_core, m) {
  using namespace coluber::python;
  m.doc() = "The C++ library of Coluber. Use the package coluber, which is built on this module.";
  m.attr("__version__") = to_python(coluber::version());
  m.def("build_info", build_info_dict, nb::sig("def build_info() -> dict[str, object]"),
        "What made the library: version, revision, compiler, flags, libraries.");
  m.def(
      "models", [] { return names_and_docs(coluber::simulation::models()); },
      nb::sig("def models() -> list[tuple[str, str]]"),
      "Name and one line of doc of every registered model.");
  m.def(
      "gaits", [] { return names_and_docs(coluber::simulation::gaits()); },
      nb::sig("def gaits() -> list[tuple[str, str]]"), "The same of every gait.");
  m.def(
      "controllers", [] { return names_and_docs(coluber::simulation::controllers()); },
      nb::sig("def controllers() -> list[tuple[str, str]]"), "The same of every controller.");
  m.def(
      "studies", [] { return names_and_docs(coluber::simulation::studies()); },
      nb::sig("def studies() -> list[tuple[str, str]]"), "The same of every study.");
  m.def(
      "keys_json", [] { return to_python(coluber::keys::keys_json()); },
      nb::sig("def keys_json() -> str"), "Every scenario key, as JSON.");
  m.def(
      "nearest",
      [](const std::string& name, const std::vector<std::string>& names) {
        return to_python(coluber::nearest(name, names));
      },
      nb::sig("def nearest(name: str, names: list[str]) -> str"),
      "The name nearest to `name`; empty if none is near.");
  bind_errors(m);
  bind_scenario(m);
  bind_command(m);
  bind_simulation(m);
  bind_study(m);
  bind_record(m);
  bind_batch(m);
}
