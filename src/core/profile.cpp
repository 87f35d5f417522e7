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

// The counter's rate from the steady clock over 2 ms, both ends read together as nearly as the
// machine allows; the cost of a lap as the least of many batches, the rest being interruptions.
Profile::Profile() {
  using Clock = std::chrono::steady_clock;
  struct Moment {
    Clock::time_point clock;
    std::uint64_t ticks = 0;
  };
  const auto read = [] {
    constexpr int tries = 8;
    Moment moment;
    std::uint64_t narrowest = std::numeric_limits<std::uint64_t>::max();
    for (int k = 0; k < tries; ++k) {
      const std::uint64_t before = ticks();
      const Clock::time_point now = Clock::now();
      const std::uint64_t after = ticks();
      if (after - before >= narrowest) continue;
      narrowest = after - before;
      moment = {now, before + narrowest / 2};
    }
    return moment;
  };
  constexpr auto window = std::chrono::milliseconds(2);
  const Moment first = read();
  while (Clock::now() - first.clock < window) {
  }
  const Moment last = read();
  if (last.ticks > first.ticks) {
    seconds_per_tick_ = std::chrono::duration<double>(last.clock - first.clock).count() /
                        static_cast<double>(last.ticks - first.ticks);
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
