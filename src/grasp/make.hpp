#pragma once

#include <memory>
#include <vector>

#include "coluber/core/system.hpp"
#include "coluber/drive/build.hpp"
#include "coluber/keys/registry.hpp"

namespace coluber::grasp {

/// The model `grasp` of a scenario. Throws InputError.
std::unique_ptr<System> make_grasp(const drive::Build& build);

/// Its robots.
std::vector<keys::CatalogueRobot> catalogue();

}  // namespace coluber::grasp
