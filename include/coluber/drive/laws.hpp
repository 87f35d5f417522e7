#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::drive {

/// How a quantity is given over time.
enum class LawKind : std::uint8_t { sin, one_minus_cos, ramp, held, follower, loop, ackermann };

/// A quantity and its first two derivatives.
struct Motion {
  double value = 0.0, rate = 0.0, acceleration = 0.0;
};

/// One law of `[gait]`; angles in radians.
struct COLUBER_EXPORT Law {
  LawKind law = LawKind::held;
  double amplitude = 0.0;
  double omega = 1.0;  ///< rad/s
  double phase = 0.0;  ///< rad
  double offset = 0.0;
  double rate = 0.0;          ///< per second
  double acceleration = 0.0;  ///< per second squared
  double start = 0.0;         ///< of what is found, not given: its value at t = 0

  /// At time t (s). What is found is held at its start.
  [[nodiscard]] Motion at(double t) const;
  /// Largest |rate| up to time t (s).
  [[nodiscard]] double largest_rate(double t) const;
};

/// `[[gait.joint]]`.
struct JointLaw : Law {
  int joint = 0;  ///< coordinate, counted from 1
};

/// What a wheel's law moves.
enum class WheelMotion : std::uint8_t { steer, roll };

/// `[[gait.wheel]]`.
struct WheelLaw : Law {
  int wheel = 0;  ///< counted from 1
  WheelMotion motion = WheelMotion::steer;
};

/// What a law of the reference body moves.
enum class BaseAxis : std::uint8_t { x, y, z, yaw };

/// `[[gait.base]]`.
struct BaseLaw : Law {
  BaseAxis axis = BaseAxis::x;
};

/// `[gait]` with name = "laws".
struct Laws {
  std::vector<JointLaw> joint{};
  std::vector<WheelLaw> wheel{};
  std::vector<BaseLaw> base{};
  std::optional<Law> drive{};  ///< of the reference body's speed along its x (m/s)
};

/// The keys of Laws.
COLUBER_EXPORT const keys::Section& law_keys();

}  // namespace coluber::drive
