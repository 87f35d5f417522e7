#pragma once

#include <memory>

#include "coluber/core/system.hpp"
#include "coluber/drive/build.hpp"

namespace coluber::multibody {

/// The tree of a scenario, at its start.
std::unique_ptr<System> make_multibody(const drive::Build& build);

}  // namespace coluber::multibody
