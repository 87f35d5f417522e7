#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"
#include "coluber/record/give_up.hpp"
#include "coluber/record/trajectory.hpp"

namespace coluber::record {

/// Names of an observable's entries in the order of its values: the name, then 1-based indices, the
/// last axis by its label where it has one: `link_position.6.x`, `joint_angle.3`, `energy`.
COLUBER_EXPORT std::vector<std::string> column_names(const Observable& observable);

/// Writes `time` and every observable as one CSV; numbers read back bit-identically. The file
/// appears by rename; until then it grows under a name that no other file has. Throws FileError,
/// and GivenUp if told to; neither leaves anything behind.
COLUBER_EXPORT void save_csv(const Trajectory& trajectory, const std::filesystem::path& file,
                             const GiveUp& give_up = {});

}  // namespace coluber::record
