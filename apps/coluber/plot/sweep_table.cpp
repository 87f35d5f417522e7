// results.csv of a sweep folder, for pictures.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/sweep/folder.hpp"

#include "plot/sweep.hpp"

namespace coluber::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The cells of the next line, quotes undone; empty at the end of the text.
std::vector<std::string> next_row(std::string_view& text) {
  std::vector<std::string> cells;
  if (text.empty()) return cells;
  cells.emplace_back();
  bool quoted = false;
  std::size_t k = 0;
  for (; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted) {
      if (c == '"' && k + 1 < text.size() && text[k + 1] == '"') {
        cells.back() += text[++k];
      } else if (c == '"') {
        quoted = false;
      } else {
        cells.back() += c;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      cells.emplace_back();
    } else if (c == '\n') {
      ++k;
      break;
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  text.remove_prefix(k);
  return cells;
}

double to_number(std::string_view cell) {
  double value = 0.0;
  const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool whole = failure == std::errc{} && end == cell.data() + cell.size() && !cell.empty();
  return whole ? value : std::numeric_limits<double>::quiet_NaN();
}

/// One axis from its cells: numbers if all are, else words.
void fill(SweepAxis& axis, const std::vector<std::string>& cells) {
  for (const auto& cell : cells) axis.values.push_back(to_number(cell));
  if (std::ranges::none_of(axis.values, [](double v) { return std::isnan(v); })) return;
  axis.log = false;
  std::map<std::string, double> place;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const auto [at, fresh] = place.emplace(cells[k], static_cast<double>(axis.words.size()));
    if (fresh) axis.words.push_back(cells[k]);
    axis.values[k] = at->second;
  }
}

}  // namespace

SweepTable load_sweep_table(const fs::path& folder) {
  std::ifstream about_file(folder / "sweep.json", std::ios::binary);
  const Json about = Json::parse(about_file, nullptr, false);
  std::ifstream in(folder / "results.csv", std::ios::binary);
  if (!in || !about.is_object()) {
    throw FileError(
        fmt::format("{} has no results.csv yet\n  hint: coluber sweep FILE --out {} --resume",
                    folder.string(), folder.string()));
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::string_view rest = text;
  const auto header = next_row(rest);
  const auto column = [&](std::string_view name) {
    const auto found = std::ranges::find(header, name);
    return found == header.end() ? header.size() : static_cast<std::size_t>(found - header.begin());
  };
  SweepTable table;
  table.title = about.value("title", "");
  std::vector<std::size_t> places;
  for (const Json& axis : about.value("axes", Json::array())) {
    for (const Json& name : axis.value("columns", Json::array())) {
      SweepAxis each;
      each.label = name.get<std::string>();
      if (const auto unit = axis.value("unit", ""); !unit.empty())
        each.label += fmt::format(" ({})", unit);
      each.log = axis.value("scale", "") == "log";
      const auto sampling = axis.value("sampling", "crossed");
      each.sampled = sampling != "crossed";
      places.push_back(column(name.get<std::string>()));
      table.axes.push_back(std::move(each));
    }
  }
  const Json columns = about.value("columns", Json::array());
  const Json goal = about.value("goal", Json());
  if (goal.is_object()) {
    table.measure = goal.value("measure", "");
    table.largest = goal.value("towards", "max") == "max";
  } else if (!columns.empty()) {
    table.measure = columns.front().value("name", "");
  }
  for (const Json& each : columns) {
    if (each.value("name", "") == table.measure) table.unit = each.value("unit", "");
  }
  if (table.unit.starts_with("that of")) table.unit.clear();
  const std::size_t measure = column(table.measure);
  const std::size_t status = column("status");
  const std::size_t feasible = column("feasible");
  const std::size_t candidate = column("candidate");
  std::vector<std::vector<std::string>> cells(table.axes.size());
  for (auto row = next_row(rest); !row.empty(); row = next_row(rest)) {
    if (row.size() != header.size()) {
      throw FileError(fmt::format("{}: a line has {} cells, the first has {}",
                                  (folder / "results.csv").string(), row.size(), header.size()));
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      cells[k].push_back(places[k] < row.size() ? row[places[k]] : "");
    }
    table.values.push_back(measure < row.size() ? to_number(row[measure])
                                                : std::numeric_limits<double>::quiet_NaN());
    const bool done = status < row.size() && row[status] == "completed";
    table.feasible.push_back(done && (feasible >= row.size() || row[feasible] == "true"));
    if (candidate < row.size()) table.candidate.push_back(std::lround(to_number(row[candidate])));
  }
  for (std::size_t k = 0; k < cells.size(); ++k) fill(table.axes[k], cells[k]);
  return table;
}

std::optional<std::size_t> SweepTable::best() const {
  std::optional<std::size_t> found;
  if (!largest) return found;
  for (std::size_t k = 0; k < size(); ++k) {
    if (!feasible[k] || std::isnan(values[k])) continue;
    if (!found || (*largest ? values[k] > values[*found] : values[k] < values[*found])) found = k;
  }
  return found;
}

}  // namespace coluber::app
