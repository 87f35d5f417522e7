#pragma once

#include <optional>

#include "coluber/drive/build.hpp"
#include "coluber/planar/snake.hpp"

namespace coluber::planar {

/// An obstacle that a link meets within the first half step.
struct StartImpact {
  int link = 0;        ///< counted from 0
  int obstacle = 0;    ///< counted from 0
  double speed = 0.0;  ///< with which the link comes nearer to it there (m/s)
};

/// The state begins at q_M = q_A + dt/2 u_A, and no step finds contacts on the way there. What
/// links meet on it faster than 1 cm/s they are stopped at by an impact at t = 0: `state`, which
/// moves, takes the velocities after it, and where links go with them. Impulses act along the
/// normals, without friction; joints hold together, their motors are free, wheels keep their rates.
/// Behind it a link comes no nearer than to touch the obstacle in the middle of the first step, as
/// it lands in any other step. `rest` is the same robot at rest at the start itself.
///
/// The fastest of what is met, before the impact; none where nothing is, and the state is left as
/// it is.
std::optional<StartImpact> take_start_impacts(const Model& model, const State& rest, double dt,
                                              State& state);

/// The same, and a warning of it.
void take_start_impacts(const drive::Build& build, const Model& model, const State& rest, double dt,
                        State& state);

}  // namespace coluber::planar
