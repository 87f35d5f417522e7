#pragma once

#include <filesystem>

#include "coluber/scenario/scenario.hpp"

namespace coluber::app {

/// Where solver.dump goes: itself, or what it links to; empty if there is none. Throws InputError
/// if that cannot be written, is a file of a run, or is anything else than a problem that was
/// written before, or where the run folder `out` will be: better before the run than after it.
/// Reading a run folder does not need it.
std::filesystem::path require_dump_file(const scenario::Scenario& scenario,
                                        const std::filesystem::path& out = {});

}  // namespace coluber::app
