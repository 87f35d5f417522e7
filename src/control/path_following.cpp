#include "coluber/control/path_following.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"

#include "control/explicit_limit.hpp"
#include "math/direction.hpp"

namespace coluber::control {

namespace {

using Eigen::Vector2d;
using Eigen::VectorXd;
using math::direction;

/// Way between two entries of the history (m).
double history_step(const PathFollowingOptions& options) {
  return std::max(0.1 * std::abs(options.speed) * options.period,
                  1e-4 * options.modules.front().length);
}

double length_behind_head(const std::vector<ModuleLengths>& modules) {
  double length = 0.0;
  for (std::size_t i = 1; i < modules.size(); ++i) length += modules[i].length;
  return length;
}

}  // namespace

PathFollowing::PathFollowing(PathFollowingOptions options)
    : options_(std::move(options)),
      heading_(options_.heading),
      motion_(static_cast<int>(options_.modules.size())) {
  if (options_.path == nullptr || options_.modules.empty()) {
    throw Error("path following needs a path and a robot");
  }
  options_.kp.require_valid("kp");
  options_.kd.require_valid("kd");
  const auto n = static_cast<Eigen::Index>(options_.modules.size());
  state_.phi_ref = state_.phi_before = state_.phidot_ref = VectorXd::Zero(n - 1);
  state_.v = state_.s = state_.z = VectorXd::Zero(n);
  phi_ = phidot_ = VectorXd::Zero(n - 1);
  s_now_ = z_now_ = VectorXd::Zero(n);
  if (options_.coordination == Coordination::follow_the_leader && n > 1) {
    history_.emplace(length_behind_head(options_.modules), history_step(options_));
  }
  add_path_body();
  add_rows();
}

std::string PathFollowing::connect(System& system, std::vector<drive::Warning>& warnings) {
  joints_ = dynamic_cast<const JointDriven*>(&system);
  base_ = dynamic_cast<const MovingBase*>(&system);
  if (joints_ == nullptr || base_ == nullptr) return "needs a robot in the plane, with joints";
  // where the modules are on the path: the head at its start, the others behind it
  double behind = 0.0;
  for (std::size_t i = 0; i < options_.modules.size(); ++i) {
    const double from_head = behind + options_.modules[i].point - options_.modules.front().point;
    state_.s(static_cast<Eigen::Index>(i)) = -from_head;
    behind += options_.modules[i].length;
  }
  look_at_robot(state_.s, state_.z);
  state_.s_1 = state_.s(0);
  joints_->joint_state(phi_, phidot_);
  state_.phi_ref = state_.phi_before = phi_;
  if (!options_.implicit_servo) {
    warn_of_explicit_servo(options_.kp, options_.kd, system, warnings);
    warn_of_explicit_wheels(options_.wheels.kw, system, warnings);
  }
  warn_of_path(warnings);
  return "";
}

// On a circle every module's axle has R_(i+1)² = R_i² - L_PJ² + L_JP².
void PathFollowing::warn_of_path(std::vector<drive::Warning>& warnings) const {
  const double kappa = options_.path->max_curvature();
  const double L_PJ = options_.trailer.L_PJ;
  const double L_JP = options_.trailer.L_JP;
  const auto n = static_cast<double>(options_.modules.size());
  const double least = (n - 1.0) * (L_PJ * L_PJ - L_JP * L_JP);
  if (kappa > 0.0 && 1.0 / (kappa * kappa) < least) {
    warnings.push_back(
        {"path",
         fmt::format("path: a radius of {:.4g} m is too small for {:.0f} links to roll "
                     "round one behind the other, that takes {:.4g} m: those behind cannot follow",
                     1.0 / kappa, n, std::sqrt(least))});
  }
  const Eigen::VectorXd off = (state_.z.array() - state_.z(0)).abs();
  Eigen::Index worst = 0;
  if (off.maxCoeff(&worst) > 1e-3) {
    warnings.push_back(
        {"path",
         fmt::format("path: link {} starts {:.3g} m off it, link 1 {:.3g} m: that counts in "
                     "path_error; begin where path and robot are straight",
                     worst + 1, std::abs(state_.z(worst)), std::abs(state_.z(0)))});
  }
}

std::vector<std::string> PathFollowing::warnings() const {
  if (state_.clamped == 0) return {};
  return {
      fmt::format("the steering angle was cut off at controller.heading.limit = {} rad in {} "
                  "of {} ticks",
                  options_.heading.limit, state_.clamped, state_.ticks)};
}

void PathFollowing::look_at_robot(VectorXd& s, VectorXd& z) const {
  BaseState base;
  base_->base_state(base);
  joints_->joint_state(phi_, phidot_);
  Vector2d front = base.r;
  double theta = base.theta;  // towards the next module
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const ModuleLengths& module = options_.modules[static_cast<std::size_t>(i)];
    const Vector2d axis = direction(theta);
    const path::Deviation at = path::track(*options_.path, s(i), front + module.point * axis);
    s(i) = at.s;
    z(i) = at.z;
    front += module.length * axis;
    if (i < phi_.size()) theta += phi_(i);
  }
}

