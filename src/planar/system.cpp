#include "coluber/planar/system.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "chain/rows.hpp"
#include "chain/step.hpp"
#include "observed.hpp"
#include "wheels.hpp"

namespace coluber::planar {

namespace {

constexpr int kContactSlots = 4;

/// A model that is physical. Throws Error.
Model checked(Model model) {
  require_valid(model);
  return model;
}

}  // namespace

PlanarSystem::PlanarSystem(Model model, State state, const StepOptions& options, bool keep_hardest)
    : ContactSystem(checked(std::move(model)), std::move(state), options, keep_hardest) {
  bodies_ = make_bodies(model_);
  if (meets_obstacles()) {
    arrows_ = {chain::make_arrows(model_.n(), kContactSlots, "obstacle", "obstacle forces",
                                  "#cc3311", "contact")};
  }
  pose_.resize(model_.n());
  update_pose();
  account_.run.travel.begin(mean_of_links(pose_), pose_.theta.mean());
  for (int i = 0; i < model_.n(); ++i) {
    const Link& link = model_.links[static_cast<std::size_t>(i)];
    const Vector3d u = state_.u.segment<3>(3 * i);
    data_.kinetic_energy += 0.5 * (link.m * u.head<2>().squaredNorm() + link.Theta * u(2) * u(2));
  }
  data_.kinetic_energy += shaft_energy(model_, state_.omega);
  add_rows();
}

void PlanarSystem::add_rows() {
  const int n = model_.n();
  const auto steps = [this] { return state_.k; };
  const auto per_second = [this] { return account_.run.per_second(state_.k, options_.dt); };
  add_link_rows(observables_, pose_, n);
  chain::add_velocity_rows(
      observables_, n, {"x", "y"}, [this] { return Parts::velocities(state_); },
      [this] { return Eigen::Map<const Eigen::Matrix3Xd>(state_.u.data(), 3, model_.n()).row(2); },
      account_.run, per_second);
  add_joint_rows(
      observables_,
      {.phi =
           chain::write_vector([this] { return state_.phi - 0.5 * options_.dt * state_.phidot; }),
       .phidot = chain::write_vector([this]() -> const VectorXd& { return state_.phidot; }),
       .tau = chain::write_vector([this]() -> const VectorXd& { return data_.tau; }),
       .phi_d = chain::write_vector([this]() -> const VectorXd& { return account_.run.phi_d; })},
      n, "motor torque of the last step, positive drives the angle up");
  const std::vector<std::string> xy{"x", "y"};
  if (meets_obstacles()) {
    observables_.add({"contact_force",
                      "N",
                      "obstacle impulse on each link since the last frame over its time",
                      {n, 2},
                      xy},
                     chain::write_forces(account_.obstacle, per_second));
  }
  observables_.add({"ground_force",
                    "N",
                    "ground friction impulse on each link since the last frame over its time",
                    {n, 2},
                    xy},
                   chain::write_forces(account_.ground, per_second));
  chain::add_energy_row(observables_, [this] { return data_.kinetic_energy; });
  const chain::StepWork& work = account_.run.work;
  chain::add_motor_rows(observables_, work);
  chain::add_work_row(observables_, "work_friction", "work of ground friction since the start",
                      work.friction);
  if (meets_obstacles()) {
    chain::add_work_row(observables_, "work_contact", "work of obstacle contacts since the start",
                        work.contact);
  }
  chain::add_work_row(observables_, "work_gravity",
                      "work of gravity along the slope since the start", work.gravity);
  chain::add_work_row(observables_, "work_scheme",
                      "what the time discretisation left over since the start", work.scheme);
  chain::add_solver_rows(observables_, account_, steps);
  if (meets_obstacles()) {
    chain::add_penetration_row(observables_, account_,
                               "deepest overlap with an obstacle since the last frame");
  }
}

// From the middle link to the first, over their joints: all as of time(), the velocities those of
// the joint coordinates. (The links' own, `State::u`, belong to the middle of the last step.)
void PlanarSystem::base_state(BaseState& base) const {
  update_pose();
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
}

nonsmooth::ContactStepInfo PlanarSystem::take_step(const JointCommand& command) {
  return planar::step(model_, state_, data_, command, options_);
}

void PlanarSystem::fill_problem_of(const JointCommand& command) {
  chain::place_joints(state_, command);
  make_problem(model_, state_, command, options_, data_);
}

double PlanarSystem::note_step() {
  max_penetration_ = std::max(max_penetration_, data_.penetration);
  return data_.penetration;
}

Vector2d PlanarSystem::travelled_at(const Pose& pose) const { return mean_of_links(pose); }

double PlanarSystem::heading_of(const Pose& pose) const { return pose.theta.mean(); }

void PlanarSystem::update_pose() const { compute_pose_at_time(model_, state_, options_.dt, pose_); }

// A straight chain has the fastest joint mode; the present posture may have a faster one in odd
// robots.
double PlanarSystem::explicit_servo_limit(double k_P, double k_D) const {
  const State straight = make_state(model_, 0.0 * state_.phi, 0, {0.0, 0.0}, 0.0);
  return std::min(planar::explicit_servo_limit(model_, straight, k_P, k_D),
                  planar::explicit_servo_limit(model_, state_, k_P, k_D));
}

void PlanarSystem::link_centres(Eigen::Ref<VectorXd> centres) const {
  update_pose();
  write_centres(pose_, centres);
}

void PlanarSystem::poses(std::span<double> values) const {
  update_pose();
  write_poses(model_, pose_, values);
}

void PlanarSystem::contacts(std::size_t /*family*/, std::span<ContactSlot> slots) const {
  update_pose();
  chain::open_slots(slots);
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
    chain::put_arrow(slots, kContactSlots, i, {point.x(), point.y(), 0.0},
                     {force.x(), force.y(), 0.0});
  }
}

std::vector<SummaryItem> PlanarSystem::summary() const {
  update_pose();
  std::vector<SummaryItem> items = chain::make_summary(travelled_at(pose_), heading_of(pose_),
                                                       time(), weight_of(model_), account_.run);
  if (meets_obstacles()) items.push_back({"max_penetration", max_penetration_, "m"});
  return items;
}

}  // namespace coluber::planar
