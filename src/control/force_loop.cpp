#include "coluber/control/force_loop.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "chain/rows.hpp"
#include "control/pegs_at_links.hpp"
#include "math/direction.hpp"

// Holden (47)-(49) about a train on the path, then Optimization Problem 1. Every link is in the
// wish as a rule (force_map.wish.links = "all"): more accelerations than torques can meet, and the
// slack carries the misfit. With contact links and their neighbours alone the links between the
// pegs are free, and posture is lost within half a second.
//
// The wish runs with the clock. Tied to the robot's own arc length it does not start: where the
// robot rests, so does the wish.

namespace coluber::control {

namespace {

using Eigen::Index;
using Eigen::Vector2d;
using Eigen::VectorXd;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kSettled = 0.5;       // s: posture errors count from then on
constexpr double kMostLaid = 10000.0;  // places at which a path is tried before the run
constexpr int kNotAsked = 3;           // `qp_status` where the map was not asked

}  // namespace

ForceLoop::ForceLoop(ForceLoopOptions options)
    : options_(std::move(options)),
      mapping_(options_.model.links, options_.mapping),
      train_(options_.path, mapping_.model(), options_.last_leads) {
  if (options_.path == nullptr) throw Error("the force mapping controller needs a path");
  options_.kp.require_valid("kp");
  options_.kd.require_valid("kd");
  pegs_ = std::make_unique<PegsAtLinks>(options_.model, options_.reach);
  const int n = options_.model.n();
  const auto links = static_cast<std::size_t>(n);
  instant_.theta.setZero(n);
  instant_.theta_dot.setZero(n);
  for (planar::Columns* columns : {&r_, &v_, &axis_}) columns->setZero(2, n);
  ground_.set_zero(n);
  contacts_.reserve(links);
  contacts_before_.reserve(links);
  wish_.links = make_controlled(options_.wish, {}, n, options_.last_leads);
  state_.theta_ref.setZero(n);
  state_.omega_ref.setZero(n);
  state_.u.setZero(n - 1);
  phi_ = phidot_ = VectorXd::Zero(n - 1);
  state_.force.setZero(2, n);
  state_.constraint.setZero(2, n);
  state_.at.setZero(n);
  clear_answer();
  arrows_ = {chain::make_arrows(n, 1, "mapped_force", "mapped forces", "#c2318f", "mapped_force"),
             chain::make_arrows(n, 1, "mapped_constraint", "mapped constraint", "#e08fc6",
                                "mapped_constraint")};
  add_rows();
}

ForceLoop::~ForceLoop() = default;

std::string ForceLoop::connect(System& system, std::vector<drive::Warning>& /*warnings*/) {
  system_ = dynamic_cast<const planar::PlanarSystem*>(&system);
  if (system_ == nullptr) return "needs a robot in the plane among obstacles";
  place_start();
  require_room();
  return "";
}

/// Where on the path the robot lies; it may not be off the train by more than a link's radius.
void ForceLoop::place_start() {
  BaseState base;
  system_->base_state(base);
  system_->joint_state(phi_, phidot_);
  look_at_robot(base, phi_, phidot_, 0.0);
  state_.p_first = instant_.p;
  const int n = options_.model.n();
  const auto end_of = [&](int i, bool ahead) -> Vector2d {
    const planar::ForceMapModel& map = mapping_.model();
    return r_.col(i) + (ahead ? map.l_h(i) : -map.l_t(i)) * axis_.col(i);
  };
  const Vector2d rear = options_.last_leads ? end_of(0, false) : end_of(n - 1, true);

  // the place of the path nearest to the rear end, then the fit from there
  const double step = 0.25 * train_.length() / n;
  double nearest = 0.0;
  double least = std::numeric_limits<double>::infinity();
  for (double s = -train_.length(); s <= 20.0 * train_.length(); s += step) {
    const double distance = (options_.path->at(s).r - rear).norm();
    if (distance < least) nearest = s;
    least = std::min(least, distance);
  }
  double off = least;
  if (train_.lay(nearest, shape_)) {
    const int first = options_.last_leads ? 0 : n - 1;
    state_.turn =
        2.0 * std::numbers::pi *
        std::round((instant_.theta(first) - shape_.theta(first)) / (2.0 * std::numbers::pi));
    instant_.theta.array() -= state_.turn;
    if (const auto s = train_.fit(nearest, instant_.theta, instant_.p)) state_.s = *s;
    if (train_.lay(state_.s, shape_)) {
      off = (train_.points().col(0) - rear).norm();
      for (int k = 0; k < n; ++k) {
        const int i = options_.last_leads ? k : n - 1 - k;
        const double apart = (train_.points().col(k + 1) - end_of(i, options_.last_leads)).norm();
        off = std::max(off, apart);
      }
    }
  }
  state_.s_ref = state_.s_first = state_.s;
  double radius = std::numeric_limits<double>::infinity();
  for (const planar::Link& link : options_.model.links) radius = std::min(radius, link.L_SC);
  if (off <= radius) return;
  throw InputError(options_.fault(
      "start",
      fmt::format(
          "the robot starts {:.3g} m off its path, more than the radius of a link, {:.3g} m", off,
          radius),
      "write  on_path = true  in [start], and  s  for where its rear end is"));
}

/// The path holds the robot wherever the wish may come in this run.
void ForceLoop::require_room() {
  const double way = options_.speed * std::max(options_.duration - options_.start_time, 0.0);
  const double step = std::max(0.5 * train_.length() / train_.n(), way / kMostLaid);
  for (double s = state_.s; s <= state_.s + way; s += step) {
    if (train_.lay(s, shape_)) continue;
    throw InputError(options_.fault(
        "path",
        fmt::format("the robot does not fit on it with its rear end at s = {:.6g} m: the path is "
                    "curled tighter than a link is long",
                    s),
        "take a wider path, shorter links, or a shorter run"));
  }
  static_cast<void>(train_.lay(state_.s, shape_));
  state_.theta_ref = shape_.theta;
}

/// Angles and rates of the links, places and velocities of their centres of gravity, from link 1
/// on.
void ForceLoop::look_at_robot(const BaseState& base, const VectorXd& phi, const VectorXd& phidot,
                              double turn) {
  const planar::ForceMapModel& map = mapping_.model();
  double theta = base.theta - turn;
  double omega = base.thetadot;
  Vector2d r = base.r;
  Vector2d v = base.v;
  instant_.p.setZero();
  instant_.p_dot.setZero();
  const bool mean = map.kinematics == planar::Kinematics::mean;
  for (int i = 0; i < map.n(); ++i) {
    if (i > 0) {
      theta += phi(i - 1);
      omega += phidot(i - 1);
    }
    const Vector2d axis = math::direction(theta);
    const Vector2d turned = omega * Vector2d{-axis.y(), axis.x()};
    instant_.theta(i) = theta;
    instant_.theta_dot(i) = omega;
    axis_.col(i) = axis;
    r_.col(i) = r + map.l_t(i) * axis;
    v_.col(i) = v + map.l_t(i) * turned;
    const double share = mean ? 1.0 / map.n() : map.m(i) / map.m_T;
    instant_.p += share * r_.col(i);
    instant_.p_dot += share * v_.col(i);
    r += (map.l_t(i) + map.l_h(i)) * axis;
    v += (map.l_t(i) + map.l_h(i)) * turned;
  }
}

/// s_ref goes on with the clock, but waits for a robot that is `lead` behind.
void ForceLoop::move_wish() {
  if (const auto s = train_.fit(state_.s, instant_.theta, instant_.p)) state_.s = *s;
  if (state_.ticks == 1) {
    state_.s_ref = state_.s;
    state_.rate = options_.speed;
  } else {
    const double before = state_.s_ref;
    const double wanted = before + options_.speed * options_.period;
    state_.s_ref = std::min(wanted, std::max(before, state_.s + options_.lead));
    if (state_.s_ref < wanted) ++state_.waiting;
    state_.rate = (state_.s_ref - before) / options_.period;
  }
  if (!train_.lay(state_.s_ref, shape_)) return;  // where it was, until the path lets it on
  state_.theta_ref = shape_.theta;
  state_.omega_ref = state_.rate * shape_.theta_s;
}

void ForceLoop::clear_answer() {
  state_.mapped = false;
  state_.status = kNotAsked;
  state_.u.setConstant(kNothing);
  state_.force.setZero();
  state_.constraint.setZero();
  state_.at.setConstant(kNothing);
  state_.slack = kNothing;
  state_.kkt = kNothing;
}

/// Torques of least effort for the accelerations (47)-(49) about the train at s_ref.
void ForceLoop::map() {
  std::swap(contacts_, contacts_before_);
  pegs_->find(r_, axis_, contacts_);
  if (contacts_.empty()) return;
  const int n = options_.model.n();
  const bool by_contacts = options_.wish.links.word == "contacts";
  if (by_contacts && !std::ranges::equal(contacts_, contacts_before_, {},
                                         &planar::LinkContact::link, &planar::LinkContact::link)) {
    wish_.links = make_controlled(options_.wish, contacts_, n, options_.last_leads);
  }
  const WishKeys& gains = options_.wish;
  const double rate = state_.rate;
  wish_.centre = rate * rate * shape_.p_ss - gains.kp * (instant_.p - shape_.p) -
                 gains.kd * (instant_.p_dot - rate * shape_.p_s);
  wish_.angular.resize(static_cast<Index>(wish_.links.size()));
  for (std::size_t k = 0; k < wish_.links.size(); ++k) {
    const Index i = wish_.links[k];
    wish_.angular(static_cast<Index>(k)) =
        rate * rate * shape_.theta_ss(i) - gains.kp_angle * (instant_.theta(i) - shape_.theta(i)) -
        gains.kd_angle * (instant_.theta_dot(i) - rate * shape_.theta_s(i));
  }
  planar::compute_ground_load(options_.model, instant_, v_, ground_, options_.ground_blend);
  const MapResult& result = mapping_.solve(instant_, contacts_, wish_, ground_, true);
  state_.status = status_number(result.status);
  state_.mapped = result.status == MapStatus::optimal || result.status == MapStatus::slack;
  if (!state_.mapped) return;
  state_.u = result.u;
  state_.kkt = result.kkt;
  state_.slack = result.z.norm();
  state_.slack_max = std::max(state_.slack_max, state_.slack);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const auto column = static_cast<Index>(k);
    const int i = contacts_[k].link;
    state_.at(i) = contacts_[k].at;
    state_.force.col(i) = result.force.col(column);
    state_.constraint.col(i) = result.constraint.col(column);
  }
}

