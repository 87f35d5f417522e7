#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/record/trajectory.hpp"

namespace coluber::record {

/// All that `frames.bin` holds: the frames of a run that has not ended, or was cut off.
struct RecordedFrames {
  Trajectory trajectory;
  std::string replay_header;   ///< JSON, what `replay.json` would hold
  std::vector<float> replay;   ///< frames × floats_per_frame, what `replay.bin` would hold
  std::size_t lost_bytes = 0;  ///< behind the last whole frame, which was cut off while written
};

/// Reads the contents of a `frames.bin`, called `name` in messages. Frames are taken up to the
/// first that is not whole. Throws FileError where what stands before them is damaged.
COLUBER_EXPORT RecordedFrames parse_frames(std::string_view bytes, const std::string& name);

/// Whether a run folder has no results but its frames: the run goes on, or was cut off.
COLUBER_EXPORT bool is_partial(const std::filesystem::path& run_folder);

/// Reads `frames.bin` of a run folder, also while the run goes on. Throws FileError.
COLUBER_EXPORT RecordedFrames load_frames(const std::filesystem::path& run_folder);

}  // namespace coluber::record
