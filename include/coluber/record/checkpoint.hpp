#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "coluber/core/export.hpp"

namespace coluber::record {

/// What `checkpoint.bin` of a run folder holds.
struct Checkpoint {
  std::string program;              ///< version, revision and code path of what wrote it
  std::uint64_t scenario_hash = 0;  ///< of every key with its final value
  std::size_t frames = 0;           ///< recorded before it
  std::string state;                ///< for RunOptions::resume
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

COLUBER_EXPORT std::string to_bytes(const Checkpoint& checkpoint);

/// Reads the contents of a `checkpoint.bin`, called `name` in messages. Throws FileError if they
/// are damaged, cut short or of another format.
COLUBER_EXPORT Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name);

/// What has to be the same for a run to continue bit-identically: "0.1.0 (662c1d8), portable".
COLUBER_EXPORT std::string program_identity();

}  // namespace coluber::record
