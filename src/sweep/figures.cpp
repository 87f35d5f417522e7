// Measures, goal, requirements, limits and [optimise] of a sweep file.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "coluber/core/nearest.hpp"
#include "coluber/simulation/simulation.hpp"

#include "sweep/reader.hpp"

namespace coluber::sweep {

namespace {

/// Columns of the table that are no measure's.
const std::vector<std::string> own_columns{"point",       "status",     "reason",
                                           "feasible",    "steps",      "hash",
                                           "final_state", "generation", "candidate"};

bool is_name(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

const measure::Measure* find_row(const std::string& name) {
  const auto& rows = measure::measures();
  const auto found = std::ranges::find(rows, name, &measure::Measure::name);
  return found == rows.end() ? nullptr : &*found;
}

std::string names_of(const std::vector<Column>& columns) {
  std::string names;
  for (const Column& column : columns) names += (names.empty() ? "" : ", ") + column.name;
  return names;
}

}  // namespace

// ---- measures
// -------------------------------------------------------------------------------------

/// Times that a measure names must lie within the run, unless its length is an axis.
void SweepReader::check_windows(const Node& spec, const std::string& path) {
  for (const auto& [word, value] : spec.fields) {
    if (value.is_table()) check_windows(value, keys::joined(path, word));
    for (std::size_t i = 0; value.is_array() && i < value.items.size(); ++i) {
      if (value.items[i].is_table()) {
        check_windows(value.items[i], fmt::format("{}.{}.{}", path, word, i + 1));
      }
    }
    const bool time = word == "from" || word == "to" || word == "at";
    if (!time || !value.is_number()) continue;
    constexpr double slack = 1e-9;
    const double end = impl_->base->scenario().duration;
    const bool varied = std::ranges::find(taken_, "duration") != taken_.end();
    if (!varied && value.as_double() > end + slack) {
      fault(value, keys::joined(path, word),
            fmt::format("{} s is after the end of the run, {} s", value.as_double(), end),
            "give the base a longer duration by  set = { duration = … }");
    }
  }
  const Node* from = spec.find("from");
  const Node* to = spec.find("to");
  if (from != nullptr && to != nullptr && from->is_number() && to->is_number() &&
      !(from->as_double() < to->as_double())) {
    fault(*to, keys::joined(path, "to"),
          fmt::format("expected more than from = {}, got {}", from->as_double(), to->as_double()));
  }
}

void SweepReader::read_measure(const Node& table, const std::string& path) {
  allow(table, path, {"name", "of"});
  const auto name = word_of(table, path, "name");
  const std::string name_path = keys::joined(path, "name");
  if (table.find("name") == nullptr) {
    fault(table, name_path, "is missing", "the name of its column, for example  name = \"speed\"");
  } else if (name) {
    const Node& at = *table.find("name");
    const bool key = std::ranges::any_of(impl_->axes, [&](const Axis& axis) {
      return std::ranges::find(axis.columns, *name) != axis.columns.end();
    });
    if (!is_name(*name)) {
      fault(at, name_path, fmt::format("expected letters, digits and _, got \"{}\"", *name));
    } else if (key || std::ranges::find(own_columns, *name) != own_columns.end()) {
      fault(at, name_path, fmt::format("the table has a column \"{}\" of its own", *name),
            "take another name");
    } else if (std::ranges::find(impl_->columns, *name, &Column::name) != impl_->columns.end()) {
      fault(at, name_path, fmt::format("there are two measures \"{}\"", *name),
            "take another name");
    }
  }
  const Node* of = table.find("of");
  const std::string of_path = keys::joined(path, "of");
  if (of == nullptr || !of->is_table()) {
    fault(of != nullptr ? *of : table, of_path,
          of == nullptr ? "is missing" : "expected a measure, got " + keys::describe(*of),
          "for example  of = { name = \"mean_velocity\", axis = \"x\", from = 4.5, to = 9.0 }");
    return;
  }
  Column column{name.value_or(""), "", "", scenario::to_json_text(*of)};
  const Node* kind = of->find("name");
  const bool named = kind != nullptr && kind->kind == Node::Kind::text;
  const measure::Measure* row = named ? find_row(kind->text) : nullptr;
  if (named && row == nullptr) {
    std::vector<std::string> names;
    for (const measure::Measure& each : measure::measures()) names.push_back(each.name);
    const std::string guess = nearest(kind->text, names);
    fault(*kind, keys::joined(of_path, "name"),
          fmt::format("there is no measure \"{}\"", kind->text),
          guess.empty() ? "coluber list measures  prints them all"
                        : fmt::format("did you mean \"{}\"?", guess));
    return;
  }
  const auto faults = measure::check_measure(column.spec);
  for (const std::string& message : faults) {
    fault(*of, of_path, message, "coluber list measures  prints them all with their parameters");
  }
  if (!faults.empty()) return;
  if (!measure::runs_of_measure(column.spec).empty()) {
    fault(*of, of_path,
          fmt::format("{} compares runs; a sweep measures each point by itself", row->name));
    return;
  }
  if (!row->is_number) {
    fault(*of, of_path, fmt::format("{} gives a set of links, a column holds numbers", row->name));
    return;
  }
  if (impl_->base) check_windows(*of, of_path);
  column.unit = measure::unit_of_measure(column.spec);
  column.doc = row->doc;
  impl_->columns.push_back(std::move(column));
  impl_->measures.emplace_back(impl_->columns.back().spec);
}

void SweepReader::read_measures() {
  const auto tables = tables_of(impl_->root, "measure");
  for (std::size_t k = 0; k < tables.size(); ++k) {
    read_measure(*tables[k], fmt::format("measure.{}", k + 1));
  }
}

/// Every number of the summary, by the names that the first point has that can be made.
void SweepReader::add_summary_columns() {
  constexpr std::int64_t tried = 100;
  const Sweep sweep(impl_);
  for (std::int64_t k = 0; k <= std::min(impl_->size, tried); ++k) {
    try {
      simulation::Simulation simulation = simulation::make_simulation(
          k == 0 ? impl_->base->scenario()
                 : sweep.options(sweep.searched() > 0
                                     ? sweep.point(k, std::vector<double>(sweep.searched(), 0.5))
                                     : sweep.point(k)));
      const std::atomic<bool> at_once = true;
      const auto outcome = simulation::run(simulation, {}, {.interrupt = &at_once});
      for (const SummaryItem& item : outcome.summary) {
        const bool own = item.name == "real_time_factor" ||
                         std::ranges::find(own_columns, item.name) != own_columns.end();
        if (own || !std::holds_alternative<double>(item.value)) continue;
        impl_->columns.push_back({item.name, item.unit, "of the run's summary", ""});
      }
      break;
    } catch (const Error&) {
      continue;  // this point is refused; the next one may do
    }
  }
  // the hash covers the columns, and these follow from the base
}

// ---- goal and requirements
// ------------------------------------------------------------------------

std::optional<std::size_t> SweepReader::column_of(const Node& table, const std::string& path) {
  const auto name = word_of(table, path, "measure");
  if (table.find("measure") == nullptr) {
    fault(table, keys::joined(path, "measure"), "is missing", "the name of a column");
    return {};
  }
  if (!name || !base_faults_.empty()) return {};
  const auto found = std::ranges::find(impl_->columns, *name, &Column::name);
  if (found != impl_->columns.end()) {
    return static_cast<std::size_t>(found - impl_->columns.begin());
  }
  std::vector<std::string> names;
  for (const Column& column : impl_->columns) names.push_back(column.name);
  // a measure with a fault has no column; the fault is told
  bool told = false;
  for (const Node* measure : tables_of(impl_->root, "measure")) {
    const Node* word = measure->find("name");
    told = told || (word != nullptr && word->text == *name);
  }
  if (told || (names.empty() && !faults_.empty())) return {};
  const std::string guess = nearest(*name, names);
  fault(*table.find("measure"), keys::joined(path, "measure"),
        fmt::format("there is no column \"{}\"", *name),
        guess.empty() ? fmt::format("there are {}", names_of(impl_->columns))
                      : fmt::format("did you mean \"{}\"?", guess));
  return {};
}

void SweepReader::read_goal() {
  const Node* table = table_of(impl_->root, "goal");
  if (table == nullptr) return;
  allow(*table, "goal", {"measure", "towards"});
  Goal goal;
  const auto column = column_of(*table, "goal");
  if (const auto towards = word_of(*table, "goal", "towards", {"max", "min"})) {
    goal.largest = *towards == "max";
  } else if (table->find("towards") == nullptr) {
    fault(*table, "goal.towards", "is missing", "\"max\" or \"min\"");
  }
  if (!column) return;
  goal.column = *column;
  impl_->goal = goal;
}

void SweepReader::read_requirements() {
  const auto tables = tables_of(impl_->root, "require");
  for (std::size_t k = 0; k < tables.size(); ++k) {
    const Node& table = *tables[k];
    const std::string path = fmt::format("require.{}", k + 1);
    allow(table, path, {"measure", "at_least", "at_most"});
    Requirement requirement;
    const auto column = column_of(table, path);
    const auto least = number_of(table, path, "at_least", true);
    const auto most = number_of(table, path, "at_most", true);
    if (table.find("at_least") == nullptr && table.find("at_most") == nullptr) {
      fault(table, path, "has no at_least and no at_most", "say what a row must hold");
    }
    if (least) requirement.at_least = *least;
    if (most) requirement.at_most = *most;
    if (requirement.at_least > requirement.at_most) {
      fault(table, path,
            fmt::format("no number is at least {} and at most {}", requirement.at_least,
                        requirement.at_most));
    }
    if (!column) continue;
    requirement.column = *column;
    impl_->requirements.push_back(requirement);
  }
}

// ---- [limits], [optimise]
// -------------------------------------------------------------------------

void SweepReader::read_limits() {
  const Node* table = table_of(impl_->root, "limits");
  if (table == nullptr) return;
  allow(*table, "limits", {"steps", "wall_s"});
  const auto positive = [&](const char* word, double& value) {
    const auto given = number_of(*table, "limits", word, true);
    if (!given) return;
    if (*given > 0.0) {
      value = *given;
    } else {
      fault(*table->find(word), keys::joined("limits", word),
            fmt::format("expected a number > 0, got {}", *given));
    }
  };
  positive("steps", impl_->limits.steps);
  positive("wall_s", impl_->limits.wall_s);
}

void SweepReader::read_optimise() {
  const Node* table = table_of(impl_->root, "optimise");
  if (table == nullptr) return;
  allow(*table, "optimise", {"method", "evaluations", "population", "sigma", "seed"});
  Optimise optimise;
  constexpr std::int64_t most = 10'000'000;
  if (const auto method = word_of(*table, "optimise", "method", {"cma_es", "tpe"})) {
    optimise.method = *method;
  }
  if (const auto n = whole_of(*table, "optimise", "evaluations", 1, most))
    optimise.evaluations = *n;
  if (const auto n = whole_of(*table, "optimise", "population", 2, most)) optimise.population = *n;
  if (const auto n =
          whole_of(*table, "optimise", "seed", 0, std::numeric_limits<std::int64_t>::max())) {
    optimise.seed = static_cast<std::uint64_t>(*n);
  }
  if (const auto sigma = number_of(*table, "optimise", "sigma")) {
    optimise.sigma = *sigma;
    if (!(*sigma > 0.0)) {
      fault(*table->find("sigma"), "optimise.sigma",
            fmt::format("expected a number > 0, got {}", *sigma), "a share of the range: 0.3");
    }
  }
  if (impl_->root.find("goal") == nullptr) {
    fault(*table, "optimise", "there is no [goal]",
          "say which measure, and towards \"max\" or \"min\"");
  }
  if (impl_->searched == 0) {
    fault(*table, "optimise", "there is no axis to search",
          "an axis with from and to alone is searched");
  }
  impl_->optimise = optimise;
}

}  // namespace coluber::sweep
