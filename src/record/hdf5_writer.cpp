#include "record/hdf5_writer.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/record/run_folder.hpp"

#include "record/chunk_codec.hpp"
#include "record/drawn_part.hpp"
#include "record/hdf5_handle.hpp"
#include "record/json_text.hpp"
#include "record/output_file.hpp"

namespace coluber::record {

namespace {

constexpr hsize_t chunk_frames = 512;       // frames a chunk, and between two writes …
constexpr hsize_t chunk_bytes = 1U << 20U;  // … fewer where they are larger than this
constexpr unsigned most_links = 1000;       // listed in the file's own header, not in a tree
constexpr unsigned deflate_level = 1;       // ChunkCodec deflates; HDF5 only notes the number

Handle string_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

// Of all datasets; a chunk's size comes with each.
Handle dataset_properties() {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (H5Pset_shuffle(properties.get()) < 0 || H5Pset_deflate(properties.get(), deflate_level) < 0 ||
      H5Pset_fletcher32(properties.get()) < 0 ||
      H5Pset_obj_track_times(properties.get(), false) < 0) {
    throw Error("HDF5 does not start");
  }
  return properties;
}

template <typename Number>
hid_t file_type() {
  return std::is_same_v<Number, float> ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

// Half the entries of a node of the index of chunks: one of a short file has room for 64 otherwise,
// some kilobytes in every dataset.
unsigned index_size(std::size_t frames) {
  constexpr std::size_t least = 4;  // chunks of large frames are more than these
  constexpr std::size_t usual = 32;
  const std::size_t chunks = (frames - std::min<std::size_t>(frames, 1)) / chunk_frames + 1;
  return static_cast<unsigned>(std::clamp<std::size_t>((chunks + 1) / 2, least, usual));
}

// On a thread of its own; without a result where there is none to be had.
template <typename Work>
std::future<void> start_thread(const Work& work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return {};
  }
}

}  // namespace

void skip_hdf5_exit_flush() { static_cast<void>(H5dont_atexit()); }

struct Hdf5Writer::Impl {
  struct Dataset {
    std::string name;
    std::size_t size = 1;       // numbers per frame
    std::size_t width = 8;      // bytes of a number
    hsize_t chunk = 1;          // frames between two writes
    hsize_t buffered = 0;       // frames
    hsize_t written = 0;        // frames
    std::vector<hsize_t> dims;  // dims[0] is the number of frames, as far as it is known
    std::vector<std::byte> buffer;
    std::vector<std::byte> encoded;  // its chunk
    Handle id;
  };

  std::filesystem::path file;
  Handle handle;
  std::vector<Dataset> datasets;  // time, then the observables
  DrawnPart drawn;
  std::optional<Dataset> drawing;
  std::vector<float> drawn_frame;
  std::size_t frames = unknown_frames;  // that will come
  ChunkCodec codec, second_codec;
  Handle properties = dataset_properties();
  Handle text_type = string_type();
  Handle one{H5Screate(H5S_SCALAR), H5Sclose};

  [[noreturn]] void fail(const char* verb) const {
    const int error = errno;
    throw FileError(
        fmt::format("{}: cannot {}{}", file.string(), verb,
                    error == 0 ? std::string() : ": " + std::generic_category().message(error)));
  }
  void check(bool good, const char* verb = "write") const {
    if (!good) fail(verb);
  }

