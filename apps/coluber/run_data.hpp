#pragma once

#include <filesystem>

#include "coluber/record/trajectory.hpp"

namespace coluber::app {

/// What a run that the user names has recorded. Throws InputError if there is nothing, as for any
/// folder that holds no run, and FileError if it cannot be read.
record::Trajectory load_recorded(const std::filesystem::path& run);

}  // namespace coluber::app
