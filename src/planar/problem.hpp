#pragma once

#include <algorithm>

#include "coluber/planar/snake.hpp"

#include "nonsmooth/constants.hpp"

// What both layouts of the step are made of.

namespace coluber::planar {

/// Compliance of the anchored law: c = c_T = epsilon/m (docs/numerics.md).
inline constexpr double kEpsilon = 0.02;

/// Whether the residual recomputed outside the solver bears a step out that the solver calls
/// solved: law and momentum each within ten times the tolerance, or within what rounding alone
/// makes of them, unless that is so much that no digits are left to trust. `rounding()` is called
/// only if it matters.
template <typename Compute>
bool bears_out(const StepInfo& info, double tolerance, const Compute& rounding) {
  const double simple = 10.0 * tolerance;
  if (info.residual_law <= simple && info.residual_momentum <= simple) return true;
  const nonsmooth::Rounding allowed = rounding();
  const auto limit = [&](double floor) {
    return std::max(simple, std::min(floor, nonsmooth::kLostDigits));
  };
  return info.residual_law <= limit(allowed.law) &&
         info.residual_momentum <= limit(allowed.momentum);
}

/// Pose at q_M, and the obstacle contacts of the step: `pose`, `next_near`, `touching` and
/// `penetration` of the data.
void find_contacts(const Model& model, const State& state, const StepOptions& options, Data& data);

/// `data.problem` and the guess from what find_contacts() found.
void fill_problem(const Model& model, const State& state, const JointCommand& command,
                  const StepOptions& options, Data& data);

/// Where friction point p of a link is ahead of its centre of gravity (m): there, or at the rear
/// and the front end of the core.  Transeth 6.2
double friction_arm(const Model& model, const Link& link, int p);

/// b of the normal law (m/s): a point lands on the surface, penetration is worked off.
double landing_speed(const Gap& gap, const StepOptions& options);

/// Second-order guess from the last three steps, x_1 where they are not all there.
template <typename Value>
Value extrapolate(bool three, const Value& x_1, const Value& x_2, const Value& x_3) {
  return three ? Value{3.0 * (x_1 - x_2) + x_3} : x_1;
}

inline nonsmooth::Impulse predict(const PointMemory& memory) {
  const bool three = memory.closed >= 3;
  return {extrapolate(three, memory.x_1.N, memory.x_2.N, memory.x_3.N),
          extrapolate(three, memory.x_1.T, memory.x_2.T, memory.x_3.T)};
}

}  // namespace coluber::planar
