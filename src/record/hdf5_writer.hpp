#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"

namespace coluber::record {

/// `time` and every observable as a float64 dataset of its name, frames along the first axis, with
/// `unit`, `doc` and `components` as attributes. Grows under its partial name. Throws FileError.
class COLUBER_EXPORT Hdf5Writer {
 public:
  Hdf5Writer(std::filesystem::path file, const std::vector<Observable>& observables);
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer();

  void row(double time, std::span<const double> values);
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coluber::record
