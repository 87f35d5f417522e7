#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "coluber/control/wrapped.hpp"
#include "coluber/core/export.hpp"

namespace coluber::control {

/// The speed loop of driven wheels: tau_w = k_w (omega_ref - omega_w).  Murugendran II-C
struct WheelServoOptions {
  double kw = 0.5;             ///< N m s/rad
  bool implicit_servo = true;  ///< part of the step; else torques of its start
  double torque_limit = std::numeric_limits<double>::infinity();  ///< N m
};

/// Asks shaft i for the rate `omega` (rad/s), positive forward.
COLUBER_EXPORT void drive_shaft(const WheelServoOptions& options, const ControlInput& input,
                                Eigen::Index i, double omega, ShaftCommand& command);
/// Motors off: the wheels roll freely.
COLUBER_EXPORT void release_shafts(const WheelServoOptions& options, ShaftCommand& command);

/// A controller of joints that also drives the wheels, all rims at one speed.
class COLUBER_EXPORT DrivenWheels final : public Wrapped {
 public:
  /// `radius` (m) of the wheels of each link, `speed` (m/s) of their rims.
  DrivenWheels(std::unique_ptr<Controller> controller, const WheelServoOptions& options,
               std::vector<double> radius, double speed);
  /// Warns of a step too long for torques that hold over it.
  std::string connect(System& system, std::vector<drive::Warning>& warnings) override;
  void update(const ControlInput& input, JointCommand& command) override;

 private:
  WheelServoOptions options_;
  std::vector<double> radius_;
  double speed_;
};

}  // namespace coluber::control
