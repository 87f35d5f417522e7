#pragma once

#include "coluber/grasp/keys.hpp"
#include "coluber/keys/check.hpp"

// Faults that span several keys.

namespace coluber::grasp {

void check_robot(RobotKeys& robot, keys::Check& check);
void check_start(StartKeys& start, keys::Check& check);
void check_world(WorldKeys& world, keys::Check& check);
void check_controller(ControllerKeys& controller, keys::Check& check);
void check_tasks(TaskList& tasks, keys::Check& check);
void check_stiffness(StiffnessTable& table, keys::Check& check);

/// Radius (m) at which link axes wrap round an object.
double wrapping_radius(const ObjectKeys& object, double link_radius);

}  // namespace coluber::grasp
