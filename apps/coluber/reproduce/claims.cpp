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
    allow(table, "run", {"name", "scenario", "set", "seeds", "as_it_is"});
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
    const auto add = [&](const ClaimRun& one) {
      if (!file_.runs.emplace(one.name, one).second)
        fault(table.source().begin, "run.name", fmt::format("there are two runs \"{}\"", one.name));
    };
    if (!table.contains("seeds")) {
      add(run);
      return;
    }
    const auto seeds = integers_of(table, "run", "seeds");
    if (seeds.empty()) fault(table.source().begin, "run.seeds", "expected whole numbers");
    for (const int seed : seeds) {
      ClaimRun one = run;
      one.name = fmt::format("{}, seed {}", run.name, seed);
      one.set.push_back(fmt::format("seed={}", seed));
      add(one);
      file_.seeded[run.name].push_back(one.name);
    }
  }

  /// A run with several seeds becomes all of them in the lists `runs` of a measure.
  void spread_seeds(nlohmann::json& spec) const {
    if (spec.is_array() || spec.is_object())
      for (auto& part : spec) spread_seeds(part);
    if (!spec.is_object() || !spec.contains("runs") || !spec["runs"].is_array()) return;
    auto names = nlohmann::json::array();
    for (const auto& name : spec["runs"]) {
      const auto found =
          name.is_string() ? file_.seeded.find(name.get<std::string>()) : file_.seeded.end();
      if (found == file_.seeded.end())
        names.push_back(name);
      else
        for (const auto& one : found->second) names.push_back(one);
    }
    spec["runs"] = std::move(names);
  }

  void known_run(const toml::source_position& where, std::string_view key,
                 const std::string& name) {
    if (file_.runs.find(name) != file_.runs.end()) return;
    const auto seeds = file_.seeded.find(name);
    fault(where, std::string{key}, fmt::format("there is no run \"{}\" in this file", name),
          seeds == file_.seeded.end()
              ? ""
              : fmt::format("it has several seeds: \"{}\", …", seeds->second.front()));
  }

  MeasureSpec measure_of(const toml::table& table, std::string_view key) {
    const auto* node = table.get(key);
    if (node == nullptr) return {};
    if (!node->is_table()) {
      fault(node->source().begin, path_of("claim", key), "expected a measure, { name = … }");
      return {};
    }
    auto json = to_json(*node);
    spread_seeds(json);
    auto spec = json.dump();
    for (const auto& message : check_measure(spec))
      fault(node->source().begin, path_of("claim", key), message);
    for (const auto& name : runs_of_measure(spec))
      known_run(node->source().begin, path_of("claim", key), name);
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
    if (const auto* node = table.get("judged"); node != nullptr && node->is_string()) {
      std::vector<std::string_view> names;
      for (const auto& way : file_.ways) names.push_back(way.name);
      if (std::find(names.begin(), names.end(), claim.judged) == names.end())
        fault(node->source().begin, "claim.judged",
              fmt::format("there is no way \"{}\" in this file", claim.judged),
              fmt::format("its ways are {}", fmt::join(names, ", ")));
    }
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
    if (claim.run.empty()) fault(at, "claim.run", "is missing");
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
    const auto* array = node->as_array();
    if (array == nullptr || array->empty() || !array->is_homogeneous(toml::node_type::table)) {
      fault(at, "figure.panels", "expected a list of { title = …, quantity = …, runs = … }");
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
                        texts_of(part, "figure.panels", "runs")};
      if (panel.quantity != "error" && panel.quantity != "torque")
        fault(part.source().begin, "figure.panels.quantity", "expected \"error\" or \"torque\"");
      if (panel.runs.empty() || panel.runs.size() != figure.labels.size())
        fault(part.source().begin, "figure.panels.runs", "expected one a label of the figure");
      for (const auto& run : panel.runs)
        if (std::find(figure.runs.begin(), figure.runs.end(), run) == figure.runs.end())
          figure.runs.push_back(run);
      figure.panels.push_back(std::move(panel));
    }
  }

  void read_figure(const toml::table& table) {
    allow(table, "figure",
          {"title", "caption", "plot", "runs", "panels", "labels", "time", "times", "from", "to",
           "zoom", "links"});
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
    if (figure.plot != "paths" && std::none_of(plots.begin(), plots.end(), [&](const PlotName& p) {
          return p.name == figure.plot;
        }))
      fault(at, "figure.plot", fmt::format("there is no plot \"{}\"", figure.plot));
    figure.labels = texts_of(table, "figure", "labels");
    read_panels(table, figure);
    if (figure.runs.empty()) fault(at, "figure.runs", "is missing");
    if (figure.plot == "paths" && figure.links.size() != 1)
      fault(at, "figure.links", "paths are those of one link");
    for (const auto& run : figure.runs) known_run(at, "figure.runs", run);
    file_.figures.push_back(std::move(figure));
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