  void write_attribute(hid_t object, const char* name, const std::string& text) const {
    const Handle attribute(
        H5Acreate2(object, name, text_type.get(), one.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const char* data = text.c_str();
    check(attribute.valid() &&
          H5Awrite(attribute.get(), text_type.get(), static_cast<const void*>(&data)) >= 0);
  }

  void write_attribute(hid_t object, const char* name,
                       const std::vector<std::string>& texts) const {
    if (texts.empty()) return;
    const hsize_t count = texts.size();
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const Handle attribute(
        H5Acreate2(object, name, text_type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    std::vector<const char*> data;
    for (const std::string& text : texts) data.push_back(text.c_str());
    check(attribute.valid() &&
          H5Awrite(attribute.get(), text_type.get(), static_cast<const void*>(data.data())) >= 0);
  }

  // Chunked, compressed, and a damaged chunk is found when read.
  [[nodiscard]] Handle create(hid_t parent, const std::string& name, hid_t type,
                              const std::vector<hsize_t>& dims, const std::vector<hsize_t>& limits,
                              const std::vector<hsize_t>& chunk) const {
    const auto rank = static_cast<int>(dims.size());
    const Handle space(H5Screate_simple(rank, dims.data(), limits.data()), H5Sclose);
    check(H5Pset_chunk(properties.get(), rank, chunk.data()) >= 0);
    Handle id(H5Dcreate2(parent, name.c_str(), type, space.get(), H5P_DEFAULT, properties.get(),
                         H5P_DEFAULT),
              H5Dclose);
    check(id.valid());
    return id;
  }

  // Numbers of `shape` for every frame.
  template <typename Number>
  [[nodiscard]] Dataset make_dataset(hid_t parent, const std::string& name,
                                     const std::vector<int>& shape) const {
    Dataset dataset;
    dataset.name = name;
    dataset.width = sizeof(Number);
    dataset.dims = {0};
    std::vector<hsize_t> limits{H5S_UNLIMITED};
    std::vector<hsize_t> chunk{0};
    for (const int extent : shape) {
      dataset.size *= static_cast<std::size_t>(extent);
      dataset.dims.push_back(static_cast<hsize_t>(extent));
      limits.push_back(static_cast<hsize_t>(extent));
      chunk.push_back(static_cast<hsize_t>(std::max(extent, 1)));
    }
    if (frames != unknown_frames) dataset.dims[0] = frames;
    const hsize_t frame_bytes = sizeof(Number) * std::max<hsize_t>(dataset.size, 1);
    dataset.chunk = std::clamp<hsize_t>(chunk_bytes / frame_bytes, 1, chunk_frames);
    dataset.chunk = std::clamp<hsize_t>(frames, 1, dataset.chunk);
    chunk[0] = dataset.chunk;
    dataset.id = create(parent, name, file_type<Number>(), dataset.dims, limits, chunk);
    dataset.buffer.reserve(dataset.chunk * dataset.size * sizeof(Number));
    return dataset;
  }

  void add_observable(const Observable& observable) {
    datasets.push_back(make_dataset<double>(handle.get(), observable.name, observable.shape));
    const hid_t id = datasets.back().id.get();
    write_attribute(id, "unit", observable.unit);
    write_attribute(id, "doc", observable.doc);
    write_attribute(id, "components", observable.components);
  }

  template <typename Number>
  static void append(Dataset& dataset, std::span<const Number> numbers) {
    const auto bytes = std::as_bytes(numbers);
    dataset.buffer.insert(dataset.buffer.end(), bytes.begin(), bytes.end());
    ++dataset.buffered;
  }

  /// Writes chunks: those that are full, or, at the end, all that hold something.
  void flush(bool end) {
    std::vector<Dataset*> due;
    const auto look = [&](Dataset& dataset) {
      if (dataset.buffered == dataset.chunk || (end && dataset.buffered > 0)) {
        due.push_back(&dataset);
      }
    };
    for (Dataset& dataset : datasets) look(dataset);
    if (drawing) look(*drawing);
    if (due.empty()) return;
    const Quiet quiet;
    encode(due);
    for (Dataset* dataset : due) write(*dataset);
  }

  /// Makes chunks of what is buffered, filled up with zeros. Most of a file's time goes here, so it
  /// is done by two where there is much to do: the larger ones first, each by whoever is free.
  void encode(std::vector<Dataset*> some) {
    constexpr std::size_t much = 1U << 18U;  // bytes
    std::size_t all = 0;
    for (Dataset* dataset : some) {
      dataset->buffer.resize(dataset->chunk * dataset->size * dataset->width);
      all += dataset->buffer.size();
    }
    std::ranges::sort(some, std::greater{},
                      [](const Dataset* dataset) { return dataset->buffer.size(); });
    std::atomic<std::size_t> next = 0;
    const auto work = [&](ChunkCodec& with) {
      for (std::size_t i = next++; i < some.size(); i = next++) {
        if (some[i]->size == 0) continue;
        some[i]->encoded = with.encode(some[i]->buffer, some[i]->width, some[i]->size);
      }
    };
    std::future<void> other;
    if (all > much) other = start_thread([&] { work(second_codec); });
    work(codec);
    if (other.valid()) other.get();
  }

  void write(Dataset& dataset) const {
    errno = 0;
    std::vector<hsize_t> start(dataset.dims.size(), 0);
    start[0] = dataset.written;
    dataset.written += dataset.buffered;
    if (dataset.written > dataset.dims[0]) {
      dataset.dims[0] = dataset.written;
      check(H5Dset_extent(dataset.id.get(), dataset.dims.data()) >= 0);
    }
    if (dataset.size > 0) {
      check(H5Dwrite_chunk(dataset.id.get(), H5P_DEFAULT, 0, start.data(), dataset.encoded.size(),
                           dataset.encoded.data()) >= 0);
    }
    dataset.buffer.clear();
    dataset.buffered = 0;
  }
};

Hdf5Writer::Hdf5Writer(std::filesystem::path file, const std::vector<Observable>& observables,
                       std::size_t frames)
    : impl_(std::make_unique<Impl>()) {
  const Quiet quiet;
  impl_->file = std::move(file);
  impl_->frames = frames;
  errno = 0;
  const Handle layout(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  impl_->check(H5Pset_istore_k(layout.get(), index_size(frames)) >= 0);
  // What describes the datasets takes no more room than it needs: a short run is mostly that. Any
  // HDF5 from 1.8 on reads it.
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  impl_->check(H5Pset_link_phase_change(layout.get(), most_links, 0) >= 0 &&
               H5Pset_meta_block_size(access.get(), 0) >= 0 &&
               H5Pset_cache(access.get(), 0, 0, 0, 0.0) >= 0 &&  // chunks come ready-made
               H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0);
  impl_->handle = Handle(
      H5Fcreate(partial_name(impl_->file).c_str(), H5F_ACC_TRUNC, layout.get(), access.get()),
      H5Fclose);
  impl_->check(impl_->handle.valid());
  impl_->add_observable({"time", "s", "true time of the frame", {}, {}});
  std::vector<std::string> order;
  for (const Observable& observable : observables) {
    impl_->add_observable(observable);
    order.push_back(observable.name);
  }
  impl_->write_attribute(impl_->handle.get(), "format", std::string("coluber-trajectory 1"));
  impl_->write_attribute(impl_->handle.get(), "observables", order);
}

Hdf5Writer::~Hdf5Writer() {
  const Quiet quiet;
  impl_.reset();
}

void Hdf5Writer::add_drawing(const nlohmann::ordered_json& replay) {
  const Quiet quiet;
  Impl& impl = *impl_;
  errno = 0;
  impl.drawn = DrawnPart(replay);
  impl.drawing = impl.make_dataset<float>(impl.handle.get(), drawing_name,
                                          {static_cast<int>(impl.drawn.size())});
  const hid_t id = impl.drawing->id.get();
  impl.write_attribute(id, "doc", std::string("where the bodies are in every frame, for pictures"));
  impl.write_attribute(id, drawing_header_name, to_text(impl.drawn.header()));
}

void Hdf5Writer::row(double time, std::span<const double> values) {
  impl_->flush(false);
  std::size_t offset = 0;
  for (Impl::Dataset& dataset : impl_->datasets) {
    if (&dataset == &impl_->datasets.front()) {
      Impl::append(dataset, std::span<const double>(&time, 1));
    } else {
      Impl::append(dataset, values.subspan(offset, dataset.size));
      offset += dataset.size;
    }
  }
}

void Hdf5Writer::drawing_row(std::span<const float> replay) {
  impl_->drawn_frame.clear();
  impl_->drawn.take(replay, impl_->drawn_frame);
  Impl::append(*impl_->drawing, std::span<const float>(impl_->drawn_frame));
}

void Hdf5Writer::close() {
  const Quiet quiet;
  impl_->flush(true);
  errno = 0;
  bool good = true;
  for (Impl::Dataset& dataset : impl_->datasets) good = dataset.id.close() && good;
  if (impl_->drawing) good = impl_->drawing->id.close() && good;
  good = impl_->handle.close() && good;
  impl_->check(good);
}

void Hdf5Writer::commit() {
  close();
  sync_file(partial_name(impl_->file));
  rename_partial(impl_->file);
}

}  // namespace coluber::record