void PathFollowing::note_errors() {
  const VectorXd& z = state_.z;
  state_.error += options_.period * z.cwiseAbs().sum();
  state_.error_head += options_.period * std::abs(z(0));
  state_.max = std::max(state_.max, z.cwiseAbs().maxCoeff());
  state_.max_head = std::max(state_.max_head, std::abs(z(0)));
}

// (28): joint i does what joint 2 did when the head was the joints' distance less far; joint 2 is
// led by (23), as a trailer's.
void PathFollowing::update_references(const ControlInput& input) {
  const bool measured = options_.update == Update::measured;
  State& state = state_;
  state.phi_before = state.phi_ref;
  const VectorXd& from = measured ? input.phi : state.phi_ref;
  trailer::update_motion(options_.trailer, from, state.delta_1, options_.speed, motion_);
  const double period = options_.period;
  if (options_.coordination == Coordination::n_trailer) {
    state.phi_ref = from + period * motion_.phidot;
    state.phidot_ref = motion_.phidot;
    state.v = motion_.v;
    return;
  }
  // by the rates that it measures, once in a period
  const double v = options_.odometry == Odometry::wheel
                       ? (1.0 + options_.odometry_error) * options_.modules.front().wheel_radius *
                             (*input.shaft_rate)(0)
                       : options_.speed;
  state.travel += period * v;
  if (state.phi_ref.size() > 0) {
    state.phi_ref(0) = from(0) + period * motion_.phidot(0);
    state.phidot_ref(0) = motion_.phidot(0);
    history_->add(state.travel, state.phi_ref(0));
    double back = 0.0;
    for (Eigen::Index j = 1; j < state.phi_ref.size(); ++j) {
      back += options_.modules[static_cast<std::size_t>(j)].length;
      state.phi_ref(j) = history_->at(back);
      state.phidot_ref(j) = (state.phi_ref(j) - state.phi_before(j)) / period;
    }
  }
  if (options_.wheel_speeds == WheelSpeeds::chain) {
    state.v = motion_.v;
  } else {
    state.v.setConstant(options_.speed);
  }
}

void PathFollowing::tick(const ControlInput& input) {
  look_at_robot(state_.s, state_.z);
  note_errors();
  // the head, as measured
  const Vector2d axis = direction(input.base->theta);
  const path::Deviation at = path::track(*options_.path, state_.s_1,
                                         input.base->r + options_.modules.front().point * axis);
  state_.s_1 = at.s;
  state_.theta_error = path::heading_error(input.base->theta + std::numbers::pi, at);
  state_.delta_1 = heading_.steer(at, state_.theta_error, options_.speed, options_.trailer.L_PJ,
                                  options_.period);
  ++state_.ticks;
  if (heading_.clamped()) ++state_.clamped;
  if (state_.ticks == 1) state_.phi_ref = state_.phi_before = input.phi;
  update_references(input);
  state_.tick = input.t;
}

void PathFollowing::update(const ControlInput& input, JointCommand& command) {
  const double slack = 1e-6 * input.dt;  // k·dt may miss start_time by a rounding
  const bool on = input.t + slack >= options_.start_time;
  command.tau.setZero();
  command.k_P.setZero();
  command.k_D.setZero();
  command.tau_max.setConstant(options_.torque_limit);
  release_shafts(options_.wheels, command.shafts);
  // ticks count from the first step of the motors
  const auto first = std::llround(std::ceil((options_.start_time - slack) / input.dt));
  const auto steps = std::max(1LL, std::llround(options_.period / input.dt));
  if (on && (std::llround(input.t / input.dt) - first) % steps == 0) tick(input);
  command.phi_d = state_.phi_ref;
  command.phidot_d.setZero();
  command.steering = state_.delta_1;
  command.speed = on ? options_.speed : 0.0;
  if (!on) return;

  const bool ramp = options_.reference == Reference::ramp;
  const bool inside = options_.implicit_servo;
  const auto share = [&](double t) {
    return ramp ? std::clamp((t - state_.tick) / options_.period, 0.0, 1.0) : 1.0;
  };
  const double at_A = share(input.t);
  const double at_E = share(input.t + input.dt);
  for (Eigen::Index j = 0; j < command.phi_d.size(); ++j) {
    const double way = state_.phi_ref(j) - state_.phi_before(j);
    const double rate = ramp ? way / options_.period : state_.phidot_ref(j);
    command.phi_d(j) = state_.phi_ref(j) - (1.0 - at_E) * way;
    command.phidot_d(j) = options_.reference_rate ? rate : 0.0;
    if (inside) {
      command.k_P(j) = options_.kp(j);
      command.k_D(j) = options_.kd(j);
    } else {
      const double phi_d = state_.phi_ref(j) - (1.0 - at_A) * way;
      command.tau(j) =
          explicit_torque(options_.kp(j), options_.kd(j), phi_d - input.phi(j),
                          command.phidot_d(j) - input.phidot(j), options_.torque_limit);
    }
  }
  for (Eigen::Index i = 0; i < command.shafts.tau.size(); ++i) {
    const double radius = options_.modules[static_cast<std::size_t>(i)].wheel_radius;
    drive_shaft(options_.wheels, input, i, state_.v(i) / radius, command.shafts);
  }
}

