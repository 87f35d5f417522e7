#pragma once

#include "coluber/drive/build.hpp"
#include "coluber/planar/snake.hpp"

namespace coluber::planar {

/// Placed and moving as `[start]` says, for steps of `dt` (s); zero for a model that is integrated:
/// then the configuration is that of the start itself.
State make_start(const drive::Build& build, const Model& model, double dt);

/// Puts a robot at rest into motion: link i turns at rate(i) (rad/s), and the velocities are those
/// for which `weights` times the links' velocities are `velocity` (m/s). Wheels roll along with
/// their links. `state` is at rest, at the start itself.
void set_in_motion(const Model& model, const VectorXd& rate, const VectorXd& weights,
                   const Vector2d& velocity, double dt, State& state);

}  // namespace coluber::planar
