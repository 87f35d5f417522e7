#include "coluber/spatial/system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "coluber/math/atan2.hpp"

#include "chain/rows.hpp"
#include "chain/step.hpp"
#include "contact_frame.hpp"

namespace coluber::spatial {
namespace {

constexpr int kGroundSlots = 2;
constexpr int kObstacleSlots = 4;

std::vector<Body> make_bodies(const Model& model) {
  std::vector<Body> bodies;
  double height = 0.0;
  for (int i = 0; i < model.n(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    bodies.push_back(chain::make_link(i, link.L_SC, link.L_GS));
    height = std::max(height, 4.0 * link.L_SC);
  }
  for (std::size_t j = 0; j < model.obstacles.size(); ++j) {
    // endless in the model; drawn twice as high as the robot
    bodies.push_back(chain::make_obstacle(j, model.obstacles[j].H, model.obstacles[j].L_H, height));
  }
  bodies.push_back(chain::make_ground());
  return bodies;
}

/// A model that is physical. Throws Error.
Model checked(Model model) {
  require_valid(model);
  return model;
}

double heading_of(const Pose& pose, int i) { return math::atan2(pose.e_z(1, i), pose.e_z(0, i)); }

}  // namespace

SpatialSystem::SpatialSystem(Model model, State state, const StepOptions& options,
                             bool keep_hardest)
    : ContactSystem(checked(std::move(model)), std::move(state), options, keep_hardest) {
  bodies_ = make_bodies(model_);
  arrows_ = {
      chain::make_arrows(model_.n(), kGroundSlots, "ground", "ground forces", "#009e73", "ground"),
      chain::make_arrows(model_.n(), kObstacleSlots, "obstacle", "obstacle forces", "#cc3311",
                         "contact")};
  update_pose();
  heading_ = heading_of(pose_, model_.base());
  account_.run.travel.begin(mean_of_links(), mean_link_angle());
  for (int i = 0; i < model_.n(); ++i) {
    const Link& link = model_.links[static_cast<std::size_t>(i)];
    data_.kinetic_energy +=
        0.5 * (link.m * state_.v.col(i).squaredNorm() + state_.omega.col(i).dot(state_.l.col(i)));
  }
  add_rows();
}

void SpatialSystem::add_rows() {
  const int n = model_.n();
  const std::vector<std::string> xyz{"x", "y", "z"};
  const bool two = model_.axes() == 2;
  const std::vector<int> joints = two ? std::vector{n - 1, 2} : std::vector{n - 1};
  const std::vector<std::string> axes =
      two ? std::vector<std::string>{"yaw", "pitch"} : std::vector<std::string>{};
  const auto per_second = [this] { return account_.run.per_second(state_.k, options_.dt); };
  ObservableTable& table = observables_;
  table.add({"link_position", "m", "centre of gravity of each link", {n, 3}, xyz},
            [this](std::span<double> out) {
              for (int i = 0; i < model_.n(); ++i) {
                const Vector3d r = pose_.centre(i);
                std::copy(r.data(), r.data() + 3, &out[3 * static_cast<std::size_t>(i)]);
              }
            });
  table.add({"link_quaternion",
             "",
             "Euler parameters of each link, scalar first: from body axes (left, up, along the "
             "link) to the world",
             {n, 4},
             {"w", "x", "y", "z"}},
            [this](std::span<double> out) {
              for (int i = 0; i < model_.n(); ++i) {
                const Eigen::Vector4d p = compute_euler_parameters(pose_, i);
                std::copy(p.data(), p.data() + 4, &out[4 * static_cast<std::size_t>(i)]);
              }
            });
  table.add({"link_angle",
             "rad",
             "angle from e_x to the link's axis seen from above; the axis points to the next link",
             {n}},
            [this](std::span<double> out) { write_link_angles(out); });
  chain::add_velocity_rows(
      table, n, xyz, [this]() -> const Matrix3Xd& { return state_.v; },
      [this]() -> const Matrix3Xd& { return state_.omega; }, account_.run, per_second);
  table.add({"joint_angle", "rad",
             "yaw, positive turns the next link left, and pitch, positive turns it down", joints,
             axes, Plotted::angle},
            chain::write_vector([this] { return state_.phi - 0.5 * options_.dt * state_.phidot; }));
  table.add({"joint_rate", "rad/s", "rate of the joint angle", joints, axes},
            chain::write_vector([this]() -> const VectorXd& { return state_.phidot; }));
  table.add({"joint_torque", "N m", "motor torque of the last step, positive drives the angle up",
             joints, axes, Plotted::torque},
            chain::write_vector([this]() -> const VectorXd& { return data_.tau; }));
  table.add({"joint_reference", "rad",
             "angle the controller was to reach at the end of the last step", joints, axes},
            chain::write_vector([this]() -> const VectorXd& { return account_.run.phi_d; }));
  table.add({"contact_force",
             "N",
             "obstacle impulse on each link since the last frame over its time",
             {n, 3},
             xyz},
            chain::write_forces(account_.obstacle, per_second));
  table.add({"ground_force",
             "N",
             "impulse of the ground on each link since the last frame over its time",
             {n, 3},
             xyz},
            chain::write_forces(account_.ground, per_second));
  chain::add_energy_row(table, [this] { return data_.kinetic_energy; });
  table.add({"potential_energy", "J", "of the weight, zero at the origin", {}},
            chain::write_number([this] { return potential_energy(); }));
  const chain::StepWork& work = account_.run.work;
  chain::add_motor_rows(table, work);
  chain::add_work_row(table, "work_friction",
                      "work of sliding and rolling friction since the start", work.friction);
  chain::add_work_row(table, "work_contact",
                      "work of normal impulses and obstacles since the start", work.contact);
  chain::add_work_row(table, "work_gravity", "work of gravity since the start", work.gravity);
  chain::add_work_row(table, "work_scheme",
                      "what the time discretisation left over since the start", work.scheme);
  chain::add_solver_rows(table, account_, [this] { return state_.k; });
  chain::add_penetration_row(table, account_,
                             "deepest overlap with ground or obstacle since the last frame");
}

// Never wrapped: from the middle link outwards, neighbours differ by less than half a turn.
void SpatialSystem::write_link_angles(std::span<double> out) const {
  const auto b = static_cast<std::size_t>(model_.base());
  const auto follow = [&](std::size_t i, double near) {
    const double heading = heading_of(pose_, static_cast<int>(i));
    return near + std::remainder(heading - near, 2.0 * std::numbers::pi);
  };
  out[b] = follow(b, heading_);
  for (std::size_t i = b + 1; i < out.size(); ++i) out[i] = follow(i, out[i - 1]);
  for (std::size_t i = b; i-- > 0;) out[i] = follow(i, out[i + 1]);
}

double SpatialSystem::mean_link_angle() const {
  VectorXd angles(model_.n());
  write_link_angles({angles.data(), static_cast<std::size_t>(angles.size())});
  return angles.mean();
}

Eigen::Vector2d SpatialSystem::mean_of_links() const {
  return pose_.origin.head<2>() + chain::mean_over_ground(pose_.r);
}

nonsmooth::ContactStepInfo SpatialSystem::take_step(const JointCommand& command) {
  return spatial::step(model_, state_, data_, command, options_);
}

void SpatialSystem::fill_problem_of(const JointCommand& command) {
  chain::place_joints(state_, command);
  make_problem(model_, state_, command, options_, data_);
}

double SpatialSystem::note_step() {
  ground_penetration_ = std::max(ground_penetration_, data_.ground_penetration);
  obstacle_penetration_ = std::max(obstacle_penetration_, data_.obstacle_penetration);
  const double turned = heading_of(data_.pose, model_.base()) - heading_;
  heading_ += std::remainder(turned, 2.0 * std::numbers::pi);
  return std::max(data_.ground_penetration, data_.obstacle_penetration);
}

void SpatialSystem::update_pose() const {
  compute_pose_at_time(model_, state_, options_.dt, pose_);
}

double SpatialSystem::explicit_servo_limit(double k_P, double k_D) const {
  const VectorXd straight_phi = 0.0 * state_.phi;
  const State straight =
      make_state(model_, straight_phi, 0, Vector3d::UnitZ(), compute_axes(0.0, 0.0, 0.0));
  return std::min(spatial::explicit_servo_limit(model_, straight, k_P, k_D),
                  spatial::explicit_servo_limit(model_, state_, k_P, k_D));
}

void SpatialSystem::link_centres(Eigen::Ref<VectorXd> centres) const {
  update_pose();
  for (int i = 0; i < model_.n(); ++i) {
    centres.segment<2>(2 * static_cast<Eigen::Index>(i)) = pose_.centre(i).head<2>();
  }
}

double SpatialSystem::potential_energy() const {
  double energy = 0.0;
  for (int i = 0; i < model_.n(); ++i) {
    energy -= model_.links[static_cast<std::size_t>(i)].m * data_.weight.dot(pose_.centre(i));
  }
  return energy;
}

void SpatialSystem::poses(std::span<double> values) const {
  update_pose();
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

// One family of arrows per surface, in the order of SurfaceIndex.
void SpatialSystem::contacts(std::size_t family, std::span<ContactSlot> slots) const {
  static_assert(kGround == 0 && kCylinders == 1);
  update_pose();
  chain::open_slots(slots);
  const auto index = static_cast<SurfaceIndex>(family);
  const world::Surface& surface =
      index == kGround ? static_cast<const world::Surface&>(data_.ground) : data_.cylinders;
  for (const ContactMemory& entry : state_.near[family]) {
    if (entry.sliding.closed == 0) continue;
    const int i = entry.link;
    const Link& link = model_.links[static_cast<std::size_t>(i)];
    world::PlacedLink placed = shape_of(link);
    place(pose_, i, placed);
    const world::SurfacePoint point = surface.locate(placed, entry.key);
    const ContactFrame frame = compute_frame(model_, index, point, pose_.e_z.col(i));
    const nonsmooth::Impulse& P = entry.sliding.x_1;
    chain::put_arrow(slots, arrows_[family].slots, i,
                     placed.centre + point.s * placed.axis - link.L_SC * point.normal,
                     (P.N * point.normal + frame.mu.x() * P.T.x() * frame.t_1 +
                      frame.mu.y() * P.T.y() * frame.t_2) /
                         options_.dt);
  }
}

std::vector<SummaryItem> SpatialSystem::summary() const {
  update_pose();
  double weight = 0.0;
  for (const Link& link : model_.links) weight += link.m * model_.g;
  std::vector<SummaryItem> items =
      chain::make_summary(mean_of_links(), mean_link_angle(), time(), weight, account_.run);
  items.push_back({"max_penetration", std::max(ground_penetration_, obstacle_penetration_), "m"});
  items.push_back({"max_ground_penetration", ground_penetration_, "m"});
  return items;
}

}  // namespace coluber::spatial
