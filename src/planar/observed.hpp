#pragma once

#include <span>
#include <vector>

#include "coluber/core/shown.hpp"
#include "coluber/planar/snake.hpp"

// What every planar model shows of itself, however it is stepped.

namespace coluber::planar {

/// What writes the joint quantities by joint, as of now.
struct JointColumns {
  ObservableTable::Writer phi, phidot, tau, phi_d;
};

/// Link positions and angles of `pose`, then the joints' quantities.
void add_link_rows(ObservableTable& table, const Pose& pose, int n);
void add_joint_rows(ObservableTable& table, const JointColumns& joints, int n,
                    const char* torque_doc);

/// Links, obstacles and ground.
std::vector<Body> make_bodies(const Model& model);

/// Poses of the links as drawn: about their middle, which the centre of gravity may be ahead of.
void write_poses(const Model& model, const Pose& pose, std::span<double> values);

/// Centres of gravity, x and y of each link.
void write_centres(const Pose& pose, Eigen::Ref<VectorXd> centres);

/// Their mean.
Vector2d mean_of_links(const Pose& pose);

/// Weight of the robot (N).
double weight_of(const Model& model);

}  // namespace coluber::planar
