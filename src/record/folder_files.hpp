#pragma once

// Which files a run folder has, and which of them may go.

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "coluber/record/run_folder.hpp"

namespace coluber::record {

inline constexpr const char* table_name = "trajectory.csv";
inline constexpr const char* page_name = "replay.html";
/// What is made from the frames, by the run or later.
inline constexpr std::array<const char*, 6> derived_files{
    "trajectory.h5", table_name, "replay.json", "replay.bin", page_name, "replay.png"};

/// Makes the folder if it is not there. Throws FolderExists if it is a file, FileError.
void make_folder(const std::filesystem::path& folder);
/// Removes our own files only, and of the pictures those that `plot` lists. Throws FolderExists
/// unless the options allow it (`resumable`: the job could be resumed), and if a file that it would
/// write is not ours (`replay`: a page, too); FileError.
void clear_folder(const std::filesystem::path& folder, const RunFolderOptions& options,
                  bool resumable, bool replay);
/// Throws FolderExists if a file that Coluber did not make has a name that the run will write;
/// without `replay` it writes no page.
void require_own(const std::filesystem::path& folder, bool replay);
/// Removes what was made from the frames, and returns the names of what was there. A table, page or
/// picture that Coluber did not make stays. Throws FileError.
std::vector<std::string> remove_derived(const std::filesystem::path& folder);
/// Removes what is out of date once a run is resumed, pictures too, and returns their names.
/// Throws FileError.
std::vector<std::string> remove_outdated(const std::filesystem::path& folder);
/// Removes what `run`, `plot` and `export` leave when they are killed while they write, as far as
/// that can be done.
void remove_drafts(const std::filesystem::path& folder);

}  // namespace coluber::record
