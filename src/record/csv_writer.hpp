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
  void commit() { out_.commit(); }

 private:
  OutputFile out_;
  std::string line_;
};

}  // namespace coluber::record
