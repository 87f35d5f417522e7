#pragma once

#include <utility>

#include "coluber/planar/snake.hpp"

// What the plain and the fast step are made of.

namespace coluber::planar {

using nonsmooth::extrapolate;
using nonsmooth::kEpsilon;
using nonsmooth::predict;
using nonsmooth::remember;

/// Pose at q_M, the velocities the step starts from if they are not the state's own, and the
/// obstacle contacts of the step: `pose`, `u_minimal`, `next_near`, `touching` and `penetration` of
/// the data.
void find_contacts(const Model& model, const State& state, const StepOptions& options, Data& data);

/// Link velocities a step in minimal coordinates starts from, at `data.pose`: `u_minimal` and
/// `T_minimal` of the data.
void update_minimal_velocities(const Model& model, const State& state, double dt, Data& data);

/// Link velocities the step starts from.
inline const VectorXd& start_velocities(const State& state, const StepOptions& options,
                                        const Data& data) {
  return options.minimal_coordinates ? data.u_minimal : state.u;
}

/// `data.problem` and the guess from what find_contacts() found.
void fill_problem(const Model& model, const State& state, const JointCommand& command,
                  const StepOptions& options, Data& data);

/// Where friction point p of link i is ahead of its centre of gravity (m): there, or at the rear
/// and the front end of the core, Transeth 6.2; or at its shaft.
double friction_arm(const Model& model, int i, int p);

/// Shares of a link's weight on its friction points.
Vector2d load_share_of(const Model& model, const Link& link);

/// What State::near is ordered by.
inline std::pair<int, int> key_of(const ObstacleMemory& memory) {
  return {memory.node, memory.obstacle};
}

}  // namespace coluber::planar
