#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "coluber/core/shown.hpp"

namespace coluber::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_scenario(nb::module_& m);
void bind_command(nb::module_& m);
void bind_simulation(nb::module_& m);
void bind_study(nb::module_& m);
void bind_record(nb::module_& m);
void bind_batch(nb::module_& m);

/// Text as Python has it; bytes that are no UTF-8 are replaced.
nb::str to_python(std::string_view text);
/// A file name that Python has given: str, bytes or os.PathLike.
std::filesystem::path to_path(nb::handle path);
/// 16 hex digits, as run.json writes a hash.
std::string to_hex(std::uint64_t hash);
/// A list of (name, unit, doc, shape, components).
nb::list describe(const std::vector<Observable>& observables);
/// The name nearest to `name`, as ", did you mean x?"; "" if none is near.
std::string did_you_mean(const std::string& name, const std::vector<Observable>& observables);

/// Raises coluber.InputError with one fault without a place.
[[noreturn]] void refuse(const std::string& key, const std::string& message,
                         const std::string& hint = "");

}  // namespace coluber::python
