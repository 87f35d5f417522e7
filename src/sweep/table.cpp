// results.csv and timing.csv.
#include "sweep/table.hpp"

#include <cmath>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "record/output_file.hpp"

namespace coluber::sweep {

namespace {

constexpr std::string_view results_mark = "point,status,reason,";
constexpr std::string_view history_mark = "generation,candidate,";

/// A cell in quotes where it must be.
void append_cell(std::string_view text, std::string& out) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

std::string table_header(const Sweep& sweep, bool history) {
  std::string line(history ? "generation,candidate,point,status,reason" : "point,status,reason");
  for (const std::string& column : sweep.axis_columns()) {
    line += ',';
    append_cell(column, line);
  }
  for (const Column& column : sweep.columns()) {
    line += ',';
    append_cell(column.name, line);
  }
  if (!sweep.requirements().empty()) line += ",feasible";
  return line + ",steps,final_state,hash\n";
}

std::string table_line(const Sweep& sweep, const Point& point, const Row& row, bool history) {
  std::string line;
  const auto to = std::back_inserter(line);
  if (history) fmt::format_to(to, "{},{},", row.generation, row.candidate);
  fmt::format_to(to, "{},{},", point.number, to_string(row.status));
  append_cell(row.reason, line);
  for (const std::string& cell : sweep.cells(point)) {
    line += ',';
    append_cell(cell, line);
  }
  for (std::size_t k = 0; k < sweep.columns().size(); ++k) {
    line += ',';
    if (k < row.values.size() && !std::isnan(row.values[k]))
      fmt::format_to(to, "{}", row.values[k]);
  }
  if (!sweep.requirements().empty()) line += is_feasible(sweep, row) ? ",true" : ",false";
  line += ',';
  if (row.steps >= 0) fmt::format_to(to, "{}", row.steps);
  fmt::format_to(to, ",{},{:016x}\n", row.final_state, point.hash);
  return line;
}

std::string timing_line(const Point& point, const Row& row) {
  return fmt::format("{},{},{},{},{},{}\n", point.number, row.host, row.process, row.attempt,
                     row.wall_s, row.cpu_s);
}

void save_table(const std::filesystem::path& file, const Sweep& sweep, const std::vector<Row>& rows,
                bool history) {
  record::OutputFile out(file, record::OutputFile::Draft::unique);
  out.write(table_header(sweep, history));
  for (const Row& row : rows) {
    out.write(table_line(sweep, sweep.point(row.point, row.searched), row, history));
  }
  out.commit();
}

bool is_sweep_table(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  if (!in || !std::getline(in, line)) return false;
  return line.starts_with(results_mark) || line.starts_with(history_mark) ||
         line + "\n" == timing_header;
}

}  // namespace coluber::sweep
