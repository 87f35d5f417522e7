#include "coluber/control/pd.hpp"

#include <utility>

#include "coluber/core/error.hpp"

#include "control/explicit_limit.hpp"

namespace coluber::control {

Pd::Pd(PdOptions options) : options_(std::move(options)) {
  options_.kp.require_valid("kp");
  options_.kd.require_valid("kd");
  if (!(options_.torque_limit > 0.0)) throw Error("a motor's torque limit must be above zero");
}

// Differs: Transeth (3.51) prints the torque on link i, which drives phi down; a JointCommand
// counts torque on link i + 1, so the leading minus is gone. `implicit_servo` takes phi and phidot
// at the end of the step, unknown to the controller: it passes the gains on and the step solves for
// both.
void Pd::update(const ControlInput& input, JointCommand& command) {
  const double slack = 1e-6 * input.dt;  // k·dt may miss start_time by a rounding
  const bool on = input.t + slack >= options_.start_time;
  command.phi_d = input.phi_d_E;
  command.phidot_d = input.phidot_d_E;
  command.tau.setZero();
  command.tau_max.setConstant(options_.torque_limit);
  command.k_P.setZero();
  command.k_D.setZero();
  if (!on) return;
  for (Eigen::Index j = 0; j < command.tau.size(); ++j) {
    if (options_.implicit_servo) {
      command.k_P(j) = options_.kp(j);
      command.k_D(j) = options_.kd(j);
    } else {
      command.tau(j) =
          explicit_torque(options_.kp(j), options_.kd(j), input.phi_d_A(j) - input.phi(j),
                          input.phidot_d_A(j) - input.phidot(j), options_.torque_limit);
    }
  }
}

std::string Pd::connect(System& system, std::vector<drive::Warning>& warnings) {
  const auto* joints = dynamic_cast<const JointDriven*>(&system);
  if (joints == nullptr) return "needs joints that take torques";
  if (!options_.implicit_servo) {
    warn_of_explicit_servo(options_.kp, options_.kd, system, warnings);
  }
  return "";
}

}  // namespace coluber::control
