#pragma once

#include <vector>

#include "coluber/control/heading.hpp"
#include "coluber/trailer/kinematics.hpp"

namespace coluber::control {

/// The loop of a path follower near a straight path: small deviations, joints where their
/// references are.
struct SteeringLoop {
  /// From its front end back (m).
  struct Module {
    double length = 0.0;  ///< to its rear end
    double axle = 0.0;    ///< to its axle
  };
  double v = 0.0;  ///< m/s
  HeadingOptions heading{};
  double period = 0.0;         ///< s
  trailer::Lengths trailer{};  ///< that the controller reckons with
  std::vector<Module> modules{};
  double point = 0.0;      ///< of link 1's control point ahead of its axle (m)
  bool leader = false;     ///< joints repeat the first; else all are led as trailers'
  bool ramp = false;       ///< references ramp; else they hold
  bool kinematic = false;  ///< link 1 is steered itself, and nothing behind moves it
};

/// Whether a small deviation grows.
[[nodiscard]] bool is_unstable(const SteeringLoop& loop);

/// Largest period below the loop's at which it is stable, in whole steps of `dt` (s), to a tenth; 0
/// if there is none.
[[nodiscard]] double find_stable_period(SteeringLoop loop, double dt);

}  // namespace coluber::control
