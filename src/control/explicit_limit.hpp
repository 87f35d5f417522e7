#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "coluber/control/gains.hpp"

namespace coluber::control {

/// The least of `limit(kp, kd)` (s) over the joints: of a controller that holds its torques.
template <typename Limit>
double least_limit(const Gains& kp, const Gains& kd, int joints, Limit&& limit) {
  if (kp.is_uniform() && kd.is_uniform()) return limit(kp(0), kd(0));
  double least = std::numeric_limits<double>::infinity();
  for (int j = 0; j < joints; ++j) least = std::min(least, limit(kp(j), kd(j)));
  return least;
}

/// Gains as a warning names them.
inline std::string describe(const Gains& gains) {
  return gains.is_uniform() ? fmt::format("{}", gains(0)) : "those given";
}

}  // namespace coluber::control
