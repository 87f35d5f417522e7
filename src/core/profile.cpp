#include "coluber/core/profile.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace coluber {

std::string_view phase_name(Phase phase) {
  constexpr std::array<std::string_view, phase_count> names{
      "references", "controller", "problem", "solve", "residual", "bookkeeping", "recording"};
  return names[static_cast<std::size_t>(phase)];
}

// The counter's rate from the steady clock over 2 ms; the cost of a lap as the least of many
// batches, the rest being interruptions.
Profile::Profile() {
  using Clock = std::chrono::steady_clock;
  constexpr auto window = std::chrono::milliseconds(2);
  const Clock::time_point begin = Clock::now();
  const std::uint64_t first = ticks();
  Clock::time_point now = begin;
  while (now - begin < window) now = Clock::now();
  const std::uint64_t last = ticks();
  if (last > first) {
    seconds_per_tick_ =
        std::chrono::duration<double>(now - begin).count() / static_cast<double>(last - first);
  }

  constexpr int batches = 50;
  constexpr int laps = 100;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < batches; ++k) {
    const std::uint64_t from = ticks();
    for (int j = 0; j < laps; ++j) lap(Phase::bookkeeping);
    least = std::min(least, static_cast<double>(last_ - from) / laps);
  }
  ticks_per_lap_ = least;
  start();
}

void Profile::start() {
  entries_ = {};
  last_ = ticks();
}

std::vector<Profile::Share> Profile::shares() const {
  std::vector<Share> out;
  double total = 0.0;
  for (std::size_t k = 0; k < phase_count; ++k) {
    const Entry& entry = entries_[k];
    const double own =
        static_cast<double>(entry.ticks) - ticks_per_lap_ * static_cast<double>(entry.laps);
    out.push_back({static_cast<Phase>(k), std::max(0.0, own) * seconds_per_tick_, 0.0});
    total += out.back().seconds;
  }
  for (Share& share : out) share.share = total > 0.0 ? share.seconds / total : 0.0;
  return out;
}

}  // namespace coluber
