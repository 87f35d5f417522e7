#include "coluber/measure/measure.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"

#include "measure/rows.hpp"

namespace coluber::measure {
namespace {

using nlohmann::json;

std::vector<Measure>& table() {
  static std::vector<Measure> rows = [] {
    std::vector<Measure> all;
    for (auto&& group : {motion_measures(), dataset_measures(), contact_measures(),
                         tracking_measures(), study_measures(), combined_measures()})
      all.insert(all.end(), group.begin(), group.end());
    return all;
  }();
  return rows;
}

const Measure* find_named(std::string_view name) {
  const auto& rows = table();
  const auto found = std::ranges::find(rows, name, &Measure::name);
  return found == rows.end() ? nullptr : &*found;
}

const Measure* find_measure(const json& spec) {
  if (!spec.is_object() || !spec.contains("name") || !spec["name"].is_string()) return nullptr;
  return find_named(spec["name"].get<std::string>());
}

// ---- checking -----------------------------------------------------------------------------------

bool is_index(const json& value) {
  return value.is_number_integer() && value.get<std::int64_t>() >= 1;
}

/// True if every entry of a list that is not empty fulfils the condition.
template <typename Condition>
bool each(const json& list, Condition condition) {
  return list.is_array() && !list.empty() && std::all_of(list.begin(), list.end(), condition);
}

bool are_numbers(const json& list, std::size_t count) {
  return list.size() == count && each(list, [](const json& v) { return v.is_number(); });
}

void check(const json& spec, bool number_wanted, std::vector<std::string>& faults);

/// True if the value is what the parameter takes; faults within a measure are told one by one.
bool fits(const json& value, const MeasureParameter& parameter, std::vector<std::string>& faults) {
  switch (parameter.kind) {
    case ParameterKind::number:
      return value.is_number();
    case ParameterKind::index:
      return is_index(value);
    case ParameterKind::indices:
      return is_index(value) || each(value, is_index);
    case ParameterKind::numbers:
      return each(value, [](const json& v) { return v.is_number(); });
    case ParameterKind::word:
      return value.is_string() &&
             std::ranges::find(parameter.words, value.get<std::string>()) != parameter.words.end();
    case ParameterKind::text:
    case ParameterKind::run:
      return value.is_string();
    case ParameterKind::component:
      return value.is_string() || is_index(value);
    case ParameterKind::texts:
    case ParameterKind::runs:
    case ParameterKind::partners:
      return each(value, [](const json& v) { return v.is_string(); });
    case ParameterKind::measure:
      check(value, true, faults);
      return true;
    case ParameterKind::measures:
      if (!value.is_array() || value.size() < 2) return false;
      for (const auto& part : value) check(part, true, faults);
      return true;
    case ParameterKind::points:
      return each(value, [](const json& v) { return are_numbers(v, 3); });
    case ParameterKind::pair:
      return are_numbers(value, 2);
  }
  return false;
}

/// Pairs of runs: one partner for each, and a word on what is made of several.
void check_pairs(const json& spec, const json& partners, const Measure& measure,
                 std::vector<std::string>& faults) {
  const auto runs = spec.contains("runs") ? spec["runs"].size() : std::size_t{1};
  if (partners.size() != runs)
    faults.push_back(fmt::format("{}: there are {} runs and {} against them", measure.name, runs,
                                 partners.size()));
  else if (runs > 1 && !spec.contains("reduce"))
    faults.push_back(fmt::format("{} of {} pairs needs reduce", measure.name, runs));
}

void check(const json& spec, bool number_wanted, std::vector<std::string>& faults) {
  const auto* measure = find_measure(spec);
  if (measure == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& row : table()) names.push_back(row.name);
    faults.push_back(fmt::format("expected name = one of {}", fmt::join(names, ", ")));
    return;
  }
  if (number_wanted && !measure->is_number)
    faults.push_back(fmt::format("{} does not give a number", measure->name));
  for (const auto& [key, value] : spec.items()) {
    if (key == "name") continue;
    if (key == "run") {
      if (!value.is_string()) faults.emplace_back("run: expected the name of a run");
      continue;
    }
    const auto known = std::ranges::find(measure->parameters, key, &MeasureParameter::name);
    if (known == measure->parameters.end())
      faults.push_back(fmt::format("{} has no parameter {}", measure->name, key));
    else if (!fits(value, *known, faults))
      faults.push_back(fmt::format("{}: {} is not what the measure takes", measure->name, key));
    else if (known->kind == ParameterKind::partners)
      check_pairs(spec, value, *measure, faults);
  }
  for (const auto& parameter : measure->parameters) {
    const bool spared = !parameter.unless.empty() && spec.contains(parameter.unless);
    if (spared && parameter.kind == ParameterKind::text && spec.contains(parameter.name))
      faults.push_back(fmt::format("{}: {} and {} are the same: give one", measure->name,
                                   parameter.name, parameter.unless));
    if (parameter.required && !spared && !spec.contains(parameter.name))
      faults.push_back(fmt::format("{} needs {}", measure->name, parameter.name));
  }
}

void gather_runs(const json& spec, std::vector<std::string>& names) {
  if (spec.is_array())
    for (const auto& part : spec) gather_runs(part, names);
  const auto* measure = find_measure(spec);
  if (measure == nullptr) return;
  const auto add = [&](const json& name) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  };
  for (const auto& [key, value] : spec.items()) {
    if (key == "run") add(value);
    const auto known = std::ranges::find(measure->parameters, key, &MeasureParameter::name);
    if (known == measure->parameters.end()) continue;
    if (known->kind == ParameterKind::run) add(value);
    if ((known->kind == ParameterKind::runs || known->kind == ParameterKind::partners) &&
        value.is_array())
      for (const auto& name : value) add(name);
    if (known->kind == ParameterKind::measure || known->kind == ParameterKind::measures)
      gather_runs(value, names);
  }
}

