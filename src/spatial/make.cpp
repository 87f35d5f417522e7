#include "spatial/make.hpp"

#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/core/error.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/nonsmooth/keys.hpp"
#include "coluber/spatial/keys.hpp"
#include "coluber/spatial/system.hpp"
#include "coluber/world/keys.hpp"

#include "chain/fold.hpp"
#include "chain/overlap.hpp"
#include "chain/start_heading.hpp"
#include "math/degree.hpp"

namespace coluber::spatial {
namespace {

using math::degree;

Model make_model(const drive::Build& build) {
  const Keys& keys = build.get<Keys>();
  const auto& links = build.get<chain::Robot>().link;
  const auto& ground = build.get<world::GroundKeys>();
  Model model;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const chain::Link& link = links[i];
    model.links.push_back({link.mass, link.inertia, keys.link[i].inertia_axial, link.length,
                           link.half_core, link.radius, link.cg_offset,
                           keys.link[i].shape == LinkShape::spheres});
  }
  model.joint = keys.joint;
  for (const world::ObstacleKeys& obstacle : build.get<world::Obstacles>().obstacle) {
    model.obstacles.push_back({{obstacle.x, obstacle.y}, obstacle.radius, obstacle.friction});
  }
  model.g = ground.gravity;
  model.mu_T = ground.friction;
  model.mu_V = keys.rolling_friction;
  model.tilt = ground.tilt_deg * degree;
  model.tilt_direction = ground.tilt_direction_deg * degree;
  model.load_sharing = keys.load_sharing;
  return model;
}

/// Lowest point of the robot above the ground (m), negative below it.
double lowest_gap(const Model& model, const Pose& pose, int& link) {
  double lowest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < model.n(); ++i) {
    const Link& each = model.links[static_cast<std::size_t>(i)];
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

/// From a robot that lies along +x to one with the heading, pitch and roll of the scenario.
Eigen::Matrix3d turn_of_whole(const drive::Build& build) {
  const Keys& keys = build.get<Keys>();
  const Eigen::Matrix3d whole = compute_axes(build.get<chain::Start>().heading_deg * degree,
                                             keys.pitch_deg * degree, keys.roll_deg * degree);
  return whole * compute_axes(0.0, 0.0, 0.0).transpose();
}

/// The robot at rest where the scenario puts it: its mean direction along the heading, then pitched
/// and rolled as a whole.
State place(const drive::Build& build, const Model& model) {
  const Eigen::VectorXd phi = chain::compute_start_angles(build, model.angles());
  const int joints = model.n() - 1;
  Eigen::VectorXd yaw = phi;
  double pitched = 0.0;
  if (model.axes() == 2) {
    Eigen::VectorXd pitch(joints);
    yaw.resize(joints);
    for (int j = 0; j < joints; ++j) {
      yaw(j) = phi(2 * j);
      pitch(j) = phi(2 * j + 1);
    }
    pitched = chain::minus_mean_angle(pitch);
  }
  const auto& start = build.get<chain::Start>();
  const Keys& keys = build.get<Keys>();
  // Link 1 in the axes of the robot as a whole: yaw about e_y, then pitch about e_x, positive down.
  const Eigen::Matrix3d first = compute_axes(chain::first_link_angle(build, yaw), -pitched, 0.0);
  const Eigen::Matrix3d R = turn_of_whole(build) * first;
  State state = make_state(model, phi, 0, Eigen::Vector3d::Zero(), R);

  Pose pose;
  compute_pose_at_time(model, state, 0.0, pose);
  const Eigen::Vector3d placed = pose.centre(start.link - 1);
  int link = 0;
  const double z = keys.z ? *keys.z - placed.z() : -lowest_gap(model, pose, link);
  state.r += Eigen::Vector3d{start.position.x() - placed.x(), start.position.y() - placed.y(), z};
  return state;
}

void warn_of_start(const drive::Build& build, const Model& model, const State& state) {
  Pose pose;
  compute_pose_at_time(model, state, 0.0, pose);
  std::vector<chain::PlacedCapsule> links;
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const Eigen::Vector3d axis = pose.e_z.col(i);
    links.push_back({pose.r.col(i) - link.offset * axis, axis, link.L, link.L_GS, link.L_SC});
  }
  if (chain::warn_of_fold(build, links) && !build.get<chain::Start>().as_gait()) return;
  chain::warn_of_heading(build, links, turn_of_whole(build).leftCols<2>());
}

/// A robot below the floor or inside an obstacle is no start.
void refuse_overlap(const drive::Build& build, const Model& model, const State& state) {
  Pose pose;
  compute_pose_at_time(model, state, 0.0, pose);
  std::vector<Diagnostic> faults;
  int lowest_link = 0;
  if (const double gap = lowest_gap(model, pose, lowest_link); gap < -chain::Overlaps::allowed) {
    faults.push_back(build.fault(
        "start.z", fmt::format("link {} starts {:.3g} m below the floor", lowest_link, -gap),
        fmt::format("raise start.z by {:.4g}, or leave it out to start on the floor", -gap)));
  }
  std::vector<Overlap> deepest(model.obstacles.size());
  find_overlaps(model, pose, deepest);
  chain::Overlaps overlaps(deepest.size());
  for (std::size_t j = 0; j < deepest.size(); ++j) {
    overlaps.note(j, deepest[j].link, deepest[j].depth);
  }
  for (Diagnostic& fault : overlaps.faults(build)) faults.push_back(std::move(fault));
  if (!faults.empty()) throw InputError(std::move(faults));
}

}  // namespace

std::unique_ptr<System> make_spatial(const drive::Build& build) {
  Model model = make_model(build);
  State state = place(build, model);
  refuse_overlap(build, model, state);
  warn_of_start(build, model, state);
  nonsmooth::SolverKeys solver = build.get<nonsmooth::SolverKeys>();
  solver.thesis.r_N = build.get<Keys>().r_N;
  solver.thesis.r_V = build.get<Keys>().r_V;
  auto options = nonsmooth::make_step_options<StepOptions>(solver, build.get<drive::Stepping>().dt,
                                                           build.get<world::GroundKeys>().friction);
  options.refuse = build.get<drive::Stepping>().on_failure == drive::OnFailure::stop;
  chain::warn_of_many_links(build);
  return std::make_unique<SpatialSystem>(std::move(model), std::move(state), options,
                                         !solver.dump.empty());
}

}  // namespace coluber::spatial
