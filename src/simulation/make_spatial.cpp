#include "coluber/simulation/make_spatial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/spatial/system.hpp"

#include "start_pose.hpp"
#include "step_options.hpp"

namespace coluber::simulation {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kAllowedOverlap = 1e-6;  // m

/// Lowest point of the robot above the ground (m), negative below it.
double lowest_gap(const spatial::Model& model, const spatial::Pose& pose, int& link) {
  double lowest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < model.n(); ++i) {
    const spatial::Link& each = model.links[static_cast<std::size_t>(i)];
    for (const double s : {-each.L_GS - each.offset, each.L_GS - each.offset}) {
      const double gap = pose.centre(i).z() + s * pose.e_z(2, i) - each.L_SC;
      if (gap < lowest) {
        lowest = gap;
        link = i + 1;
      }
    }
  }
  return lowest;
}

/// The robot at rest where the scenario puts it: its mean direction along the heading, then pitched
/// and rolled as a whole.
spatial::State place(const scenario::Scenario& scenario, const spatial::Model& model,
                     const Eigen::VectorXd& start_phi) {
  const int joints = model.n() - 1;
  Eigen::VectorXd yaw = start_phi;
  double pitched = 0.0;
  if (model.axes() == 2) {
    Eigen::VectorXd pitch(joints);
    yaw.resize(joints);
    for (int j = 0; j < joints; ++j) {
      yaw(j) = start_phi(2 * j);
      pitch(j) = start_phi(2 * j + 1);
    }
    pitched = minus_mean_angle(pitch);
  }
  const scenario::Start& start = scenario.start;
  const Eigen::Matrix3d whole = spatial::compute_axes(
      start.heading_deg * kDegree, start.pitch_deg * kDegree, start.roll_deg * kDegree);
  // Link 1 in the axes of the robot as a whole: yaw about e_y, then pitch about e_x, positive down.
  const Eigen::Matrix3d flat = spatial::compute_axes(0.0, 0.0, 0.0);
  const Eigen::Matrix3d first =
      spatial::compute_axes(first_link_angle(scenario, yaw), -pitched, 0.0);
  const Eigen::Matrix3d R = whole * flat.transpose() * first;
  spatial::State state = spatial::make_state(model, start_phi, 0, Eigen::Vector3d::Zero(), R);

  spatial::Pose pose;
  spatial::compute_pose_at_time(model, state, 0.0, pose);
  const Eigen::Vector3d placed = pose.centre(start.link - 1);
  int link = 0;
  const double z = start.z ? *start.z - placed.z() : -lowest_gap(model, pose, link);
  state.r += Eigen::Vector3d{start.position.x() - placed.x(), start.position.y() - placed.y(), z};
  return state;
}

/// A robot below the floor or inside an obstacle is no start.
void refuse_overlap(const scenario::Scenario& scenario, const spatial::Model& model,
                    const spatial::State& state) {
  spatial::Pose pose;
  spatial::compute_pose_at_time(model, state, 0.0, pose);
  std::vector<Diagnostic> faults;
  int lowest_link = 0;
  if (const double gap = lowest_gap(model, pose, lowest_link); gap < -kAllowedOverlap) {
    faults.push_back(
        {scenario::locate(scenario, "start.z"), "start.z",
         fmt::format("link {} starts {:.3g} m below the floor", lowest_link, -gap),
         fmt::format("raise start.z by {:.4g}, or leave it out to start on the floor", -gap)});
  }
  std::vector<spatial::Overlap> deepest(model.obstacles.size());
  spatial::find_overlaps(model, pose, deepest);
  for (std::size_t j = 0; j < deepest.size(); ++j) {
    if (deepest[j].depth <= kAllowedOverlap) continue;
    const std::string key = fmt::format("world.obstacle.{}", j + 1);
    faults.push_back({scenario::locate(scenario, key), key,
                      fmt::format("link {} starts {:.3g} m inside this obstacle",
                                  deepest[j].link + 1, deepest[j].depth),
                      "move the obstacle or start.position, or turn start.heading_deg"});
  }
  if (!faults.empty()) throw InputError(std::move(faults));
}

}  // namespace

std::unique_ptr<System> make_spatial(const scenario::Scenario& scenario,
                                     const Eigen::VectorXd& start_phi,
                                     std::vector<std::string>& warnings) {
  spatial::Model model;
  for (const scenario::Link& link : scenario.robot.link) {
    model.links.push_back({link.mass, link.inertia, link.inertia_axial, link.length, link.half_core,
                           link.radius, link.cg_offset, link.spheres});
  }
  model.joint = scenario.robot.cardan ? spatial::Joint::cardan : spatial::Joint::yaw;
  for (const scenario::Obstacle& obstacle : scenario.world.obstacles) {
    model.obstacles.push_back({{obstacle.x, obstacle.y}, obstacle.radius, obstacle.friction});
  }
  model.g = scenario.world.gravity;
  model.mu_T = scenario.world.friction;
  model.mu_V = scenario.world.rolling_friction;
  model.tilt = scenario.world.tilt_deg * kDegree;
  model.tilt_direction = scenario.world.tilt_direction_deg * kDegree;
  model.load_sharing = scenario.solver.equal_load_sharing ? spatial::LoadSharing::equal
                                                          : spatial::LoadSharing::least_squares;
  spatial::State state = place(scenario, model, start_phi);
  refuse_overlap(scenario, model, state);

  const auto options = make_step_options<spatial::StepOptions>(scenario);
  warn_of_many_links(scenario, warnings);
  const scenario::Controller& controller = scenario.controller;
  if (!controller.implicit_servo && model.n() > 1) {
    const Eigen::VectorXd straight_phi = 0.0 * start_phi;
    const spatial::State straight = spatial::make_state(
        model, straight_phi, 0, Eigen::Vector3d::UnitZ(), spatial::compute_axes(0.0, 0.0, 0.0));
    const double limit = explicit_limit(scenario, [&](double kp, double kd) {
      return std::min(spatial::explicit_servo_limit(model, straight, kp, kd),
                      spatial::explicit_servo_limit(model, state, kp, kd));
    });
    warn_of_explicit_servo(scenario, limit, warnings);
  }
  return std::make_unique<spatial::SpatialSystem>(std::move(model), std::move(state), options,
                                                  !scenario.solver.dump.empty());
}

}  // namespace coluber::simulation
