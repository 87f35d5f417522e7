#pragma once

#include "coluber/drive/joints.hpp"
#include "coluber/planar/snake.hpp"

// Wheels of a link on one shaft. In the contact problem the shaft is a massless leaf of its link
// that slides along it: both wheels touch the ground there, and its rate is the rim's speed
//     q = L_w omega_w,   so that   gamma = (velocity of the link's point) + q e_axis,
// with the inertia J = Theta_w/L_w² and the impulse of the motor over L_w. Forward is against the
// link's axis, which points to link i+1; a wheel that rolls forward has q > 0.  Murugendran (8)

namespace coluber::planar {

/// J of an axle (kg).
inline double rim_inertia(const Axle& axle) { return axle.Theta_w / (axle.L_w * axle.L_w); }

/// Where wheel p of an axle is, to the left of the link's axis (m): the left one, seen along the
/// way forward, is on the right of it.
inline double wheel_side(const Axle& axle, int p) {
  return p == 0 ? -axle.half_track : axle.half_track;
}

/// The motor of a shaft over one step, as seen at the rim: impulse = sr - sd q_E, within ± limit
/// (kg, N s, N s).
struct RimServo {
  double sd = 0.0;
  double sr = 0.0;
  double limit = 0.0;
};
RimServo make_rim_servo(const ShaftCommand& command, const Axle& axle, Eigen::Index i, double dt);

/// Work of the shafts' motors; the rates have been taken.
void add_shaft_works(const State& state, const Data& data, double dt, StepWork& work);

/// Kinetic energy of shafts with these rates (J).
double shaft_energy(const Model& model, const VectorXd& omega);

/// The older rates move down; `omega` is to be overwritten.
inline void push_shafts(State& state) {
  state.omega_3.swap(state.omega_2);
  state.omega_2.swap(state.omega);
}

/// Velocity of wheel p of link i over the ground at q_M of the step done, with the velocities at
/// its end: along the link's axis and across it, to its left (m/s).
Vector2d compute_slip(const Model& model, const State& state, const Data& data, int i, int p);

}  // namespace coluber::planar
