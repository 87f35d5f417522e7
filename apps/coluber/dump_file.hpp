#pragma once

#include "coluber/scenario/scenario.hpp"

namespace coluber::app {

/// Throws InputError if solver.dump names a file that cannot be written: better before the run than
/// after it. Reading a run folder does not need it.
void require_dump_file(const scenario::Scenario& scenario);

}  // namespace coluber::app
