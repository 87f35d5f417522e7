#pragma once

#include "coluber/drive/build.hpp"

namespace coluber::rod {

/// Warns of a shape that steps of `dt` (s) or the elements of the rod are too coarse for: fewer
/// than 20 steps a period, fewer than 10 elements a wave, elements that bend by more than 0.5 rad.
void warn_of_coarse(const drive::Build& build, double dt);

}  // namespace coluber::rod
