#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "coluber/record/run_folder.hpp"
#include "coluber/sweep/sweep.hpp"

namespace coluber::app {

/// The sweep file that a user names: a file, or one that comes with Coluber (`gait_map`).
std::filesystem::path find_sweep_file(const std::filesystem::path& named);

/// `coluber check` of a sweep file: its points one by one, and how many would be refused.
int check_sweep(const std::filesystem::path& file, const scenario::Overrides& overrides);

/// The points as CSV on the standard output.
int print_points(const sweep::Sweep& sweep);

/// Runs one point into a run folder. Throws what RunFolder throws; 130 if interrupted, 1 if the
/// run failed, else 0. `final_state` is that of the run.
int run_point_into(const std::filesystem::path& folder, const sweep::Sweep& sweep,
                   const sweep::Point& point, bool force, bool quiet, std::uint64_t& final_state);

/// Keeps best/ of a finished sweep folder up to date: the run folder of its best row.
void update_best(const std::filesystem::path& folder, const sweep::Sweep& sweep, std::int64_t point,
                 bool quiet);

/// The folder to show of what a user names: best/ of a sweep folder, else itself.
std::filesystem::path folder_to_show(const std::filesystem::path& named);

}  // namespace coluber::app
