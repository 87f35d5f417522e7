#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::simulation {

/// The snake in space of a scenario, at rest with joint angles `start_phi` (rad).
/// Throws InputError if the robot starts inside an obstacle or below the floor by more than 1 µm.
/// An explicit servo adds a warning with this chain's limit on dt.
COLUBER_EXPORT std::unique_ptr<System> make_spatial(const scenario::Scenario& scenario,
                                                    const Eigen::VectorXd& start_phi,
                                                    std::vector<std::string>& warnings);

}  // namespace coluber::simulation
