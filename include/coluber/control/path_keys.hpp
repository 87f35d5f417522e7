#pragma once

#include <limits>
#include <optional>

#include <Eigen/Core>

#include "coluber/control/path_following.hpp"
#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::control {

/// `[controller]`: how fast a robot on wheels is to go.
struct SpeedKeys {
  double speed = 0.0;  ///< m/s
};

/// `[controller]`: the speed loop of driven wheels.
struct WheelServoKeys {
  double kw = 0.5;                                                      ///< N m s/rad
  double wheel_torque_limit = std::numeric_limits<double>::infinity();  ///< N m
};

/// `[controller.noise]` of driven wheels.
struct WheelNoiseKeys {
  double wheel_rate_deg = 0.0;  ///< deg/s
  double odometry = 0.0;        ///< relative
};

/// `[controller]` of what looks at the robot now and then.
struct PeriodKeys {
  double period = 0.025;  ///< s
};

/// `[controller]` of a path follower.
struct PathFollowingKeys {
  Reference reference = Reference::hold;
  bool reference_rate = true;
  Update update = Update::model;
  ControlPoint point = ControlPoint::axle;
  std::optional<Eigen::Vector2d> trailer{};  ///< L_PJ, L_JP (m)
  HeadingOptions heading{};
};

/// What follow-the-leader has beside it.
struct LeaderKeys {
  WheelSpeeds wheel_speeds = WheelSpeeds::uniform;
  Odometry odometry = Odometry::wheel;
};

/// The keys of SpeedKeys.
COLUBER_EXPORT const keys::Section& speed_keys();
/// The keys of WheelServoKeys.
COLUBER_EXPORT const keys::Section& wheel_servo_keys();
/// The keys of WheelNoiseKeys.
COLUBER_EXPORT const keys::Section& wheel_noise_keys();
/// The keys of PeriodKeys.
COLUBER_EXPORT const keys::Section& period_keys();
/// The keys of PathFollowingKeys.
COLUBER_EXPORT const keys::Section& path_following_keys();
/// The keys of LeaderKeys.
COLUBER_EXPORT const keys::Section& leader_keys();

}  // namespace coluber::control
