#include "coluber/control/pd.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/drive/feedback.hpp"

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
    } else {  // Transeth (3.51) at the start of the step; NaN passes, to be named by the step
      const double tau = options_.kp(j) * (input.phi_d_A(j) - input.phi(j)) +
                         options_.kd(j) * (input.phidot_d_A(j) - input.phidot(j));
      command.tau(j) = std::clamp(tau, -options_.torque_limit, options_.torque_limit);
    }
  }
}

std::string Pd::connect(System& system, std::vector<drive::Warning>& warnings) {
  const auto* joints = dynamic_cast<const JointDriven*>(&system);
  if (joints == nullptr) return "needs joints that take torques";
  if (options_.implicit_servo || joints->joint_count() == 0) return "";
  if (dynamic_cast<const FeedbackDriven*>(&system) != nullptr) return "";
  const double limit =
      least_limit(options_.kp, options_.kd, joints->joint_count(),
                  [&](double kp, double kd) { return joints->explicit_servo_limit(kp, kd); });
  if (system.dt() < limit) return "";
  warnings.push_back(
      {"controller.servo",
       fmt::format("controller.servo = \"explicit\": this chain is stable for dt below {:.3g} s "
                   "with kp = {}, kd = {}; solver.dt is {:.3g} s, expect it to run away; use servo "
                   "= \"implicit\" or a smaller dt",
                   limit, describe(options_.kp), describe(options_.kd), system.dt())});
  return "";
}

}  // namespace coluber::control
