#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/record/drawing.hpp"
#include "coluber/record/frames.hpp"
#include "coluber/record/trajectory.hpp"

#include "record/hdf5_reader.hpp"
#include "record/output_file.hpp"

namespace coluber::record {

namespace {

namespace fs = std::filesystem;

// Reads by `read`; what no machine could hold is a fault of the file.
template <typename Read>
auto guarded(const fs::path& file, const Read& read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    throw FileError(fmt::format("{}: too large for the memory of this machine", file.string()));
  } catch (const std::length_error&) {
    throw FileError(fmt::format("{}: claims to be impossibly large", file.string()));
  }
}

// replay.json and replay.bin.
Drawing read_replay(const fs::path& run_folder) {
  const std::string bytes = read_bytes(run_folder / "replay.bin");
  if (bytes.size() % sizeof(float) != 0) {
    throw FileError(fmt::format("{}: is damaged: it ends within a number",
                                (run_folder / "replay.bin").string()));
  }
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  const fs::path header = run_folder / "replay.json";
  return make_drawing(read_bytes(header), std::move(values), header.string());
}

}  // namespace

Trajectory load_trajectory(const fs::path& run_folder) {
  const fs::path file = run_folder / "trajectory.h5";
  return guarded(file, [&] {
    std::error_code error;
    if (fs::exists(file, error)) return Hdf5Reader(run_folder).trajectory();
    if (!is_partial(run_folder)) throw FileError(fmt::format("{}: no such file", file.string()));
    RecordedFrames recorded = load_frames(run_folder);
    if (recorded.trajectory.frames() == 0) {
      throw FileError(fmt::format("{}: the run was cut off before its first frame; run it again",
                                  run_folder.string()));
    }
    return std::move(recorded.trajectory);
  });
}

Drawing load_drawing(const fs::path& run_folder) {
  const fs::path file = run_folder / "trajectory.h5";
  return guarded(run_folder, [&]() -> Drawing {
    std::error_code error;
    const bool ended = fs::exists(file, error);
    if (ended) {
      if (auto stored = Hdf5Reader(run_folder).drawing()) {
        return make_drawing(stored->header, std::move(stored->values),
                            fmt::format("{}: drawing", file.string()));
      }
    }
    if (!ended && is_partial(run_folder)) {
      RecordedFrames recorded = load_frames(run_folder);
      return make_drawing(recorded.replay_header, std::move(recorded.replay),
                          (run_folder / "frames.bin").string());
    }
    if (fs::exists(run_folder / "replay.json", error) &&
        fs::exists(run_folder / "replay.bin", error)) {
      return read_replay(run_folder);
    }
    return {};
  });
}

}  // namespace coluber::record
