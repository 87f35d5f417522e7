#pragma once

#include <utility>
#include <vector>

#include "coluber/spatial/snake.hpp"

namespace coluber::spatial {

/// What the lists of State::near are ordered by.
inline std::pair<int, int> key_of(const ContactMemory& memory) { return {memory.link, memory.key}; }

/// How far a link may move within the step, and what that leaves of the obstacles' compliance:
/// `way` and `obstacle_give` of the data.
void update_way(const Model& model, const State& state, double dt, Data& data);

/// Near points of the cylinders at the pose, and those that links meet on their way.
void find_cylinders(const Model& model, const State& state, double dt, Data& data);

/// Whether these are the points that the last step remembered, one by one.
bool are_known(const std::vector<ContactMemory>& old, const Data::Near& near);

/// Each near point of a surface with what it was in the last step.
void recall(const std::vector<ContactMemory>& old, Data::Near& near);

/// Of the near points, the deepest penetration (m).
double find_deepest(const Data::Near& near);

}  // namespace coluber::spatial
