#include "coluber/control/input_output_linearisation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/assert.hpp"
#include "coluber/core/error.hpp"
#include "coluber/drive/feedback.hpp"
#include "coluber/math/sincos.hpp"

#include "control/explicit_limit.hpp"

namespace coluber::control {

InputOutputLinearisation::InputOutputLinearisation(planar::Model model,
                                                   LinearisationOptions options)
    : model_(std::move(model)), options_(std::move(options)), data_(model_), u_(model_.n() - 1) {
  // Without these the source's matrix M_V is not positive definite (its app. A.2), and nothing
  // bounds the motion of the robot as a whole.
  if (model_.friction_points != 2 || !(model_.mu_V.minCoeff() > 0.0) || !model_.obstacles.empty()) {
    throw Error(
        "input-output linearisation needs two friction points per link, viscous friction along and "
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
      throw Error("input-output linearisation: one gain, or one per joint");
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

std::string InputOutputLinearisation::connect(System& system,
                                              std::vector<drive::Warning>& warnings) {
  if (dynamic_cast<const MovingBase*>(&system) == nullptr ||
      dynamic_cast<const JointDriven*>(&system) == nullptr) {
    return "needs a robot in the plane whose joints take torques";
  }
  const auto joints = static_cast<int>(u_.size());
  constexpr double weak = 0.3;  // damping ratio: an error swings back by more than a third
  double least = std::numeric_limits<double>::infinity();
  for (int j = 0; j < joints; ++j) {
    const double kp = options_.kp(j);
    if (kp > 0.0) least = std::min(least, options_.kd(j) / (2.0 * std::sqrt(kp)));
  }
  if (least < weak) {
    warnings.push_back(
        {"controller.kp",
         fmt::format("controller.kp, kd: with \"input_output_linearisation\" they are in 1/s² and "
                     "1/s, and leave errors e'' + kd e' + kp e = 0, here with a damping ratio of "
                     "only {:.2g}; the defaults are 4e5 and 2400",
                     least)});
  }
  if (dynamic_cast<const FeedbackDriven*>(&system) != nullptr) return "";

  // Held over a step, the torque leaves phidd = u of the step's start: with the midpoint rule for
  // phi the error grows unless dt < 2/K_D and dt < 2 K_D/K_P, as of a servo with unit inertia.
  const double limit = least_limit(options_.kp, options_.kd, joints, [](double kp, double kd) {
    return kp > 0.0 ? std::min(2.0 / kd, 2.0 * kd / kp) : 2.0 / kd;
  });
  if (system.dt() < limit) return "";
  const std::string gains =
      fmt::format("kp = {}, kd = {}", describe(options_.kp), describe(options_.kd));
  warnings.push_back(
      {"controller.servo",
       limit == 0.0
           ? fmt::format("controller.name = \"input_output_linearisation\", explicit: without "
                         "damping ({}) it is stable for no dt; raise kd",
                         gains)
           : fmt::format("controller.name = \"input_output_linearisation\", explicit: stable for "
                         "dt below {:.3g} s with {}; solver.dt is {:.3g} s, expect it to run away; "
                         "take a smaller dt or smaller gains",
                         limit, gains, system.dt())});
  return "";
}

}  // namespace coluber::control
