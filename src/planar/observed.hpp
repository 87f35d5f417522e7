#pragma once

#include <array>
#include <span>
#include <vector>

#include "coluber/core/system.hpp"
#include "coluber/core/torque_peak.hpp"
#include "coluber/planar/snake.hpp"

// What every planar model shows of itself, however it is stepped.

namespace coluber::planar {

/// The observables of a robot of n links.
std::vector<Observable> make_observables(int n);

/// Its links, the obstacles and the ground.
std::vector<Body> make_bodies(const Model& model);

/// What a frame is made of.
struct Observed {
  const Pose& pose;                                    ///< at the frame's time
  Eigen::Ref<const VectorXd> phi, phidot, tau, phi_d;  ///< by joint
  const Eigen::Matrix2Xd &obstacle_sum, &ground_sum;   ///< impulses since the last frame (N s)
  double per_second = 0.0;                             ///< 1 over the time since it
  double energy = 0.0;                                 ///< kinetic
  const StepWork& work;                                ///< since the start
  double residual = 0.0, rigid_residual = 0.0, iterations = 0.0, penetration = 0.0;
};

/// One frame, in the order of make_observables().
void write_frame(const Observed& observed, std::span<double> frame);

/// Poses of the links as drawn: about their middle, which the centre of gravity may be ahead of.
void write_poses(const Model& model, const Pose& pose, std::span<double> values);

/// The summary's figures; `start` is the middle link's x, y, theta then.
std::vector<SummaryItem> make_summary(const Model& model, const Pose& pose, const Vector3d& start,
                                      double t, const StepWork& work, const TorquePeak& torque_peak,
                                      double max_penetration);

}  // namespace coluber::planar
