#include "coluber/rod/system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/state_hash.hpp"
#include "coluber/math/atan2.hpp"

#include "rod/equations.hpp"

namespace coluber::rod {

namespace {

using Eigen::Vector3d;

/// A break of the shape this near to the end of a step, in steps, is at its end.
constexpr double kAtTheEnd = 1e-9;

Eigen::Vector4d to_vector(const chain::StepWork& work) {
  return {work.servo, work.friction, work.contact, work.gravity};
}

void add_works(const Eigen::Vector4d& works, chain::StepWork& work) {
  work.servo += works(0);
  work.friction += works(1);
  work.contact += works(2);
  work.gravity += works(3);
}

double just_before(double t) { return std::nextafter(t, -std::numeric_limits<double>::infinity()); }
double just_after(double t) { return std::nextafter(t, std::numeric_limits<double>::infinity()); }

/// Angle of the head's t_X, seen from above; the turn nearest to `last`.
double heading_of(const Eigen::Matrix3d& R, double last) {
  constexpr double turn = 2.0 * std::numbers::pi;
  const double angle = math::atan2(R(1, 0), R(0, 0));
  return angle + turn * std::round((last - angle) / turn);
}

}  // namespace

RodSystem::RodSystem(Model model, std::unique_ptr<StrainLaw> strain, ContactModel contact,
                     const Start& start, const SystemOptions& options)
    : model_(std::move(model)),
      strain_(std::move(strain)),
      contact_(std::move(contact)),
      options_(options),
      data_(model_, count_contacts(model_, contact_, *strain_)),
      contacts_(model_, contact_, *strain_),
      g_(start.g),
      eta_(start.eta),
      rank_min_(static_cast<int>(components_of(model_.group).size())),
      side_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(contacts_.reactions.size()))),
      last_X_(side_),
      figures_{{.name = "end_residual", .in_message = "{:.3g}"}} {
  model_.check();
  for (int i = 0; i <= model_.elements; ++i) abscissa_.push_back(model_.l * i / model_.elements);
  strain_now_.resize(abscissa_.size());
  twist_before_.resize(data_.contacts.size());
  find_break(0.0);
  equations_ = std::make_unique<Equations>(*this);
  if (start.without_momentum && !kinematic()) {
    // The momentum of the shape's motion alone is taken away: M_o η_o = −p.
    fault_ = update_shape(model_, *strain_, 0.0, data_);
    if (fault_ == Fault::none) {
      fault_ = update_motion(model_, *strain_, 0.0, g_, Vector6d::Zero(), data_);
    }
    data_.F_o = -data_.momentum;
    if (fault_ == Fault::none) fault_ = solve_head(model_, data_);
    if (fault_ != Fault::none) return;
    eta_ = data_.etadot_o;
  }
  if (contact_.kind == ContactKind::locked) {
    contacts_.clamp = clamp_ = static_cast<int>(&contact_.clamp_at(0.0) - contact_.clamps.data());
  }
  fault_ = look(0.0);
  if (fault_ != Fault::none) return;
  if (contact_.kind == ContactKind::locked) fault_ = take_hold(0.0);
  if (fault_ != Fault::none) return;
  energy_start_ = data_.energy;
  heading_ = heading_of(g_.R, 0.0);
  travel_.begin(g_.p.head<2>(), heading_);
  stride_from_ = g_.p;
  count();
  add_bodies();
  add_rows();
}

RodSystem::~RodSystem() = default;

Fault RodSystem::look(double instant) {
  const double t = within(instant);
  return kinematic() ? evaluate_kinematic(model_, contact_, *strain_, t, g_, S_, contacts_, data_)
                     : evaluate_dynamic(model_, *strain_, t, g_, eta_, true, data_);
}

chain::StepWork RodSystem::powers() const {
  chain::StepWork out;
  out.servo = data_.actuator_power;
  out.friction = data_.power_friction;
  out.contact = data_.power_contact + data_.power_ends;
  out.gravity = data_.power_gravity;
  return out;
}

Fault RodSystem::take_hold(double t) {
  contacts_.clamp = clamp_ = static_cast<int>(&contact_.clamp_at(t) - contact_.clamps.data());
  if (const Fault fault = look(t); fault != Fault::none) return fault;
  g_c_ = clamp_pose(model_, contact_.clamps[static_cast<std::size_t>(clamp_)], data_);
  return Fault::none;
}

bool RodSystem::is_held_still() const {
  return contact_.kind == ContactKind::locked && contact_.support_velocity.isZero(0.0) &&
         contact_.support_rate.isZero(0.0);
}

