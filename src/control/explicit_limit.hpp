#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "coluber/control/gains.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/build.hpp"
#include "coluber/drive/joints.hpp"

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

/// Says that servos with these gains, whose torques hold over a step, run away at the system's
/// step.
void warn_of_explicit_servo(const Gains& kp, const Gains& kd, const System& system,
                            std::vector<drive::Warning>& warnings);

/// The same of driven wheels, which slip at times.
void warn_of_explicit_wheels(double kw, const System& system,
                             std::vector<drive::Warning>& warnings);

/// Torque of an explicit servo, Transeth (3.51): at the start of the step, cut off. NaN passes, to
/// be named by the step.
inline double explicit_torque(double kp, double kd, double error, double error_rate, double limit) {
  return std::clamp(kp * error + kd * error_rate, -limit, limit);
}

}  // namespace coluber::control