void ForceLoop::tick(const ControlInput& input) {
  ++state_.ticks;
  state_.tick = input.t;
  look_at_robot(*input.base, input.phi, input.phidot, state_.turn);
  move_wish();
  clear_answer();
  if (options_.map) map();
  if (state_.mapped) ++state_.mapped_ticks;
  if (input.t < options_.start_time + kSettled) return;
  const double square = (instant_.theta - state_.theta_ref).squaredNorm();
  state_.angle_error_max =
      std::max(state_.angle_error_max, std::sqrt(square / static_cast<double>(train_.n())));
}

double ForceLoop::last_torque() const {
  return system_->dt() * system_->data().tau.cwiseAbs().sum();
}

Vector2d ForceLoop::centre_now() const {
  if (system_ == nullptr) return Vector2d::Constant(kNothing);
  BaseState base;
  system_->base_state(base);
  system_->joint_state(phi_, phidot_);
  const planar::ForceMapModel& map = mapping_.model();
  const bool mean = map.kinematics == planar::Kinematics::mean;
  double theta = base.theta;
  Vector2d end = base.r;
  Vector2d centre = Vector2d::Zero();
  for (int i = 0; i < map.n(); ++i) {
    if (i > 0) theta += phi_(i - 1);
    const Vector2d axis = math::direction(theta);
    centre += (mean ? 1.0 / map.n() : map.m(i) / map.m_T) * (end + map.l_t(i) * axis);
    end += (map.l_t(i) + map.l_h(i)) * axis;
  }
  return centre;
}

