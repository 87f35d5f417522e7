#pragma once

// Steps in which links move so far that they would be on one side of an obstacle before and on the
// other after.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <Eigen/Core>

#include "coluber/chain/step_options.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/nonsmooth/point_memory.hpp"
#include "coluber/nonsmooth/step_info.hpp"
#include "coluber/world/obstacle_grid.hpp"
#include "coluber/world/swept.hpp"

namespace coluber::chain {

/// How far (m) a link may move within a step: `speed` (m/s) bounds that of its points at the start,
/// `pull` (N/kg) is what may make it faster.
inline double reach(double speed, double pull, double dt) { return dt * (speed + dt * pull); }

/// How far (m) the motors may move a link within the step: of a joint of no more than `Theta` (kg
/// m²) with room to spare, at the end of the robot's whole length (m).
template <typename State>
double motor_reach(const State& state, const JointCommand& command, double Theta, double length,
                   double dt) {
  constexpr double spare = 8.0;
  double rate = 0.0;
  for (Eigen::Index j = 0; j < state.phi.size(); ++j) {
    if (command.prescribed) {
      rate = std::max(rate, std::abs(command.phidot_d(j)));
      continue;
    }
    const double impulse =
        dt * std::min(command.tau_max(j),
                      std::abs(command.tau(j)) +
                          command.k_P(j) * std::abs(command.phi_d(j) - state.phi(j)) +
                          command.k_D(j) * std::abs(command.phidot_d(j)));
    const double resistance = Theta / spare + dt * (command.k_D(j) + 0.5 * dt * command.k_P(j));
    rate = std::max(rate, impulse / resistance);
  }
  return dt * length * rate;
}

/// Ways beyond it may meet what is not near at the start of the step (m).
constexpr double kFar = 0.25 * nonsmooth::kNear;

/// What is left of the compliance of obstacles in a step whose links may move this `way` (m), if
/// that is farther than what is near: they stop within a fixed depth, however fast they come.
inline double compliance_share(double way) {
  return way > nonsmooth::kNear ? nonsmooth::kNear / way : 1.0;
}

/// A step with contacts found along its motion: `take()` is done again from the same state with
/// what links met on their way, in `data.on_the_way`, until they meet nothing new; it refuses no
/// step. `moving(i)` is link i and its motion through the step done, `is_near(i, key)` whether the
/// step had that contact. What is passed through all the same is in the info; `ends()` gives a
/// function that tells where link i is in the middle of the next step.
template <typename Model, typename State, typename Data, typename Take, typename Moving,
          typename IsNear, typename Ends>
nonsmooth::ContactStepInfo step_along_the_way(const Model& model, State& state, Data& data,
                                              const world::ObstacleGrid& grid,
                                              const StepOptions& options, const Take& take,
                                              const Moving& moving, const IsNear& is_near,
                                              const Ends& ends) {
  const double dt = options.dt;
  const auto each_fast_link = [&](const auto& look) {
    for (int i = 0; i < model.n(); ++i) {
      const world::MovingLink link = moving(i);
      if (world::compute_way(link, dt) > nonsmooth::kNear) look(i, link);
    }
  };
  constexpr int most = 5;  // rounds
  data.before = state;
  nonsmooth::ContactStepInfo info;
  for (int round = 1;; ++round) {
    info = take();
    if (info.status == Status::non_finite) break;
    const std::size_t known = data.on_the_way.size();
    if (options.activation == nonsmooth::Activation::landing && round < most) {
      each_fast_link([&](int i, const world::MovingLink& link) {
        data.swept.find(
            grid, model.obstacles, link, i, dt, [&](int key) { return is_near(i, key); },
            data.on_the_way);
      });
    }
    if (data.on_the_way.size() == known) break;
    state = data.before;
  }
  data.on_the_way.clear();
  if (is_refused(options, info)) {
    state = data.before;
    return info;
  }
  const auto end_of = ends();
  for (int i = 0; i < model.n() && info.passed_link == 0; ++i) {
    const int j = data.swept.find_passed(grid, model.obstacles, moving(i).start, end_of(i));
    if (j < 0) continue;
    info.passed_link = i + 1;
    info.passed_obstacle = j + 1;
  }
  return info;
}

}  // namespace coluber::chain
