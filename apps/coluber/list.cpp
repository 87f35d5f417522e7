#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/keys/registry.hpp"
#include "coluber/measure/measure.hpp"
#include "coluber/scenario/scenario.hpp"

#include "command.hpp"
#include "data_dir.hpp"
#include "plot/names.hpp"
#include "plot/sweep.hpp"
#include "reproduce/claims.hpp"
#include "terminal.hpp"

namespace coluber::app {

namespace {

/// One line of a list: what to type, and what it is.
struct Entry {
  std::string name;
  std::string doc;
};

std::vector<Entry> scenarios() {
  std::vector<Entry> entries;
  for (const auto& file : files_in(find_data("scenarios"), ".toml")) {
    Entry entry{shown_path(file).string(), ""};
    try {
      entry.doc = scenario::load(file).title;
    } catch (const InputError& error) {
      entry.doc = fmt::format("faulty, see  coluber check {}", entry.name);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

template <typename Row>
std::vector<Entry> rows_of(const std::vector<Row>& rows) {
  std::vector<Entry> entries;
  for (const Row& row : rows) entries.push_back({row.name, row.doc});
  return entries;
}

std::vector<Entry> robots() { return rows_of(keys::registry().robots); }

std::vector<Entry> experiments() {
  std::vector<Entry> entries;
  for (const ClaimFile& file : load_claims(find_data("reproduce"))) {
    for (const Claim& claim : file.claims) {
      entries.push_back({claim.id, fmt::format("{}: {}", claim.where, claim.statement)});
    }
  }
  return entries;
}

std::vector<Entry> plots() {
  std::vector<Entry> entries;
  for (const PlotName& plot : plot_names()) {
    entries.push_back({std::string(plot.name), std::string(plot.doc)});
  }
  for (const PlotName& plot : sweep_plot_names()) {
    entries.push_back({std::string(plot.name), std::string(plot.doc)});
  }
  return entries;
}

std::vector<Entry> measure_rows() {
  std::vector<Entry> entries;
  for (const measure::Measure& row : measure::measures()) {
    std::vector<std::string> parameters;
    for (const measure::MeasureParameter& each : row.parameters) {
      parameters.push_back(each.required ? each.name : fmt::format("[{}]", each.name));
    }
    entries.push_back(
        {row.name, fmt::format("{}{}; {}", row.doc, row.unit.empty() ? "" : " [" + row.unit + "]",
                               fmt::join(parameters, ", "))});
  }
  return entries;
}

std::vector<Entry> key_rows() {
  std::vector<Entry> entries;
  for (const keys::Key& key : keys::keys()) {
    std::string doc = key.doc;
    if (!key.unit.empty()) doc += fmt::format(" [{}]", key.unit);
    doc += fmt::format("; {}; default: {}", keys::expectation(key), keys::default_text(key));
    if (!key.built) doc += "; not built yet: takes its default only";
    for (const keys::Choice& choice : key.choices) {
      if (key.built && !choice.built) doc += fmt::format("; \"{}\" is not built yet", choice.name);
    }
    entries.push_back({key.name, std::move(doc)});
  }
  return entries;
}

struct Kind {
  const char* name;
  std::vector<Entry> (*entries)();
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> table{
      {"models", [] { return rows_of(keys::registry().models); }},
      {"robots", robots},
      {"gaits", [] { return rows_of(keys::registry().gaits); }},
      {"controllers", [] { return rows_of(keys::registry().controllers); }},
      {"scenarios", scenarios},
      {"experiments", experiments},
      {"plots", plots},
      {"measures", measure_rows},
      {"keys", key_rows},
  };
  return table;
}

struct ListOptions {
  std::string what;
  bool json = false;
  bool markdown = false;
};

int list(const ListOptions& options) {
  if (options.markdown) {
    if (options.what != "keys") {
      say("error: --markdown goes with  coluber list keys  only\n");
      return 2;
    }
    fmt::print("{}", keys::keys_markdown());
    return 0;
  }
  if (options.json && options.what == "keys") {
    const nlohmann::ordered_json page{{"keys", nlohmann::ordered_json::parse(keys::keys_json())}};
    fmt::print("{}\n", page.dump(2));
    return 0;
  }
  const auto kind = std::find_if(kinds().begin(), kinds().end(),
                                 [&](const Kind& each) { return each.name == options.what; });
  const std::vector<Entry> entries = kind->entries();
  if (options.json) {
    nlohmann::ordered_json items = nlohmann::ordered_json::array();
    for (const Entry& entry : entries) items.push_back({{"name", entry.name}, {"doc", entry.doc}});
    const nlohmann::ordered_json page{{options.what, std::move(items)}};
    fmt::print("{}\n", page.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return 0;
  }
  std::size_t width = 0;
  for (const Entry& entry : entries) width = std::max(width, entry.name.size());
  for (const Entry& entry : entries) fmt::print("{:<{}}  {}\n", entry.name, width, entry.doc);
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto options = std::make_shared<ListOptions>();
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) names.emplace_back(kind.name);
  CLI::App* command = app.add_subcommand("list", "what there is to choose from");
  command->add_option("what", options->what, "kind of thing to list")
      ->required()
      ->check(CLI::IsMember(names))
      ->type_name("");
  CLI::Option* json = command->add_flag("--json", options->json, "as JSON");
  command->add_flag("--markdown", options->markdown, "keys only: as the page docs/keys.md")
      ->excludes(json);
  command->callback([options, &action] { action = [options] { return list(*options); }; });
}

}  // namespace coluber::app
