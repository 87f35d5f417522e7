#pragma once

#include <utility>
#include <vector>

#include "coluber/spatial/snake.hpp"

namespace coluber::spatial {

/// What the lists of State::near are ordered by.
inline std::pair<int, int> key_of(const ContactMemory& memory) { return {memory.link, memory.key}; }

/// Near points of the cylinders at the pose.
void find_cylinders(const Model& model, Data& data);

/// Whether these are the points that the last step remembered, one by one.
bool are_known(const std::vector<ContactMemory>& old, const Data::Near& near);

/// Each near point of a surface with what it was in the last step.
void recall(const std::vector<ContactMemory>& old, Data::Near& near);

/// Of the near points, the deepest penetration (m).
double find_deepest(const Data::Near& near);

}  // namespace coluber::spatial
