#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "coluber/core/export.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#else
#include <chrono>
#endif

namespace coluber {

/// What a run's time goes into.
enum class Phase : std::uint8_t {
  references,   ///< the gait
  controller,   ///< the command of the step
  problem,      ///< kinematics, gaps, the contact problem
  solve,        ///< the contact problem's solution
  residual,     ///< its judgement, outside the solver
  bookkeeping,  ///< works, history, positions; what the loop itself does
  recording,    ///< frames, files
};
inline constexpr std::size_t phase_count = 7;
/// Its name in tables and JSON.
COLUBER_EXPORT std::string_view phase_name(Phase phase);

/// Time of a run by phase. Off where there is none: `lap` with a null pointer is one test.
///
/// A lap gives the time since the last lap to a phase, so every moment from the start on belongs to
/// exactly one. Reads the processor's time-stamp counter where there is one (some 10 ns; a step is
/// in the microseconds), else the steady clock; the cost of the readings themselves is measured and
/// taken off. Wall time of one thread; never touches what it times.
class COLUBER_EXPORT Profile {
 public:
  Profile();
  /// Forgets everything and starts the clock.
  void start();
  /// The time since the last lap went into `phase`.
  void lap(Phase phase) {
    const std::uint64_t now = ticks();
    Entry& entry = entries_[static_cast<std::size_t>(phase)];
    entry.ticks += now - last_;
    ++entry.laps;
    last_ = now;
  }

  /// Time of one phase.
  struct Share {
    Phase phase;
    double seconds;
    double share;  ///< of all phases together, 0 … 1
  };
  /// All phases, in their order.
  [[nodiscard]] std::vector<Share> shares() const;

 private:
  struct Entry {
    std::uint64_t ticks = 0;
    std::uint64_t laps = 0;
  };

  static std::uint64_t ticks() {
#if defined(__x86_64__) || defined(__i386__)
    return __rdtsc();
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
#endif
  }

  std::array<Entry, phase_count> entries_;
  std::uint64_t last_ = 0;
  double seconds_per_tick_ = 1e-9;
  double ticks_per_lap_ = 0.0;  // what a lap itself takes
};

/// A lap of the profile, if there is one.
inline void lap(Profile* profile, Phase phase) {
  if (profile != nullptr) profile->lap(phase);
}

}  // namespace coluber