void ForceLoop::update(const ControlInput& input, JointCommand& command) {
  state_.torque_joints += last_torque();
  const double slack = 1e-6 * input.dt;  // k·dt may miss start_time by a rounding
  const bool on = input.t + slack >= options_.start_time;
  // ticks count from the first step of the motors
  const auto first = std::llround(std::ceil((options_.start_time - slack) / input.dt));
  const auto steps = std::max(1LL, std::llround(options_.period / input.dt));
  if (on && (std::llround(input.t / input.dt) - first) % steps == 0) tick(input);
  command.tau.setZero();
  command.k_P.setZero();
  command.k_D.setZero();
  command.tau_max.setConstant(options_.torque_limit);
  const double since = on ? input.t + input.dt - state_.tick : 0.0;
  for (Index j = 0; j < command.tau.size(); ++j) {
    const double rate = state_.omega_ref(j + 1) - state_.omega_ref(j);
    command.phi_d(j) = state_.theta_ref(j + 1) - state_.theta_ref(j) + since * rate;
    command.phidot_d(j) = rate;
    if (!on) continue;
    if (state_.mapped) {
      command.tau(j) = -state_.u(j);
    } else {
      command.k_P(j) = options_.kp(j);
      command.k_D(j) = options_.kd(j);
    }
  }
}

