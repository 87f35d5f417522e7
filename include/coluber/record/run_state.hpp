#pragma once

#include <filesystem>
#include <string>

#include "coluber/core/export.hpp"
#include "coluber/record/give_up.hpp"

namespace coluber::record {

/// What run.json says became of a run.
struct RunState {
  std::string status;   ///< "completed", "running", "interrupted", "failed"; "" if it says nothing
  std::string message;  ///< why it ended early; may be empty
  /// There is more of the run to come, or there was to be.
  [[nodiscard]] bool partial() const { return !status.empty() && status != "completed"; }
};

/// Reads it. A folder without a run.json that can be read says nothing; never throws for that.
COLUBER_EXPORT RunState load_run_state(const std::filesystem::path& run_folder);

/// Throws InputError, with a hint, unless this is a folder: what a user names as a run.
COLUBER_EXPORT void require_run_folder(const std::filesystem::path& run_folder);

/// The bytes of a file that every complete run folder has. Throws InputError where it is missing,
/// FileError where it cannot be read to its end, GivenUp if told to after `never_given_up` bytes.
COLUBER_EXPORT std::string load_run_file(const std::filesystem::path& file,
                                         const GiveUp& give_up = {});

}  // namespace coluber::record
