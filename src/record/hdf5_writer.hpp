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

inline constexpr std::size_t unknown_frames = static_cast<std::size_t>(-1);

/// `time` and every observable as a float64 dataset of its name, frames along the first axis, with
/// `unit`, `doc` and `components` as attributes. Grows under its partial name. Throws FileError.
/// Datasets are chunked, compressed, and a damaged chunk is found when read.
class COLUBER_EXPORT Hdf5Writer {
 public:
  /// `frames` is the number of rows that will come, as far as it is known: it keeps a short file
  /// small.
  Hdf5Writer(std::filesystem::path file, const std::vector<Observable>& observables,
             std::size_t frames = unknown_frames);
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer();

  /// Makes the dataset `drawing`, of what is drawn in a replay with this header; before the first
  /// row.
  void add_drawing(const nlohmann::ordered_json& replay);

  void row(double time, std::span<const double> values);
  /// A frame of that replay, one for each row.
  void drawing_row(std::span<const float> replay);
  /// Closes the file under its partial name; it is not on the disk yet.
  void close();
  /// Closes it, brings it to the disk and gives it its name.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coluber::record
