// Runs and claims of a claims file.
#include "reproduce/claim_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/simulation/registry.hpp"

namespace coluber::app {

ClaimFile ClaimReader::read() {
  const auto parsed = parse();
  if (!parsed) return file_;
  const auto& root = *parsed;
  allow(root, "", {"source", "document", "way", "run", "claim", "figure"});
  file_.source = text_of(root, "", "source", true);
  file_.document = text_of(root, "", "document", false);
  for (const auto* table : tables_of(root, "way")) {
    allow(*table, "way", {"name", "set"});
    file_.ways.push_back({text_of(*table, "way", "name", true), texts_of(*table, "way", "set")});
  }
  if (file_.ways.empty()) file_.ways.push_back({"default", {}});
  for (const auto* table : tables_of(root, "run")) read_run(*table);
  for (const auto* table : tables_of(root, "claim")) read_claim(*table);
  for (const auto* table : tables_of(root, "figure")) read_figure(*table);
  return file_;
}

void ClaimReader::read_run(const toml::table& table) {
  allow(table, "run",
        {"name", "scenario", "command", "set", "seeds", "each", "as_it_is", "may_fail", "ways"});
  ClaimRun run;
  run.name = text_of(table, "run", "name", true);
  run.scenario = file_.path.parent_path() / text_of(table, "run", "scenario", true);
  run.scenario = run.scenario.lexically_normal();
  run.command = text_of(table, "run", "command", false);
  if (const auto* node = table.get("command"); node != nullptr && node->is_string())
    known_command(node->source().begin, run.command);
  run.set = texts_of(table, "run", "set");
  const auto truth_of = [&](const char* key) {
    const auto* node = table.get(key);
    if (node == nullptr) return false;
    if (!node->is_boolean())
      fault(node->source().begin, path_of("run", key), "expected true or false");
    return node->value_or(false);
  };
  run.as_it_is = truth_of("as_it_is");
  run.may_fail = truth_of("may_fail");
  run.ways = texts_of(table, "run", "ways");
  for (const auto& way : run.ways) known_way(table.get("ways")->source().begin, "run.ways", way);
  const auto add = [&](const ClaimRun& one) {
    if (!file_.runs.emplace(one.name, one).second)
      fault(table.source().begin, "run.name", fmt::format("there are two runs \"{}\"", one.name));
  };
  if (table.contains("each")) {
    if (table.contains("seeds")) fault(table.source().begin, "run.each", "goes without seeds");
    read_each(*table.get("each"), run, add);
    return;
  }
  if (!table.contains("seeds")) {
    add(run);
    return;
  }
  file_.series[run.name].over = "seeds";
  const auto seeds = integers_of(table, "run", "seeds");
  if (seeds.empty()) fault(table.source().begin, "run.seeds", "expected whole numbers");
  for (const int seed : seeds) {
    ClaimRun one = run;
    one.name = fmt::format("{}, seed {}", run.name, seed);
    one.set.push_back(fmt::format("seed={}", seed));
    add(one);
    file_.series[run.name].runs.push_back(one.name);
  }
}

void ClaimReader::known_command(const Position& where, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& entry : simulation::studies())
    names.push_back(fmt::format("\"{}\"", entry.keys.name));
  const auto wanted = fmt::format("\"{}\"", name);
  if (std::ranges::find(names, wanted) != names.end()) return;
  fault(where, "run.command", fmt::format("expected {}, got {}", fmt::join(names, " or "), wanted),
        "leave it out to simulate the scenario");
}

