#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "coluber/record/checkpoint.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::record {

inline constexpr const char* checkpoint_name = "checkpoint.bin";
inline constexpr const char* old_checkpoint_name = "checkpoint.old";

/// A run that can go on.
struct RunToResume {
  nlohmann::ordered_json run;  // run.json as it lies there
};

/// The run in `folder`; none if nobody began one. Throws InputError if it was begun with another
/// scenario or by another program, RunEnded if it has ended, FileError if run.json is damaged.
std::optional<RunToResume> find_run(const std::filesystem::path& folder,
                                    const scenario::Scenario& scenario);

/// The last checkpoint that is whole and speaks of frames that are there. Adds to `notes` what was
/// wrong with others, and that the run starts at its beginning if there is none.
std::optional<Checkpoint> find_checkpoint(const std::filesystem::path& folder,
                                          std::uint64_t scenario_hash, std::size_t frames,
                                          std::vector<std::string>& notes);

/// Takes away the frames and checkpoints of a run that has ended, as far as that can be done.
void remove_resumable(const std::filesystem::path& folder) noexcept;

}  // namespace coluber::record
