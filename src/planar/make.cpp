#include "planar/make.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "coluber/chain/path_start.hpp"
#include "coluber/chain/plane_start.hpp"
#include "coluber/chain/robot.hpp"
#include "coluber/chain/wheel_keys.hpp"
#include "coluber/core/error.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/nonsmooth/keys.hpp"
#include "coluber/path/keys.hpp"
#include "coluber/path/shown.hpp"
#include "coluber/planar/keys.hpp"
#include "coluber/planar/smooth_system.hpp"
#include "coluber/planar/system.hpp"
#include "coluber/planar/wheeled_system.hpp"
#include "coluber/world/keys.hpp"

#include "chain/fold.hpp"
#include "chain/overlap.hpp"
#include "chain/start_heading.hpp"
#include "math/degree.hpp"
#include "math/direction.hpp"
#include "start.hpp"

namespace coluber::planar {
namespace {

using math::degree;

void warn_of_start(const drive::Build& build, const Model& model, const State& state, double dt) {
  Pose pose;
  compute_pose_at_time(model, state, dt, pose);
  std::vector<chain::PlacedCapsule> links;
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const Eigen::Vector3d axis{pose.cos(i), pose.sin(i), 0.0};
    const Eigen::Vector3d centre{pose.r(0, i), pose.r(1, i), 0.0};
    links.push_back({centre - link.offset * axis, axis, link.L, link.L_GS, link.L_SC});
  }
  if (chain::warn_of_fold(build, links) && !build.get<chain::Start>().as_gait()) return;
  const auto* on_wheels = build.options.find<chain::PathStart>();
  if (on_wheels != nullptr && on_wheels->on_path.value_or(false)) return;
  if (!build.get<chain::PlaneStart>().link_angle.empty()) return;
  const Vector2d along = math::direction(build.get<chain::Start>().heading_deg * degree);
  Eigen::Matrix<double, 3, 2> axes;
  axes << along.x(), -along.y(), along.y(), along.x(), 0.0, 0.0;
  chain::warn_of_heading(build, links, axes);
}

void refuse_overlap(const drive::Build& build, const Model& model, const State& state, double dt) {
  Pose pose;
  compute_pose_at_time(model, state, dt, pose);
  chain::Overlaps overlaps(model.obstacles.size());
  for (std::size_t j = 0; j < model.obstacles.size(); ++j) {
    for (int i = 0; i < model.n(); ++i) {
      const Gap gap =
          compute_gap(model.links[static_cast<std::size_t>(i)], pose.r.col(i) + pose.origin,
                      pose.cos(i), pose.sin(i), model.obstacles[j]);
      overlaps.note(j, i, -gap.g);
    }
  }
  overlaps.refuse(build);
}

bool has_rough_obstacles(const Model& model) {
  return std::ranges::any_of(model.obstacles,
                             [](const Obstacle& obstacle) { return obstacle.mu > 0.0; });
}

/// Below this r_T (kg) the thesis' iteration settles on the friction of every link by itself, and
/// joints only help: r times the largest eigenvalue of W^T M^-1 W stays below 2. Of rough obstacles
/// one per link counts.
double thesis_limit(const Model& model) {
  double limit = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    double largest = 1.0 / link.m;
    if (model.has_wheels()) {  // at most the sum of the eigenvalues, with the shaft's
      const Axle& axle = model.axles[i];
      const double arm = axle.offset - link.offset;
      largest = 4.0 / link.m + 2.0 * axle.L_w * axle.L_w / axle.Theta_w +
                2.0 * (arm * arm + axle.half_track * axle.half_track) / link.Theta;
    } else if (model.friction_points == 2) {  // across the link; along it, it is 2/m
      const double rear = -link.L_GS - link.offset;
      const double front = link.L_GS - link.offset;
      const double half_trace = 1.0 / link.m + 0.5 * (rear * rear + front * front) / link.Theta;
      const double determinant = (front - rear) * (front - rear) / (link.m * link.Theta);
      largest =
          std::max(2.0 / link.m, half_trace + std::sqrt(half_trace * half_trace - determinant));
    }
    if (has_rough_obstacles(model)) {
      const double arm = std::hypot(link.L_GS + std::abs(link.offset), link.L_SC);
      largest += 1.0 / link.m + arm * arm / link.Theta;
    }
    limit = std::min(limit, 2.0 / largest);
  }
  return limit;
}

