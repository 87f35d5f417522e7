#include "sweep/reader.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "coluber/core/nearest.hpp"
#include "coluber/core/version.hpp"
#include "coluber/sweep/sampling.hpp"

#include "scenario/document.hpp"
#include "scenario/text_file.hpp"

namespace coluber::sweep {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t sweep_version = 1;
constexpr std::int64_t most_points = 10'000'000;

/// A scenario file by its path beside the sweep file, or by the name of a shipped one.
fs::path find_base(const std::string& named, const fs::path& folder) {
  std::error_code failure;
  fs::path file = folder / named;
  if (fs::is_regular_file(file, failure)) return file;
  if (fs::path(named).has_parent_path() || data_folder().empty()) return {};
  file = data_folder() / "scenarios" / named;
  if (file.extension() != ".toml") file += ".toml";
  return fs::is_regular_file(file, failure) ? file : fs::path();
}

/// Names of the shipped scenarios.
std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(data_folder() / "scenarios", failure)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

SweepReader::SweepReader(std::string name, fs::path folder) {
  sources_.push_back({std::move(name), std::move(folder)});
}

// ---- values
// ---------------------------------------------------------------------------------------

void SweepReader::fault(const Node& at, const std::string& key, std::string message,
                        std::string hint) {
  const keys::Place where = at.where.line > 0 ? at.where : at.key;
  faults_.add({0, where.line, where.column}, key, std::move(message), std::move(hint));
}

void SweepReader::allow(const Node& table, const std::string& path,
                        const std::vector<std::string>& words) {
  for (const auto& [word, value] : table.fields) {
    if (std::ranges::find(words, word) != words.end()) continue;
    const std::string guess = nearest(word, words);
    faults_.add({0, value.key.line, value.key.column}, keys::joined(path, word), "unknown key",
                guess.empty() ? fmt::format("known here: {}", fmt::join(words, ", "))
                              : fmt::format("did you mean {}?", guess));
  }
}

const keys::Node* SweepReader::table_of(const Node& parent, const std::string& word) {
  const Node* node = parent.find(word);
  if (node == nullptr || node->is_table()) return node;
  fault(*node, word, "expected a table, got " + keys::describe(*node),
        fmt::format("write  [{}]  and its keys below it", word));
  return nullptr;
}

std::vector<const keys::Node*> SweepReader::tables_of(const Node& parent, const std::string& word) {
  std::vector<const Node*> tables;
  const Node* node = parent.find(word);
  if (node == nullptr) return tables;
  const std::string hint = fmt::format("write  [[{}]]  once for each", word);
  if (!node->is_array()) {
    fault(*node, word, "expected a list of tables, got " + keys::describe(*node), hint);
    return tables;
  }
  for (const Node& item : node->items) {
    if (item.is_table()) {
      tables.push_back(&item);
    } else {
      fault(item, word, "expected a table, got " + keys::describe(item), hint);
    }
  }
  return tables;
}

std::optional<double> SweepReader::number_of(const Node& table, const std::string& path,
                                             const std::string& word, bool infinite) {
  const Node* node = table.find(word);
  if (node == nullptr) return {};
  const double value = node->is_number() ? node->as_double() : 0.0;
  if (node->is_number() && (std::isfinite(value) || (infinite && !std::isnan(value)))) return value;
  fault(
      *node, keys::joined(path, word),
      fmt::format("expected a {}number, got {}", infinite ? "" : "finite ", keys::describe(*node)));
  return {};
}

std::optional<std::int64_t> SweepReader::whole_of(const Node& table, const std::string& path,
                                                  const std::string& word, std::int64_t least,
                                                  std::int64_t most) {
  const Node* node = table.find(word);
  if (node == nullptr) return {};
  if (node->kind == Node::Kind::integer && node->integer >= least && node->integer <= most) {
    return node->integer;
  }
  fault(*node, keys::joined(path, word),
        fmt::format("expected a whole number from {} to {}, got {}", least, most,
                    keys::describe(*node)));
  return {};
}

std::optional<std::string> SweepReader::word_of(const Node& table, const std::string& path,
                                                const std::string& word,
                                                const std::vector<std::string>& choices) {
  const Node* node = table.find(word);
  if (node == nullptr) return {};
  const bool text = node->kind == Node::Kind::text;
  if (text && (choices.empty() || std::ranges::find(choices, node->text) != choices.end())) {
    return node->text;
  }
  const std::string guess = text ? nearest(node->text, choices) : "";
  fault(*node, keys::joined(path, word),
        choices.empty() ? "expected a text, got " + keys::describe(*node)
                        : fmt::format("expected \"{}\", got {}", fmt::join(choices, "\" or \""),
                                      keys::describe(*node)),
        guess.empty() ? "" : fmt::format("did you mean \"{}\"?", guess));
  return {};
}

// ---- the file
// -------------------------------------------------------------------------------------

void SweepReader::read_top() {
  const Node& root = impl_->root;
  allow(root, "",
        {"sweep", "title", "base", "set", "samples", "seed", "axis", "points", "measure", "goal",
         "require", "limits", "optimise"});
  const Node* version = root.find("sweep");
  if (version == nullptr) {
    fault(root, "sweep", "is missing", "a sweep file begins with  sweep = 1");
  } else if (version->kind != Node::Kind::integer || version->integer != sweep_version) {
    fault(*version, "sweep",
          fmt::format("expected {}, got {}", sweep_version, keys::describe(*version)),
          "the version of sweep files that this Coluber reads");
  }
  impl_->title = word_of(root, "", "title").value_or(fs::path(impl_->name).stem().string());
  if (const auto seed = whole_of(root, "", "seed", 0, std::numeric_limits<std::int64_t>::max())) {
    impl_->seed = static_cast<std::uint64_t>(*seed);
  }
}

void SweepReader::read_base(const LoadOptions& options) {
  const Node& root = impl_->root;
  const Node* named = root.find("base");
  const Node* set = root.find("set");
  scenario::Base::Over over{{}, sources_.front().name, sources_.front().folder};
  if (set != nullptr && !set->is_table()) {
    fault(*set, "set", "expected a table, got " + keys::describe(*set),
          "for example  set = { duration = 9.0, \"world.friction\" = [0.2, 0.5] }");
  } else if (set != nullptr) {
    for (const auto& [key, value] : set->fields) over.values.push_back({key, value});
  }
  if (named == nullptr) {
    fault(root, "base", "is missing",
          "the scenario to run, for example  base = \"aiko_floor.toml\"");
    return;
  }
  const auto text = word_of(root, "", "base");
  if (!text) return;
  const fs::path file = text->empty() ? fs::path() : find_base(*text, sources_.front().folder);
  if (file.empty()) {
    const std::string guess = nearest(fs::path(*text).stem().string(), shipped_names());
    fault(*named, "base",
          fmt::format("\"{}\" is no file beside {}, nor a scenario of Coluber's", *text,
                      sources_.front().name),
          guess.empty() ? "coluber list scenarios  names those that come with Coluber"
                        : fmt::format("did you mean \"{}\"?", guess));
    return;
  }
  try {
    impl_->base = scenario::Base::load(file.lexically_normal(), over, options.overrides);
  } catch (const InputError& error) {
    base_faults_ = error.faults();
  }
}

Sweep SweepReader::read(
    keys::Node root, std::string source, std::optional<scenario::Base> base,
    std::optional<std::string> table,  // NOLINT(performance-unnecessary-value-param)
    const LoadOptions& options) {
  impl_->name = sources_.front().name;
  impl_->source = std::move(source);
  impl_->root = std::move(root);
  read_top();
  if (base) {
    impl_->base = std::move(base);
  } else {
    read_base(options);
  }
  read_axes();
  read_table(table);
  count_points();
  read_measures();
  read_limits();
  if (base_faults_.empty() && faults_.empty()) prepare();
  if (base_faults_.empty() && faults_.empty() && impl_->columns.empty()) add_summary_columns();
  read_goal();
  read_requirements();
  read_optimise();
  finish(base_faults_);
  return Sweep(impl_);
}

/// What points are made from, once the axes are known.
void SweepReader::prepare() {
  Sweep::Impl& impl = *impl_;
  for (const Axis& axis : impl.axes) {
    if (axis.sampling != Sampling::sobol) continue;
    impl.shifts.resize(std::max(impl.shifts.size(), static_cast<std::size_t>(axis.dimension) + 1));
    impl.shifts[static_cast<std::size_t>(axis.dimension)] = sobol_shift(impl.seed, axis.dimension);
  }
  std::vector<std::string> keys;
  for (const Axis& axis : impl.axes) keys.insert(keys.end(), axis.keys.begin(), axis.keys.end());
  impl.order.resize(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) impl.order[k] = k;
  std::ranges::sort(impl.order, {}, [&](std::size_t k) { return keys[k]; });
  impl.reads_frames = std::ranges::any_of(
      impl.measures, [](const measure::PreparedMeasure& m) { return m.reads_frames(); });
  impl.hash_begin.update(impl.base->scenario().hash);
  for (const Column& column : impl.columns) {
    impl.hash_begin.update(column.name).update("=").update(column.spec).update("\n");
  }
  impl.hash_begin.update(version()).update("\n").update(arithmetic()).update("\n");
}

void SweepReader::finish(const std::vector<Diagnostic>& base_faults) {
  std::vector<Diagnostic> all;
  try {
    faults_.raise(sources_);
  } catch (const InputError& error) {
    all = error.faults();
  }
  all.insert(all.end(), base_faults.begin(), base_faults.end());
  if (!all.empty()) throw InputError(std::move(all));
}

void SweepReader::count_points() {
  Sweep::Impl& impl = *impl_;
  double crossed = 1.0;
  bool sampled = false;
  for (const Axis& axis : impl.axes) {
    if (axis.sampling == Sampling::crossed) {
      crossed *= static_cast<double>(std::max<std::int64_t>(axis.count, 1));
    } else {
      sampled = sampled || axis.sampling != Sampling::searched;
    }
  }
  const Node* node = impl.root.find("samples");
  const bool from_table = impl.root.find("points") != nullptr;
  if (const auto samples = whole_of(impl.root, "", "samples", 1, most_points)) {
    if (from_table) {
      fault(*node, "samples", "[points] has a row for each sample", "leave it out");
    } else if (!sampled) {
      fault(*node, "samples", "no axis is sampled",
            "write  sample = \"sobol\"  in an axis, or leave it out");
    } else {
      impl.samples = *samples;
    }
  } else if (node == nullptr && sampled && !from_table) {
    fault(impl.root, "samples", "is missing",
          "of all sampled axes together, for example  samples = 256");
  }
  const double points = crossed * static_cast<double>(impl.samples);
  if (points > static_cast<double>(most_points)) {
    const Node* at = impl.root.find("axis");
    fault(at != nullptr ? *at : impl.root, "axis",
          fmt::format("there are {:.3g} points, the limit is {}", points, most_points),
          "take fewer values, or samples instead of crossed axes");
    return;
  }
  impl.crossed = static_cast<std::int64_t>(crossed);
  impl.size = impl.crossed * impl.samples;
}

// ---- entry points
// ---------------------------------------------------------------------------------

Sweep Sweep::load(const fs::path& file, const LoadOptions& options) {
  scenario::FileText contents = scenario::read_file(file);
  if (!contents.fault.empty()) {
    scenario::refuse({.file = file.string()}, contents.fault, contents.hint);
  }
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return parse(contents.text, folder, file.string(), options);
}

Sweep Sweep::parse(const std::string& text, const fs::path& folder, const std::string& name,
                   const LoadOptions& options) {
  return SweepReader(name, folder)
      .read(scenario::parse_node(text, name), text, std::nullopt, std::nullopt, options);
}

Sweep Sweep::from_text(std::string_view text) {
  using nlohmann::json;
  const json all = json::parse(text, nullptr, false);
  const auto is_text = [&](const char* key) { return all.contains(key) && all[key].is_string(); };
  if (!all.is_object() || !all.contains("coluber_sweep") || !is_text("name") ||
      !is_text("source") || !is_text("base") || !is_text("table") || !all.contains("values")) {
    scenario::refuse({.file = "<text>"}, "is not the text of a sweep",
                     "Sweep::to_text() writes it");
  }
  keys::Node root = scenario::from_json_text(all["values"].dump());
  root.fields.erase("set");  // is in the base
  std::optional<std::string> table;
  if (root.find("points") != nullptr) table = all["table"].get<std::string>();
  return SweepReader(all["name"].get<std::string>(), ".")
      .read(std::move(root), all["source"].get<std::string>(),
            scenario::Base::from_text(all["base"].get<std::string>()), std::move(table), {});
}

bool is_sweep_file(const fs::path& file) {
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) return false;
  const scenario::FileText contents = scenario::read_file(file);
  if (!contents.fault.empty()) return false;
  // also of a file with a syntax error, whose kind decides who tells of it
  for (std::size_t at = 0; at < contents.text.size();) {
    std::string_view line(contents.text);
    const std::size_t end = std::min(contents.text.find('\n', at), contents.text.size());
    line = line.substr(at, end - at);
    at = end + 1;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    line.remove_prefix(first);
    if (line.starts_with('[')) return false;  // past the top of the file
    if (!line.starts_with("sweep")) continue;
    line.remove_prefix(5);
    const std::size_t next = line.find_first_not_of(" \t");
    if (next != std::string_view::npos && line[next] == '=') return true;
  }
  return false;
}

}  // namespace coluber::sweep