Fault RodSystem::advance(double t, double t_end) {
  if (!is_held_still()) return equations_->advance(t, t_end);
  // A section that is held does not move: the head is where the shape puts it, without drift.
  if (const Fault fault = look(t_end); fault != Fault::none) return fault;
  g_ = head_of_clamp(model_, contact_.clamps[static_cast<std::size_t>(clamp_)], g_c_, data_);
  return Fault::none;
}

Fault RodSystem::advance_piece(double t_A, double t_E, chain::StepWork& work) {
  if (!kinematic()) {
    const Fault fault = equations_->advance(t_A, t_E);
    work += equations_->work;
    return fault == Fault::none ? look(t_E) : fault;
  }
  double t = t_A;
  while (t < t_E) {
    double t_end = std::min(t_E, contact_.next_switch(t));
    if (t_E - t_end < 1e-9 * options_.dt) t_end = t_E;
    // A whole step behind three others has their powers.
    const bool known = past_.size == past_.powers.size() && t == t_A && t_end == t_E &&
                       t_end - t > 0.999999 * options_.dt;
    const Fault fault = known ? advance_known(t, t_end, work) : advance_looked(t, t_end, work);
    if (fault != Fault::none) return fault;
    if (t != t_A || t_end != t_E) past_.size = 0;
    if (contact_.kind == ContactKind::locked &&
        &contact_.clamp_at(t_end) != &contact_.clamps[static_cast<std::size_t>(clamp_)]) {
      past_.size = 0;
      if (const Fault held = take_hold(t_end); held != Fault::none) return held;
      if (clamp_ == 0) {
        stride_ = (g_.p - stride_from_).norm();
        stride_from_ = g_.p;
      }
    }
    t = t_end;
  }
  return Fault::none;
}

// Works by the quartic through the powers at the last five ends of steps: Adams and Moulton's rule
// of order 5.
Fault RodSystem::advance_known(double t, double t_end, chain::StepWork& work) {
  const Eigen::Vector4d now = to_vector(powers());
  const double half = 0.5 * (t + t_end);
  Fault fault = Fault::none;
  if (!is_held_still()) fault = advance(t, half);
  if (fault == Fault::none) fault = advance(half, t_end);
  if (fault == Fault::none) fault = look(t_end);
  if (fault != Fault::none) return fault;
  const auto& p = past_.powers;
  add_works(
      (t_end - t) / 720.0 *
          (251.0 * to_vector(powers()) + 646.0 * now - 264.0 * p[0] + 106.0 * p[1] - 19.0 * p[2]),
      work);
  past_.add(now);
  return Fault::none;
}

// Works by Simpson's rule.
Fault RodSystem::advance_looked(double t, double t_end, chain::StepWork& work) {
  const Eigen::Vector4d now = to_vector(powers());
  const double half = 0.5 * (t + t_end);
  Fault fault = advance(t, half);
  if (fault == Fault::none) fault = look(half);
  if (fault != Fault::none) return fault;
  const Eigen::Vector4d middle = to_vector(powers());
  fault = advance(half, t_end);
  if (fault == Fault::none) fault = look(t_end);
  if (fault != Fault::none) return fault;
  add_works((t_end - t) / 6.0 * (now + 4.0 * middle + to_vector(powers())), work);
  past_.add(now);
  return Fault::none;
}

void RodSystem::find_break(double t) {
  piece_ = {};
  break_ = strain_->next_break(0.0);
  while (break_ < t - kAtTheEnd * options_.dt) {
    piece_.first = just_after(break_);
    break_ = strain_->next_break(break_);
  }
  piece_.last = just_before(break_);
}

// The limit of a ramp from one rate to the other, the shorter the better: places stay, forces that
// are finite do nothing, and a rod without contacts keeps its momentum, M_o Δη_o + Δp = 0 with the
// momentum p of the shape's own motion. The actuators do what the contacts do not.
Fault RodSystem::pass_break(double t, chain::StepWork& work) {
  const double energy = data_.energy;
  const Vector6d momentum = data_.momentum;
  for (std::size_t i = 0; i < data_.contacts.size(); ++i) {
    const auto point = static_cast<std::size_t>(data_.contacts[i].point);
    twist_before_[i] = data_.twist(data_.points[point]);
  }
  piece_.first = just_after(break_);
  break_ = strain_->next_break(break_);
  piece_.last = just_before(break_);
  past_.size = 0;
  if (!kinematic()) {
    Fault fault = update_shape(model_, *strain_, within(t), data_);
    if (fault == Fault::none) {
      fault = update_motion(model_, *strain_, within(t), g_, eta_, data_);
    }
    data_.F_o = momentum - data_.momentum;
    if (fault == Fault::none) fault = solve_head(model_, data_);
    if (fault != Fault::none) return fault;
    eta_ += data_.etadot_o;
  }
  if (const Fault fault = look(t); fault != Fault::none) return fault;
  const double contact = kinematic() ? impulse_work(model_, contact_, *strain_, within(t), momentum,
                                                    twist_before_, contacts_, data_)
                                     : 0.0;
  work.contact += contact;
  work.servo += data_.energy - energy - contact;
  return Fault::none;
}

