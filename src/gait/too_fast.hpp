#pragma once

#include "coluber/drive/build.hpp"
#include "coluber/gait/gait.hpp"

namespace coluber::gait {

/// Fewer steps than this in a period follow another wave: the line from step to step is then more
/// than 1 - cos(pi/20), 1.2 % of the amplitude, off the wave.
inline constexpr double steps_of_period = 20.0;

/// The largest of 1, 2 and 5 times a power of ten that is at most `x` > 0.
double round_down(double x);

/// Warns of references that change faster than steps of `dt` (s) follow, which take them at their
/// ends alone: waves of the scenario's gait, laws, points of a table.
void warn_of_fast_references(const drive::Build& build, const Gait& gait, int joint_angles,
                             double dt);

}  // namespace coluber::gait
