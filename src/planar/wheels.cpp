#include "wheels.hpp"

#include <algorithm>
#include <cmath>

#include "coluber/core/assert.hpp"

namespace coluber::planar {

RimServo make_rim_servo(const ShaftCommand& command, const Axle& axle, Eigen::Index i, double dt) {
  COLUBER_ASSERT(!(command.tau_max(i) < 0.0), i, command.tau_max(i));
  RimServo servo;
  servo.sd = dt * command.k(i) / (axle.L_w * axle.L_w);
  servo.sr = dt * (command.tau(i) + command.k(i) * command.rate(i)) / axle.L_w;
  servo.limit = dt * command.tau_max(i) / axle.L_w;
  // A torque that does not depend on the step's end is known to be cut off before it is solved.
  if (servo.sd == 0.0) servo.sr = std::clamp(servo.sr, -servo.limit, servo.limit);
  return servo;
}

void add_shaft_works(const State& state, const Data& data, double dt, StepWork& work) {
  for (Eigen::Index i = 0; i < data.tau_w.size(); ++i) {
    const double done = 0.5 * dt * data.tau_w(i) * (state.omega_2(i) + state.omega(i));
    work.servo += done;
    work.positive += std::max(done, 0.0);
  }
}

double shaft_energy(const Model& model, const VectorXd& omega) {
  double T = 0.0;
  for (std::size_t i = 0; i < model.axles.size(); ++i) {
    const double rate = omega(static_cast<Eigen::Index>(i));
    T += 0.5 * model.axles[i].Theta_w * rate * rate;
  }
  return T;
}

Vector2d compute_slip(const Model& model, const State& state, const Data& data, int i, int p) {
  const Axle& axle = model.axles[static_cast<std::size_t>(i)];
  const double arm = axle.offset - model.links[static_cast<std::size_t>(i)].offset;
  const double c = data.pose.cos(i);
  const double s = data.pose.sin(i);
  const double u_x = state.u(3 * i);
  const double u_y = state.u(3 * i + 1);
  const double w = state.u(3 * i + 2);
  return {(c * u_x + s * u_y) - wheel_side(axle, p) * w + axle.L_w * state.omega(i),
          (c * u_y - s * u_x) + arm * w};
}

}  // namespace coluber::planar
