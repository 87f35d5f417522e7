#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/core/status.hpp"

/// Capabilities of systems: what drives them and what they tell beside System. A system derives
/// from those it offers; a controller asks for those it needs,
/// `dynamic_cast<MovingBase*>(&system)`.
namespace coluber {

/// What a controller asks of driven shafts for one step. The shaft gets the impulse
///   dt clamp(tau + k (rate - omega_E), ±tau_max),
/// E being the end of the step; rates are positive when the wheels roll forward, link 1 ahead.
struct ShaftCommand {
  /// Asks for nothing: all zero.
  explicit ShaftCommand(int shafts)
      : tau(Eigen::VectorXd::Zero(shafts)),
        k(Eigen::VectorXd::Zero(shafts)),
        rate(Eigen::VectorXd::Zero(shafts)),
        tau_max(Eigen::VectorXd::Constant(shafts, std::numeric_limits<double>::infinity())) {}

  Eigen::VectorXd tau;      ///< N m, positive drives forward
  Eigen::VectorXd k;        ///< N m s/rad
  Eigen::VectorXd rate;     ///< rad/s
  Eigen::VectorXd tau_max;  ///< N m, largest torque of the motor, > 0; infinite: no limit
};

/// What a controller asks of the joints for one step. The joint gets the impulse
///   dt clamp(tau + k_P (phi_d - phi_E) + k_D (phidot_d - phidot_E), ±tau_max),
/// E being the end of the step: `tau` alone is an explicit controller, the gains make the servo
/// part of the step (stable at any dt; a stiff one looks further ahead, chain::servo_theta).
///
/// With `prescribed` the joints are where the references say, whatever torque that takes, and the
/// rest of the command is ignored.
struct JointCommand {
  /// Asks for nothing: all zero.
  explicit JointCommand(int joints, int shaft_count = 0)
      : tau(Eigen::VectorXd::Zero(joints)),
        k_P(Eigen::VectorXd::Zero(joints)),
        phi_d(Eigen::VectorXd::Zero(joints)),
        k_D(Eigen::VectorXd::Zero(joints)),
        phidot_d(Eigen::VectorXd::Zero(joints)),
        phi_M(Eigen::VectorXd::Zero(joints)),
        tau_max(Eigen::VectorXd::Constant(joints, std::numeric_limits<double>::infinity())),
        shafts(shaft_count) {}

  /// Torque (N m) of joint j, counted from 0, at this angle (rad) and rate (rad/s). NaN passes.
  [[nodiscard]] double torque(Eigen::Index j, double phi, double phidot) const {
    return std::clamp(tau(j) + k_P(j) * (phi_d(j) - phi) + k_D(j) * (phidot_d(j) - phidot),
                      -tau_max(j), tau_max(j));
  }

  Eigen::VectorXd tau;       ///< N m, positive drives phi up
  Eigen::VectorXd k_P;       ///< N m/rad
  Eigen::VectorXd phi_d;     ///< rad, reference at the end of the step; recorded as such
  Eigen::VectorXd k_D;       ///< N m s/rad
  Eigen::VectorXd phidot_d;  ///< rad/s, reference at the end of the step
  Eigen::VectorXd phi_M;     ///< rad, reference in the middle of the step; if `prescribed`
  Eigen::VectorXd tau_max;   ///< N m, largest torque of the motor, > 0; infinite: no limit
  bool prescribed = false;   ///< joints are at phi_M, then at phi_d with the rate phidot_d
  ShaftCommand shafts;       ///< of wheels, where the robot has driven ones
  double steering = 0.0;     ///< rad, of a model that is steered at its head
  double speed = 0.0;        ///< m/s, of its head
};

/// Joints that take commands; their servos are part of the step.
class COLUBER_EXPORT JointDriven {
 public:
  JointDriven() = default;
  JointDriven(const JointDriven&) = delete;
  JointDriven& operator=(const JointDriven&) = delete;
  virtual ~JointDriven() = default;

  /// Number of joint angles a command speaks of.
  [[nodiscard]] virtual int joint_count() const = 0;
  /// Angles of one joint: 1, or 2 for yaw and pitch.
  [[nodiscard]] virtual int angles_per_joint() const { return 1; }
  /// Joint angles (rad) and rates (rad/s) now.
  virtual void joint_state(Eigen::Ref<Eigen::VectorXd> phi,
                           Eigen::Ref<Eigen::VectorXd> phidot) const = 0;
  /// Number of driven shafts a command speaks of.
  [[nodiscard]] virtual int shaft_count() const { return 0; }
  /// Their rates now (rad/s), positive forward.
  virtual void shaft_rates(Eigen::Ref<Eigen::VectorXd> omega) const { omega.setZero(); }
  /// Largest step (s) at which shafts with this gain (N m s/rad), whose torques hold over a step,
  /// are stable while their wheels slip.
  [[nodiscard]] virtual double explicit_shaft_limit(double k) const;
  /// One step under this command.
  virtual StepInfo step(const JointCommand& command) = 0;
  /// True: commands may be `prescribed`.
  [[nodiscard]] virtual bool can_prescribe() const { return false; }
  /// Before the first step of a robot at rest whose joints will be prescribed: they move at these
  /// rates (rad/s) from the start, and the rest of the robot as their jump to them makes it move.
  /// So the first step has no jump to pay for.
  virtual void start_moving(const Eigen::VectorXd& phidot);
  /// Before the run: torques of single steps will come of this, and not of the length of a step,
  /// and a system that warns of them says so.
  virtual void expect_spikes(const std::string& /*cause*/) {}
  /// Largest step (s) at which servos with these gains, whose torques hold over a step, are stable.
  [[nodiscard]] virtual double explicit_servo_limit(double k_P, double k_D) const;
};

}  // namespace coluber
