#include "start_impact.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/chain/path_start.hpp"
#include "coluber/chain/plane_start.hpp"
#include "coluber/world/swept.hpp"

#include "nonsmooth/solve_step.hpp"
#include "problem.hpp"
#include "start.hpp"

namespace coluber::planar {
namespace {

constexpr double kNotableSpeed = 0.01;  // m/s; what is slower is left to the steps
constexpr double kGive = 1e-6;  // of the obstacles' compliance; some is left for what is met twice

/// What acts within no time at all: no friction, no weight along a slope, no wheels on the ground.
Model without_forces(const Model& model) {
  Model free = model;
  free.axles.clear();
  free.friction_points = 1;
  free.mu_T.setZero();
  free.mu_V.setZero();
  free.c_R = 0.0;
  free.tilt = 0.0;
  for (Obstacle& obstacle : free.obstacles) obstacle.mu = 0.0;
  return free;
}

/// Link i at the start, and its motion with the velocities of `state`.
world::MovingLink starting_link(const Model& model, const Pose& pose, const State& state, int i) {
  const Link& link = model.links[static_cast<std::size_t>(i)];
  world::MovingLink moving;
  moving.start.centre << pose.r.col(i) + pose.origin, 0.0;
  moving.start.axis << pose.cos(i), pose.sin(i), 0.0;
  moving.start.rear = -link.L_GS - link.offset;
  moving.start.front = link.L_GS - link.offset;
  moving.start.radius = link.L_SC;
  moving.v << state.u(3 * i), state.u(3 * i + 1), 0.0;
  moving.omega << 0.0, 0.0, state.u(3 * i + 2);
  return moving;
}

/// Speed (m/s) with which the link comes nearer to what it meets.
double approach_speed(const world::MovingLink& link, const world::SurfacePoint& point) {
  const Eigen::Vector3d arm = point.s * link.start.axis;
  return -point.normal.dot(link.v + link.omega.cross(arm));
}

/// Adds to `met` what links meet within half a step of `dt`, and returns the fastest of it.
std::optional<StartImpact> find_met(const Model& model, const State& state, double dt, Data& data,
                                    std::vector<world::SurfacePoint>& met) {
  std::optional<StartImpact> fastest;
  for (int i = 0; i < model.n(); ++i) {
    const world::MovingLink link = starting_link(model, data.pose, state, i);
    std::vector<world::SurfacePoint> found;
    const auto is_known = [&](int key) {
      return std::ranges::any_of(met, [&](const world::SurfacePoint& point) {
        return point.link == i && point.body == key / 2;
      });
    };
    data.swept.find(data.grid, model.obstacles, link, i, 0.5 * dt, is_known, found);
    for (const world::SurfacePoint& point : found) {
      const double speed = approach_speed(link, point);
      if (!(speed > kNotableSpeed)) continue;
      met.push_back(point);
      if (!fastest || speed > fastest->speed) fastest = StartImpact{i, point.body, speed};
    }
  }
  return fastest;
}

/// The contacts of the impact into `data`, ordered as those of a step.
void put_contacts(const std::vector<world::SurfacePoint>& met, Data& data) {
  data.next_near.clear();
  data.touching.clear();
  std::vector<std::pair<ObstacleMemory, Gap>> contacts;
  for (const world::SurfacePoint& point : met) {
    ObstacleMemory entry;
    entry.node = data.node_of_link[static_cast<std::size_t>(point.link)];
    entry.obstacle = point.body;
    contacts.emplace_back(entry, Gap{point.g, point.normal.head<2>(), point.s});
  }
  std::ranges::sort(contacts, {}, [](const auto& contact) { return key_of(contact.first); });
  for (const auto& [entry, gap] : contacts) {
    data.touching.push_back({entry.node, static_cast<int>(data.next_near.size()), gap});
    data.next_near.push_back(entry);
  }
}

/// Momentum (N s) of all links, whichever way they go: what the residuals of the impact are judged
/// by.
double momentum_of(const Model& model, const State& state, double length) {
  double sum = 0.0;
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    sum += link.m * state.u.segment<2>(3 * i).norm() +
           link.Theta * std::abs(state.u(3 * i + 2)) / length;
  }
  return sum;
}

}  // namespace

std::optional<StartImpact> take_start_impacts(const Model& model, const State& rest, double dt,
                                              State& state) {
  constexpr int most = 20;  // rounds; what is met after an impact is met in one more
  if (model.obstacles.empty() || !(dt > 0.0)) return std::nullopt;
  const int n = model.n();
  const int b = model.base();
  const Model free = without_forces(model);
  Data data(free);
  compute_pose(free, rest.base, rest.phi, data.pose);
  std::vector<world::SurfacePoint> met;
  const std::optional<StartImpact> first = find_met(free, state, dt, data, met);
  if (!first) return first;

  State before = rest;  // at q_A, with the velocities before the impact
  before.twist = state.twist;
  before.phidot = state.phidot;
  before.u = state.u;
  before.ground.assign(static_cast<std::size_t>(n), {});
  StepOptions options;
  options.dt = 0.5 * dt;  // links land within the half step
  options.law = nonsmooth::Law::rigid;
  VectorXd base_link = VectorXd::Zero(n);
  base_link(b) = 1.0;
  data.obstacle_give = kGive;
  for (int round = 0; round < most; ++round) {
    put_contacts(met, data);
    fill_problem(free, before, JointCommand(n - 1), options, data);
    data.problem.impulse_scale = momentum_of(free, before, data.problem.length_scale);
    const auto info = nonsmooth::solve_step(data, options, data.link_of_node, "impulse on link");
    if (info.status != Status::ok) break;
    VectorXd rate(n);
    rate(b) = data.solution.root(0);
    VectorXd phidot(n - 1);
    for (std::size_t k = 0; k + 1 < data.link_of_node.size(); ++k) {
      phidot(data.angle_of_node[k]) = data.solution.rate[k];
    }
    for (int i = b + 1; i < n; ++i) rate(i) = rate(i - 1) + phidot(i - 1);
    for (int i = b - 1; i >= 0; --i) rate(i) = rate(i + 1) - phidot(i);
    State after = rest;
    set_in_motion(model, rate, base_link, data.solution.root.tail<2>(), dt, after);
    after.omega = state.omega;
    after.wheel = state.wheel;
    if (!find_met(free, after, dt, data, met) || round + 1 == most) {
      state = std::move(after);
      break;
    }
  }
  return first;
}

void take_start_impacts(const drive::Build& build, const Model& model, const State& rest, double dt,
                        State& state) {
  const auto impact = take_start_impacts(model, rest, dt, state);
  if (!impact) return;
  const auto* on_wheels = build.options.find<chain::PathStart>();
  const char* key = "start.link_rate";
  if (on_wheels != nullptr && on_wheels->speed != 0.0) {
    key = "start.speed";
  } else if (build.get<chain::PlaneStart>().velocity) {
    key = "start.velocity";
  }
  build.warnings.push_back(
      {key,
       fmt::format("{}: link {} meets obstacle {} at {:.3g} m/s within half a step of the start; "
                   "this impact is taken at t = 0, inelastic and without friction: velocities and "
                   "kinetic energy at the start are those after it",
                   key, impact->link + 1, impact->obstacle + 1, impact->speed)});
}

}  // namespace coluber::planar
