#pragma once

#include <filesystem>
#include <vector>

namespace coluber::record {

inline constexpr const char* plots_folder = "plots";
inline constexpr const char* plot_list_name = "plots.json";

/// Whether `plots/plots.json` of a run folder is one that Coluber wrote, or empty, or not there.
bool is_own_list(const std::filesystem::path& run_folder);

/// The pictures that `plots/plots.json` of a run folder lists and that are there, in order of their
/// names. Only plain names count: a list leads to no file outside plots/. Without a list, or with
/// one that cannot be read, none.
std::vector<std::filesystem::path> listed_plots(const std::filesystem::path& run_folder);

}  // namespace coluber::record
