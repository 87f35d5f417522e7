#pragma once

#include <Eigen/Core>

#include "coluber/scenario/scenario.hpp"

namespace coluber::simulation {

/// Angle of link 1 (rad) for which a robot with these yaw angles lies along the direction 0, from
/// link 1 to the last: the mean line of a harmonic gait's wave, else the mean of the link angles.
double first_link_angle(const scenario::Scenario& scenario, const Eigen::VectorXd& phi);

/// Minus the mean over the links of the sums of `phi`: what link 1 is turned by for a mean of zero.
double minus_mean_angle(const Eigen::VectorXd& phi);

}  // namespace coluber::simulation
