#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::simulation {

/// The minimal model of a scenario, at rest with joint angles `start_phi` (rad): stepped with
/// set-valued friction, or integrated with smooth friction. Throws InputError if this build has no
/// integrator.
COLUBER_EXPORT std::unique_ptr<System> make_minimal(const scenario::Scenario& scenario,
                                                    const Eigen::VectorXd& start_phi,
                                                    std::vector<std::string>& warnings);

}  // namespace coluber::simulation
