#include "coluber/planar/system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "coluber/core/hash.hpp"

#include "observed.hpp"

namespace coluber::planar {

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

// From the middle link to the first, over their joints: all as of time(), the velocities those of
// the joint coordinates. (The links' own, `State::u`, belong to the middle of the last step.)
bool PlanarSystem::base_state(BaseState& base) const {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  const int b = model_.base();
  double omega = state_.twist(0);
  Vector2d v = state_.twist.tail<2>();
  Vector2d r = pose_.origin;
  const auto add_arm = [&](int i, double arm) {
    const Vector2d axis{pose_.cos(i), pose_.sin(i)};
    r += arm * axis;
    v += omega * arm * Vector2d{-axis.y(), axis.x()};
  };
  for (int i = b; i >= 0; --i) {  // from a link's centre, then from its front joint, to its rear
    const Link& link = model_.links[static_cast<std::size_t>(i)];
    if (i < b) omega -= state_.phidot(i);
    add_arm(i, i == b ? -(0.5 * link.L + link.offset) : -link.L);
  }
  base = {r, pose_.theta(0), v, omega};
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
  torque_peak_.update(data_.tau, time());
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
  const auto steps = static_cast<double>(state_.k - frame_start_);
  write_frame({.pose = pose_,
               .phi = state_.phi - 0.5 * options_.dt * state_.phidot,
               .phidot = state_.phidot,
               .tau = data_.tau,
               .phi_d = phi_d_,
               .obstacle_sum = obstacle_sum_,
               .ground_sum = ground_sum_,
               .per_second = steps > 0.0 ? 1.0 / (steps * options_.dt) : 0.0,
               .energy = data_.kinetic_energy,
               .work = work_,
               .residual = frame_residual_,
               .rigid_residual = frame_rigid_residual_,
               .iterations = steps > 0.0 ? static_cast<double>(frame_iterations_) / steps : 0.0,
               .penetration = frame_penetration_},
              frame);
}

void PlanarSystem::poses(std::span<double> values) const {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  write_poses(model_, pose_, values);
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
  return make_summary(model_, pose_, start_, time(), work_, torque_peak_, max_penetration_);
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
