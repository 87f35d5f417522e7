#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// One line of a CSV file in cells that know where they stand, for readers that point at a fault.

namespace coluber {

struct CsvCell {
  std::string_view text;
  int column = 1;  ///< 1-based, of the first character that counts
};

inline std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return text.substr(0, 0);
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

inline std::vector<CsvCell> split_csv(std::string_view line) {
  std::vector<CsvCell> cells;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    const std::string_view raw = line.substr(begin, end - begin);
    const std::string_view text = trim(raw);
    const std::size_t skipped =
        text.empty() ? 0 : static_cast<std::size_t>(text.data() - raw.data());
    cells.push_back({text, static_cast<int>(begin + skipped) + 1});
    if (end == line.size()) return cells;
    begin = end + 1;
  }
}

/// What a cell said, short and printable.
inline std::string shown_cell(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, 24)) out += c >= ' ' && c != '\x7f' ? c : '?';
  return out + (text.size() > 24 ? "…\"" : "\"");
}

}  // namespace coluber
