#include "keys/number_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/keys/registry.hpp"

#include "core/csv_cells.hpp"
#include "keys/limits.hpp"

namespace coluber::keys {

namespace {

constexpr std::size_t max_faults = 20;  // enough to see what is wrong

class Reader {
 public:
  Reader(const std::filesystem::path& file, const NumberTableFormat& format)
      : file_(file), format_(format) {}

  NumberTable read() {
    std::string text;
    if (read_text(text)) read_lines(text);
    if (!table_.faults.empty()) {
      table_.rows.clear();
      table_.lines.clear();
    }
    return std::move(table_);
  }

 private:
  void fault(int line, int column, std::string message, std::string hint) {
    if (table_.faults.size() >= max_faults) return;
    table_.faults.push_back(
        {{file_.string(), line, column}, format_.key, std::move(message), std::move(hint)});
  }

  bool read_text(std::string& text) {
    std::error_code error;
    const auto kind = std::filesystem::status(file_, error);
    if (!std::filesystem::exists(kind)) {
      fault(0, 0, "no such file", "the path is relative to the file that holds the key");
      return false;
    }
    if (!std::filesystem::is_regular_file(kind)) {
      fault(0, 0, "not a regular file", format_.file_hint);
      return false;
    }
    std::ifstream in(file_, std::ios::binary);
    std::array<char, 1U << 14U> buffer{};
    while (in.read(buffer.data(), buffer.size()) || in.gcount() > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
      if (text.size() > limits::file_bytes) {
        fault(0, 0, fmt::format("is longer than {} MiB", limits::file_bytes >> 20U),
              format_.fewer_hint);
        return false;
      }
    }
    if (!in.eof() || in.bad()) {
      fault(0, 0, "cannot be read", "check its permissions");
      return false;
    }
    return true;
  }

  void read_lines(std::string_view rest) {
    if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);  // byte order mark
    int line_number = 0;
    while (!rest.empty() && table_.faults.size() < max_faults) {
      const std::size_t end = rest.find('\n');
      const std::string_view line = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
      ++line_number;
      const std::string_view content = trim(line);
      if (content.empty() || content.front() == '#') continue;
      const std::vector<CsvCell> cells = split_csv(line);
      if (width_ == 0) {
        if (!read_header(cells, line, line_number)) return;  // the columns mean nothing then
      } else if (table_.rows.size() == format_.most) {
        fault(line_number, 1, format_.many, format_.fewer_hint);
        return;
      } else {
        read_row(cells, line, line_number);
      }
    }
    if (width_ == 0) fault(0, 0, "is empty", format_.header_hint);
  }

  bool read_header(const std::vector<CsvCell>& cells, std::string_view line, int line_number) {
    const std::vector<NumberTableFormat::Column>& columns = format_.columns;
    for (std::size_t j = 0; j < std::max(cells.size(), format_.required); ++j) {
      if (j >= cells.size() || j >= columns.size()) {
        const int column = j < cells.size() ? cells[j].column : static_cast<int>(line.size()) + 1;
        fault(line_number, column,
              fmt::format("the header has {} columns, {} needed", cells.size(), needed()),
              format_.header_hint);
        return false;
      }
      if (cells[j].text != columns[j].name) {
        fault(line_number, cells[j].column,
              fmt::format("expected the column name \"{}\", got {}", columns[j].name,
                          shown_cell(cells[j].text)),
              format_.header_hint);
        return false;
      }
    }
    width_ = cells.size();
    return true;
  }

  void read_row(const std::vector<CsvCell>& cells, std::string_view line, int line_number) {
    if (cells.size() != width_) {
      const int column =
          cells.size() > width_ ? cells[width_].column : static_cast<int>(line.size()) + 1;
      fault(line_number, column, fmt::format("expected {} numbers, got {}", width_, cells.size()),
            "every line has as many numbers as the header has names");
      return;
    }
    std::vector<double> row;
    bool good = true;
    for (std::size_t j = 0; j < width_; ++j) {
      const Key& key = format_.columns[j].range;
      std::string_view digits = cells[j].text;
      if (digits.starts_with('+')) digits.remove_prefix(1);
      double value = 0.0;
      const auto [stop, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value);
      const bool number = error == std::errc{} && stop == digits.data() + digits.size();
      const bool in_range = number && std::isfinite(value) && value <= key.max &&
                            (key.above_min ? value > key.min : value >= key.min);
      if (!in_range) {
        fault(line_number, cells[j].column,
              fmt::format("{}: expected {}, got {}", format_.columns[j].name, expectation(key),
                          shown_cell(cells[j].text)),
              number ? format_.range_hint
                     : std::string("numbers are written with a point, for example  0.25"));
        good = false;
      }
      row.push_back(value);
    }
    if (!good) return;
    table_.rows.push_back(std::move(row));
    table_.lines.push_back(line_number);
  }

  /// How many columns there may be: "2 are", "3 or 4 are".
  [[nodiscard]] std::string needed() const {
    const std::size_t most = format_.columns.size();
    return most == format_.required ? fmt::format("{} are", most)
                                    : fmt::format("{} or {} are", format_.required, most);
  }

  const std::filesystem::path& file_;
  const NumberTableFormat& format_;
  std::size_t width_ = 0;  // columns; 0: no header yet
  NumberTable table_;
};

}  // namespace

NumberTable load_number_table(const std::filesystem::path& file, const NumberTableFormat& format) {
  return Reader(file, format).read();
}

}  // namespace coluber::keys
