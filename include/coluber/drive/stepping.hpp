#pragma once

#include <cstdint>
#include <optional>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::drive {

/// What to do about a step that was not solved to the tolerance.
enum class OnFailure : std::uint8_t { stop, warn };

/// `[solver]`: how every model steps.
struct Stepping {
  double dt = 1e-3;  ///< s
  OnFailure on_failure = OnFailure::stop;
};

/// `[stop]`: conditions that end a run before its duration; none by default.
struct Stop {
  std::optional<double> past_x{};   ///< m: link 1's centre has crossed this x
  std::optional<double> stuck_s{};  ///< s: no link moved a link length within this time
};

COLUBER_EXPORT const keys::Section& stepping_keys();
COLUBER_EXPORT const keys::Section& stop_keys();

}  // namespace coluber::drive
