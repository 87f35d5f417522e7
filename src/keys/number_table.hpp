#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "coluber/core/error.hpp"
#include "coluber/keys/key.hpp"

namespace coluber::keys {

/// A CSV file with a header and numbers, one row per line, that a key names.
struct NumberTableFormat {
  struct Column {
    std::string name{};
    Key range{};  ///< what its numbers may be
  };
  std::string key{};  ///< that names the file, for faults
  std::vector<Column> columns{};
  std::size_t required = 0;   ///< the first so many must be there
  std::string header_hint{};  ///< "the first line is  x,y"
  std::string file_hint{};    ///< "name a CSV file: x,y in m"
  std::string range_hint{};   ///< for a number out of range: "in m"
  std::size_t most = 0;       ///< rows
  std::string many{};         ///< what is said of more
  std::string fewer_hint{};   ///< what to do about it
};

/// What is in such a file.
struct NumberTable {
  std::vector<std::vector<double>> rows;
  std::vector<int> lines;          ///< where each was given
  std::vector<Diagnostic> faults;  ///< everything wrong with it; then there are no rows
};

/// Reads it. Throws nothing: what is wrong is in `faults`; one about the file as a whole has line
/// 0.
NumberTable load_number_table(const std::filesystem::path& file, const NumberTableFormat& format);

}  // namespace coluber::keys
