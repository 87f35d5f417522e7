#include "observed.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "coluber/math/sincos.hpp"

namespace coluber::planar {

std::vector<Observable> make_observables(int n) {
  const std::vector<std::string> xy{"x", "y"};
  return {
      {"link_position", "m", "centre of gravity of each link", {n, 2}, xy},
      {"link_angle",
       "rad",
       "angle from e_x to the link's axis, which points to the next link",
       {n},
       {}},
      {"joint_angle", "rad", "link_angle i+1 minus link_angle i", {n - 1}, {}},
      {"joint_rate", "rad/s", "rate of the joint angle", {n - 1}, {}},
      {"joint_torque",
       "N m",
       "motor torque of the last step (smooth friction: at its end), positive drives the angle up",
       {n - 1},
       {}},
      {"joint_reference",
       "rad",
       "angle the controller was to reach at the end of the last step",
       {n - 1},
       {}},
      {"contact_force",
       "N",
       "obstacle impulse on each link since the last frame over its time",
       {n, 2},
       xy},
      {"ground_force",
       "N",
       "ground friction impulse on each link since the last frame over its time",
       {n, 2},
       xy},
      {"energy", "J", "kinetic energy", {}, {}},
      {"work_servo", "J", "work of the motors since the start", {}, {}},
      {"work_friction", "J", "work of ground friction since the start", {}, {}},
      {"work_contact", "J", "work of obstacle contacts since the start", {}, {}},
      {"work_gravity", "J", "work of gravity along the slope since the start", {}, {}},
      {"work_scheme", "J", "what the time discretisation left over since the start", {}, {}},
      {"residual", "", "largest scaled residual of a step since the last frame", {}, {}},
      {"rigid_residual", "", "the same judged by the set-valued law as it stands", {}, {}},
      {"iterations",
       "",
       "solver sweeps a step, or an integrator's steps in it, mean since the last frame",
       {},
       {}},
      {"penetration", "m", "deepest overlap with an obstacle since the last frame", {}, {}},
  };
}

std::vector<Body> make_bodies(const Model& model) {
  std::vector<Body> bodies;
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    Body body;
    body.name = fmt::format("link_{}", i + 1);
    body.shape = ShapeKind::capsule;
    body.size = {link.L_SC, link.L_GS};
    body.colour = i == 0 ? "#d55e00" : "#0072b2";  // link 1 leads
    body.moving = true;
    bodies.push_back(std::move(body));
  }
  for (std::size_t j = 0; j < model.obstacles.size(); ++j) {
    Body body;
    body.name = fmt::format("obstacle_{}", j + 1);
    body.shape = ShapeKind::circle;
    body.size = {model.obstacles[j].L_H};
    body.colour = "#7f7f7f";
    body.position << model.obstacles[j].H, 0.0;
    bodies.push_back(std::move(body));
  }
  Body ground;
  ground.name = "ground";
  ground.shape = ShapeKind::plane;
  ground.colour = "#e8e8e8";
  bodies.push_back(std::move(ground));
  return bodies;
}

void write_frame(const Observed& observed, std::span<double> frame) {
  const auto n = observed.pose.theta.size();
  double* out = frame.data();
  for (Eigen::Index i = 0; i < n; ++i) {
    *out++ = observed.pose.origin.x() + observed.pose.r(0, i);
    *out++ = observed.pose.origin.y() + observed.pose.r(1, i);
  }
  for (Eigen::Index i = 0; i < n; ++i) *out++ = observed.pose.theta(i);
  for (const auto* each : {&observed.phi, &observed.phidot, &observed.tau, &observed.phi_d}) {
    for (Eigen::Index j = 0; j + 1 < n; ++j) *out++ = (*each)(j);
  }
  for (const Eigen::Matrix2Xd* sum : {&observed.obstacle_sum, &observed.ground_sum}) {
    for (Eigen::Index i = 0; i < n; ++i) {
      *out++ = (*sum)(0, i) * observed.per_second;
      *out++ = (*sum)(1, i) * observed.per_second;
    }
  }
  const StepWork& work = observed.work;
  for (double value :
       {observed.energy, work.servo, work.friction, work.contact, work.gravity, work.scheme,
        observed.residual, observed.rigid_residual, observed.iterations, observed.penetration}) {
    *out++ = value;
  }
}

void write_poses(const Model& model, const Pose& pose, std::span<double> values) {
  double* out = values.data();
  for (int i = 0; i < model.n(); ++i) {
    const double offset = model.links[static_cast<std::size_t>(i)].offset;
    double sin_half = 0.0;
    double cos_half = 1.0;
    math::sincos(0.5 * pose.theta(i), sin_half, cos_half);
    const std::array<double, 7> each{pose.origin.x() + pose.r(0, i) - offset * pose.cos(i),
                                     pose.origin.y() + pose.r(1, i) - offset * pose.sin(i),
                                     0.0,
                                     cos_half,
                                     0.0,
                                     0.0,
                                     sin_half};
    out = std::copy(each.begin(), each.end(), out);
  }
}

std::vector<SummaryItem> make_summary(const Model& model, const Pose& pose, const Vector3d& start,
                                      double t, const StepWork& work, const TorquePeak& torque_peak,
                                      double max_penetration) {
  const Vector2d moved = pose.origin - start.head<2>();
  const double distance = moved.norm();
  double weight = 0.0;
  for (const Link& link : model.links) weight += link.m * model.g;
  std::vector<SummaryItem> items{
      {"distance", distance, "m"},
      {"mean_speed", t > 0.0 ? distance / t : 0.0, "m/s"},
      {"heading_change", pose.theta(model.base()) - start(2), "rad"},
      {"max_torque", torque_peak.torque, "N m"},
      {"max_torque_time", torque_peak.time, "s"},
      {"energy_in", work.servo, "J"},
  };
  if (weight * distance > 0.0) {
    items.push_back({"cost_of_transport", work.servo / (weight * distance), ""});
  }
  items.push_back({"max_penetration", max_penetration, "m"});
  return items;
}

}  // namespace coluber::planar