Fault RodSystem::advance_all(double t_A, double t_E, chain::StepWork& work) {
  const double near = kAtTheEnd * options_.dt;
  double t = t_A;
  while (break_ < t_E - near) {
    if (break_ - t > near) {
      const double t_break = break_;
      if (const Fault fault = advance_piece(t, t_break, work); fault != Fault::none) return fault;
      t = t_break;
    }
    if (const Fault fault = pass_break(t, work); fault != Fault::none) return fault;
  }
  const Fault fault = advance_piece(t, t_E, work);
  if (t != t_A) past_.size = 0;  // a part of a step
  return fault;
}

void RodSystem::count() {
  double torque = 0.0;
  for (const Point& point : data_.points) {
    torque = std::max(torque, point.Lambda.tail<3>().norm());
  }
  for (const Contact& each : data_.contacts) {  // behind its jump
    const Point& point = data_.points[static_cast<std::size_t>(each.point)];
    torque = std::max(torque, (point.Lambda - each.wrench).tail<3>().norm());
  }
  peak_.update(torque, time());
  if (torque > options_.torque_limit) ++overloads_;
  if (!kinematic()) return;
  condition_max_ = std::max(condition_max_, contacts_.condition);
  rank_min_ = std::min(rank_min_, contacts_.rank);
  if (!options_.unilateral) return;
  for (std::size_t i = 0; i < contacts_.reactions.size(); ++i) {
    const ContactData::Reaction& each = contacts_.reactions[i];
    double& side = side_(static_cast<Eigen::Index>(i));
    double& last_X = last_X_(static_cast<Eigen::Index>(i));
    // What has left at the tail and come in at the head is another obstacle.
    if (std::abs(each.X - last_X) > 0.5 * model_.l) side = 0.0;
    last_X = each.X;
    const double push = each.wrench(1);
    if (side == 0.0 && std::abs(push) > 1e-9) side = std::copysign(1.0, push);
    if (push * side < -1e-9) ++pulls_;
  }
}

StepInfo RodSystem::refuse(Fault fault) {
  fault_ = fault;
  figure_ = data_.bad_X;
  switch (fault) {
    case Fault::strain:
      return {Status::not_taken,
              "strain that is not finite, or Gamma_X <= 0, at this X",
              0,
              {&figure_, 1}};
    case Fault::space:
      return {Status::not_taken,
              "field that does not reach space_rtol before this X",
              0,
              {&figure_, 1}};
    case Fault::inertia:
      return {Status::not_taken, "inertia of the rod that cannot be inverted", 0, {&figure_, 1}};
    case Fault::still:
      return {Status::not_taken,
              "speed along the body, which a constant curvature leaves open",
              0,
              {&figure_, 1}};
    case Fault::none:
    case Fault::not_finite:
      break;
  }
  return {Status::non_finite, "motion of the head", 0, {&figure_, 1}};
}

std::string RodSystem::advice(const StepInfo& info) const {
  if (info.status != Status::not_taken) return "";
  switch (fault_) {
    case Fault::strain:
    case Fault::space:
      return fmt::format("; X = {:.6g} m", data_.bad_X);
    case Fault::still:
      return fmt::format(
          "; X = 0 to {:.6g} m; name the speed by  law = \"undulation\", or bend the body "
          "otherwise",
          model_.l);
    default:
      return "";
  }
}

