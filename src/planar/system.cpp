#include "coluber/planar/system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/hash.hpp"
#include "coluber/math/sincos.hpp"

namespace coluber::planar {
namespace {

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
       "motor torque of the last step, positive drives the angle up",
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
      {"iterations", "", "solver sweeps a step, mean since the last frame", {}, {}},
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

}  // namespace

PlanarSystem::PlanarSystem(Model model, State state, const StepOptions& options, bool keep_hardest)
    : model_((require_valid(model), std::move(model))),
      state_(std::move(state)),
      options_(options),
      data_(model_),
      observables_(make_observables(model_.n())),
      bodies_(make_bodies(model_)),
      hardest_(keep_hardest),
      phi_d_(state_.phi),
      ground_sum_(Eigen::Matrix2Xd::Zero(2, model_.n())),
      obstacle_sum_(Eigen::Matrix2Xd::Zero(2, model_.n())) {
  pose_.resize(model_.n());
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  start_ << pose_.origin, pose_.theta(model_.base());
  for (int i = 0; i < model_.n(); ++i) {
    const Link& link = model_.links[static_cast<std::size_t>(i)];
    const Vector3d u = state_.u.segment<3>(3 * i);
    data_.kinetic_energy += 0.5 * (link.m * u.head<2>().squaredNorm() + link.Theta * u(2) * u(2));
  }
}

void PlanarSystem::joint_state(Eigen::Ref<Eigen::VectorXd> phi,
                               Eigen::Ref<Eigen::VectorXd> phidot) const {
  phi = state_.phi - 0.5 * options_.dt * state_.phidot;
  phidot = state_.phidot;
}

bool PlanarSystem::base_state(BaseState& base) const {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  const Link& link = model_.links.front();
  const double behind = 0.5 * link.L + link.offset;  // from the centre of gravity to O_2
  const double cos = pose_.cos(0);
  const double sin = pose_.sin(0);
  base.r = pose_.origin + pose_.r.col(0) - behind * Vector2d{cos, sin};
  base.theta = pose_.theta(0);
  base.thetadot = state_.twist(0) - state_.phidot.head(model_.base()).sum();
  base.v = Vector2d{state_.u(0), state_.u(1)} - behind * base.thetadot * Vector2d{-sin, cos};
  return true;
}

StepInfo PlanarSystem::step(const JointCommand& command) {
  if (hardest_.wanted()) {
    make_problem(model_, state_, command, options_, data_);
    hardest_.look_at(data_.problem, data_.previous, data_.solution,
                     static_cast<double>(state_.k + 1) * options_.dt);
  }
  const StepInfo info = planar::step(model_, state_, data_, command, options_);
  if (hardest_.wanted()) hardest_.judge(info);
  if (info.status == Status::non_finite) return info;
  phi_d_ = command.phi_d;
  ground_sum_ += data_.ground_impulse;
  obstacle_sum_ += data_.obstacle_impulse;
  frame_residual_ = std::max(frame_residual_, info.residual);
  frame_rigid_residual_ = std::max(frame_rigid_residual_, info.rigid_residual);
  frame_penetration_ = std::max(frame_penetration_, data_.penetration);
  frame_iterations_ += info.iterations;
  work_.servo += data_.work.servo;
  work_.friction += data_.work.friction;
  work_.contact += data_.work.contact;
  work_.gravity += data_.work.gravity;
  work_.scheme += data_.work.scheme;
  if (data_.tau.size() > 0) max_torque_ = std::max(max_torque_, data_.tau.cwiseAbs().maxCoeff());
  max_penetration_ = std::max(max_penetration_, data_.penetration);
  return info;
}

std::string PlanarSystem::dump_hardest_problem(const std::filesystem::path& file) const {
  return hardest_.dump(file);
}

void PlanarSystem::start_frame() {
  ground_sum_.setZero();
  obstacle_sum_.setZero();
  frame_start_ = state_.k;
  frame_residual_ = frame_rigid_residual_ = frame_penetration_ = 0.0;
  frame_iterations_ = 0;
}

void PlanarSystem::observe(std::span<double> frame) const {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  const int n = model_.n();
  const auto steps = static_cast<double>(state_.k - frame_start_);
  const double per_second = steps > 0.0 ? 1.0 / (steps * options_.dt) : 0.0;
  double* out = frame.data();
  for (int i = 0; i < n; ++i) {
    *out++ = pose_.origin.x() + pose_.r(0, i);
    *out++ = pose_.origin.y() + pose_.r(1, i);
  }
  for (int i = 0; i < n; ++i) *out++ = pose_.theta(i);
  for (int j = 0; j + 1 < n; ++j) *out++ = state_.phi(j) - 0.5 * options_.dt * state_.phidot(j);
  for (int j = 0; j + 1 < n; ++j) *out++ = state_.phidot(j);
  for (int j = 0; j + 1 < n; ++j) *out++ = data_.tau(j);
  for (int j = 0; j + 1 < n; ++j) *out++ = phi_d_(j);
  for (const Eigen::Matrix2Xd* sum : {&obstacle_sum_, &ground_sum_}) {
    for (int i = 0; i < n; ++i) {
      *out++ = (*sum)(0, i) * per_second;
      *out++ = (*sum)(1, i) * per_second;
    }
  }
  for (double value :
       {data_.kinetic_energy, work_.servo, work_.friction, work_.contact, work_.gravity,
        work_.scheme, frame_residual_, frame_rigid_residual_,
        steps > 0.0 ? static_cast<double>(frame_iterations_) / steps : 0.0, frame_penetration_}) {
    *out++ = value;
  }
}

void PlanarSystem::poses(std::span<double> values) const {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  double* out = values.data();
  for (int i = 0; i < model_.n(); ++i) {
    // The capsule is drawn about the link's middle, which the centre of gravity may be ahead of.
    const double offset = model_.links[static_cast<std::size_t>(i)].offset;
    double sin_half = 0.0;
    double cos_half = 1.0;
    math::sincos(0.5 * pose_.theta(i), sin_half, cos_half);
    const std::array<double, 7> pose{pose_.origin.x() + pose_.r(0, i) - offset * pose_.cos(i),
                                     pose_.origin.y() + pose_.r(1, i) - offset * pose_.sin(i),
                                     0.0,
                                     cos_half,
                                     0.0,
                                     0.0,
                                     sin_half};
    out = std::copy(pose.begin(), pose.end(), out);
  }
}

void PlanarSystem::contacts(std::span<ContactSlot> slots) const {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  const Eigen::Vector3d open = Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  for (ContactSlot& slot : slots) slot = {open, open};
  for (const ObstacleMemory& entry : state_.near) {
    if (entry.point.closed == 0) continue;
    const int i = data_.link_of_node[static_cast<std::size_t>(entry.node)];
    const Obstacle& obstacle = model_.obstacles[static_cast<std::size_t>(entry.obstacle)];
    const Gap gap =
        compute_gap(model_.links[static_cast<std::size_t>(i)], pose_.r.col(i) + pose_.origin,
                    pose_.cos(i), pose_.sin(i), obstacle);
    const Vector2d point = obstacle.H + obstacle.L_H * gap.normal;
    const Vector2d tangent{-gap.normal.y(), gap.normal.x()};
    const nonsmooth::Impulse& P = entry.point.x_1;
    const Vector2d force =
        P.N / options_.dt * gap.normal + obstacle.mu * P.T.x() / options_.dt * tangent;
    for (int slot = 0; slot < kContactSlots; ++slot) {
      ContactSlot& place =
          slots[static_cast<std::size_t>(i) * kContactSlots + static_cast<std::size_t>(slot)];
      if (!std::isnan(place.point.x())) continue;
      place.point << point, 0.0;
      place.force << force, 0.0;
      break;
    }
  }
}

std::vector<SummaryItem> PlanarSystem::summary() const {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  const Vector2d moved = pose_.origin - start_.head<2>();
  const double distance = moved.norm();
  const double t = time();
  double weight = 0.0;
  for (const Link& link : model_.links) weight += link.m * model_.g;
  std::vector<SummaryItem> items{
      {"distance", distance, "m"},
      {"mean_speed", t > 0.0 ? distance / t : 0.0, "m/s"},
      {"heading_change", pose_.theta(model_.base()) - start_(2), "rad"},
      {"max_torque", max_torque_, "N m"},
      {"energy_in", work_.servo, "J"},
  };
  if (weight * distance > 0.0) {
    items.push_back({"cost_of_transport", work_.servo / (weight * distance), ""});
  }
  items.push_back({"max_penetration", max_penetration_, "m"});
  return items;
}

std::uint64_t PlanarSystem::state_hash() const {
  Hasher hash;
  const auto add = [&](const auto& vector) {
    hash.update(std::span<const double>(vector.data(), static_cast<std::size_t>(vector.size())));
  };
  const auto add_point = [&](const PointMemory& point) {
    for (const nonsmooth::Impulse* P : {&point.x_1, &point.x_2, &point.x_3}) {
      hash.update(P->N).update(P->T.x()).update(P->T.y());
    }
    hash.update(point.closed);
  };
  hash.update(state_.k);
  add(state_.base);
  add(state_.phi);
  add(state_.twist);
  add(state_.phidot);
  add(state_.twist_2);
  add(state_.twist_3);
  add(state_.phidot_2);
  add(state_.phidot_3);
  add(state_.u);
  for (const PointMemory& point : state_.ground) add_point(point);
  for (const ObstacleMemory& entry : state_.near) {
    hash.update(entry.node).update(entry.obstacle).update(entry.last_active);
    add_point(entry.point);
  }
  return hash.finish();
}

}  // namespace coluber::planar
