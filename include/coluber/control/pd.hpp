#pragma once

#include <limits>

#include "coluber/control/controller.hpp"
#include "coluber/control/gains.hpp"
#include "coluber/core/export.hpp"

namespace coluber::control {

// | letter | code name | meaning                        | unit       | equation        |
// | k_P    | kp        | stiffness of the servo         | N m/rad    | Transeth (3.51) |
// | k_D    | kd        | damping of the servo           | N m s/rad  | Transeth (3.51) |
// | –      | torque_limit | largest torque of a motor   | N m        | Transeth 7.3.5  |

/// Gains of the servos and how they enter a step.
struct PdOptions {
  Gains kp = 800.0;            ///< N m/rad
  Gains kd = 2.0;              ///< N m s/rad
  bool implicit_servo = true;  ///< part of the step, stable at any dt; else torques of its start
  double start_time = 0.0;     ///< s, motors off before
  double torque_limit = std::numeric_limits<double>::infinity();  ///< N m
};

/// Joint servos tau = k_P (phi_d - phi) + k_D (phidot_d - phidot), positive driving phi up, cut off
/// at ±torque_limit.
class COLUBER_EXPORT Pd final : public Controller {
 public:
  /// Gains are one number, or one per joint. Throws Error if a gain is not finite or negative, or
  /// the limit not above zero.
  explicit Pd(PdOptions options);
  void update(const ControlInput& input, JointCommand& command) override;
  /// Warns of a step too long for torques that hold over it.
  std::string connect(System& system, std::vector<drive::Warning>& warnings) override;
  [[nodiscard]] bool continuous() const override { return true; }
  [[nodiscard]] bool holds_torques() const override { return !options_.implicit_servo; }
  [[nodiscard]] double start_time() const override { return options_.start_time; }
  [[nodiscard]] RunawayWords runaway_words() const override {
    return {"servo", "controller.servo = \"implicit\""};
  }

 private:
  PdOptions options_;
};

}  // namespace coluber::control
