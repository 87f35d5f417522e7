#pragma once

#include <filesystem>

#include "coluber/scenario/scenario.hpp"

namespace coluber::app {

/// solver.dump; empty if there is none.
std::filesystem::path dump_file(const scenario::Scenario& scenario);

/// Throws InputError if solver.dump names a file that cannot be written: better before the run than
/// after it. Reading a run folder does not need it.
void require_dump_file(const scenario::Scenario& scenario);

}  // namespace coluber::app
