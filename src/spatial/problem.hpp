#pragma once

#include "coluber/spatial/snake.hpp"

namespace coluber::spatial {

/// Near points of the cylinders at the pose, each with what it was in the last step; the deepest
/// penetration.
void find_cylinders(const Model& model, const State& state, Data& data);

}  // namespace coluber::spatial
