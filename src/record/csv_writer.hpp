#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "coluber/core/system.hpp"

#include "record/output_file.hpp"

namespace coluber::record {

/// `time` and every observable, a line a frame.
class CsvWriter {
 public:
  CsvWriter(const std::filesystem::path& file, const std::vector<Observable>& observables);
  void row(double time, std::span<const double> values);
  /// Ends it under its partial name, not yet on the disk.
  void close() { out_.close(); }
  void commit() { out_.commit(); }

 private:
  OutputFile out_;
  std::string line_;
};

}  // namespace coluber::record
