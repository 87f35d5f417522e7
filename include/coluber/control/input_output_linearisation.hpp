#pragma once

#include <limits>

#include <Eigen/Core>

#include "coluber/control/controller.hpp"
#include "coluber/control/gains.hpp"
#include "coluber/core/export.hpp"
#include "coluber/planar/minimal.hpp"

namespace coluber::control {

// | letter | code name | meaning                                       | unit  | equation        |
// | K_P    | kp        | proportional gain of the error, diagonal      | 1/s²  | Transeth (6.60) |
// | K_D    | kd        | derivative gain of the error, diagonal        | 1/s   | Transeth (6.60) |
// | u      | –         | joint accelerations asked for                 | rad/s²| Transeth (6.60) |
// | eps_C  | eps_C     | width of the smooth friction it reckons with  | m/s   | Transeth (6.21) |

/// Gains, and what else the controller is told beside its model.
struct LinearisationOptions {
  Gains kp = 4e5;                                                 ///< 1/s²
  Gains kd = 2.4e3;                                               ///< 1/s
  double eps_C = 1e-3;                                            ///< m/s
  double start_time = 0.0;                                        ///< s, motors off before
  double torque_limit = std::numeric_limits<double>::infinity();  ///< N m
};

/// Torques that cancel what the robot's own dynamics and friction do to its joints, so that the
/// error e = phi - phi_d obeys e'' + K_D e' + K_P e = 0.  Transeth (6.58), (6.60)
///
/// Its model has two friction points a link, viscous friction and no obstacles; friction is the
/// smooth one whatever the plant's. It measures joints, the first link's velocity
/// and its angle, the last only to turn the velocity into the link's axes: where the robot is and
/// which way it points makes no difference.
class COLUBER_EXPORT InputOutputLinearisation final : public Controller {
 public:
  /// Throws Error if the model is not one it can linearise.
  InputOutputLinearisation(planar::Model model, LinearisationOptions options);
  void update(const ControlInput& input, JointCommand& command) override;
  /// Needs a robot in the plane. Warns of gains that leave errors swinging, and of a step too long
  /// for torques that hold over it.
  std::string connect(System& system, std::vector<drive::Warning>& warnings) override;
  [[nodiscard]] bool model_based() const override { return true; }
  [[nodiscard]] bool holds_torques() const override { return true; }
  [[nodiscard]] double start_time() const override { return options_.start_time; }
  [[nodiscard]] bool continuous() const override { return true; }

 private:
  planar::Model model_;
  LinearisationOptions options_;
  planar::RobotData data_;
  Eigen::VectorXd u_;
};

}  // namespace coluber::control