void PathFollowing::add_rows() {
  const auto n = static_cast<int>(options_.modules.size());
  const auto number = [this](const char* name, const char* unit, const char* doc,
                             const double& value) {
    observables_.add({name, unit, doc, {}, {}, Plotted::scalar},
                     [&value](std::span<double> out) { out[0] = value; });
  };
  number("path_s", "m", "arc length of the path's point nearest to link 1, as measured",
         state_.s_1);
  observables_.add({"path_error",
                    "m",
                    "distance of each link's control point from the path, positive to its left",
                    {n},
                    {},
                    Plotted::scalar},
                   [this](std::span<double> out) {
                     s_now_ = state_.s;
                     if (base_ != nullptr) look_at_robot(s_now_, z_now_);
                     std::copy(z_now_.begin(), z_now_.end(), out.begin());
                   });
  number("heading_error", "rad", "of link 1 at the last tick, as measured", state_.theta_error);
  number("steering", "rad", "steering angle of the head, delta_1", state_.delta_1);
  observables_.add({"wheel_reference", "rad/s", "wheel rates that the controller asks for", {n}},
                   [this](std::span<double> out) {
                     for (std::size_t i = 0; i < out.size(); ++i) {
                       const double radius = options_.modules[i].wheel_radius;
                       const double v = state_.v(static_cast<Eigen::Index>(i));
                       out[i] = radius > 0.0 ? v / radius : v;
                     }
                   });
}

void PathFollowing::add_path_body() {
  constexpr int points = 400;
  Body body;
  body.name = "path";
  body.shape = ShapeKind::tube;
  body.size = {0.002};
  body.colour = "#e69f00";
  for (int k = 0; k <= points; ++k) {
    const double s = options_.shown_length * k / points;
    const Vector2d r = options_.path->at(s).r;
    body.points.emplace_back(r.x(), r.y(), 0.0);
  }
  bodies_.push_back(std::move(body));
}

std::vector<SummaryItem> PathFollowing::summary() const {
  return {{"path_error", state_.error, "m s"},
          {"path_error_head", state_.error_head, "m s"},
          {"path_error_max", state_.max, "m"},
          {"path_error_max_head", state_.max_head, "m"},
          {"steering_clamped", static_cast<double>(state_.clamped), "", true}};
}

template <typename Bytes, typename Self>
void PathFollowing::exchange(Bytes& bytes, Self& state) {
  auto& [phi_ref, phi_before, phidot_ref, v, s, z, s_1, theta_error, delta_1, travel, tick, error,
         error_head, max, max_head, clamped, ticks] = state;
  bytes(phi_ref, phi_before, phidot_ref, v, s, z, s_1, theta_error, delta_1, travel, tick, error,
        error_head, max, max_head, clamped, ticks);
}

void PathFollowing::save_state(ByteWriter& bytes) const {
  bytes.section("path", 1);
  exchange(bytes, state_);
  bytes(heading_.integral());
  if (history_) TravelHistory::exchange(bytes, *history_);
}

void PathFollowing::restore_state(ByteReader& bytes) {
  bytes.section("path", 1);
  State state = state_;
  exchange(bytes, state);
  double integral = 0.0;
  bytes(integral);
  std::optional<TravelHistory> history = history_;
  if (history) {
    TravelHistory::exchange(bytes, *history);
    if (!history->makes_sense(*history_)) bytes.refuse("a history of another length");
  }
  history_ = std::move(history);
  state_ = std::move(state);
  heading_.set_integral(integral);
}

}  // namespace coluber::control
