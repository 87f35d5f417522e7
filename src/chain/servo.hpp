#pragma once

#include <algorithm>
#include <limits>

#include <Eigen/Core>

#include "coluber/core/assert.hpp"
#include "coluber/drive/joints.hpp"

namespace coluber::chain {

/// The motor of a joint over one step, with its servo at the step's end: impulse = sr - sd
/// phidot_E, clamped to ± limit (N m s²/rad, N m s).
struct Servo {
  double sd = 0.0;
  double sr = 0.0;
  double limit = std::numeric_limits<double>::infinity();
};

/// Where the spring of a servo looks at its joint: at phi_M + theta dt phidot_E, and at the
/// reference at the same time. One half is the end of the step, one the middle of the next. With
/// s = k_P dt²/Theta the joint's multipliers have the product 1/(1 + theta s) and the sum (2 -
/// (1 - theta) s)/(1 + theta s): for theta = 1/2 one of them goes to -1 as s grows, and the joint
/// rings; for theta -> 1 both go to 0. `Theta` is the least inertia of a link (kg m²).
inline double servo_theta(double k_P, double dt, double Theta) {
  const double stiffness = k_P * dt * dt;
  return stiffness > Theta ? 1.0 - 0.5 * Theta / stiffness : 0.5;
}

/// Of joint angle j, which is `phi` at q_M.
inline Servo make_servo(const JointCommand& command, Eigen::Index j, double phi, double dt,
                        double Theta) {
  Servo servo;
  double theta = 0.5;
  double phi_d = command.phi_d(j);
  if (command.k_P(j) * dt * dt > Theta) [[unlikely]] {
    theta = servo_theta(command.k_P(j), dt, Theta);
    phi_d += (theta - 0.5) * dt * command.phidot_d(j);
  }
  servo.sd = dt * command.k_D(j) + theta * dt * dt * command.k_P(j);
  servo.sr =
      dt * (command.tau(j) + command.k_P(j) * (phi_d - phi) + command.k_D(j) * command.phidot_d(j));
  COLUBER_ASSERT(!(command.tau_max(j) < 0.0), j, command.tau_max(j));
  servo.limit = dt * command.tau_max(j);
  // A torque that does not depend on the step's end is known to be cut off before it is solved.
  if (servo.sd == 0.0) servo.sr = std::clamp(servo.sr, -servo.limit, servo.limit);
  return servo;
}

/// Torque (N m), mean over the step, of a motor's impulse. dt tau_max / dt may round up.
inline double mean_torque(double impulse, double dt, double tau_max) {
  return std::clamp(impulse / dt, -tau_max, tau_max);
}

/// Limit on dt (s) of an explicit servo on joints with this mobility (nonsmooth::joint_mobility).
/// v' = v - dt lambda (k_P q + k_D v), q' = q + dt (v + v')/2 has its multipliers inside the unit
/// circle iff dt < 2/(lambda k_D) and dt < 2 k_D/k_P.
inline double explicit_servo_limit(double lambda, double k_P, double k_D) {
  if (!(k_D > 0.0)) return k_P > 0.0 ? 0.0 : std::numeric_limits<double>::infinity();
  const double damping = 2.0 / (lambda * k_D);
  return k_P > 0.0 ? std::min(damping, 2.0 * k_D / k_P) : damping;
}

}  // namespace coluber::chain
