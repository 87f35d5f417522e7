#pragma once

#include <memory>

#include <Eigen/Core>

#include "coluber/core/system.hpp"
#include "coluber/drive/build.hpp"
#include "coluber/planar/snake.hpp"

namespace coluber::planar {

/// The robot and its world as a scenario of a planar model has them.
Model make_model(const keys::OptionSet& options);

/// The planar snake of a scenario, at rest at its start. Throws InputError if the robot starts
/// inside an obstacle by more than 1 µm.
std::unique_ptr<System> make_planar(const drive::Build& build);

/// The same on wheels.
std::unique_ptr<System> make_wheeled(const drive::Build& build);

/// The same in minimal coordinates: stepped with set-valued friction, or integrated with smooth
/// friction. Throws InputError if this build has no integrator.
std::unique_ptr<System> make_minimal(const drive::Build& build);

}  // namespace coluber::planar
