#pragma once

#include <atomic>
#include <chrono>
#include <optional>

namespace coluber::app {

/// Set by the first Ctrl-C after catch_signals(); a second one ends the process the hard way.
extern std::atomic<bool> interrupted;

/// From now on SIGINT and SIGTERM set `interrupted`.
void catch_signals();

/// Once Ctrl-C is so old, what takes long gives up.
class Patience {
 public:
  bool operator()();

 private:
  std::optional<std::chrono::steady_clock::time_point> since_;
};

}  // namespace coluber::app
