#pragma once

#include <Eigen/Core>

#include "coluber/planar/snake.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::simulation {

/// The robot and its world as a scenario of a planar model has them.
planar::Model make_planar_model(const scenario::Scenario& scenario);

/// At rest with joint angles `start_phi` (rad), placed as `[start]` says.
planar::State make_planar_state(const scenario::Scenario& scenario, const planar::Model& model,
                                const Eigen::VectorXd& start_phi);

}  // namespace coluber::simulation
