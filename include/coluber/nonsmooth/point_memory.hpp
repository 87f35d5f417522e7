#pragma once

#include <algorithm>

#include "coluber/nonsmooth/contact_problem.hpp"

// What a contact point keeps from step to step, and the rule that lets it land: the same for every
// model (docs/numerics.md).

namespace coluber::nonsmooth {

/// Compliance of the anchored law: c = c_T = epsilon/m.
inline constexpr double kEpsilon = 0.02;
/// Points closer than this are in the problem (m).
inline constexpr double kNear = 0.02;

/// Part of a penetration that is worked off in a step, and how fast at most (m/s).
inline constexpr double kBeta = 0.2;
inline constexpr double kPushOutSpeed = 0.3;

/// b of the normal law (m/s) for a gap g (m): a point lands on the surface, not in it; a
/// penetration is worked off by a fifth a step, but never faster than 0.3 m/s.
inline double landing_speed(double g, double dt) {
  return g > 0.0 ? g / dt : std::max(kBeta * g / dt, -kPushOutSpeed);
}

/// Impulses of one contact in the last three steps: anchor and predictor.
struct PointMemory {
  Impulse x_1, x_2, x_3;  ///< newest first
  int closed = 0;         ///< how many of the last three steps in a row it was closed
  friend bool operator==(const PointMemory&, const PointMemory&) = default;
};

/// Newest impulse first; an open contact forgets its anchor.
inline void remember(PointMemory& memory, const Impulse& P) {
  memory.x_3 = memory.x_2;
  memory.x_2 = memory.x_1;
  memory.x_1 = P;
  memory.closed = P.N > 0.0 ? std::min(memory.closed + 1, 3) : 0;
}

/// Second-order guess from the last three steps, x_1 where they are not all there.
template <typename Value>
Value extrapolate(bool three, const Value& x_1, const Value& x_2, const Value& x_3) {
  return three ? Value{3.0 * (x_1 - x_2) + x_3} : x_1;
}

/// The impulse of the coming step as the last three let expect it.
inline Impulse predict(const PointMemory& memory) {
  const bool three = memory.closed >= 3;
  return {extrapolate(three, memory.x_1.N, memory.x_2.N, memory.x_3.N),
          extrapolate(three, memory.x_1.T, memory.x_2.T, memory.x_3.T)};
}

}  // namespace coluber::nonsmooth
