#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "coluber/record/trajectory.hpp"

#include "record/hdf5_handle.hpp"

namespace coluber::record {

/// The floats and the header of the dataset `drawing`, as Hdf5Writer writes them.
struct StoredDrawing {
  std::string header;         // JSON
  std::vector<float> values;  // frames × floats
};

/// Reads what Hdf5Writer wrote, and nothing else that may lie in the file. Throws FileError where
/// that is missing or of another kind.
class Hdf5Reader {
 public:
  /// Opens `trajectory.h5` of a run folder, if it is the file that run.json speaks of.
  explicit Hdf5Reader(const std::filesystem::path& run_folder);

  [[nodiscard]] Trajectory trajectory() const;
  /// What its columns are, without their values.
  [[nodiscard]] std::vector<Observable> observables() const;
  /// The first dataset or group that the run did not write; "" if there is none.
  [[nodiscard]] std::string foreign_name() const;
  /// None: the file was written before it held one.
  [[nodiscard]] std::optional<StoredDrawing> drawing() const;

 private:
  [[nodiscard]] hsize_t frame_count() const;
  [[nodiscard]] Handle open_dataset(const std::string& name) const;
  void require(bool good, const std::string& complaint) const;
  [[nodiscard]] std::vector<hsize_t> shape_of(hid_t dataset, const std::string& name) const;
  void read_values(hid_t dataset, const std::string& name, hid_t type, void* out,
                   hsize_t count) const;
  [[nodiscard]] std::vector<std::string> read_strings(hid_t object, const char* name) const;
  [[nodiscard]] std::string read_string(hid_t object, const char* name) const;

  Quiet quiet_;
  std::filesystem::path file_;
  Handle handle_;
  hsize_t max_values_ = 0;
};

}  // namespace coluber::record
