#include "coluber/spatial/system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "coluber/math/atan2.hpp"

#include "contact_frame.hpp"

namespace coluber::spatial {
namespace {

std::vector<Observable> make_observables(const Model& model) {
  const int n = model.n();
  const std::vector<std::string> xyz{"x", "y", "z"};
  const bool two = model.axes() == 2;
  const std::vector<int> joints = two ? std::vector{n - 1, 2} : std::vector{n - 1};
  const std::vector<std::string> axes =
      two ? std::vector<std::string>{"yaw", "pitch"} : std::vector<std::string>{};
  return {
      {"link_position", "m", "centre of gravity of each link", {n, 3}, xyz},
      {"link_quaternion",
       "",
       "Euler parameters of each link, scalar first: from body axes (left, up, along the link) to "
       "the world",
       {n, 4},
       {"w", "x", "y", "z"}},
      {"link_angle",
       "rad",
       "angle from e_x to the link's axis seen from above; the axis points to the next link",
       {n},
       {}},
      {"joint_angle", "rad",
       "yaw, positive turns the next link left, and pitch, positive turns it down", joints, axes},
      {"joint_rate", "rad/s", "rate of the joint angle", joints, axes},
      {"joint_torque", "N m", "motor torque of the last step, positive drives the angle up", joints,
       axes},
      {"joint_reference", "rad", "angle the controller was to reach at the end of the last step",
       joints, axes},
      {"contact_force",
       "N",
       "obstacle impulse on each link since the last frame over its time",
       {n, 3},
       xyz},
      {"ground_force",
       "N",
       "impulse of the ground on each link since the last frame over its time",
       {n, 3},
       xyz},
      {"energy", "J", "kinetic energy", {}, {}},
      {"potential_energy", "J", "of the weight, zero at the origin", {}, {}},
      {"work_servo", "J", "work of the motors since the start", {}, {}},
      {"work_friction", "J", "work of sliding and rolling friction since the start", {}, {}},
      {"work_contact", "J", "work of normal impulses and obstacles since the start", {}, {}},
      {"work_gravity", "J", "work of gravity since the start", {}, {}},
      {"work_scheme", "J", "what the time discretisation left over since the start", {}, {}},
      {"residual", "", "largest scaled residual of a step since the last frame", {}, {}},
      {"rigid_residual", "", "the same judged by the set-valued law as it stands", {}, {}},
      {"iterations", "", "solver sweeps a step, mean since the last frame", {}, {}},
      {"penetration", "m", "deepest overlap with ground or obstacle since the last frame", {}, {}},
  };
}

std::vector<Body> make_bodies(const Model& model) {
  std::vector<Body> bodies;
  double height = 0.0;
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    Body body;
    body.name = fmt::format("link_{}", i + 1);
    body.shape = ShapeKind::capsule;
    body.size = {link.L_SC, link.L_GS};
    body.colour = i == 0 ? "#d55e00" : "#0072b2";  // link 1 leads
    body.moving = true;
    height = std::max(height, 4.0 * link.L_SC);
    bodies.push_back(std::move(body));
  }
  for (std::size_t j = 0; j < model.obstacles.size(); ++j) {
    Body body;
    body.name = fmt::format("obstacle_{}", j + 1);
    body.shape = ShapeKind::cylinder;  // endless in the model; drawn twice as high as the robot
    body.size = {model.obstacles[j].L_H, height};
    body.colour = "#7f7f7f";
    body.position << model.obstacles[j].H, 0.5 * height;
    bodies.push_back(std::move(body));
  }
  Body ground;
  ground.name = "ground";
  ground.shape = ShapeKind::plane;
  ground.colour = "#e8e8e8";
  bodies.push_back(std::move(ground));
  return bodies;
}

double heading_of(const Pose& pose, int i) { return math::atan2(pose.e_z(1, i), pose.e_z(0, i)); }

}  // namespace

SpatialSystem::SpatialSystem(Model model, State state, const StepOptions& options,
                             bool keep_hardest)
    : model_((require_valid(model), std::move(model))),
      state_(std::move(state)),
      options_(options),
      data_(model_),
      observables_(make_observables(model_)),
      bodies_(make_bodies(model_)),
      hardest_(keep_hardest),
      phi_d_(state_.phi),
      ground_sum_(Matrix3Xd::Zero(3, model_.n())),
      obstacle_sum_(Matrix3Xd::Zero(3, model_.n())) {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  start_ = pose_.origin;
  start_heading_ = heading_ = heading_of(pose_, model_.base());
  for (int i = 0; i < model_.n(); ++i) {
    const Link& link = model_.links[static_cast<std::size_t>(i)];
    data_.kinetic_energy +=
        0.5 * (link.m * state_.v.col(i).squaredNorm() + state_.omega.col(i).dot(state_.l.col(i)));
  }
}

