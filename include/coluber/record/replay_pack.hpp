#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/record/give_up.hpp"

namespace coluber::record {

/// How the numbers of one float column are stored: value = min + step·q, q = 0 … 65534.
struct PackedColumn {
  double min = 0.0;
  double step = 0.0;  ///< 0 where the column is constant
};

/// Frames of a replay made small: the encoding `delta16-deflate`.
///
/// Each column (one float of a frame, over all frames) is quantised to 16 bits between its least
/// and its largest value; 65535 stands for NaN (an open contact) and for anything not finite. Each
/// number is replaced by its difference to the frame before, modulo 65536, the first to 0. Columns
/// lie one after another; then all low bytes, then all high bytes, raw deflate (RFC 1951) over
/// both. A number comes back within step/2 of what it was, plus the rounding of float32.
struct PackedReplay {
  std::size_t frames = 0;
  std::vector<PackedColumn> columns;
  std::string deflated;
};

/// Packs `values`, frames × floats_per_frame, row-major. Throws Error if they do not divide,
/// GivenUp if told to.
COLUBER_EXPORT PackedReplay pack_replay(std::span<const float> values, std::size_t floats_per_frame,
                                        const GiveUp& give_up = {});

/// The replay of a run folder.
struct Replay {
  std::string header;  ///< replay.json
  std::string data;    ///< replay.bin
};

/// Reads replay.json and replay.bin of a run folder or, where a run has not ended, what they would
/// hold. Throws InputError where one is missing, FileError where the frames are damaged, GivenUp if
/// told to.
COLUBER_EXPORT Replay load_replay(const std::filesystem::path& run_folder,
                                  const GiveUp& give_up = {});

/// A run as a page carries it.
struct PackedRun {
  /// JSON in one line, safe inside a script element (no `<`): `{"replay": …, "run": {title, status,
  /// scenario, summary, units, version, warnings}, "data": {encoding, columns, bytes, time}}`.
  /// `time` is the column of that name to its last bit: float32 bits as uint32, differences to the
  /// frame before modulo 2^32, all lowest bytes first, then the next; raw deflate, base64.
  std::string json;
  std::optional<double> end{};  ///< time of the last frame (s); none where frames carry no time
  double last_step = 0.0;       ///< from the frame before it (s)
  std::size_t raw_bytes = 0;    ///< of replay.bin, float32
  std::size_t packed_bytes =
      0;  ///< of the data as it lies in the page, columns and base64 included
};

/// What the JSON of pack_run will have at least (bytes), whatever the frames: told from replay.json
/// without packing anything; 0 where there is none yet.
COLUBER_EXPORT std::size_t least_packed_size(const std::filesystem::path& run_folder);

/// JSON without `<`, which outside strings it does not have: no end of a script element in it, no
/// start of a comment.
COLUBER_EXPORT std::string for_script(std::string_view json);

/// Packs replay.json, replay.bin and run.json of a run folder, or the frames so far of a run that
/// has not ended. Throws InputError where one is missing, says what the viewer could not show, or
/// does not belong to the others, GivenUp if told to and the frames are more than `never_given_up`
/// bytes.
COLUBER_EXPORT PackedRun pack_run(const std::filesystem::path& run_folder,
                                  const GiveUp& give_up = {});

}  // namespace coluber::record
