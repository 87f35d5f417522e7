// Reader of trajectory.h5: files that are sound HDF5, but not what the recorder writes. The reader
// returns or throws FileError.
//
// The input steers what the file is made of: groups, links and datasets of any type, rank and size
// under the names the reader asks for, with attributes of any kind. Damaged bytes are another
// matter: the HDF5 library does not survive them, so that run.json's hash keeps them from it.

#include "coluber/record/trajectory.hpp"

#include <algorithm>
#include <array>

#include <fuzzer/FuzzedDataProvider.h>
#include <hdf5.h>

#include "coluber/core/error.hpp"
#include "coluber/record/csv.hpp"

#include "input.hpp"

namespace {

using namespace coluber;

constexpr std::array names{"time", "energy", "link_position", "joint_angle", "group/inner",
                           ".",    "/",      "group",         "link",        "x.y"};
constexpr std::array attributes{"observables", "unit", "doc", "components"};

/// Closes what it holds.
struct Id {
  hid_t id;
  herr_t (*close)(hid_t);
  Id(hid_t opened, herr_t (*closer)(hid_t)) : id(opened), close(closer) {}
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  ~Id() {
    if (id >= 0) close(id);
  }
};

hid_t make_type(FuzzedDataProvider& input) {
  switch (input.ConsumeIntegralInRange(0, 7)) {
    case 0:
      return H5Tcopy(H5T_IEEE_F32BE);
    case 1:
      return H5Tcopy(H5T_STD_I32LE);
    case 2: {
      const hid_t type = H5Tcopy(H5T_C_S1);
      H5Tset_size(type, H5T_VARIABLE);
      return type;
    }
    case 3: {
      const hid_t type = H5Tcopy(H5T_C_S1);
      H5Tset_size(type, 5);
      return type;
    }
    case 4: {
      const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
      H5Tinsert(type, "a", 0, H5T_NATIVE_DOUBLE);
      H5Tinsert(type, "b", 8, H5T_NATIVE_DOUBLE);
      return type;
    }
    default:
      return H5Tcopy(H5T_IEEE_F64LE);
  }
}

hid_t make_space(FuzzedDataProvider& input, bool huge_allowed) {
  const int rank = input.ConsumeIntegralInRange(-1, 6);
  if (rank < 0) return H5Screate(H5S_NULL);
  if (rank == 0) return H5Screate(H5S_SCALAR);
  std::array<hsize_t, 6> dims{};
  for (hsize_t& dim : dims) {
    dim = huge_allowed && input.ConsumeProbability<double>() > 0.95
              ? input.ConsumeIntegral<hsize_t>()
              : input.ConsumeIntegralInRange<hsize_t>(0, 4);
  }
  return H5Screate_simple(rank, dims.data(), nullptr);
}

void add_attribute(FuzzedDataProvider& input, hid_t object) {
  const char* name = input.PickValueInArray(attributes);
  if (H5Aexists(object, name) > 0) return;
  const bool as_written = input.ConsumeBool();  // a list of texts
  hid_t type = H5I_INVALID_HID;
  hid_t space = H5I_INVALID_HID;
  const hsize_t count = input.ConsumeIntegralInRange<hsize_t>(0, 4);
  if (as_written) {
    type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    if (input.ConsumeBool()) H5Tset_cset(type, H5T_CSET_UTF8);
    space = H5Screate_simple(1, &count, nullptr);
  } else {
    type = make_type(input);
    space = make_space(input, false);
  }
  const Id type_id(type, H5Tclose);
  const Id space_id(space, H5Sclose);
  const Id attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (attribute.id < 0 || !as_written) return;
  std::array<std::string, 4> texts;
  std::array<const char*, 4> data{};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = input.ConsumeBool() ? std::string(input.PickValueInArray(names))
                                   : input.ConsumeRandomLengthString(8);
    data[i] = input.ConsumeProbability<double>() > 0.9 ? nullptr : texts[i].c_str();
  }
  static_cast<void>(H5Awrite(attribute.id, type, static_cast<const void*>(data.data())));
}

void add_object(FuzzedDataProvider& input, hid_t file) {
  const char* name = input.PickValueInArray(names);
  switch (input.ConsumeIntegralInRange(0, 9)) {
    case 0: {
      const Id group(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
      if (group.id >= 0) add_attribute(input, group.id);
      return;
    }
    case 1:
      static_cast<void>(
          H5Lcreate_soft(input.PickValueInArray(names), file, name, H5P_DEFAULT, H5P_DEFAULT));
      return;
    default:
      break;
  }
  const bool chunked = input.ConsumeBool();
  const Id type(make_type(input), H5Tclose);
  const Id space(make_space(input, chunked), H5Sclose);
  const Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const int rank = H5Sget_simple_extent_ndims(space.id);
  if (chunked && rank > 0) {
    const std::array<hsize_t, 6> chunk{2, 2, 2, 2, 2, 2};
    H5Pset_chunk(properties.id, rank, chunk.data());
  }
  const Id dataset(
      H5Dcreate2(file, name, type.id, space.id, H5P_DEFAULT, properties.id, H5P_DEFAULT), H5Dclose);
  if (dataset.id < 0) return;
  for (int i = input.ConsumeIntegralInRange(0, 3); i > 0; --i) add_attribute(input, dataset.id);
}

/// Asks for everything the reader says is there.
void use(const record::Trajectory& trajectory) {
  for (const Observable& observable : trajectory.observables) {
    static_cast<void>(record::column_names(observable));
    const int links = observable.shape.empty() ? 1 : observable.shape[0];
    if (observable.size() == 0 || trajectory.frames() == 0) continue;
    static_cast<void>(trajectory.at(observable.name, trajectory.frames() - 1, links - 1));
    static_cast<void>(trajectory.column(observable.name, links - 1));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  static const std::string name = (folder.path() / "trajectory.h5").string();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  FuzzedDataProvider input(data, size);
  {
    const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access.id, 4096, 1);  // in memory, written as a whole when closed
    const Id file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id), H5Fclose);
    if (file.id < 0) std::abort();
    for (int i = input.ConsumeIntegralInRange(0, 5); i > 0; --i) add_object(input, file.id);
    add_attribute(input, file.id);
  }
  try {
    use(record::load_trajectory(folder.path()));
  } catch (const FileError&) {  // any other exception is a fault of ours
  }
  return 0;
}
