#include "coluber/control/driven_wheels.hpp"

#include <algorithm>
#include <utility>

#include "coluber/core/error.hpp"

#include "control/explicit_limit.hpp"

namespace coluber::control {

void release_shafts(const WheelServoOptions& options, ShaftCommand& command) {
  command.tau.setZero();
  command.k.setZero();
  command.rate.setZero();
  command.tau_max.setConstant(options.torque_limit);
}

void drive_shaft(const WheelServoOptions& options, const ControlInput& input, Eigen::Index i,
                 double omega, ShaftCommand& command) {
  command.rate(i) = omega;
  command.tau_max(i) = options.torque_limit;
  command.k(i) = options.implicit_servo ? options.kw : 0.0;
  // NaN passes, to be named by the step
  command.tau(i) = options.implicit_servo
                       ? 0.0
                       : std::clamp(options.kw * (omega - (*input.shaft_rate)(i)),
                                    -options.torque_limit, options.torque_limit);
}

DrivenWheels::DrivenWheels(std::unique_ptr<Controller> controller, const WheelServoOptions& options,
                           std::vector<double> radius, double speed)
    : Wrapped(std::move(controller)), options_(options), radius_(std::move(radius)), speed_(speed) {
  if (!(options_.kw >= 0.0)) throw Error("kw must not be negative");
  if (!(options_.torque_limit > 0.0)) throw Error("a motor's torque limit must be above zero");
}

std::string DrivenWheels::connect(System& system, std::vector<drive::Warning>& warnings) {
  std::string why = Wrapped::connect(system, warnings);
  if (!options_.implicit_servo) warn_of_explicit_wheels(options_.kw, system, warnings);
  return why;
}

void DrivenWheels::update(const ControlInput& input, JointCommand& command) {
  inner().update(input, command);
  release_shafts(options_, command.shafts);
  const double slack = 1e-6 * input.dt;  // k·dt may miss start_time by a rounding
  if (input.t + slack < inner().start_time()) return;
  for (Eigen::Index i = 0; i < command.shafts.tau.size(); ++i) {
    drive_shaft(options_, input, i, speed_ / radius_[static_cast<std::size_t>(i)], command.shafts);
  }
}

}  // namespace coluber::control
