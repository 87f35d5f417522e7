#pragma once

#include <memory>

#include "coluber/drive/build.hpp"
#include "coluber/gait/gait.hpp"

namespace coluber::gait {

/// Every harmonic gait: a wave at the yaw joints, and one at the pitch joints if there are any.
/// What tells the gaits apart are their defaults, which the scenario has filled in. With
/// `soft_start` off: those that give the shape at the start.
std::unique_ptr<Gait> make_harmonic(const drive::Build& build, int joint_angles, bool soft_start);

/// References from a CSV file.
std::unique_ptr<Gait> make_table(const drive::Build& build, int joint_angles, bool soft_start);

/// A law per joint coordinate.
std::unique_ptr<Gait> make_laws(const drive::Build& build, int joint_angles, bool soft_start);

}  // namespace coluber::gait
