#include "coluber/control/input_output_linearisation.hpp"

#include <algorithm>
#include <utility>

#include "coluber/core/assert.hpp"
#include "coluber/core/error.hpp"
#include "coluber/math/sincos.hpp"

namespace coluber::control {

InputOutputLinearisation::InputOutputLinearisation(planar::Model model,
                                                   LinearisationOptions options)
    : model_(std::move(model)), options_(std::move(options)), data_(model_), u_(model_.n() - 1) {
  // Without these the source's matrix M_V is not positive definite (its app. A.2), and nothing
  // bounds the motion of the robot as a whole.
  if (model_.friction_points != 2 || !(model_.mu_V.minCoeff() > 0.0) || !model_.obstacles.empty()) {
    throw Error(
        "input-output linearisation needs two friction points a link, viscous friction along and "
        "across it, and no obstacles");
  }
  for (const planar::Link& link : model_.links) {
    if (!(link.L_GS > 0.0)) {
      throw Error("input-output linearisation needs friction points that lie apart");
    }
  }
  options_.kp.require_valid("kp");
  options_.kd.require_valid("kd");
  if (!(options_.torque_limit > 0.0)) throw Error("a motor's torque limit must be above zero");
  for (const Gains* gains : {&options_.kp, &options_.kd}) {
    if (!gains->is_uniform() && static_cast<Eigen::Index>(gains->values().size()) != u_.size()) {
      throw Error("input-output linearisation: one gain, or one a joint");
    }
  }
}

void InputOutputLinearisation::update(const ControlInput& input, JointCommand& command) {
  COLUBER_ASSERT(input.base != nullptr, input.t);
  const double slack = 1e-6 * input.dt;  // k·dt may miss start_time by a rounding
  command.tau.setZero();
  command.k_P.setZero();
  command.k_D.setZero();
  command.tau_max.setConstant(options_.torque_limit);
  if (input.t + slack < options_.start_time) return;

  // Joint accelerations asked for.  Transeth (6.60)
  for (Eigen::Index j = 0; j < u_.size(); ++j) {
    u_(j) = input.phidd_d_A(j) - options_.kd(j) * (input.phidot(j) - input.phidot_d_A(j)) -
            options_.kp(j) * (input.phi(j) - input.phi_d_A(j));
  }
  // Velocity of the first link in its own axes.  Transeth (6.27)
  double sin = 0.0;
  double cos = 1.0;
  math::sincos(input.base->theta, sin, cos);
  const Eigen::Vector2d& v = input.base->v;
  const planar::BaseTwist base{{cos * v.x() + sin * v.y(), cos * v.y() - sin * v.x()},
                               input.base->thetadot};
  // Torques that give them.  Transeth (6.58)
  planar::linearising_torque(model_, {.eps_C = options_.eps_C}, base, input.phi, input.phidot, u_,
                             data_, command.tau);
  for (double& tau : command.tau) {
    tau = std::clamp(tau, -options_.torque_limit, options_.torque_limit);
  }
}

}  // namespace coluber::control