void ForceLoop::add_rows() {
  const int n = options_.model.n();
  const std::vector<std::string> xy{"x", "y"};
  const auto number = [this](const char* name, const char* unit, const char* doc, auto get,
                             Plotted plotted = Plotted::scalar) {
    observables_.add({name, unit, doc, {}, {}, plotted}, chain::write_number(get));
  };
  number("path_s", "m", "arc length of the robot's rear end at the last tick, by a local fit",
         [this] { return state_.s; });
  number("wish_s", "m", "the same of the train that is wished for",
         [this] { return state_.s_ref; });
  observables_.add({"wish_angle", "rad", "link angles of that train", {n}},
                   [this](std::span<double> out) {
                     for (std::size_t i = 0; i < out.size(); ++i) {
                       out[i] = state_.theta_ref(static_cast<Index>(i)) + state_.turn;
                     }
                   });
  observables_.add({"mapped_torque",
                    "N m",
                    "torque that the map asks for, positive drives the angle up",
                    {n - 1},
                    {},
                    Plotted::torque},
                   [this](std::span<double> out) {
                     for (std::size_t j = 0; j < out.size(); ++j) {
                       out[j] = -state_.u(static_cast<Index>(j));
                     }
                   });
  observables_.add({"centre", "m", "of mass, or the mean that force_map.kinematics says", {2}, xy},
                   [this](std::span<double> out) {
                     const Vector2d centre = centre_now();
                     out[0] = centre.x();
                     out[1] = centre.y();
                   });
  const auto add_forces = [&](const char* name, const char* doc, const Eigen::Matrix2Xd& force) {
    observables_.add({name, "N", doc, {n, 2}, xy}, [&force](std::span<double> out) {
      std::copy_n(force.data(), out.size(), out.begin());
    });
  };
  add_forces("mapped_force", "force of its obstacle on each link, as the map has it", state_.force);
  add_forces("mapped_constraint", "the same without friction", state_.constraint);
  number("wish_slack", "", "norm of what is missing of the wish: N and rad/s²",
         [this] { return state_.slack; });
  number("qp_status", "", "0 optimal, 1 slack, 2 infeasible, 3 not asked, 4 failed, 5 singular",
         [this] { return static_cast<double>(state_.status); });
  number("qp_residual", "", "largest residual of the conditions of optimality, scaled",
         [this] { return state_.kkt; });
}

