#pragma once

#include <string>

#include <Eigen/Core>

#include "coluber/keys/check.hpp"
#include "coluber/multibody/keys.hpp"

namespace coluber::multibody {

// ---- make_tree.cpp
/// The matrix of xx, yy, zz, xy, xz, yz.
Eigen::Matrix3d inertia_matrix(const std::array<double, 6>& I);
/// Index of the body of this name; -1: there is none.
int index_of(const RobotKeys& robot, const std::string& name);

// ---- key_checks.cpp
/// Bodies, wheels and loops, and laws of what the robot does not have.
void check_robot(RobotKeys& robot, keys::Check& check);
/// Force laws on links that are not there, numbers of other laws, paths that nothing follows.
void check_world(WorldKeys& world, keys::Check& check);
/// What only an integrator that adapts looks at.
void check_solver(SolverKeys& solver, keys::Check& check);
/// The twist has six numbers.
void check_start(StartKeys& start, keys::Check& check);

}  // namespace coluber::multibody
