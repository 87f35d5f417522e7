#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "coluber/core/profile.hpp"

namespace coluber::app {

/// phase, ms in all, share, µs per step; on the standard output.
void print_profile(const Profile& profile, std::int64_t steps);

/// [{"name", "ms", "share", "us_per_step"}, …]
nlohmann::ordered_json profile_json(const std::vector<Profile::Share>& phases, std::int64_t steps);

}  // namespace coluber::app
