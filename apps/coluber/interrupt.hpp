#pragma once

#include <atomic>
#include <cstddef>

#include "coluber/record/give_up.hpp"

namespace coluber::app {

/// Set by the first Ctrl-C after catch_signals(); a second one ends the process the hard way.
extern std::atomic<bool> interrupted;

/// From now on, until the first of them, SIGINT and SIGTERM set `interrupted`.
void catch_signals();

/// For record::GiveUp: what takes long ends after Ctrl-C.
[[nodiscard]] bool was_interrupted();

/// The same for results of so many bytes of frames. Small ones are never given up, so that the
/// answer to Ctrl-C does not depend on how fast the machine is.
[[nodiscard]] record::GiveUp give_up_beyond(std::size_t bytes);

}  // namespace coluber::app