StepInfo RodSystem::step() {
  const double t_A = time();
  const double t_E = static_cast<double>(k_ + 1) * options_.dt;
  const Pose g = g_;
  const Pose g_c = g_c_;
  const Vector6d eta = eta_;
  const double S = S_;
  const int clamp = clamp_;
  const double stride = stride_;
  const Vector3d stride_from = stride_from_;
  const Past past = past_;
  chain::StepWork work;
  if (const Fault fault = advance_all(t_A, t_E, work); fault != Fault::none) {
    const double bad_X = data_.bad_X;
    g_ = g;
    g_c_ = g_c;
    eta_ = eta;
    S_ = S;
    contacts_.clamp = clamp_ = clamp;
    if (contact_.kind != ContactKind::locked) contacts_.clamp = -1;
    find_break(t_A);
    stride_ = stride;
    stride_from_ = stride_from;
    past_ = past;
    static_cast<void>(look(t_A));
    data_.bad_X = bad_X;
    return refuse(fault);
  }
  ++k_;
  work.positive = std::max(0.0, work.servo);
  work_ += work;
  work_.scheme =
      data_.energy - energy_start_ - (work_.servo + work_.friction + work_.contact + work_.gravity);
  heading_ = heading_of(g_.R, heading_);
  travel_.add(g_.p.head<2>());
  count();
  figure_ = data_.end_residual;
  return {Status::ok, "", 0, {&figure_, 1}};
}

std::vector<SummaryItem> RodSystem::summary() const {
  const double displacement = (travel_.place - travel_.start).norm();
  const double t = time();
  std::vector<SummaryItem> items{{"displacement", displacement, "m"},
                                 {"path_length", travel_.length, "m"},
                                 {"net_speed", t > 0.0 ? displacement / t : 0.0, "m/s"},
                                 {"mean_speed", t > 0.0 ? travel_.length / t : 0.0, "m/s"},
                                 {"heading_change", heading_ - travel_.start_angle, "rad"}};
  if (contact_.kind == ContactKind::locked) items.push_back({"stride", stride_, "m"});
  if (!contacts_.reactions.empty()) {
    items.push_back({"condition_max", condition_max_});
    items.push_back({"rank_min", static_cast<double>(rank_min_), "", true});
  }
  if (options_.unilateral) {
    items.push_back({"unilateral_violations", static_cast<double>(pulls_), "", true});
  }
  if (std::isfinite(options_.torque_limit)) {
    items.push_back({"torque_violations", static_cast<double>(overloads_), "", true});
  }
  items.push_back({"max_torque", peak_.torque, "N m"});
  items.push_back({"max_torque_time", peak_.time, "s"});
  items.push_back({"work_positive", work_.positive, "J"});
  items.push_back({"work_net", work_.servo, "J"});
  const double effort = model_.m * model_.l * model_.gravity.norm() * travel_.length;
  if (effort > 0.0) items.push_back({"cost_of_transport", work_.positive / effort});
  return items;
}

template <typename Bytes, typename Self>
void RodSystem::exchange(Bytes& bytes, Self& self) {
  bytes(self.k_, self.g_.R, self.g_.p, self.eta_, self.S_, self.g_c_.R, self.g_c_.p, self.clamp_);
}

template <typename Bytes, typename Self>
void RodSystem::exchange_sums(Bytes& bytes, Self& self) {
  bytes(self.energy_start_, self.heading_, self.stride_from_, self.stride_, self.condition_max_,
        self.rank_min_, self.pulls_, self.overloads_, self.side_, self.last_X_, self.past_.size,
        self.past_.powers[0], self.past_.powers[1], self.past_.powers[2],
        self.equations_->next_step());
  chain::StepWork::exchange(bytes, self.work_);
  chain::Travel::exchange(bytes, self.travel_);
  TorquePeak::exchange(bytes, self.peak_);
}

std::uint64_t RodSystem::state_hash() const {
  StateHasher hash(StateHasher::Sizes::counted);
  exchange(hash, *this);
  return hash.finish();
}

bool RodSystem::save_state(ByteWriter& bytes) const {
  bytes.section("rod", 2);
  exchange(bytes, *this);
  exchange_sums(bytes, *this);
  return true;
}

void RodSystem::restore_state(ByteReader& bytes) {
  bytes.section("rod", 2);
  restore_or_keep(
      bytes,
      [this](auto& to) {
        exchange(to, *this);
        exchange_sums(to, *this);
      },
      [&] {
        if (k_ < 0 || pulls_ < 0 || overloads_ < 0) bytes.refuse("a negative count");
        if (past_.size > past_.powers.size()) bytes.refuse("too many powers");
        if (clamp_ < 0 || clamp_ > static_cast<int>(contact_.clamps.size())) {
          bytes.refuse("there is no such clamp");
        }
        if (side_.size() != static_cast<Eigen::Index>(contacts_.reactions.size()) ||
            last_X_.size() != side_.size()) {
          bytes.refuse("another number of contacts");
        }
      });
  if (contact_.kind == ContactKind::locked) contacts_.clamp = clamp_;
  find_break(time());
  if (look(time()) != Fault::none) bytes.refuse("a state that has no motion");
}

}  // namespace coluber::rod
