#include "coluber/control/path_following.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/path/shown.hpp"

#include "control/explicit_limit.hpp"
#include "control/steering_loop.hpp"
#include "math/degree.hpp"
#include "math/direction.hpp"

namespace coluber::control {

namespace {

/// Held references jump, and joints that follow them slip and overshoot, which the linear loop does
/// not know: it is judged with a gain that is larger by this (docs/theory-wheeled.md).
constexpr double held_margin = 1.15;
/// The same for a period that is recommended, which is to be stable whatever the servo does.
constexpr double held_advice = 1.5;
/// Follow-the-leader's head feels no more links than these behind it: limits of 12 are not lower
/// than those of six.
constexpr std::size_t felt_links = 6;
/// Jumps of the steering that reach the last link larger by this are told of.
constexpr double notable_growth = 10.0;

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
  warn_of_start(warnings);
  warn_of_loop(system, warnings);
  return "";
}

void PathFollowing::warn_of_start(std::vector<drive::Warning>& warnings) const {
  BaseState base;
  base_->base_state(base);
  const Vector2d axle = base.r + options_.modules.front().point * direction(base.theta);
  const path::Deviation at = path::track(*options_.path, state_.s(0), axle);
  const double off = path::heading_error(base.theta + std::numbers::pi, at);
  if (std::abs(off) > 0.5 * std::numbers::pi) {
    warnings.push_back(
        {"start.heading_deg",
         fmt::format("start.heading_deg: link 1 starts facing away from the path, {:.0f} degrees "
                     "off its direction, and may drive along it backwards; start.on_path = true "
                     "puts the robot on the path",
                     std::abs(off) / math::degree)});
  }
  if (options_.modules.size() == 1 && joints_->shaft_count() > 0) {
    warnings.push_back({"robot.links",
                        "robot.links = 1: no joints to steer with, so it drives straight on and "
                        "leaves the path at its first curve"});
  }
  const double left = options_.duration - options_.start_time;
  if (left > 0.0 && options_.period >= left) {
    warnings.push_back(
        {"controller.period",
         fmt::format(
             "controller.period = {:.6g} s is not shorter than the {:.6g} s that the motors "
             "run: the controller looks at the robot once, and never steers again",
             options_.period, left)});
  }
}

void PathFollowing::warn_of_loop(System& system, std::vector<drive::Warning>& warnings) const {
  const bool kinematic = joints_->shaft_count() == 0;
  if (options_.modules.size() < 2 && !kinematic) return;  // nothing to steer with
  if (options_.period >= options_.duration - options_.start_time) return;
  SteeringLoop loop;
  loop.v = options_.speed;
  loop.heading = options_.heading;
  loop.period = options_.period;
  loop.trailer = options_.trailer;
  for (const ModuleLengths& module : options_.modules) {
    loop.modules.push_back({module.length, module.axle});
  }
  loop.point = options_.modules.front().axle - options_.modules.front().point;
  loop.leader = options_.coordination == Coordination::follow_the_leader;
  loop.ramp = options_.reference == Reference::ramp;
  loop.kinematic = kinematic;
  if (!kinematic && !loop.ramp) loop.heading.K *= held_margin;
  if (loop.leader) loop.modules.resize(std::min<std::size_t>(loop.modules.size(), felt_links));
  const bool unstable = is_unstable(loop);
  const double ratio = options_.trailer.L_JP / options_.trailer.L_PJ;
  const auto behind = static_cast<double>(options_.modules.size() - 1);
  const double grown = kinematic || loop.leader ? 1.0 : std::pow(ratio, behind);
  auto* joints = dynamic_cast<JointDriven*>(&system);
  if (grown > notable_growth) {
    warnings.push_back(
        {"controller.trailer",
         fmt::format(
             "L_PJ = {:.4g} m, L_JP = {:.4g} m: with axles ahead of the links' middles jumps "
             "of the steering grow by {:.3g} from link to link, {:.3g} times to the "
             "last{}; take a larger robot.link.axle_offset or controller.trailer = [{:.4g}, "
             "{:.4g}]",
             options_.trailer.L_PJ, options_.trailer.L_JP, ratio, grown,
             unstable ? ", and the steering is unstable" : "", options_.trailer.L_JP,
             options_.trailer.L_PJ)});
    joints->expect_spikes("it comes of the axles ahead of the links' middles, not of solver.dt");
    return;
  }
  if (!unstable) return;
  if (!kinematic && !loop.ramp) loop.heading.K *= held_advice / held_margin;
  const double period = find_stable_period(loop, system.dt());
  warnings.push_back(
      {"controller.period",
       fmt::format("controller.period = {:.6g} s is too long for {:.4g} m/s: the steering is "
                   "unstable, deviations grow from tick to tick; {}",
                   options_.period, options_.speed,
                   period > 0.0 ? fmt::format("take  period = {:.6g}  or less, or a lower "
                                              "controller.speed",
                                              period)
                                : "no period helps: take a lower controller.speed or heading.K")});
  joints->expect_spikes(
      "it comes of the steering, which is unstable with this controller.period, not of solver.dt");
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
  std::vector<std::string> texts;
  if (state_.clamped > 0) {
    texts.push_back(
        fmt::format("the steering angle was cut off at controller.heading.limit = {} rad in {} "
                    "of {} ticks",
                    options_.heading.limit, state_.clamped, state_.ticks));
  }
  if (std::string text = warn_of_progress(); !text.empty()) texts.push_back(std::move(text));
  return texts;
}

// Errors alone do not tell: a robot that stands still, or drives off along the path the wrong way,
// has none.
std::string PathFollowing::warn_of_progress() const {
  const double asked = options_.speed * (state_.end - state_.first_tick);
  const double progress = state_.s(0) - state_.s_first;
  if (state_.ticks == 0 || !(asked > 2.0 * options_.modules.front().length)) return "";
  if (!(progress < 0.5 * asked)) return "";
  return fmt::format(
      "link 1 got {:.3g} m along the path, {:.3g} m were asked for (path_progress): perhaps it "
      "started facing away from the path, its wheels slip (world.friction, controller.speed) or "
      "are not driven (controller.kw = {}), or controller.period = {:.6g} s is too long to steer "
      "by",
      progress, asked, options_.wheels.kw, options_.period);
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
  if (++state_.ticks == 1) {
    state_.s_first = state_.s(0);
    state_.first_tick = input.t;
  }
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
  state_.end = input.t + input.dt;
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
  bodies_.push_back(path::make_path_body(*options_.path, 0.0, options_.shown_length));
}

std::vector<SummaryItem> PathFollowing::summary() const {
  return {{"path_error", state_.error, "m s"},
          {"path_error_head", state_.error_head, "m s"},
          {"path_error_max", state_.max, "m"},
          {"path_error_max_head", state_.max_head, "m"},
          {"path_progress", state_.s(0) - state_.s_first, "m"},
          {"steering_clamped", static_cast<double>(state_.clamped), "", true}};
}

template <typename Bytes, typename Self>
void PathFollowing::exchange(Bytes& bytes, Self& state) {
  auto& [phi_ref, phi_before, phidot_ref, v, s, z, s_1, theta_error, delta_1, travel, tick, error,
         error_head, max, max_head, s_first, first_tick, end, clamped, ticks] = state;
  bytes(phi_ref, phi_before, phidot_ref, v, s, z, s_1, theta_error, delta_1, travel, tick, error,
        error_head, max, max_head, s_first, first_tick, end, clamped, ticks);
}

void PathFollowing::save_state(ByteWriter& bytes) const {
  bytes.section("path", 2);
  exchange(bytes, state_);
  bytes(heading_.integral());
  if (history_) TravelHistory::exchange(bytes, *history_);
}

void PathFollowing::restore_state(ByteReader& bytes) {
  bytes.section("path", 2);
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
