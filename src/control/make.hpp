#pragma once

#include <memory>

#include "coluber/control/controller.hpp"
#include "coluber/drive/build.hpp"

namespace coluber::control {

/// Joint servos of a scenario, behind its measurement noise if it has any.
std::unique_ptr<Controller> make_pd(const drive::Build& build);

/// Joints that follow the gait exactly.
std::unique_ptr<Controller> make_prescribed(const drive::Build& build);

/// A path follower on wheels: coordination as n-trailer, or follow-the-leader.
std::unique_ptr<Controller> make_n_trailer(const drive::Build& build);
std::unique_ptr<Controller> make_follow_the_leader(const drive::Build& build);

/// Obstacle-aided locomotion in closed loop, behind its measurement noise if it has any.
std::unique_ptr<Controller> make_force_loop(const drive::Build& build);

/// The linearising controller of a scenario, behind its measurement noise if it has any.
std::unique_ptr<Controller> make_linearisation(const drive::Build& build);

}  // namespace coluber::control
