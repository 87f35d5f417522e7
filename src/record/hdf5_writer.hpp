#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"

namespace coluber::record {

/// The dataset of what is drawn, float32, frames along the first axis, and its attribute that says
/// what the numbers mean.
inline constexpr const char* drawing_name = "drawing";
inline constexpr const char* drawing_header_name = "header";

/// `time` and every observable as a float64 dataset of its name, frames along the first axis, with
/// `unit`, `doc` and `components` as attributes. Grows under its partial name. Throws FileError.
class COLUBER_EXPORT Hdf5Writer {
 public:
  Hdf5Writer(std::filesystem::path file, const std::vector<Observable>& observables);
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer();

  /// Makes the dataset `drawing`, of what is drawn in a replay with this header; before the first
  /// row.
  void add_drawing(const nlohmann::ordered_json& replay);

  void row(double time, std::span<const double> values);
  /// A frame of that replay, one for each row.
  void drawing_row(std::span<const float> replay);
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coluber::record
