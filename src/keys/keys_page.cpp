#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/keys/registry.hpp"

namespace coluber::keys {

namespace {

nlohmann::json to_json(const KeyValue& value) {
  struct Visitor {
    nlohmann::json operator()(std::monostate) const { return nullptr; }
    nlohmann::json operator()(bool x) const { return x; }
    nlohmann::json operator()(std::int64_t x) const { return x; }
    nlohmann::json operator()(double x) const {
      if (std::isinf(x)) return x > 0 ? "inf" : "-inf";  // JSON has no infinity
      return x;
    }
    nlohmann::json operator()(const std::string& x) const { return x; }
    nlohmann::json operator()(const std::vector<double>& x) const { return x; }
    nlohmann::json operator()(const std::vector<std::string>& x) const { return x; }
  };
  return std::visit(Visitor{}, value);
}

/// " (models planar, minimal only)"
std::string only(const char* kind, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return fmt::format(" ({}{} {} only)", kind, names.size() > 1 ? "s" : "", fmt::join(names, ", "));
}

/// The tables whose entries are written as lists, each with how.
std::string lists_text() {
  std::string text;
  std::vector<std::string> seen;
  for (const Key& key : keys()) {
    const std::string table = key.name.substr(0, key.name.rfind('.'));
    const ListInfo* list = find_list(table);
    if (list == nullptr || std::ranges::find(seen, table) != seen.end()) continue;
    seen.push_back(table);
    switch (list->form) {
      case Form::list:
        text += fmt::format("`[[{}]]` is written once per {}.\n", table, last_word(table));
        break;
      case Form::one_for_all:
        text += fmt::format("`{}` is one table for all entries, or `[[{}]]` once per {}.\n", table,
                            table, last_word(table));
        break;
      case Form::optional:
        text += fmt::format("`[{}]` may be absent.\n", table);
        break;
    }
  }
  return text;
}

}  // namespace

std::string keys_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Key& key : keys()) {
    nlohmann::ordered_json entry{
        {"name", key.name},
        {"type", std::string(to_string(key.type))},
        {"unit", key.unit},
        {"default", to_json(key.default_value)},
        {"default_note", key.defaults.empty() ? key.default_note : default_text(key)},
        {"expects", expectation(key)},
        {"doc", key.doc},
        {"example", key.example},
        {"built", key.built},
    };
    if (!key.models.empty()) entry["model"] = fmt::format("{}", fmt::join(key.models, ", "));
    if (!key.gaits.empty()) entry["gait"] = fmt::format("{}", fmt::join(key.gaits, ", "));
    if (!key.controllers.empty()) {
      entry["controller"] = fmt::format("{}", fmt::join(key.controllers, ", "));
    }
    if (!key.with.key.empty()) {
      entry["with"] = {{"key", key.with.key}, {"words", key.with.words}};
    }
    if (std::isfinite(key.min)) entry["min"] = key.min;
    if (std::isfinite(key.max)) entry["max"] = key.max;
    if (!key.choices.empty()) {
      entry["choices"] = nlohmann::ordered_json::array();
      for (const Choice& choice : key.choices) {
        entry["choices"].push_back(
            {{"name", choice.name}, {"doc", choice.doc}, {"built", key.built && choice.built}});
      }
    }
    list.push_back(std::move(entry));
  }
  return list.dump(2);
}

std::string keys_markdown() {
  std::string page =
      "# Scenario keys\n"
      "\n"
      "Every key of a scenario file (schema 1). `coluber list keys --markdown` prints this page; "
      "the same table\n"
      "checks the files. SI units; angles are in degrees only in keys that end in `_deg` and in "
      "`start.shape`.\n"
      "Unknown keys are errors. A key marked *not built yet* takes its default only.\n"
      "\n" +
      lists_text() +
      "\n"
      "Any key can be set from the command line, `--set solver.dt=5e-4`; entries of lists are "
      "numbered from 1,\n"
      "`--set world.obstacle.3.y=0.2`. A table is merged into the one there is, key by key, as "
      "that of "
      "an\n"
      "included file: `--set 'solver={dt=5e-4}'` keeps the other keys of `[solver]`, and `--set "
      "'robot={}'`\n"
      "changes nothing. A list is replaced as a whole.\n";
  std::string section = "-";
  for (const Key& key : keys()) {
    const std::size_t dot = key.name.find('.');
    const std::string table = dot == std::string::npos ? "" : key.name.substr(0, dot);
    if (table != section) {
      section = table;
      page += fmt::format("\n## {}\n\n", table.empty() ? "Top of the file" : '[' + table + ']');
      page += "| key | expects | unit | default | meaning |\n|---|---|---|---|---|\n";
    }
    std::string meaning = key.doc + only("model", key.models) + only("gait", key.gaits) +
                          only("controller", key.controllers);
    if (!key.with.key.empty()) {
      meaning += fmt::format(" (with {} = {})", key.with.key, fmt::join(key.with.words, ", "));
    }
    if (!key.built) meaning += " (*not built yet*)";
    for (const Choice& choice : key.choices) {
      meaning += fmt::format("<br>`\"{}\"`: {}{}", choice.name, choice.doc,
                             choice.built ? "" : " (*not built yet*)");
    }
    std::string fallback = default_text(key);
    if (key.default_note.empty() && key.defaults.empty()) fallback = fmt::format("`{}`", fallback);
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name, expectation(key), key.unit,
                        fallback, meaning);
  }
  return page;
}

}  // namespace coluber::keys
