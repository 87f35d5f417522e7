#include "record/hdf5_reader.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/record/run_state.hpp"

#include "record/hdf5_writer.hpp"
#include "record/output_file.hpp"

namespace coluber::record {

namespace {

// Where an HDF5 file says that it ends; 0 where it does not begin as one.
std::uint64_t stated_end(const std::filesystem::path& file) {
  std::array<char, 52> head{};
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), head.size());
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  if (!in || !std::string_view(head.data(), head.size()).starts_with(signature)) return 0;
  // superblock of any version, 1 where the index of chunks is smaller; addresses of 8 bytes
  std::size_t at = 0;
  if (head[8] == 0 && head[13] == 8) at = 40;
  if (head[8] == 1 && head[13] == 8) at = 44;
  if ((head[8] == 2 || head[8] == 3) && head[9] == 8) at = 28;
  if (at == 0) return 0;
  std::uint64_t end = 0;
  std::memcpy(&end, head.data() + at, sizeof end);
  return end;
}

// The HDF5 library trusts what a file says about itself and may crash on a damaged one: compare it
// with what run.json says was written before letting the library near it. A lone trajectory.h5
// passes, and one that has grown under the hands of the HDF5 library, which keeps the end of the
// file in its first bytes: a user may add data of his own.
void check_fingerprint(const std::filesystem::path& folder, const std::filesystem::path& file) {
  std::ifstream in(folder / "run.json", std::ios::binary);
  if (!in) return;
  const nlohmann::json run = nlohmann::json::parse(in, nullptr, false);
  if (!run.is_object()) {
    throw FileError(fmt::format("{}: is damaged or not of a run\n  hint: {}",
                                (folder / "run.json").string(), damaged_run_hint));
  }
  const auto files = run.find("files");
  if (files == run.end() || !files->is_object() || !files->contains("trajectory.h5")) return;
  const nlohmann::json& said = (*files)["trajectory.h5"];
  const Fingerprint found = compute_fingerprint(file);
  if (said ==
      nlohmann::json{{"bytes", found.bytes}, {"hash", fmt::format("{:016x}", found.hash)}}) {
    return;
  }
  const auto bytes = said.is_object() ? said.value("bytes", nlohmann::json()) : nlohmann::json();
  const bool grown = bytes.is_number_unsigned() && found.bytes > bytes.get<std::uint64_t>() &&
                     stated_end(file) == found.bytes;
  if (grown) return;
  throw FileError(
      fmt::format("{}: is not the file that the run wrote; is it damaged or changed? (run.json "
                  "holds its size and hash)",
                  file.string()));
}

// A file may claim any size; memory is asked for only where its bytes could hold that much. Deflate
// makes at most 1032 bytes of one, which are 258 of the smallest numbers.
constexpr hsize_t max_values_a_byte = 260;

}  // namespace

Hdf5Reader::Hdf5Reader(const std::filesystem::path& run_folder)
    : file_(run_folder / "trajectory.h5") {
  check_fingerprint(run_folder, file_);
  handle_ = Handle(H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  require(handle_.valid(), "cannot be opened as HDF5");
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file_, error);
  require(!error, "cannot be read");
  max_values_ = std::min<hsize_t>(bytes * max_values_a_byte, 1ULL << 32U);
}

Handle Hdf5Reader::open_dataset(const std::string& name) const {
  Handle dataset(H5Dopen2(handle_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  require(dataset.valid(), fmt::format("has no dataset \"{}\"", name));
  return dataset;
}

hsize_t Hdf5Reader::frame_count() const {
  const std::vector<hsize_t> shape = shape_of(open_dataset("time").get(), "time");
  require(shape.size() == 1, "dataset \"time\" is not one column");
  return shape[0];
}

std::vector<Observable> Hdf5Reader::observables() const {
  const std::vector<std::string> names = read_strings(handle_.get(), "observables");
  const hsize_t frames = frame_count();
  std::vector<Observable> found;
  hsize_t total = 0;
  for (const std::string& name : names) {
    const Handle dataset = open_dataset(name);
    const std::vector<hsize_t> shape = shape_of(dataset.get(), name);
    require(!shape.empty() && shape[0] == frames,
            fmt::format("dataset \"{}\" has another number of frames than \"time\"", name));
    Observable observable;
    observable.name = name;
    observable.unit = read_string(dataset.get(), "unit");
    observable.doc = read_string(dataset.get(), "doc");
    observable.components = read_strings(dataset.get(), "components");
    hsize_t size = 1;
    for (std::size_t axis = 1; axis < shape.size(); ++axis) {
      size *= shape[axis];
      require(shape[axis] <= std::numeric_limits<int>::max() && size <= max_values_,
              "claims to be impossibly large");
      observable.shape.push_back(static_cast<int>(shape[axis]));
    }
    total += size * frames;
    require(size <= std::numeric_limits<int>::max() && total <= max_values_,
            "claims to be impossibly large");
    found.push_back(std::move(observable));
  }
  return found;
}

Trajectory Hdf5Reader::trajectory() const {
  Trajectory trajectory;
  trajectory.observables = observables();
  const hsize_t frames = frame_count();
  trajectory.time.resize(frames);
  read_values(open_dataset("time").get(), "time", H5T_NATIVE_DOUBLE, trajectory.time.data(),
              frames);
  std::vector<std::vector<double>> columns;
  std::size_t total = 0;
  for (const Observable& observable : trajectory.observables) {
    const hsize_t count = static_cast<hsize_t>(observable.size()) * frames;
    total += count;
    read_values(open_dataset(observable.name).get(), observable.name, H5T_NATIVE_DOUBLE,
                columns.emplace_back(count).data(), count);
  }

  trajectory.values.reserve(total);
  for (std::size_t k = 0; k < frames; ++k) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const auto size = static_cast<std::ptrdiff_t>(trajectory.observables[j].size());
      const auto begin = columns[j].begin() + static_cast<std::ptrdiff_t>(k) * size;
      trajectory.values.insert(trajectory.values.end(), begin, begin + size);
    }
  }
  return trajectory;
}

