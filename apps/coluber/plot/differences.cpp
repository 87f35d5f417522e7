#include "plot/differences.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "plot/canvas.hpp"

namespace coluber::app {
namespace {

using Json = nlohmann::ordered_json;

std::string written_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:g}", value.get<double>());
  if (value.is_array()) {
    std::string text = "[";
    for (const auto& item : value) text += (text.size() > 1 ? ", " : "") + written_value(item);
    return text + "]";
  }
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Values by dotted key, in the order of the file; what is null is not set.
void flatten(const Json& value, const std::string& key,
             std::vector<std::pair<std::string, Json>>& out) {
  if (value.is_null() || key == "title") return;
  if (!value.is_object()) {
    out.emplace_back(key, value);
    return;
  }
  for (const auto& [name, item] : value.items())
    flatten(item, key.empty() ? name : fmt::format("{}.{}", key, name), out);
}

std::string_view last_of(std::string_view key) { return key.substr(key.rfind('.') + 1); }

std::string plural_of(std::string_view noun) {
  if (noun.ends_with('y')) return fmt::format("{}ies", noun.substr(0, noun.size() - 1));
  return fmt::format("{}s", noun);
}

/// "9 obstacles", "no obstacles"; "9 obstacles (not the same)" where the first scenario has as
/// many.
std::string counted_value(std::string_view key, const Json& value, const Json& first) {
  const auto noun = last_of(key);
  const bool others = value != first && value.size() == first.size();
  return fmt::format("{} {}{}", value.empty() ? "no" : fmt::format("{}", value.size()),
                     value.size() == 1 ? std::string(noun) : plural_of(noun),
                     others ? " (not the same)" : "");
}

/// Whether a scenario has one table for all of them: [robot.link].
bool has_table(const Json& scenario, std::string key) {
  std::ranges::replace(key, '.', '/');
  const Json::json_pointer place("/" + key);
  return scenario.contains(place) && scenario.at(place).is_object();
}

bool is_tables(const Json& value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

/// Whether a key of [robot.link] differs only in that another scenario has a list, [[robot.link]],
/// which is a difference of its own.
bool is_told_by_list(const std::string& key, const std::vector<Json>& row,
                     const std::map<std::string, std::vector<Json>>& values) {
  const auto list = values.find(key.substr(0, key.rfind('.')));
  if (list == values.end() || !std::ranges::any_of(list->second, is_tables)) return false;
  const Json* first = nullptr;
  for (const Json& value : row) {
    if (value.is_null()) continue;
    if (first != nullptr && value != *first) return false;
    first = &value;
  }
  return true;
}

}  // namespace

std::vector<KeyDifference> differing_keys(const std::vector<Json>& scenarios) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<Json>> values;
  for (std::size_t k = 0; k < scenarios.size(); ++k) {
    if (!scenarios[k].is_object()) return {};  // nothing is known of one
    std::vector<std::pair<std::string, Json>> flat;
    flatten(scenarios[k], "", flat);
    for (auto& [key, value] : flat) {
      auto& row = values[key];
      if (row.empty()) {
        row.resize(scenarios.size());
        order.push_back(key);
      }
      row[k] = std::move(value);
    }
  }
  std::vector<KeyDifference> differences;
  for (const auto& key : order) {
    const auto& row = values[key];
    if (std::all_of(row.begin(), row.end(), [&](const Json& v) { return v == row.front(); }))
      continue;
    if (is_told_by_list(key, row, values)) continue;
    KeyDifference difference{key, {}, false};
    const bool tables = std::any_of(row.begin(), row.end(), is_tables);
    difference.counted = tables && std::all_of(row.begin(), row.end(), [](const Json& value) {
                           return value.is_null() || value.is_array();
                         });
    const bool one_table = std::any_of(scenarios.begin(), scenarios.end(),
                                       [&](const Json& s) { return has_table(s, key); });
    for (std::size_t k = 0; k < row.size(); ++k) {
      const Json& value = row[k];
      if (!difference.counted)
        difference.values.push_back(value.is_null() ? "–" : written_value(value));
      else if (has_table(scenarios[k], key))
        difference.values.push_back(fmt::format("all {} alike", plural_of(last_of(key))));
      else if (one_table)
        difference.values.push_back(
            fmt::format("{} different {}", value.size(), plural_of(last_of(key))));
      else
        difference.values.push_back(counted_value(key, value, row.front()));
    }
    differences.push_back(std::move(difference));
  }
  // what a run is comes before its numbers
  for (const char* key : {"controller.name", "path.shape", "robot.model"}) {
    const auto found = std::ranges::find(differences, key, &KeyDifference::key);
    if (found != differences.end()) std::rotate(differences.begin(), found, found + 1);
  }
  return differences;
}

std::string run_label(const std::string& name, const std::vector<KeyDifference>& differences,
                      std::size_t scenario, double width_cm, bool& whole) {
  const double room = width_cm - 3.4;  // without the axis and the line's sample
  std::string text = name;
  for (std::size_t k = 0; k < differences.size(); ++k) {
    const auto& [key, values, counted] = differences[k];
    const auto next = fmt::format("{} {}{}", k == 0 ? ":" : ",",
                                  counted ? std::string() : key + " = ", values[scenario]);
    if (width_of_words(text + next) > room - (k + 1 < differences.size() ? 0.3 : 0.0)) {
      whole = false;
      return k == 0 ? shortened(text + next, room) : text + ", …";
    }
    text += next;
  }
  return text;
}

}  // namespace coluber::app