void ForceLoop::contacts(std::size_t family, std::span<ContactSlot> slots) const {
  chain::open_slots(slots);
  if (system_ == nullptr || !state_.mapped) return;
  BaseState base;
  system_->base_state(base);
  system_->joint_state(phi_, phidot_);
  const planar::ForceMapModel& map = mapping_.model();
  const Eigen::Matrix2Xd& force = family == 0 ? state_.force : state_.constraint;
  double theta = base.theta;
  Vector2d end = base.r;
  for (int i = 0; i < map.n(); ++i) {
    if (i > 0) theta += phi_(i - 1);
    const Vector2d axis = math::direction(theta);
    if (std::isfinite(state_.at(i))) {
      const Vector2d point = end + (map.l_t(i) + state_.at(i)) * axis;
      chain::put_arrow(slots, 1, i, {point.x(), point.y(), 0.0}, {force(0, i), force(1, i), 0.0});
    }
    end += (map.l_t(i) + map.l_h(i)) * axis;
  }
}

std::vector<SummaryItem> ForceLoop::summary() const {
  const auto share = [&](std::int64_t of) {
    return state_.ticks > 0 ? static_cast<double>(of) / static_cast<double>(state_.ticks) : 0.0;
  };
  std::vector<SummaryItem> items;
  if (options_.map) {
    items.push_back({"mapped_share", share(state_.mapped_ticks)});
    items.push_back({"slack_max", state_.slack_max});
  }
  items.push_back({"angle_error_max", state_.angle_error_max, "rad"});
  items.push_back({"waiting_share", share(state_.waiting)});
  items.push_back({"path_progress", state_.s - state_.s_first, "m"});
  const Vector2d way = centre_now() - state_.p_first;
  items.push_back({"advance_x", way.x(), "m"});
  items.push_back({"advance_y", way.y(), "m"});
  items.push_back({"torque_joints", state_.torque_joints + last_torque(), "N m s"});
  return items;
}

std::vector<std::string> ForceLoop::warnings() const {
  constexpr double notable = 0.05;  // of the ticks
  std::vector<std::string> texts;
  const auto ticks = static_cast<double>(state_.ticks);
  if (options_.map && static_cast<double>(state_.mapped_ticks) < (1.0 - notable) * ticks) {
    texts.push_back(fmt::format(
        "the force map was at work in {} of {} ticks; in the others the robot touched no obstacle, "
        "or no torques press all it touches, and joint servos held its shape",
        state_.mapped_ticks, state_.ticks));
  }
  if (static_cast<double>(state_.waiting) > notable * ticks) {
    texts.push_back(
        fmt::format("the wish waited for the robot in {} of {} ticks, as it was controller.lead = "
                    "{:.6g} m behind",
                    state_.waiting, state_.ticks, options_.lead));
  }
  return texts;
}

template <typename Bytes, typename Self>
void ForceLoop::exchange(Bytes& bytes, Self& state) {
  auto& [s, s_ref, rate, tick, turn, theta_ref, omega_ref, u, force, constraint, at, slack, kkt,
         status, mapped, ticks, mapped_ticks, waiting, slack_max, angle_error_max, torque_joints,
         s_first, p_first] = state;
  bytes(s, s_ref, rate, tick, turn, theta_ref, omega_ref, u, force, constraint, at, slack, kkt,
        status, mapped, ticks, mapped_ticks, waiting, slack_max, angle_error_max, torque_joints,
        s_first, p_first);
}

void ForceLoop::save_state(ByteWriter& bytes) const {
  bytes.section("force loop", 1);
  exchange(bytes, state_);
  mapping_.save_state(bytes);
}

void ForceLoop::restore_state(ByteReader& bytes) {
  bytes.section("force loop", 1);
  State state = state_;
  exchange(bytes, state);
  mapping_.restore_state(bytes);
  state_ = std::move(state);
}

}  // namespace coluber::control
