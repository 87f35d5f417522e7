#pragma once

// Which files a run folder has, and which of them may go.

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "coluber/record/run_folder.hpp"

namespace coluber::record {

inline constexpr const char* table_name = "trajectory.csv";
/// What is made from the frames, by the run or later.
inline constexpr std::array<const char*, 6> derived_files{
    "trajectory.h5", table_name, "replay.json", "replay.bin", "replay.html", "replay.png"};

/// Makes the folder if it is not there. Throws FolderExists if it is a file, FileError.
void make_folder(const std::filesystem::path& folder);
/// Removes our own files only, and of the pictures those that `plot` lists. Throws FolderExists
/// unless the options allow it, and if a file of such a name is not ours; FileError.
void clear_folder(const std::filesystem::path& folder, const RunFolderOptions& options);
/// Removes what was made from the frames. Throws FileError.
void remove_derived(const std::filesystem::path& folder);
/// Removes what is out of date once a run is resumed, and returns the names of what was there.
/// Throws FileError.
std::vector<std::string> remove_outdated(const std::filesystem::path& folder);
/// Removes what `run`, `plot` and `export` leave when they are killed while they write, as far as
/// that can be done.
void remove_drafts(const std::filesystem::path& folder);

}  // namespace coluber::record
