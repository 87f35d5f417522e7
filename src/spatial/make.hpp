#pragma once

#include <memory>

#include "coluber/core/system.hpp"
#include "coluber/drive/build.hpp"

namespace coluber::spatial {

/// The snake in space of a scenario, at rest at its start. Throws InputError if the robot starts
/// inside an obstacle or below the floor by more than 1 µm.
std::unique_ptr<System> make_spatial(const drive::Build& build);

}  // namespace coluber::spatial
