#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/gait/table.hpp"

#include "core/csv_cells.hpp"
#include "math/degree.hpp"

namespace coluber::gait {

namespace {

using math::degree;
constexpr std::uintmax_t max_bytes = 256ULL << 20U;  // a table larger than this is a mistake
constexpr std::size_t max_faults = 20;               // enough to see what is wrong

Diagnostic make_fault(const std::filesystem::path& file, int line, int column,
                      const std::string& message, const std::string& hint) {
  Diagnostic fault;
  fault.where = {file.string(), line, column};
  fault.key = "gait.table";
  fault.message = message;
  fault.hint = hint;
  return fault;
}

std::string read_text(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& message, const std::string& hint) {
    throw InputError(make_fault(file, 0, 0, message, hint));
  };
  std::error_code error;
  const auto kind = std::filesystem::status(file, error);
  if (!std::filesystem::exists(kind)) {
    fail("no such file", "the path of gait.table is relative to the scenario that names it");
  }
  if (std::filesystem::is_directory(kind)) fail("is a folder", "name the CSV file in it");
  std::ifstream in(file, std::ios::binary);
  if (!in) fail("cannot be read", "check its permissions");
  if (const auto bytes = std::filesystem::file_size(file, error); !error && bytes > max_bytes) {
    fail(fmt::format("has {} bytes, more than {} MiB", bytes, max_bytes >> 20U),
         "thin the table out; it is interpolated by cubics");
  }
  std::string text;
  std::vector<char> buffer(1U << 16U);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > max_bytes) {
      fail(fmt::format("is longer than {} MiB", max_bytes >> 20U),
           "thin the table out; it is interpolated by cubics");
    }
  }
  if (in.bad()) fail("cannot be read", "check the disk");
  return text;
}

}  // namespace

std::unique_ptr<Table> load_table(const std::filesystem::path& file, int joints) {
  const std::string text = read_text(file);
  const std::size_t width = static_cast<std::size_t>(joints) + 1;
  const std::string header_hint =
      joints == 1
          ? std::string("the first line is  t,phi_1")
          : fmt::format("the first line is  t,phi_1,…,phi_{}  (seconds and degrees)", joints);

  std::vector<Diagnostic> faults;
  const auto fault = [&](int line, int column, const std::string& message,
                         const std::string& hint) {
    if (faults.size() < max_faults) {
      faults.push_back(make_fault(file, line, column, message, hint));
    }
  };

  std::vector<double> times;
  std::vector<double> angles;  // row-major, rad
  bool header_seen = false;
  int line_number = 0;
  std::string_view rest = text;
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);  // byte order mark
  while (!rest.empty() && faults.size() < max_faults) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    ++line_number;
    const std::string_view content = trim(line);
    if (content.empty() || content.front() == '#') continue;

    const std::vector<CsvCell> cells = split_csv(line);
    if (!header_seen) {
      header_seen = true;
      for (std::size_t j = 0; j < std::max(cells.size(), width); ++j) {
        const std::string expected = j == 0 ? "t" : fmt::format("phi_{}", j);
        if (j >= cells.size()) {
          fault(line_number, static_cast<int>(line.size()) + 1,
                fmt::format("the header has {} columns, the robot needs {} (t and {} joint angles)",
                            cells.size(), width, joints),
                header_hint);
          break;
        }
        if (j >= width) {
          fault(line_number, cells[j].column,
                fmt::format("the header has {} columns, the robot needs {} (t and {} joint angles)",
                            cells.size(), width, joints),
                header_hint);
          break;
        }
        if (cells[j].text != expected) {
          fault(line_number, cells[j].column,
                fmt::format("expected the column name \"{}\", got {}", expected,
                            shown_cell(cells[j].text)),
                header_hint);
          break;
        }
      }
      if (!faults.empty()) break;  // the columns mean nothing then
      continue;
    }

    if (cells.size() != width) {
      const int column =
          cells.size() > width ? cells[width].column : static_cast<int>(line.size()) + 1;
      fault(line_number, column,
            fmt::format("expected {} numbers (t and {} joint angles), got {}", width, joints,
                        cells.size()),
            "every line has as many numbers as the header has names");
      continue;
    }
    std::vector<double> row(width);
    bool good = true;
    for (std::size_t j = 0; j < width; ++j) {
      std::string_view digits = cells[j].text;
      if (digits.starts_with('+')) digits.remove_prefix(1);
      const auto [stop, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), row[j]);
      if (error != std::errc{} || stop != digits.data() + digits.size()) {
        fault(line_number, cells[j].column,
              fmt::format("expected a number, got {}", shown_cell(cells[j].text)),
              "numbers are written with a point, for example  12.5");
        good = false;
      } else if (!std::isfinite(row[j])) {
        fault(line_number, cells[j].column,
              fmt::format("expected a finite number, got {}", shown_cell(cells[j].text)),
              "leave the line out; the points around it are joined by a cubic");
        good = false;
      }
    }
    if (!good) continue;
    if (!times.empty() && !(row[0] > times.back())) {
      fault(line_number, cells[0].column,
            fmt::format("time must increase from line to line: {} after {}", row[0], times.back()),
            "sort the lines by t and keep one line a time");
      continue;
    }
    times.push_back(row[0]);
    for (std::size_t j = 1; j < width; ++j) angles.push_back(row[j] * degree);
  }

  if (faults.empty() && !header_seen) fault(0, 0, "is empty", header_hint);
  if (faults.empty() && times.empty()) {
    fault(line_number + 1, 1, "has a header but no points", "add at least one line of numbers");
  }
  if (!faults.empty()) throw InputError(std::move(faults));

  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd rows = Eigen::Map<const RowMajor>(
      angles.data(), static_cast<Eigen::Index>(times.size()), static_cast<Eigen::Index>(joints));
  return std::make_unique<Table>(std::move(times), rows);
}

}  // namespace coluber::gait
