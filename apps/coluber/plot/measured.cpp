#include "plot/measured.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "coluber/core/nearest.hpp"

#include "fault.hpp"

namespace coluber::app {
namespace {

constexpr std::size_t max_faults = 20;

struct Cell {
  std::string_view text;
  int column = 1;  ///< in characters, from 1
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<Cell> split(std::string_view line) {
  std::vector<Cell> cells;
  std::size_t begin = 0;
  while (true) {
    const auto comma = line.find(',', begin);
    const auto part = line.substr(begin, comma == std::string_view::npos ? comma : comma - begin);
    auto text = trimmed(part);
    const auto lead = text.empty() ? 0 : static_cast<std::size_t>(text.data() - part.data());
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
      text = text.substr(1, text.size() - 2);
    cells.push_back({text, static_cast<int>(begin + lead) + 1});
    if (comma == std::string_view::npos) return cells;
    begin = comma + 1;
  }
}

class Reader {
 public:
  Reader(const std::filesystem::path& file, const std::vector<std::string>& known, int middle)
      : file_(file.string()), known_(known), middle_(middle) {}

  Measured read(const std::string& text) {
    Measured measured;
    measured.label = std::filesystem::path(file_).filename().string();
    std::size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // byte order mark
    int line_number = 0;
    bool has_header = false;
    while (begin < text.size()) {
      auto end = text.find('\n', begin);
      if (end == std::string::npos) end = text.size();
      const std::string_view line(text.data() + begin, end - begin);
      begin = end + 1;
      ++line_number;
      if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
      if (!has_header) {
        header(line, line_number, measured);
        has_header = true;
        if (!faults_.empty()) throw InputError(faults_);
      } else {
        row(line, line_number, measured);
        if (faults_.size() >= max_faults) break;
      }
    }
    if (!has_header) fault(0, 0, "the file has no header and no rows", example());
    if (faults_.empty() && measured.time.empty())
      fault(0, 0, "the file has a header and no rows", example());
    if (!faults_.empty()) throw InputError(faults_);
    return measured;
  }

 private:
  static std::string example() { return "for example  time,link_position.6.x,link_position.6.y"; }

  void fault(int line, int column, std::string message, std::string hint = "") {
    faults_.push_back(make_fault(file_, line, column, std::move(message), std::move(hint)));
  }

  void header(std::string_view line, int line_number, Measured& measured) {
    if (line.find(',') == std::string_view::npos && line.find(';') != std::string_view::npos) {
      fault(line_number, 1, "expected columns separated by commas, found semicolons");
      return;
    }
    for (const auto& cell : split(line)) {
      std::string name{cell.text};
      if (name == "t") name = "time";
      if (name == "x" || name == "y") name = fmt::format("link_position.{}.{}", middle_, name);
      if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
        fault(line_number, cell.column, fmt::format("column \"{}\" is there twice", name));
      } else if (name != "time" && std::find(known_.begin(), known_.end(), name) == known_.end()) {
        const auto guess = nearest(name, known_);
        fault(line_number, cell.column,
              fmt::format("expected time or one of the run's quantities, got \"{}\"", name),
              guess.empty() ? example() : fmt::format("did you mean {}?", guess));
      }
      names_.push_back(name);
    }
    if (std::find(names_.begin(), names_.end(), "time") == names_.end())
      fault(line_number, 1, "there is no column time", example());
    else if (names_.size() == 1)
      fault(line_number, 1, "there is no column besides time", example());
    for (const auto& name : names_)
      if (name != "time") measured.columns[name];
  }

  void row(std::string_view line, int line_number, Measured& measured) {
    const auto cells = split(line);
    if (cells.size() != names_.size()) {
      fault(line_number, 1,
            fmt::format("the row has {} cells, the header {}", cells.size(), names_.size()));
      return;
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const bool is_time = names_[k] == "time";
      double value = std::numeric_limits<double>::quiet_NaN();
      const bool gap = cells[k].text.empty() || cells[k].text == "NA";
      if (!gap || is_time) {
        const auto* const first = std::to_address(cells[k].text.begin());
        const auto* const last = std::to_address(cells[k].text.end());
        const auto [rest, error] = std::from_chars(first, last, value);
        const bool usable = std::isfinite(value) || (std::isnan(value) && !is_time);
        if (error != std::errc{} || rest != last || !usable) {
          fault(line_number, cells[k].column,
                fmt::format("{}: expected a number, got \"{}\"", names_[k],
                            cells[k].text.substr(0, 40)),
                is_time ? "" : "leave the cell empty, or write nan, where nothing was measured");
          continue;
        }
      }
      if (is_time) {
        if (!measured.time.empty() && value <= measured.time.back())
          fault(line_number, cells[k].column,
                fmt::format("time must increase, but {} follows {}", value, measured.time.back()),
                "sort the rows by time, and keep one row of those with the same time");
        measured.time.push_back(value);
      } else {
        measured.columns[names_[k]].push_back(value);
      }
    }
  }

  std::string file_;
  const std::vector<std::string>& known_;
  int middle_;
  std::vector<std::string> names_;
  std::vector<Diagnostic> faults_;
};

}  // namespace

Measured load_measured(const std::filesystem::path& file, const std::vector<std::string>& known,
                       int middle) {
  const auto refuse = [&](std::string message, std::string hint = {}) {
    throw InputError(make_fault(file.string(), 0, 0, std::move(message), std::move(hint)));
  };
  std::error_code fault;
  if (!std::filesystem::exists(file, fault))
    refuse("there is no such file",
           "--measured takes a CSV file of your own, from the folder you are in");
  if (std::filesystem::is_directory(file, fault)) refuse("expected a CSV file, found a folder");
  if (!std::filesystem::is_regular_file(file, fault))  // a device may have no end
    refuse("not a regular file", "measurements are read from .csv files");
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) refuse("the file cannot be read");
  if (text.view().find('\0') != std::string_view::npos)
    refuse("expected a CSV file, found binary data");
  return Reader(file, known, middle).read(text.str());
}

}  // namespace coluber::app