void SpatialSystem::joint_state(Eigen::Ref<Eigen::VectorXd> phi,
                                Eigen::Ref<Eigen::VectorXd> phidot) const {
  phi = state_.phi - 0.5 * options_.dt * state_.phidot;
  phidot = state_.phidot;
}

StepInfo SpatialSystem::step(const JointCommand& command) {
  if (hardest_.wanted()) {
    make_problem(model_, state_, command, options_, data_);
    hardest_.look_at(data_.problem, data_.previous, data_.solution,
                     static_cast<double>(state_.k + 1) * options_.dt);
  }
  const StepInfo info = spatial::step(model_, state_, data_, command, options_);
  if (hardest_.wanted()) hardest_.judge(info);
  if (info.status == Status::non_finite) return info;
  phi_d_ = command.phi_d;
  ground_sum_ += data_.ground_impulse;
  obstacle_sum_ += data_.obstacle_impulse;
  const double deepest = std::max(data_.ground_penetration, data_.obstacle_penetration);
  frame_residual_ = std::max(frame_residual_, info.residual);
  frame_rigid_residual_ = std::max(frame_rigid_residual_, info.rigid_residual);
  frame_penetration_ = std::max(frame_penetration_, deepest);
  frame_iterations_ += info.iterations;
  work_.servo += data_.work.servo;
  work_.friction += data_.work.friction;
  work_.contact += data_.work.contact;
  work_.gravity += data_.work.gravity;
  work_.scheme += data_.work.scheme;
  torque_peak_.update(data_.tau, time());
  ground_penetration_ = std::max(ground_penetration_, data_.ground_penetration);
  obstacle_penetration_ = std::max(obstacle_penetration_, data_.obstacle_penetration);
  const double turned = heading_of(data_.pose, model_.base()) - heading_;
  heading_ += std::remainder(turned, 2.0 * std::numbers::pi);
  return info;
}

std::string SpatialSystem::dump_hardest_problem(const std::filesystem::path& file) const {
  return hardest_.dump(file);
}

void SpatialSystem::start_frame() {
  ground_sum_.setZero();
  obstacle_sum_.setZero();
  frame_start_ = state_.k;
  frame_residual_ = frame_rigid_residual_ = frame_penetration_ = 0.0;
  frame_iterations_ = 0;
}

double SpatialSystem::potential_energy() const {
  double energy = 0.0;
  for (int i = 0; i < model_.n(); ++i) {
    energy -= model_.links[static_cast<std::size_t>(i)].m * data_.weight.dot(pose_.centre(i));
  }
  return energy;
}

void SpatialSystem::observe(std::span<double> frame) const {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  const int n = model_.n();
  const auto steps = static_cast<double>(state_.k - frame_start_);
  const double per_second = steps > 0.0 ? 1.0 / (steps * options_.dt) : 0.0;
  double* out = frame.data();
  for (int i = 0; i < n; ++i) {
    const Vector3d r = pose_.centre(i);
    out = std::copy(r.data(), r.data() + 3, out);
  }
  for (int i = 0; i < n; ++i) {
    const Eigen::Vector4d p = compute_euler_parameters(pose_, i);
    out = std::copy(p.data(), p.data() + 4, out);
  }
  // Never wrapped: from the middle link outwards, neighbours differ by less than half a turn.
  const int b = model_.base();
  const auto follow = [&](int i, double near) {
    return near + std::remainder(heading_of(pose_, i) - near, 2.0 * std::numbers::pi);
  };
  out[b] = follow(b, heading_);
  for (int i = b + 1; i < n; ++i) out[i] = follow(i, out[i - 1]);
  for (int i = b - 1; i >= 0; --i) out[i] = follow(i, out[i + 1]);
  out += n;
  const int angles = model_.angles();
  for (int j = 0; j < angles; ++j) *out++ = state_.phi(j) - 0.5 * options_.dt * state_.phidot(j);
  for (int j = 0; j < angles; ++j) *out++ = state_.phidot(j);
  for (int j = 0; j < angles; ++j) *out++ = data_.tau(j);
  for (int j = 0; j < angles; ++j) *out++ = phi_d_(j);
  for (const Matrix3Xd* sum : {&obstacle_sum_, &ground_sum_}) {
    for (int i = 0; i < n; ++i) {
      for (int axis = 0; axis < 3; ++axis) *out++ = (*sum)(axis, i) * per_second;
    }
  }
  for (double value :
       {data_.kinetic_energy, potential_energy(), work_.servo, work_.friction, work_.contact,
        work_.gravity, work_.scheme, frame_residual_, frame_rigid_residual_,
        steps > 0.0 ? static_cast<double>(frame_iterations_) / steps : 0.0, frame_penetration_}) {
    *out++ = value;
  }
}

