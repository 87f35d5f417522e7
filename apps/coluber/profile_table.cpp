#include "profile_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace coluber::app {

void print_profile(const Profile& profile, std::int64_t steps) {
  const auto count = static_cast<double>(std::max<std::int64_t>(steps, 1));
  double total = 0.0;
  fmt::print("{:<14} {:>12} {:>8} {:>12}\n", "phase", "ms", "share", "us per step");
  for (const Profile::Share& part : profile.shares()) {
    total += part.seconds;
    fmt::print("{:<14} {:>12.3f} {:>6.1f} % {:>12.3f}\n", phase_name(part.phase),
               1e3 * part.seconds, 100.0 * part.share, 1e6 * part.seconds / count);
  }
  fmt::print("{:<14} {:>12.3f} {:>6.1f} % {:>12.3f}\n", "total", 1e3 * total,
             total > 0.0 ? 100.0 : 0.0, 1e6 * total / count);
}

nlohmann::ordered_json profile_json(const std::vector<Profile::Share>& phases, std::int64_t steps) {
  const auto count = static_cast<double>(std::max<std::int64_t>(steps, 1));
  auto out = nlohmann::ordered_json::array();
  for (const Profile::Share& part : phases) {
    out.push_back({{"name", phase_name(part.phase)},
                   {"ms", 1e3 * part.seconds},
                   {"share", part.share},
                   {"us_per_step", 1e6 * part.seconds / count}});
  }
  return out;
}

}  // namespace coluber::app
