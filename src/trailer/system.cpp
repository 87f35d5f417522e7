#include "coluber/trailer/system.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/core/state_hash.hpp"
#include "coluber/math/sincos.hpp"

#include "chain/rows.hpp"
#include "chain/wheels_shown.hpp"
#include "math/direction.hpp"

namespace coluber::trailer {

namespace {

using Eigen::Vector2d;
using Eigen::VectorXd;
using math::direction;

}  // namespace

TrailerSystem::TrailerSystem(std::vector<Module> modules, const Lengths& lengths,
                             const Vector2d& P_1, double theta, double dt)
    : modules_(std::move(modules)),
      lengths_(lengths),
      dt_(dt),
      motion_(std::max(1, static_cast<int>(modules_.size()))),
      figures_{{.name = "angle", .unit = "rad", .in_message = "{:.6g} rad"}} {
  if (modules_.empty()) throw Error("n-trailer model: a robot needs at least one link");
  if (!(lengths.L_PJ > 0.0) || !(lengths.L_JP >= 0.0)) {
    throw Error(fmt::format("n-trailer model: L_PJ is {}, L_JP is {}", lengths.L_PJ, lengths.L_JP));
  }
  const auto n = static_cast<Eigen::Index>(modules_.size());
  q_ = rates_ = stage_ = k_1_ = k_2_ = k_3_ = k_4_ = VectorXd::Zero(2 * n + 2);
  q_.head<3>() << P_1, theta;
  theta_.resize(n);
  front_.resize(2, n);
  for (int i = 0; i < n; ++i)
    bodies_.push_back(chain::make_link(i, module(i).radius, module(i).half_core));
  for (int i = 0; i < n; ++i) chain::add_wheels(i, module(i).wheel_radius, bodies_);
  bodies_.push_back(chain::make_ground());
  update_places();
  VectorXd centres(2 * n);
  link_centres(centres);
  travel_.begin(centres.head<2>(), theta_(0));
  add_rows();
}

void TrailerSystem::add_rows() {
  const int n = link_count();
  const auto axis_rows = [this](std::span<double> out) {
    Eigen::Map<VectorXd> centres(out.data(), static_cast<Eigen::Index>(out.size()));
    link_centres(centres);
  };
  observables_.add({"link_position", "m", "centre of gravity of each link", {n, 2}, {"x", "y"}},
                   axis_rows);
  observables_.add({"link_angle",
                    "rad",
                    "angle from e_x to the link's axis, which points to the next link",
                    {n}},
                   chain::write_vector([this]() -> const VectorXd& { return theta_; }));
  observables_.add(
      {"joint_angle", "rad", "link_angle i+1 minus link_angle i", {n - 1}, {}, Plotted::angle},
      chain::write_vector([this] { return q_.segment(3, joint_count()); }));
  observables_.add({"joint_rate", "rad/s", "rate of the joint angle", {n - 1}},
                   chain::write_vector([this] { return rates_.segment(3, joint_count()); }));
  observables_.add({"wheel_angle", "rad", "of each link's wheels, positive forward", {n}},
                   chain::write_vector([this] { return q_.tail(link_count()); }));
  observables_.add(
      {"wheel_rate", "rad/s", "of each link's wheels, positive forward", {n}, {}, Plotted::scalar},
      chain::write_vector([this] { return rates_.tail(link_count()); }));
}

int TrailerSystem::compute_rates(const VectorXd& q, VectorXd& rates) {
  const int joints = joint_count();
  const int across = update_motion(lengths_, q.segment(3, joints), steering_, speed_, motion_);
  rates.head<2>() = speed_ * direction(q(2));
  rates(2) = motion_.thetadot;
  rates.segment(3, joints) = motion_.phidot;
  for (int i = 0; i < link_count(); ++i) {
    rates(3 + joints + i) = motion_.v(i) / module(i).wheel_radius;
  }
  return across;
}

// Classical Runge-Kutta. The new state has to have rates, too; they are observed.
StepInfo TrailerSystem::step(const JointCommand& command) {
  const double steering = std::exchange(steering_, command.steering);
  const double speed = std::exchange(speed_, command.speed);
  const auto stage = [&](const VectorXd& way, double share, VectorXd& rates) {
    stage_ = q_ + share * dt_ * way;
    return compute_rates(stage_, rates);
  };
  stage_ = q_;
  int across = compute_rates(q_, k_1_);
  if (across == 0) across = stage(k_1_, 0.5, k_2_);
  if (across == 0) across = stage(k_2_, 0.5, k_3_);
  if (across == 0) across = stage(k_3_, 1.0, k_4_);
  if (across == 0) {
    k_1_ += 2.0 * (k_2_ + k_3_) + k_4_;
    across = stage(k_1_, 1.0 / 6.0, k_2_);
  }
  const bool finite = stage_.allFinite();
  if (across > 0 || !finite) {
    steering_ = steering;
    speed_ = speed;
    if (!finite) return {Status::non_finite, "place of the robot", 0, {}};
    const double phi = across > 1 ? stage_(across + 1) : 0.0;
    const double delta = motion_.delta(across - 1);
    angle_ = std::abs(delta) > std::abs(phi) ? delta : phi;
    return {Status::not_taken, "angle of module", across, {&angle_, 1}};
  }
  q_ = stage_;
  rates_ = k_2_;
  ++k_;
  update_places();
  const Module& head = modules_.front();
  travel_.add(front_.col(0) + (0.5 * head.length + head.cg_offset) * direction(theta_(0)));
  return {Status::ok, "", 0, {&angle_, 1}};
}

std::string TrailerSystem::advice(const StepInfo& info) const {
  if (info.status != Status::not_taken) return "";
  return "; at pi/2 a module stands across the way it would roll";
}

void TrailerSystem::joint_state(Eigen::Ref<VectorXd> phi, Eigen::Ref<VectorXd> phidot) const {
  phi = q_.segment(3, joint_count());
  phidot = rates_.segment(3, joint_count());
}

// Links point back: their axes against the way forward.
void TrailerSystem::update_places() const {
  double theta = q_(2) + std::numbers::pi;
  const Module& head = modules_.front();
  Vector2d front = q_.head<2>() - (0.5 * head.length + head.axle_offset) * direction(theta);
  for (int i = 0; i < link_count(); ++i) {
    theta_(i) = theta;
    front_.col(i) = front;
    front += module(i).length * direction(theta);
    if (i < joint_count()) theta += q_(3 + i);
  }
}

void TrailerSystem::base_state(BaseState& base) const {
  const Vector2d axis = direction(theta_(0));
  const Vector2d across{-axis.y(), axis.x()};
  const double arm = 0.5 * modules_.front().length + modules_.front().axle_offset;
  base.r = front_.col(0);
  base.theta = theta_(0);
  base.v = -speed_ * axis - arm * rates_(2) * across;
  base.thetadot = rates_(2);
}

void TrailerSystem::link_centres(Eigen::Ref<VectorXd> centres) const {
  for (int i = 0; i < link_count(); ++i) {
    centres.segment<2>(2 * i) =
        front_.col(i) + (0.5 * module(i).length + module(i).cg_offset) * direction(theta_(i));
  }
}

void TrailerSystem::observe(std::span<double> frame) const { observables_.write(frame); }

void TrailerSystem::poses(std::span<double> values) const {
  double* out = values.data();
  for (int i = 0; i < link_count(); ++i) {
    const Vector2d middle = front_.col(i) + 0.5 * module(i).length * direction(theta_(i));
    double s = 0.0;
    double c = 1.0;
    math::sincos(0.5 * theta_(i), s, c);
    const std::array<double, 7> each{middle.x(), middle.y(), 0.0, c, 0.0, 0.0, s};
    out = std::copy(each.begin(), each.end(), out);
  }
  for (int i = 0; i < link_count(); ++i) {
    const Vector2d axle =
        front_.col(i) + (0.5 * module(i).length + module(i).axle_offset) * direction(theta_(i));
    out = chain::write_wheels({axle, theta_(i), module(i).half_track, q_(3 + joint_count() + i)},
                              out);
  }
}

std::vector<SummaryItem> TrailerSystem::summary() const {
  const double displacement = (travel_.place - travel_.start).norm();
  const double t = time();
  return {{"displacement", displacement, "m"},
          {"path_length", travel_.length, "m"},
          {"net_speed", t > 0.0 ? displacement / t : 0.0, "m/s"},
          {"mean_speed", t > 0.0 ? travel_.length / t : 0.0, "m/s"},
          {"heading_change", theta_(0) - travel_.start_angle, "rad"}};
}

template <typename Bytes, typename Self>
void TrailerSystem::exchange(Bytes& bytes, Self& self) {
  bytes(self.k_, self.q_, self.rates_, self.steering_, self.speed_);
}

std::uint64_t TrailerSystem::state_hash() const {
  StateHasher hash(StateHasher::Sizes::counted);
  exchange(hash, *this);
  return hash.finish();
}

bool TrailerSystem::save_state(ByteWriter& bytes) const {
  bytes.section("n_trailer", 1);
  exchange(bytes, *this);
  chain::Travel::exchange(bytes, travel_);
  return true;
}

void TrailerSystem::restore_state(ByteReader& bytes) {
  bytes.section("n_trailer", 1);
  restore_or_keep(
      bytes,
      [this](auto& to) {
        exchange(to, *this);
        chain::Travel::exchange(to, travel_);
      },
      [&] {
        if (k_ < 0) bytes.refuse("a negative number of steps");
      });
  update_places();
}

}  // namespace coluber::trailer
