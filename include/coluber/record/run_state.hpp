#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "coluber/core/export.hpp"
#include "coluber/record/give_up.hpp"

namespace coluber::record {

/// What run.json says became of a run.
struct RunState {
  std::string status;   ///< "completed", "running", "interrupted", "failed"; "" if it says nothing
  std::string message;  ///< why it ended early; may be empty
  std::string study{};  ///< command that computed it, such as "quality"; "": it is a run
  /// There is more of the run to come, or there was to be.
  [[nodiscard]] bool partial() const { return !status.empty() && status != "completed"; }
};

/// Reads it. A folder without a run.json that can be read says nothing; never throws for that.
COLUBER_EXPORT RunState load_run_state(const std::filesystem::path& run_folder);

/// Whether JSON is nested as little as all that Coluber writes: many brackets would overflow the
/// stack of what works on it, and the parser needs the square of a list's length to count them.
COLUBER_EXPORT bool is_shallow(std::string_view json);

/// Throws InputError, with a hint, unless this is a folder: what a user names as a run.
COLUBER_EXPORT void require_run_folder(const std::filesystem::path& run_folder);

/// The bytes of a file that every complete run folder has. Throws InputError where it is missing,
/// FileError where it cannot be read to its end, GivenUp if told to after `never_given_up` bytes.
COLUBER_EXPORT std::string load_run_file(const std::filesystem::path& file,
                                         const GiveUp& give_up = {});

/// run.json of a folder, for what cannot do without it: a page. Throws as load_run_file, and
/// InputError where it is no JSON object.
COLUBER_EXPORT std::string load_run_json(const std::filesystem::path& run_folder);

/// What to do about a run.json that is damaged, or not of a run.
inline constexpr const char* damaged_run_hint =
    "move it away: `coluber plot` and `coluber export --to csv` do without it";

}  // namespace coluber::record