void ClaimReader::read_each(const toml::node& node, const ClaimRun& run,
                            const std::function<void(const ClaimRun&)>& add) {
  const auto at = node.source().begin;
  const auto* table = node.as_table();
  if (table == nullptr) {
    fault(at, "run.each", "expected { key = …, values = … }");
    return;
  }
  allow(*table, "run.each", {"key", "values"});
  const auto key = text_of(*table, "run.each", "key", true);
  const auto* values = table->get("values");
  const auto* list = values == nullptr ? nullptr : values->as_array();
  if (list == nullptr || list->empty() || !std::ranges::all_of(*list, [](const toml::node& v) {
        return v.is_number() || v.is_string();
      })) {
    fault(values == nullptr ? at : values->source().begin, "run.each.values",
          "expected numbers or words");
    return;
  }
  auto& series = file_.series[run.name];
  series.over = "values of " + key;
  for (const auto& value : *list) {
    ClaimRun one = run;
    one.number = value.value<double>();
    const auto words = one.number ? fmt::format("{}", *one.number) : value.value_or(std::string{});
    one.value = one.number ? words : nlohmann::json(words).dump();
    one.name = fmt::format("{}, {} {}", run.name, key, words);
    one.set.push_back(fmt::format("{}={}", key, one.value));
    add(one);
    series.runs.push_back(one.name);
  }
}

void ClaimReader::read_claim(const toml::table& table) {
  allow(table, "claim",
        {"id", "where", "statement", "kind", "basis", "unit", "published", "tolerance", "holds",
         "expected", "band", "run", "measure", "control", "control_measure", "judged", "status",
         "note"});
  const auto at = table.source().begin;
  Claim claim;
  claim.source = file_.source;
  claim.file = name();
  claim.line = static_cast<int>(at.line);
  claim.id = text_of(table, "claim", "id", true);
  claim.where = text_of(table, "claim", "where", true);
  claim.statement = text_of(table, "claim", "statement", true);
  claim.unit = text_of(table, "claim", "unit", false);
  claim.note = text_of(table, "claim", "note", false);
  claim.published = number_of(table, "claim", "published");
  claim.tolerance = number_of(table, "claim", "tolerance").value_or(0.0);
  claim.expected = number_of(table, "claim", "expected");
  claim.band = number_of(table, "claim", "band").value_or(0.0);
  claim.run = text_of(table, "claim", "run", false);
  claim.measure = measure_of(table, "measure");
  claim.control_run = text_of(table, "claim", "control", false);
  claim.control_measure = measure_of(table, "control_measure");
  claim.judged = text_of(table, "claim", "judged", false);
  if (const auto* node = table.get("judged"); node != nullptr && node->is_string())
    known_way(node->source().begin, "claim.judged", claim.judged);
  if (!claim.run.empty()) known_run(at, "claim.run", claim.run);
  if (!claim.control_run.empty()) known_run(at, "claim.control", claim.control_run);
  if (const auto* node = table.get("holds")) {
    if (const auto* holds = node->as_table()) {
      allow(*holds, "claim.holds", {"at_least", "at_most", "equals"});
      claim.holds.at_least = number_of(*holds, "claim.holds", "at_least");
      claim.holds.at_most = number_of(*holds, "claim.holds", "at_most");
      if (holds->contains("equals"))
        claim.holds.equals = integers_of(*holds, "claim.holds", "equals");
    } else {
      fault(node->source().begin, "claim.holds",
            "expected { at_least = …, at_most = …, equals = … }");
    }
  }
  const auto kind = text_of(table, "claim", "kind", true);
  if (kind == "number") {
    claim.kind = ClaimKind::number;
  } else if (kind == "relation") {
    claim.kind = ClaimKind::relation;
  } else if (kind == "behaviour") {
    claim.kind = ClaimKind::behaviour;
  } else {
    fault(at, "claim.kind", "expected \"number\", \"relation\" or \"behaviour\"");
  }
  const auto basis = text_of(table, "claim", "basis", true);
  if (basis == "number") {
    claim.basis = ClaimBasis::number;
  } else if (basis == "figure") {
    claim.basis = ClaimBasis::figure;
  } else if (basis == "statement") {
    claim.basis = ClaimBasis::statement;
  } else if (basis == "own") {
    claim.basis = ClaimBasis::own;
  } else if (!basis.empty()) {
    fault(at, "claim.basis", "expected \"number\", \"figure\", \"statement\" or \"own\"",
          "what in the source decides it: a number it prints, a figure, its words, or nothing");
  }
  const auto status = text_of(table, "claim", "status", true);
  if (status == "reproduced") {
    claim.recorded = ClaimStatus::reproduced;
  } else if (status == "differs") {
    claim.recorded = ClaimStatus::differs;
  } else if (status == "not-reproducible") {
    claim.recorded = ClaimStatus::not_reproducible;
  } else {
    fault(at, "claim.status", "expected \"reproduced\", \"differs\" or \"not-reproducible\"");
  }
  check(claim, at);
  file_.claims.push_back(std::move(claim));
}

