#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "coluber/core/system.hpp"

#include "record/output_file.hpp"

namespace coluber::record {

/// The first line of a table, with its end.
std::string table_head(const std::vector<Observable>& observables);

/// `time` and every observable, a line a frame.
class CsvWriter {
 public:
  CsvWriter(const std::filesystem::path& file, const std::vector<Observable>& observables,
            OutputFile::Draft draft = OutputFile::Draft::of_a_run);
  void row(double time, std::span<const double> values);
  /// Ends it under its partial name, not yet on the disk.
  void close() { out_.close(); }
  void commit() { out_.commit(); }

 private:
  OutputFile out_;
  std::string line_;
};

}  // namespace coluber::record
