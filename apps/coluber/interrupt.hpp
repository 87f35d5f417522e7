#pragma once

#include <atomic>

namespace coluber::app {

/// Set by the first Ctrl-C after catch_signals(); a second one ends the process the hard way.
extern std::atomic<bool> interrupted;

/// From now on, until the first of them, SIGINT and SIGTERM set `interrupted`.
void catch_signals();

/// For record::GiveUp: what takes long ends after Ctrl-C. What does not is never given up, so that
/// the answer to Ctrl-C does not depend on how fast the machine is.
[[nodiscard]] bool was_interrupted();

}  // namespace coluber::app
