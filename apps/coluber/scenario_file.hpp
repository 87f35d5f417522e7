#pragma once

#include <filesystem>
#include <string>

#include "coluber/scenario/scenario.hpp"

namespace coluber::app {

/// What a command says of its argument SCENARIO.
inline constexpr const char* scenario_help =
    "scenario file, the name of one that comes with Coluber, or - for the standard input";

/// The scenario that a user names: a file; `-`, the standard input, whose paths are relative to the
/// current folder; else one that comes with Coluber (`aiko_course`). Throws InputError.
scenario::Scenario load_scenario(const std::filesystem::path& named,
                                 const scenario::Overrides& overrides = {});

/// What its run folders are called: `aiko_course`, `stdin`.
std::string scenario_name(const std::filesystem::path& named);

}  // namespace coluber::app
