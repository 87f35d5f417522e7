#pragma once

#include <memory>
#include <vector>

#include "coluber/core/system.hpp"
#include "coluber/drive/build.hpp"
#include "coluber/keys/registry.hpp"

namespace coluber::rod {

/// The rod of a scenario, at its start.
std::unique_ptr<System> make_rod(const drive::Build& build);

/// Robots of the model `rod`: Ali's examples and rods without contact.
std::vector<keys::CatalogueRobot> catalogue();

}  // namespace coluber::rod