void SpatialSystem::poses(std::span<double> values) const {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  double* out = values.data();
  for (int i = 0; i < model_.n(); ++i) {
    // The capsule is drawn about the link's middle, which the centre of gravity may be ahead of,
    // with its axis along body x: (along, left, up) instead of (left, up, along).
    const double offset = model_.links[static_cast<std::size_t>(i)].offset;
    const Vector3d middle = pose_.centre(i) - offset * pose_.e_z.col(i);
    Eigen::Matrix3d R;
    R << pose_.e_z.col(i), pose_.e_x.col(i), pose_.e_y.col(i);
    const Quaterniond q = Quaterniond(R).normalized();
    const std::array<double, 7> pose{middle.x(), middle.y(), middle.z(), q.w(),
                                     q.x(),      q.y(),      q.z()};
    out = std::copy(pose.begin(), pose.end(), out);
  }
}

void SpatialSystem::contacts(std::span<ContactSlot> slots) const {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  const Vector3d open = Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  for (ContactSlot& slot : slots) slot = {open, open};
  const std::array<const world::Surface*, kSurfaces> surfaces{&data_.ground, &data_.cylinders};
  for (const SurfaceIndex surface : {kGround, kCylinders}) {
    for (const ContactMemory& entry : state_.near[surface]) {
      if (entry.sliding.closed == 0) continue;
      const int i = entry.link;
      const Link& link = model_.links[static_cast<std::size_t>(i)];
      world::PlacedLink placed = shape_of(link);
      place(pose_, i, placed);
      const world::SurfacePoint point = surfaces[surface]->locate(placed, entry.key);
      const ContactFrame frame = compute_frame(model_, surface, point, pose_.e_z.col(i));
      const nonsmooth::Impulse& P = entry.sliding.x_1;
      const auto first = slots.begin() + static_cast<std::ptrdiff_t>(i) * kContactSlots;
      const auto free = std::find_if(first, first + kContactSlots, [](const ContactSlot& slot) {
        return std::isnan(slot.point.x());
      });
      if (free == first + kContactSlots) continue;
      free->point = placed.centre + point.s * placed.axis - link.L_SC * point.normal;
      free->force = (P.N * point.normal + frame.mu.x() * P.T.x() * frame.t_1 +
                     frame.mu.y() * P.T.y() * frame.t_2) /
                    options_.dt;
    }
  }
}

std::vector<SummaryItem> SpatialSystem::summary() const {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
  const double distance = (pose_.origin - start_).head<2>().norm();  // over the ground
  const double t = time();
  double weight = 0.0;
  for (const Link& link : model_.links) weight += link.m * model_.g;
  const double turned = heading_of(pose_, model_.base()) - heading_;
  std::vector<SummaryItem> items{
      {"distance", distance, "m"},
      {"mean_speed", t > 0.0 ? distance / t : 0.0, "m/s"},
      {"heading_change", heading_ + std::remainder(turned, 2.0 * std::numbers::pi) - start_heading_,
       "rad"},
      {"max_torque", torque_peak_.torque, "N m"},
      {"max_torque_time", torque_peak_.time, "s"},
      {"energy_in", work_.servo, "J"},
  };
  if (weight * distance > 0.0) {
    items.push_back({"cost_of_transport", work_.servo / (weight * distance), ""});
  }
  items.push_back({"max_penetration", std::max(ground_penetration_, obstacle_penetration_), "m"});
  items.push_back({"max_ground_penetration", ground_penetration_, "m"});
  return items;
}

}  // namespace coluber::spatial