std::string Hdf5Reader::foreign_name() const {
  std::vector<std::string> known = read_strings(handle_.get(), "observables");
  known.insert(known.end(), {"time", drawing_name});
  H5G_info_t group{};
  require(H5Gget_info(handle_.get(), &group) >= 0, "cannot be read");
  for (hsize_t k = 0; k < group.nlinks; ++k) {
    const auto name = [&](char* out, std::size_t room) {
      return H5Lget_name_by_idx(handle_.get(), ".", H5_INDEX_NAME, H5_ITER_INC, k, out, room,
                                H5P_DEFAULT);
    };
    const ssize_t length = name(nullptr, 0);
    require(length > 0, "cannot be read");
    std::string text(static_cast<std::size_t>(length), '\0');
    require(name(text.data(), text.size() + 1) == length, "cannot be read");
    if (std::ranges::find(known, text) == known.end()) return text;
  }
  return {};
}

std::optional<StoredDrawing> Hdf5Reader::drawing() const {
  if (H5Lexists(handle_.get(), drawing_name, H5P_DEFAULT) <= 0) return std::nullopt;
  const std::string name = drawing_name;
  const Handle dataset(H5Dopen2(handle_.get(), drawing_name, H5P_DEFAULT), H5Dclose);
  require(dataset.valid(), fmt::format("\"{}\" is not a dataset", name));
  StoredDrawing drawing;
  drawing.header = read_string(dataset.get(), drawing_header_name);
  const std::vector<hsize_t> shape = shape_of(dataset.get(), name);
  require(shape.size() == 2, fmt::format("dataset \"{}\" has no usable shape", name));
  require(shape[1] == 0 || shape[0] <= max_values_ / shape[1], "claims to be impossibly large");
  drawing.values.resize(shape[0] * shape[1]);
  read_values(dataset.get(), name, H5T_NATIVE_FLOAT, drawing.values.data(), shape[0] * shape[1]);
  return drawing;
}

void Hdf5Reader::require(bool good, const std::string& complaint) const {
  if (!good) {
    throw FileError(
        fmt::format("{}: {}; is the file damaged or not a trajectory?", file_.string(), complaint));
  }
}

std::vector<hsize_t> Hdf5Reader::shape_of(hid_t dataset, const std::string& name) const {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  require(type.valid() && H5Tget_class(type.get()) == H5T_FLOAT,
          fmt::format("dataset \"{}\" does not hold numbers", name));
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.get()) : -1;
  require(rank >= 1 && rank <= 4, fmt::format("dataset \"{}\" has no usable shape", name));
  std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
  require(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr) == rank,
          fmt::format("dataset \"{}\" has no usable shape", name));
  require(shape[0] <= max_values_, "claims to be impossibly large");
  return shape;
}

void Hdf5Reader::read_values(hid_t dataset, const std::string& name, hid_t type, void* out,
                             hsize_t count) const {
  if (count == 0) return;
  require(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0,
          fmt::format("dataset \"{}\" cannot be read", name));
}

std::vector<std::string> Hdf5Reader::read_strings(hid_t object, const char* name) const {
  if (H5Aexists(object, name) <= 0) return {};
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  require(attribute.valid(), fmt::format("attribute \"{}\" cannot be read", name));
  const Handle stored(H5Aget_type(attribute.get()), H5Tclose);
  const Handle space(H5Aget_space(attribute.get()), H5Sclose);
  require(stored.valid() && space.valid() && H5Tget_class(stored.get()) == H5T_STRING &&
              H5Tis_variable_str(stored.get()) > 0,
          fmt::format("attribute \"{}\" does not hold text", name));
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  require(count >= 0 && count <= 4096, fmt::format("attribute \"{}\" has no usable shape", name));
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5Tget_cset(stored.get()));
  std::vector<char*> texts(static_cast<std::size_t>(count), nullptr);
  require(H5Aread(attribute.get(), type.get(), static_cast<void*>(texts.data())) >= 0,
          fmt::format("attribute \"{}\" cannot be read", name));
  std::vector<std::string> out;
  for (const char* text : texts) out.emplace_back(text == nullptr ? "" : text);
  H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, static_cast<void*>(texts.data()));
  return out;
}

std::string Hdf5Reader::read_string(hid_t object, const char* name) const {
  std::vector<std::string> texts = read_strings(object, name);
  return texts.empty() ? std::string() : std::move(texts.front());
}

}  // namespace coluber::record
