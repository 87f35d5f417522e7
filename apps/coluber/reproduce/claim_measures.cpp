// Measures of a claims file: the series they name, pairs of runs.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reproduce/claim_reader.hpp"

namespace coluber::app {

namespace {

nlohmann::json to_json(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    auto object = nlohmann::json::object();
    for (const auto& [key, value] : *table) object[std::string{key.str()}] = to_json(value);
    return object;
  }
  if (const auto* array = node.as_array()) {
    auto list = nlohmann::json::array();
    for (const auto& value : *array) list.push_back(to_json(value));
    return list;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* truth = node.as_boolean()) return truth->get();
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* real = node.as_floating_point()) return real->get();
  return nullptr;  // dates are not used
}

}  // namespace

std::vector<std::string> ClaimReader::spread(const std::vector<std::string>& names,
                                             const std::vector<double>& within) const {
  std::vector<std::string> all;
  for (const auto& name : names) {
    const auto found = file_.series.find(name);
    if (found == file_.series.end()) {
      all.push_back(name);
      continue;
    }
    for (const auto& one : found->second.runs) {
      const auto& number = file_.runs.find(one)->second.number;
      if (within.size() != 2 || !number || (*number >= within[0] && *number <= within[1]))
        all.push_back(one);
    }
  }
  return all;
}

void ClaimReader::spread_series(nlohmann::json& spec) const {
  if (spec.is_array() || spec.is_object())
    for (auto& part : spec) spread_series(part);
  if (!spec.is_object()) return;
  const auto is_word = [](const auto& v) { return v.is_string(); };
  const auto is_number = [](const auto& v) { return v.is_number(); };
  std::vector<double> within;
  if (const auto values = spec.find("values");
      values != spec.end() && values->is_array() && std::ranges::all_of(*values, is_number))
    within = values->template get<std::vector<double>>();
  for (const std::string key : {"runs", "against"})
    if (spec.contains(key) && spec[key].is_array() && std::ranges::all_of(spec[key], is_word))
      spec[key] = spread(spec[key].get<std::vector<std::string>>(), within);
}

void ClaimReader::check_values(const Position& where, const std::string& key,
                               const std::vector<std::string>& names,
                               const std::vector<std::string>& others) {
  for (std::size_t k = 0; k < std::min(names.size(), others.size()); ++k) {
    const auto one = file_.runs.find(names[k]);
    const auto other = file_.runs.find(others[k]);
    if (one == file_.runs.end() || other == file_.runs.end()) continue;  // told elsewhere
    const auto& value = one->second.value;
    const auto& against = other->second.value;
    if (value.empty() || against.empty() || value == against) continue;  // one without `each`
    fault(where, key,
          fmt::format("\"{}\" and \"{}\" are no pair: their values differ", names[k], others[k]));
    return;  // one misplaced value shifts all that follow
  }
}

void ClaimReader::check_values(const Position& where, const std::string& key,
                               const nlohmann::json& spec) {
  if (spec.is_array() || spec.is_object())
    for (const auto& part : spec) check_values(where, key, part);
  const auto is_list = [&](const char* list) {
    return spec.is_object() && spec.contains(list) && spec[list].is_array() &&
           std::ranges::all_of(spec[list], [](const auto& v) { return v.is_string(); });
  };
  if (is_list("runs") && is_list("against"))
    check_values(where, key, spec["runs"].get<std::vector<std::string>>(),
                 spec["against"].get<std::vector<std::string>>());
}

void ClaimReader::known_way(const Position& where, std::string_view key, const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto& way : file_.ways) names.push_back(way.name);
  if (std::ranges::find(names, name) == names.end())
    fault(where, std::string{key}, fmt::format("there is no way \"{}\" in this file", name),
          fmt::format("its ways are {}", fmt::join(names, ", ")));
}

void ClaimReader::known_run(const Position& where, std::string_view key, const std::string& name) {
  if (file_.runs.find(name) != file_.runs.end()) return;
  const auto series = file_.series.find(name);
  fault(where, std::string{key}, fmt::format("there is no run \"{}\" in this file", name),
        series == file_.series.end() || series->second.runs.empty()
            ? ""
            : fmt::format("it has several {}: \"{}\", …", series->second.over,
                          series->second.runs.front()));
}

MeasureSpec ClaimReader::measure_of(const toml::table& table, std::string_view key) {
  const auto* node = table.get(key);
  if (node == nullptr) return {};
  if (!node->is_table()) {
    fault(node->source().begin, path_of("claim", key), "expected a measure, { name = … }");
    return {};
  }
  return measure_of(*node, path_of("claim", key));
}

MeasureSpec ClaimReader::measure_of(const toml::node& node, const std::string& key) {
  const auto at = node.source().begin;
  auto json = to_json(node);
  spread_series(json);
  auto spec = json.dump();
  for (const auto& message : measure::check_measure(spec)) fault(at, key, message);
  for (const auto& name : measure::runs_of_measure(spec)) known_run(at, key, name);
  check_values(at, key, json);
  return spec;
}

}  // namespace coluber::app
