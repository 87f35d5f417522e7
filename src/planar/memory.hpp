#pragma once

#include <algorithm>

#include "coluber/planar/snake.hpp"

namespace coluber::planar {

/// Newest impulse first; an open contact forgets its anchor.
inline void remember(PointMemory& memory, const nonsmooth::Impulse& P) {
  memory.x_3 = memory.x_2;
  memory.x_2 = memory.x_1;
  memory.x_1 = P;
  memory.closed = P.N > 0.0 ? std::min(memory.closed + 1, 3) : 0;
}

}  // namespace coluber::planar
