#include "reproduce/claims.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include "data_dir.hpp"
#include "fault.hpp"
#include "plot/names.hpp"
#include "toml_reader.hpp"

namespace coluber::app {
namespace {

namespace fs = std::filesystem;

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

/// Reads one file and gathers its faults.
class Reader : TomlReader {
 public:
  Reader(const fs::path& path, std::vector<Diagnostic>& faults) : TomlReader(path, faults) {
    file_.path = path;
  }

  ClaimFile read() {
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

 private:
  void read_run(const toml::table& table) {
    allow(table, "run", {"name", "scenario", "set", "seeds", "each", "as_it_is", "ways"});
    ClaimRun run;
    run.name = text_of(table, "run", "name", true);
    run.scenario = file_.path.parent_path() / text_of(table, "run", "scenario", true);
    run.scenario = run.scenario.lexically_normal();
    run.set = texts_of(table, "run", "set");
    if (const auto* node = table.get("as_it_is")) {
      if (!node->is_boolean())
        fault(node->source().begin, "run.as_it_is", "expected true or false");
      run.as_it_is = node->value_or(false);
    }
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

  /// `{ key = "path.radius", values = [0.2, 0.25] }`: one run per value of the key.
  template <typename Add>
  void read_each(const toml::node& node, const ClaimRun& run, Add add) {
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
      const auto words =
          one.number ? fmt::format("{}", *one.number) : value.value_or(std::string{});
      one.value = one.number ? words : nlohmann::json(words).dump();
      one.name = fmt::format("{}, {} {}", run.name, key, words);
      one.set.push_back(fmt::format("{}={}", key, one.value));
      add(one);
      series.runs.push_back(one.name);
    }
  }

  /// The names, those of a series replaced by all of its runs, or by those whose value lies in
  /// [low, high].
  [[nodiscard]] std::vector<std::string> spread(const std::vector<std::string>& names,
                                                const std::vector<double>& within = {}) const {
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

  /// A series becomes all of its runs in the lists `runs` and `against` of a measure.
  void spread_series(nlohmann::json& spec) const {
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

  /// Runs with `each` are compared value by value.
  void check_values(const toml::source_position& where, const std::string& key,
                    const std::vector<std::string>& names, const std::vector<std::string>& others) {
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

  /// The same of every measure over pairs.
  void check_values(const toml::source_position& where, const std::string& key,
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

  void known_way(const toml::source_position& where, std::string_view key,
                 const std::string& name) {
    std::vector<std::string_view> names;
    for (const auto& way : file_.ways) names.push_back(way.name);
    if (std::ranges::find(names, name) == names.end())
      fault(where, std::string{key}, fmt::format("there is no way \"{}\" in this file", name),
            fmt::format("its ways are {}", fmt::join(names, ", ")));
  }

  void known_run(const toml::source_position& where, std::string_view key,
                 const std::string& name) {
    if (file_.runs.find(name) != file_.runs.end()) return;
    const auto series = file_.series.find(name);
    fault(where, std::string{key}, fmt::format("there is no run \"{}\" in this file", name),
          series == file_.series.end() || series->second.runs.empty()
              ? ""
              : fmt::format("it has several {}: \"{}\", …", series->second.over,
                            series->second.runs.front()));
  }

  MeasureSpec measure_of(const toml::table& table, std::string_view key) {
    const auto* node = table.get(key);
    if (node == nullptr) return {};
    if (!node->is_table()) {
      fault(node->source().begin, path_of("claim", key), "expected a measure, { name = … }");
      return {};
    }
    return measure_of(*node, path_of("claim", key));
  }

  MeasureSpec measure_of(const toml::node& node, const std::string& key) {
    const auto at = node.source().begin;
    auto json = to_json(node);
    spread_series(json);
    auto spec = json.dump();
    for (const auto& message : check_measure(spec)) fault(at, key, message);
    for (const auto& name : runs_of_measure(spec)) known_run(at, key, name);
    check_values(at, key, json);
    return spec;
  }

  void read_claim(const toml::table& table) {
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

  /// A claim must be able to fail, and must say why when it is not reproduced.
  void check(const Claim& claim, const toml::source_position& at) {
    if (!ids_.insert(claim.id).second)
      fault(at, "claim.id", fmt::format("there are two claims {}", claim.id));
    if (!claim.id.starts_with(file_.source + "."))
      fault(at, "claim.id", fmt::format("expected an id beginning with {}.", file_.source));
    if (claim.recorded != ClaimStatus::reproduced && claim.note.empty())
      fault(at, "claim.note", "a claim that is not reproduced needs a note that says why");
    if (claim.recorded == ClaimStatus::not_reproducible) return;
    check_basis(claim, at);
    if (claim.measure.empty()) fault(at, "claim.measure", "is missing");
    // a measure over runs says itself which
    if (claim.run.empty() && runs_of_measure(claim.measure).empty())
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

  /// The way that decides must be one that the claim's runs are done in.
  void check_ways(const Claim& claim, const toml::source_position& at) {
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

  /// What decides the status must be what the claim says it rests on.
  void check_basis(const Claim& claim, const toml::source_position& at) {
    switch (claim.basis) {
      case ClaimBasis::number:
        if (!claim.published)
          fault(at, "claim.basis", "is \"number\", but there is no published number");
        break;
      case ClaimBasis::own:
        if (claim.published)
          fault(at, "claim.basis", "is \"own\", but there is a published number");
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

  /// Panels of several runs; all of these are runs of the figure.
  void read_panels(const toml::table& table, ClaimFigure& figure) {
    const auto* node = table.get("panels");
    if (node == nullptr) return;
    const auto at = node->source().begin;
    const bool reductions = figure.plot == "reductions";
    const auto* array = node->as_array();
    if (array == nullptr || array->empty() || !array->is_homogeneous(toml::node_type::table)) {
      fault(at, "figure.panels",
            fmt::format("expected a list of {{ title = …, {} }}",
                        reductions ? "runs = …, against = …" : "quantity = …, runs = …"));
      return;
    }
    if (reductions) {
      for (const auto& item : *array) read_pairs(*item.as_table(), figure);
      return;
    }
    if (figure.plot != "tracking" || !figure.runs.empty())
      fault(at, "figure.panels", "goes with plot = \"tracking\", without runs of the figure's own");
    if (figure.links.size() != 1) fault(at, "figure.links", "panels are those of one joint");
    for (const auto& item : *array) {
      const auto& part = *item.as_table();
      allow(part, "figure.panels", {"title", "quantity", "runs"});
      FigurePanel panel{text_of(part, "figure.panels", "title", true),
                        text_of(part, "figure.panels", "quantity", true),
                        texts_of(part, "figure.panels", "runs"),
                        {}};
      if (panel.quantity != "error" && panel.quantity != "torque")
        fault(part.source().begin, "figure.panels.quantity", "expected \"error\" or \"torque\"");
      if (panel.runs.empty() || panel.runs.size() != figure.labels.size())
        fault(part.source().begin, "figure.panels.runs", "expected one per label of the figure");
      for (const auto& run : panel.runs)
        if (std::find(figure.runs.begin(), figure.runs.end(), run) == figure.runs.end())
          figure.runs.push_back(run);
      figure.panels.push_back(std::move(panel));
    }
  }

  /// A panel of reductions: pairs of runs over the values of their `each`.
  void read_pairs(const toml::table& part, ClaimFigure& figure) {
    const auto at = part.source().begin;
    allow(part, "figure.panels", {"title", "runs", "against"});
    FigurePanel panel{text_of(part, "figure.panels", "title", true), "",
                      spread(texts_of(part, "figure.panels", "runs")),
                      spread(texts_of(part, "figure.panels", "against"))};
    if (panel.runs.size() != panel.against.size())
      fault(at, "figure.panels",
            fmt::format("there are {} runs and {} against them", panel.runs.size(),
                        panel.against.size()));
    for (const auto* list : {&panel.runs, &panel.against})
      for (const auto& run : *list) known_run(at, "figure.panels", run);
    check_values(at, "figure.panels", panel.runs, panel.against);
    if (panel.runs.empty() || std::ranges::any_of(panel.runs, [&](const auto& name) {
          const auto run = file_.runs.find(name);
          return run != file_.runs.end() && !run->second.number;
        }))
      fault(at, "figure.panels.runs", "expected runs with numbers in `each`");
    figure.panels.push_back(std::move(panel));
  }

  /// What a figure of reductions shows: a measure for each of its labels.
  void read_reductions(const toml::table& table, ClaimFigure& figure) {
    const auto at = table.source().begin;
    const auto* node = table.get("measures");
    if (figure.plot != "reductions") {
      for (const std::string key : {"measures", "x"})
        if (table.contains(key))
          fault(table.get(key)->source().begin, path_of("figure", key),
                "goes with plot = \"reductions\"");
      return;
    }
    figure.x = text_of(table, "figure", "x", true);
    if (figure.panels.empty() && !table.contains("panels"))
      fault(at, "figure.panels", "is missing");
    const auto* list = node == nullptr ? nullptr : node->as_array();
    if (list == nullptr || list->size() != figure.labels.size() || list->empty()) {
      fault(node == nullptr ? at : node->source().begin, "figure.measures",
            "expected one per label of the figure");
      return;
    }
    for (const auto& measure : *list)
      figure.measures.push_back(measure_of(measure, "figure.measures"));
  }

  void read_figure(const toml::table& table) {
    allow(table, "figure",
          {"title", "caption", "plot", "runs", "panels", "labels", "measures", "x", "time", "times",
           "from", "to", "zoom", "links"});
    const auto at = table.source().begin;
    ClaimFigure figure;
    figure.title = text_of(table, "figure", "title", true);
    figure.caption = text_of(table, "figure", "caption", false);
    figure.plot = text_of(table, "figure", "plot", true);
    figure.runs = texts_of(table, "figure", "runs");
    figure.time = number_of(table, "figure", "time");
    figure.times = numbers_of(table, "figure", "times");
    figure.from = number_of(table, "figure", "from");
    figure.to = number_of(table, "figure", "to");
    figure.links = integers_of(table, "figure", "links");
    if (const auto* zoom = table.get("zoom")) figure.zoom = zoom->value_or(false);
    const auto plots = plot_names();
    const bool ours = figure.plot == "paths" || figure.plot == "reductions";
    if (!ours && std::none_of(plots.begin(), plots.end(),
                              [&](const PlotName& p) { return p.name == figure.plot; }))
      fault(at, "figure.plot", fmt::format("there is no plot \"{}\"", figure.plot));
    figure.labels = texts_of(table, "figure", "labels");
    read_panels(table, figure);
    read_reductions(table, figure);
    if (figure.runs.empty() && figure.plot != "reductions") fault(at, "figure.runs", "is missing");
    const bool named = !figure.labels.empty() && figure.panels.empty() && figure.measures.empty();
    if (named && figure.labels.size() != figure.runs.size())
      fault(at, "figure.labels", "expected one per run of the figure");
    if (figure.plot == "paths" && figure.links.size() != 1)
      fault(at, "figure.links", "paths are those of one link");
    for (const auto& run : figure.runs) known_run(at, "figure.runs", run);
    if (std::ranges::none_of(file_.ways, [&](const Way& way) { return shown_in(figure, way); }))
      fault(at, "figure.runs", "there is no way that all of them are done in");
    file_.figures.push_back(std::move(figure));
  }

  /// True if all runs that the figure shows, of those there are, are done in this way.
  [[nodiscard]] bool shown_in(const ClaimFigure& figure, const Way& way) const {
    return std::ranges::all_of(runs_needed(figure), [&](const auto& name) {
      const auto run = file_.runs.find(name);
      return run == file_.runs.end() || done_in(run->second, way);
    });
  }

  ClaimFile file_;
  std::set<std::string, std::less<>> ids_;
};

}  // namespace

std::string_view to_string(ClaimKind kind) {
  static constexpr std::array<std::string_view, 3> names{"number", "relation", "behaviour"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(ClaimBasis basis) {
  static constexpr std::array<std::string_view, claim_bases> names{"number", "figure", "statement",
                                                                   "own"};
  return names[static_cast<std::size_t>(basis)];
}

std::string_view to_string(ClaimStatus status) {
  static constexpr std::array<std::string_view, 3> names{"reproduced", "differs",
                                                         "not-reproducible"};
  return names[static_cast<std::size_t>(status)];
}

bool done_in(const ClaimRun& run, const Way& way) {
  return run.ways.empty() || std::ranges::find(run.ways, way.name) != run.ways.end();
}

std::set<std::string> runs_needed(const Claim& claim) {
  std::set<std::string> names;
  const auto add = [&](const std::string& run, const MeasureSpec& measure) {
    if (!run.empty()) names.insert(run);
    for (const auto& name : runs_of_measure(measure)) names.insert(name);
  };
  add(claim.run, claim.measure);
  add(claim.control_run, claim.control_measure);
  return names;
}

std::set<std::string> runs_needed(const ClaimFigure& figure) {
  std::set<std::string> names(figure.runs.begin(), figure.runs.end());
  for (const auto& panel : figure.panels) {
    names.insert(panel.runs.begin(), panel.runs.end());
    names.insert(panel.against.begin(), panel.against.end());
  }
  return names;
}

const Way& way_of(const ClaimFile& file, const ClaimFigure& figure) {
  const auto names = runs_needed(figure);
  const auto shown = [&](const Way& way) {
    return std::ranges::all_of(
        names, [&](const auto& name) { return done_in(file.runs.find(name)->second, way); });
  };
  const auto way = std::find_if(file.ways.rbegin(), file.ways.rend(), shown);
  return way == file.ways.rend() ? file.ways.back() : *way;
}

std::string figure_name(const ClaimFile& file, int number) {
  return fmt::format("{}-{}-{}", file.source, file.path.stem().string(), number);
}

std::vector<ClaimFile> load_claims(const fs::path& folder) {
  // reproduce/<source>/*.toml; folders below hold what claims refer to
  auto paths = files_in(folder, ".toml");
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->is_directory()) continue;
    const auto more = files_in(entry->path(), ".toml");
    paths.insert(paths.end(), more.begin(), more.end());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Diagnostic> faults;
  std::vector<ClaimFile> files;
  std::map<std::string, std::string> seen;
  for (const auto& path : paths) {
    files.push_back(Reader(path, faults).read());
    for (const auto& claim : files.back().claims) {
      const auto [other, fresh] = seen.emplace(claim.id, claim.file);
      if (!fresh && other->second != claim.file)
        faults.push_back(make_fault(claim.file, claim.line, 1,
                                    fmt::format("{} is in {} too", claim.id, other->second), "",
                                    "claim.id"));
    }
  }
  if (paths.empty())
    faults.push_back(
        make_fault(folder.string(), 0, 0, "there are no claims (*.toml) in this folder"));
  if (!faults.empty()) throw InputError(faults);
  return files;
}

}  // namespace coluber::app