void ClaimReader::check(const Claim& claim, const Position& at) {
  if (!ids_.insert(claim.id).second)
    fault(at, "claim.id", fmt::format("there are two claims {}", claim.id));
  if (!claim.id.starts_with(file_.source + "."))
    fault(at, "claim.id", fmt::format("expected an id beginning with {}.", file_.source));
  if (claim.recorded != ClaimStatus::reproduced && claim.note.empty())
    fault(at, "claim.note", "a claim that is not reproduced needs a note that says why");
  if (!claim.is_measured()) return;
  // nothing of the source decides it: `expected` holds our own value
  if (claim.recorded != ClaimStatus::not_reproducible) check_basis(claim, at);
  if (claim.measure.empty()) fault(at, "claim.measure", "is missing");
  // a measure over runs says itself which
  if (claim.run.empty() && measure::runs_of_measure(claim.measure).empty())
    fault(at, "claim.run", "is missing");
  check_ways(claim, at);
  if (claim.kind == ClaimKind::behaviour) {
    if (claim.holds.empty()) fault(at, "claim.holds", "a behaviour needs a condition");
    if (claim.control_run.empty() && claim.control_measure.empty())
      fault(at, "claim.control", "a behaviour needs a negative control",
            "name a run where it is absent");
  } else {
    if (!claim.expected) fault(at, "claim.expected", "is missing");
    if (!(claim.band > 0.0)) fault(at, "claim.band", "expected a number > 0");
    if (claim.published && !(claim.tolerance > 0.0))
      fault(at, "claim.tolerance", "a published number needs a tolerance > 0");
  }
}

void ClaimReader::check_ways(const Claim& claim, const Position& at) {
  const auto& name = claim.judged.empty() ? file_.ways.back().name : claim.judged;
  const auto way = std::ranges::find(file_.ways, name, &Way::name);
  if (way == file_.ways.end()) return;  // told already
  for (const auto& needed : runs_needed(claim)) {
    const auto run = file_.runs.find(needed);
    if (run == file_.runs.end() || done_in(run->second, *way)) continue;
    fault(at, "claim.judged",
          fmt::format("the run \"{}\" is not done in the way \"{}\"", needed, name),
          fmt::format("it is done in {}", fmt::join(run->second.ways, ", ")));
    return;
  }
}

void ClaimReader::check_basis(const Claim& claim, const Position& at) {
  switch (claim.basis) {
    case ClaimBasis::number:
      if (!claim.published)
        fault(at, "claim.basis", "is \"number\", but there is no published number");
      break;
    case ClaimBasis::own:
      if (claim.published) fault(at, "claim.basis", "is \"own\", but there is a published number");
      break;
    case ClaimBasis::statement:
      if (claim.published)
        fault(at, "claim.basis", "is \"statement\", but there is a published number");
      [[fallthrough]];
    case ClaimBasis::figure:
      if (!claim.published && claim.holds.empty())
        fault(at, "claim.basis",
              fmt::format("is \"{}\", but only `expected` decides: that is \"own\"",
                          to_string(claim.basis)),
              "say in `holds` what the source asks for");
      break;
  }
}

}  // namespace coluber::app