void warn_of_thesis(const drive::Build& build, const Model& model) {
  const auto& solver = build.get<nonsmooth::SolverKeys>();
  const double limit = thesis_limit(model);
  if (solver.name != nonsmooth::Solver::thesis || solver.thesis.r_T < limit) return;
  build.warnings.push_back(
      {"solver.thesis.r_T",
       fmt::format(
           "solver.thesis.r_T = {}: with {} per link{} and these masses the iteration settles for "
           "sure below {:.3g} kg only; take a smaller solver.thesis.r_T (the thesis has 0.2 for "
           "two points) or solver.name = \"newton\"",
           solver.thesis.r_T,
           model.friction_points == 2 ? "two friction points" : "one friction point",
           has_rough_obstacles(model) ? ", rough obstacles" : "", limit)});
}

/// Draws [path] under a robot that can start on it: around the robot, and all of a path with an
/// end.
void show_path(const drive::Build& build, PlanarSystem& system) {
  const auto* keys = build.options.find<path::PathKeys>();
  const auto* train = build.options.find<chain::TrainStart>();
  if (keys == nullptr || !keys->shape || train == nullptr) return;
  double robot = 0.0;
  for (const Link& link : system.model().links) robot += link.L;
  double from = train->s - robot;
  double to = train->s + 3.0 * robot;
  if (const std::optional<double> length = path::length_of(*keys)) {
    from = std::min(from, 0.0);
    to = std::max(to, *length);
  }
  system.show(path::make_path_body(*path::make_path(*keys), from, to));
}

std::unique_ptr<System> make_stepped(const drive::Build& build, bool minimal_coordinates) {
  Model model = make_model(build.options);
  const double dt = build.get<drive::Stepping>().dt;
  State state = make_start(build, model, dt);
  refuse_overlap(build, model, state, dt);
  warn_of_start(build, model, state, dt);
  const auto& solver = build.get<nonsmooth::SolverKeys>();
  auto options = nonsmooth::make_step_options<StepOptions>(solver, dt,
                                                           build.get<world::GroundKeys>().friction);
  options.refuse = build.get<drive::Stepping>().on_failure == drive::OnFailure::stop;
  options.minimal_coordinates = minimal_coordinates;
  warn_of_thesis(build, model);
  chain::warn_of_many_links(build);
  if (model.has_wheels()) {
    return std::make_unique<WheeledSystem>(std::move(model), std::move(state), options,
                                           !solver.dump.empty());
  }
  auto system = std::make_unique<PlanarSystem>(std::move(model), std::move(state), options,
                                               !solver.dump.empty());
  show_path(build, *system);
  return system;
}

}  // namespace

Model make_model(const keys::OptionSet& options) {
  Model model;
  for (const chain::Link& link : options.find<chain::Robot>()->link) {
    model.links.push_back(
        {link.mass, link.inertia, link.length, link.half_core, link.radius, link.cg_offset});
  }
  for (const world::ObstacleKeys& obstacle : options.find<world::Obstacles>()->obstacle) {
    model.obstacles.push_back({{obstacle.x, obstacle.y}, obstacle.radius, obstacle.friction});
  }
  const auto& ground = *options.find<world::GroundKeys>();
  model.g = ground.gravity;
  model.mu_T = ground.friction;
  if (const Keys* keys = options.find<Keys>()) {
    model.mu_V = keys->viscous_friction;
    model.friction_points = keys->friction_points;
  }
  if (const auto* turning = options.find<RotationKeys>()) {
    model.c_R = turning->rotational_friction;
  }
  if (const auto* wheels = options.find<chain::WheelKeys>()) {
    model.friction_points = 2;
    for (const chain::AxleKeys& axle : wheels->link) {
      model.axles.push_back(
          {axle.wheel_radius, axle.wheel_inertia, axle.axle_offset, axle.half_track});
    }
  }
  model.tilt = ground.tilt_deg * degree;
  model.tilt_direction = ground.tilt_direction_deg * degree;
  return model;
}

std::unique_ptr<System> make_planar(const drive::Build& build) {
  return make_stepped(build, false);
}

std::unique_ptr<System> make_wheeled(const drive::Build& build) {
  return make_stepped(build, false);
}

std::unique_ptr<System> make_minimal(const drive::Build& build) {
  const auto& minimal = build.get<MinimalKeys>();
  if (minimal.friction_law == FrictionLaw::set_valued) return make_stepped(build, true);
  if (!SmoothSystem::is_built()) {
    throw InputError(
        build.fault("world.friction_law", "\"smooth\" needs CVODE, which this build does not have",
                    "install libsundials-dev and build again, or take \"set_valued\""));
  }
  Model model = make_model(build.options);
  const State start = make_start(build, model, 0.0);
  warn_of_start(build, model, start, 0.0);
  chain::warn_of_many_links(build);
  return std::make_unique<SmoothSystem>(
      std::move(model), start,
      SmoothOptions{.dt = build.get<drive::Stepping>().dt,
                    .friction = {.eps_C = build.get<Keys>().friction_smoothing},
                    .rtol = minimal.rtol,
                    .atol = minimal.atol});
}

}  // namespace coluber::planar