/// The measures that a parameter of this measure holds.
std::vector<const json*> parts_of(const json& spec, const Measure& measure) {
  std::vector<const json*> parts;
  for (const auto& parameter : measure.parameters) {
    const auto given = spec.find(parameter.name);
    if (given == spec.end()) continue;
    if (parameter.kind == ParameterKind::measure) parts.push_back(&*given);
    if (parameter.kind == ParameterKind::measures)
      for (const auto& part : *given) parts.push_back(&part);
  }
  return parts;
}

bool reads(const json& spec) {
  const auto* measure = find_measure(spec);
  if (measure == nullptr) return false;
  const auto parts = parts_of(spec, *measure);
  if (parts.empty()) return measure->reads_frames;
  return std::ranges::any_of(parts, [](const json* part) { return reads(*part); });
}

std::string find_unit(const json& spec) {
  const auto* measure = find_measure(spec);
  if (measure == nullptr) return "";
  if (!measure->unit.starts_with("that of")) return measure->unit;
  const auto parts = parts_of(spec, *measure);
  return parts.empty() ? "" : find_unit(*parts.front());
}

MeasureValue compute(const json& spec, const std::string& run, const RunLookup& lookup) {
  return find_measure(spec)->compute(MeasureCall(&spec, run, lookup));
}

}  // namespace

// ---- parameters ---------------------------------------------------------------------------------

namespace {

const json& spec_of(const void* spec) { return *static_cast<const json*>(spec); }

}  // namespace

bool MeasureCall::has(std::string_view name) const { return spec_of(spec_).contains(name); }

bool MeasureCall::is_number(std::string_view name) const {
  return spec_of(spec_).at(name).is_number();
}

double MeasureCall::number(std::string_view name) const {
  return spec_of(spec_).at(name).get<double>();
}

double MeasureCall::number(std::string_view name, double fallback) const {
  return has(name) ? number(name) : fallback;
}

int MeasureCall::index(std::string_view name) const {
  return spec_of(spec_).at(name).get<int>() - 1;
}

std::vector<int> MeasureCall::indices(std::string_view name) const {
  const auto& value = spec_of(spec_).at(name);
  if (!value.is_array()) return {index(name)};
  std::vector<int> list;
  for (const auto& each : value) list.push_back(each.get<int>() - 1);
  return list;
}

std::string MeasureCall::text(std::string_view name) const {
  return spec_of(spec_).at(name).get<std::string>();
}

std::string MeasureCall::text(std::string_view name, std::string_view fallback) const {
  return has(name) ? text(name) : std::string{fallback};
}

std::vector<std::string> MeasureCall::texts(std::string_view name) const {
  return spec_of(spec_).at(name).get<std::vector<std::string>>();
}

std::vector<double> MeasureCall::numbers(std::string_view name) const {
  return spec_of(spec_).at(name).get<std::vector<double>>();
}

std::vector<std::vector<double>> MeasureCall::points(std::string_view name) const {
  return spec_of(spec_).at(name).get<std::vector<std::vector<double>>>();
}

const MeasuredRun& MeasureCall::run() const { return (*lookup_)(text("run", *run_)); }

const MeasuredRun& MeasureCall::run(std::string_view name) const { return (*lookup_)(text(name)); }

double MeasureCall::measure(std::string_view name) const {
  return measure(name, text("run", *run_));
}

double MeasureCall::measure(std::string_view name, const std::string& run) const {
  return std::get<double>(compute(spec_of(spec_).at(name), run, *lookup_));
}

std::vector<double> MeasureCall::measures(std::string_view name) const {
  const auto run = text("run", *run_);
  std::vector<double> values;
  for (const auto& part : spec_of(spec_).at(name))
    values.push_back(std::get<double>(compute(part, run, *lookup_)));
  return values;
}

// ---- the table ----------------------------------------------------------------------------------

const std::vector<Measure>& measures() { return table(); }

void add_measure(Measure row) {
  if (row.name.empty() || row.doc.empty() || !row.compute)
    throw Error("a measure needs a name, a line that says what it is, and a function");
  if (find_named(row.name) != nullptr)
    throw Error(fmt::format("there is a measure \"{}\" already", row.name));
  for (const auto& parameter : row.parameters)
    if (parameter.name == "name" || parameter.name == "run")
      throw Error(fmt::format("measure \"{}\": the parameter {} belongs to every measure", row.name,
                              parameter.name));
  table().push_back(std::move(row));
}

std::vector<std::string> check_measure(const MeasureSpec& spec) {
  std::vector<std::string> faults;
  check(json::parse(spec), false, faults);
  return faults;
}

std::vector<std::string> runs_of_measure(const MeasureSpec& spec) {
  std::vector<std::string> names;
  if (!spec.empty()) gather_runs(json::parse(spec), names);
  return names;
}

MeasureValue compute_measure(const MeasureSpec& spec, const std::string& run,
                             const RunLookup& lookup) {
  return compute(json::parse(spec), run, lookup);
}

std::string unit_of_measure(const MeasureSpec& spec) { return find_unit(json::parse(spec)); }

PreparedMeasure::PreparedMeasure(const MeasureSpec& spec)
    : spec_(std::make_shared<const json>(json::parse(spec))),
      reads_frames_(reads(spec_of(spec_.get()))) {}

MeasureValue PreparedMeasure::compute(const MeasuredRun& run) const {
  const MeasuredRun* const only = &run;
  return measure::compute(spec_of(spec_.get()), "",
                          [only](const std::string&) -> const MeasuredRun& { return *only; });
}

}  // namespace coluber::measure
