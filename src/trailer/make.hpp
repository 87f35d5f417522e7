#pragma once

#include <memory>

#include "coluber/core/system.hpp"
#include "coluber/drive/build.hpp"

namespace coluber::trailer {

/// The train of a scenario, at its start.
std::unique_ptr<System> make_n_trailer(const drive::Build& build);

}  // namespace coluber::trailer
