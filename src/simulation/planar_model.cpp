#include "planar_model.hpp"

#include <numbers>

#include "start_pose.hpp"

namespace coluber::simulation {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

}  // namespace

planar::Model make_planar_model(const scenario::Scenario& scenario) {
  planar::Model model;
  for (const scenario::Link& link : scenario.robot.link) {
    model.links.push_back(
        {link.mass, link.inertia, link.length, link.half_core, link.radius, link.cg_offset});
  }
  for (const scenario::Obstacle& obstacle : scenario.world.obstacles) {
    model.obstacles.push_back({{obstacle.x, obstacle.y}, obstacle.radius, obstacle.friction});
  }
  model.g = scenario.world.gravity;
  model.mu_T = scenario.world.friction;
  model.mu_V = scenario.world.viscous_friction;
  model.friction_points = scenario.robot.friction_points;
  model.tilt = scenario.world.tilt_deg * kDegree;
  model.tilt_direction = scenario.world.tilt_direction_deg * kDegree;
  return model;
}

planar::State make_planar_state(const scenario::Scenario& scenario, const planar::Model& model,
                                const Eigen::VectorXd& start_phi) {
  const int link = scenario.start.link - 1;
  double theta = scenario.start.heading_deg * kDegree + first_link_angle(scenario, start_phi);
  for (int j = 0; j < link; ++j) theta += start_phi(j);
  return planar::make_state(model, start_phi, link, scenario.start.position, theta);
}

}  // namespace coluber::simulation
