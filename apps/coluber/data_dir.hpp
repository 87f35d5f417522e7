#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace coluber::app {

/// A file or folder that comes with Coluber: `scenarios`, `reproduce/transeth`, … within
/// `coluber::data_folder()`. Throws FileError saying where it was looked for.
std::filesystem::path find_data(std::string_view relative);

/// Files ending in `extension` in a folder and, if asked, in the folders below it, sorted.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            std::string_view extension, bool below = false);

/// As a user in the current folder would type it: relative where that is shorter.
std::filesystem::path shown_path(const std::filesystem::path& file);

}  // namespace coluber::app
