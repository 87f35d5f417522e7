#include "coluber/grasp/system.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "coluber/core/state_hash.hpp"

#include "math/degree.hpp"

namespace coluber::grasp {

namespace {

/// A lasso bends no joint further than this (rad): at 90 degrees its pitch axis lies along the
/// link.
constexpr double kLargestYaw = 85.0 * math::degree;
/// An adaptive gain below this share of the gain, with an error left, has stalled.
constexpr double kStalledGain = 1e-4;
constexpr double kStalledError = 1e-3;

}  // namespace

/// Positions and angles as one vector: P_0, pitches, yaws.
class GraspSystem::Equations final : public math::Ode {
 public:
  explicit Equations(GraspSystem& system) : system_(system), q_(system.model_.links) {}

  bool compute_rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                    Eigen::Ref<Eigen::VectorXd> ydot) override {
    unpack(y, q_);
    if (!system_.evaluate(t, q_)) return false;
    rate(ydot);
    return true;
  }
  /// Of what has been evaluated last.
  void rate(Eigen::Ref<Eigen::VectorXd> ydot) const {
    const Control& control = system_.control_;
    const Eigen::Index n = q_.pitch.size();
    ydot(0) = control.head(0);
    ydot(1) = control.head(1);
    ydot(2) = control.climb;
    ydot(3) = control.head(2);
    ydot(3 + n) = control.head(3);
    ydot.segment(4, n - 1) = control.u.head(n - 1);
    ydot.segment(4 + n, n - 1) = control.u.tail(n - 1);
  }
  static void pack(const Configuration& q, Eigen::VectorXd& y) {
    const Eigen::Index n = q.pitch.size();
    y.head<3>() = q.P0;
    y.segment(3, n) = q.pitch;
    y.tail(n) = q.yaw;
  }
  static void unpack(const Eigen::Ref<const Eigen::VectorXd>& y, Configuration& q) {
    const Eigen::Index n = q.pitch.size();
    q.P0 = y.head<3>();
    q.pitch = y.segment(3, n);
    q.yaw = y.tail(n);
  }

 private:
  GraspSystem& system_;
  Configuration q_;
};

GraspSystem::State::State(const Model& model,
                          const Configuration& start)  // NOLINT(modernize-pass-by-value)
    : q(start),
      wish(model),
      drift(Eigen::VectorXd::Constant(model.links, std::numeric_limits<double>::quiet_NaN())) {
  contacts.reserve(static_cast<std::size_t>(model.links));
}

GraspSystem::GraspSystem(const Model& model, const Configuration& start, SystemOptions options)
    : model_(model),
      options_(std::move(options)),
      phases_(make_phases(options_.tasks, options_.duration)),
      state_(model, start),
      before_(state_),
      chain_(model.links),
      rows_(model),
      control_(model),
      w_d_(rows_.w.size()),
      wdot_d_(rows_.w.size()),
      v_(rows_.w.size()),
      y_(3 + 2 * model.links),
      ydot_(y_),
      clearance_(Eigen::VectorXd::Constant(model.links, std::numeric_limits<double>::quiet_NaN())),
      capsules_(static_cast<std::size_t>(model.links)),
      rk4_(y_.size()),
      equations_(std::make_unique<Equations>(*this)),
      figures_{{.name = "wheel_slip", .unit = "m/s", .in_message = "{:.4g}"}} {
  before_.contacts.reserve(static_cast<std::size_t>(model.links));
  state_.object = options_.place;
  state_.gain = options_.controller.law.gain;
  update_chain(model_, state_.q, chain_);
  settle(model_, state_.q, chain_);
  update_distances();
  for (int i = 0; options_.object && i < model_.links; ++i) {
    if (!(clearance_(i) < -1e-6)) continue;
    static_cast<void>(fail(Fault::overlap, i + 1, -clearance_(i)));
    return;
  }
  fault_ = begin_phase(0.0);
  if (fault_ == Fault::none) fault_ = look(0.0, true);
  if (fault_ != Fault::none) return;
  state_.travel.begin(state_.q.P0.head<2>(), state_.q.yaw(0));
  state_.least_self = self_.distance;
  add_rows();
  add_bodies();
}

GraspSystem::~GraspSystem() = default;

Fault GraspSystem::fail(Fault fault, int index, double figure) {
  fault_ = fault;
  fault_index_ = index;
  fault_figure_ = figure;
  return fault;
}

bool GraspSystem::evaluate(double t, const Configuration& q) {
  const ControlOptions& law = options_.controller.law;
  const Wish& wish = state_.wish;
  const Eigen::Index states = wish.layout.states(model_);
  update_chain(model_, q, chain_);
  update_rows(model_, wish.layout, q, chain_, rows_);
  wish.at(model_, t, w_d_.head(states), wdot_d_.head(states));
  if (law.null_space.alpha > 0.0) {
    update_ascent(model_, wish.layout, q, law.null_space, control_);
  }
  v_.head(states) = wdot_d_.head(states) + state_.gain * (w_d_ - rows_.w).head(states);
  return compute_inputs(model_, chain_, rows_, law, v_.head(states), control_);
}

// D of the first step of a phase, of the last two steps and of this one.
void GraspSystem::update_gain() {
  const ControlOptions& law = options_.controller.law;
  if (law.gain_policy == GainPolicy::constant) return;
  if (!update_determinant(rows_, law, control_)) return;
  const Scaled D = control_.D;
  if (state_.D_count == 0) state_.D_first = D;
  if (law.gain_policy == GainPolicy::adaptive_b) {
    state_.gain = law.gain * (state_.D_count < 2 ? 1.0 : state_.D_before.over(D));
  } else {
    state_.gain = law.gain * state_.D_first.over(D);
    if (law.gain_policy == GainPolicy::clamped) {
      state_.gain = std::clamp(state_.gain, law.gain_min, law.gain_max);
    }
  }
  state_.D_before = state_.D_last;
  state_.D_last = D;
  state_.D_count = std::min(state_.D_count + 1, 2);
}

Fault GraspSystem::look(double t, bool advance) {
  control_.decomposed = false;
  update_chain(model_, state_.q, chain_);
  // a state that comes back has been settled: once more would round it anew
  if (advance && options_.controller.law.head_solve != HeadSolve::ground) {
    settle(model_, state_.q, chain_);
    update_chain(model_, state_.q, chain_);  // as a state that comes back finds it
  }
  if (advance) {
    update_rows(model_, state_.wish.layout, state_.q, chain_, rows_);
    update_gain();
    if (!std::isfinite(state_.gain)) return fail(Fault::not_finite, 0, state_.gain);
  }
  if (!evaluate(t, state_.q)) return fail(Fault::not_finite, 0, 0.0);
  update_distances();
  return Fault::none;
}

void GraspSystem::update_distances() {
  for (int i = 0; i < model_.links; ++i) {
    capsules_[static_cast<std::size_t>(i)] = {chain_.joint.col(i), chain_.joint.col(i + 1),
                                              model_.radius};
    if (options_.object) {
      clearance_(i) = compute_clearance(model_, chain_, *options_.object, state_.object, i);
    }
  }
  self_ = world::compute_self_distance(capsules_);
}

// A contact stays where it touched the object; a link that is only held, at its offset from the
// head.
void GraspSystem::update_drift() {
  const Wish& wish = state_.wish;
  if (wish.carries) state_.object = carry(chain_, state_.contacts, wish.layout, state_.object);
  for (const Contact& contact : state_.contacts) {
    const Eigen::Vector2d point = chain_.mid.col(contact.link).head<2>();
    state_.drift(contact.link) = (point - state_.object.at(contact.local)).norm();
  }
  const int joints = model_.joints();
  for (int c = 0; c < wish.layout.holds; ++c) {
    const int i = wish.layout.held[static_cast<std::size_t>(c)];
    if (find_contact(i) != nullptr) continue;
    const int x = 4 + joints + c;
    const int y = x + wish.layout.holds;
    const Eigen::Vector2d error(rows_.w(x) - w_d_(x), rows_.w(y) - w_d_(y));
    state_.drift(i) = error.norm();
  }
}

const Contact* GraspSystem::find_contact(int link) const {
  const auto found = std::ranges::find(state_.contacts, link, &Contact::link);
  return found == state_.contacts.end() ? nullptr : &*found;
}

int GraspSystem::singular_joint() const {
  int worst = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int j = 1; j < model_.links; ++j) {
    // cos of the yaw, as the angle to the previous link's left axis
    const double off = std::abs(chain_.along.col(j).cross(chain_.e_y.col(j)).norm());
    if (off >= least) continue;
    least = off;
    worst = j;
  }
  return worst;
}

bool GraspSystem::has_stalled() const {
  const ControlOptions& law = options_.controller.law;
  if (law.gain_policy != GainPolicy::adaptive_a || !(state_.gain < kStalledGain * law.gain)) {
    return false;
  }
  const Eigen::Index states = state_.wish.layout.states(model_);
  return (w_d_ - rows_.w).head(states).cwiseAbs().maxCoeff() > kStalledError;
}

Fault GraspSystem::judge() {
  const TaskKind kind = phase().kind;
  if (options_.object && kind == TaskKind::lasso) {
    for (int j = 1; j < model_.links; ++j) {
      if (model_.wheels() > 0 && j >= model_.wheeled.front()) break;
      if (!(std::abs(state_.q.yaw(j)) > kLargestYaw)) continue;
      return fail(Fault::joint, j, state_.q.yaw(j) / math::degree);
    }
  }
  for (int i = 0; i < model_.links; ++i) {
    if (state_.drift(i) > options_.controller.contact_limit) {
      return fail(Fault::contact, i + 1, state_.drift(i));
    }
  }
  for (int i = 0; options_.object && i < model_.links; ++i) {  // with its axis
    if (clearance_(i) < -model_.radius) return fail(Fault::overlap, i + 1, -clearance_(i));
  }
  if (kind != TaskKind::pose && options_.object && self_.distance < 0.0) {
    fault_other_ = self_.second + 1;
    return fail(Fault::collision, self_.first + 1, -self_.distance);
  }
  return Fault::none;
}

Fault GraspSystem::advance(double t, double t_end) {
  Equations::pack(state_.q, y_);
  if (options_.integrator == Integrator::euler) {
    equations_->rate(ydot_);
    y_ += (t_end - t) * ydot_;
    if (!y_.allFinite()) return fail(Fault::not_finite, 0, 0.0);
  } else if (!rk4_.step(*equations_, t, t_end - t, y_)) {
    return fail(Fault::not_finite, 0, 0.0);
  }
  Equations::unpack(y_, state_.q);
  return Fault::none;
}

Fault GraspSystem::advance_all(double t_A, double t_E) {
  const double close = 1e-9 * options_.dt;
  double t = t_A;
  while (t < t_E) {
    double t_end = std::min(t_E, phase().end);
    if (t_E - t_end < close) t_end = t_E;
    Fault fault = advance(t, t_end);
    if (fault == Fault::none) fault = look(t_end, true);
    if (fault != Fault::none) return fault;
    update_drift();
    update_distances();
    t = t_end;
    if (const Fault bad = judge(); bad != Fault::none) return bad;
    if (t_end < phase().end - close) continue;
    fault = end_phase();
    if (fault != Fault::none) return fault;
    ++state_.phase;
    fault = begin_phase(t_end);
    if (fault == Fault::none) fault = look(t_end, true);
    if (fault != Fault::none) return fault;
  }
  return Fault::none;
}

StepInfo GraspSystem::step() {
  int fastest = 0;
  const double input = control_.u.cwiseAbs().maxCoeff(&fastest);
  if (input > options_.controller.input_limit) {
    return refuse(fail(Fault::input, fastest % model_.joints() + 1, input));
  }
  if (has_stalled()) return refuse(fail(Fault::stalled, 0, state_.gain));
  before_ = state_;
  const double t_A = time();
  const double t_E = static_cast<double>(state_.k + 1) * options_.dt;
  if (const Fault fault = advance_all(t_A, t_E); fault != Fault::none) {
    const int index = fault_index_;
    const double figure = fault_figure_;
    state_ = before_;
    static_cast<void>(look(t_A, false));
    return refuse(fail(fault, index, figure));
  }
  ++state_.k;
  state_.travel.add(state_.q.P0.head<2>());
  state_.largest_input = std::max(state_.largest_input, control_.u.cwiseAbs().maxCoeff());
  state_.largest_slip = std::max(state_.largest_slip, control_.slip);
  state_.least_self = std::min(state_.least_self, self_.distance);
  for (double drift : state_.drift) {
    if (drift > state_.largest_drift) state_.largest_drift = drift;
  }
  figure_ = control_.slip;
  return {Status::ok, "", 0, {&figure_, 1}};
}

bool GraspSystem::compute_stiffness(Matrix6d& kappa) const {
  if (!options_.stiffness || !options_.object || state_.contacts.empty()) return false;
  const StiffnessKeys& keys = *options_.stiffness;
  const std::size_t count = std::min(state_.contacts.size(), keys.k_t.size());
  Eigen::Vector3d centre(state_.object.p.x(), state_.object.p.y(), 0.5 * options_.object->height);
  const Eigen::Vector3d origin =
      keys.origin == Origin::object ? centre : Eigen::Vector3d(Eigen::Vector3d::Zero());
  kappa = compute_weight_stiffness(options_.object->weight, centre - origin);
  for (std::size_t c = 0; c < count; ++c) {
    const int i = state_.contacts[c].link;
    ContactFrame frame;
    frame.p = chain_.mid.col(i) - origin;
    // x along the link, seen from above; z away from the object, which is on the link's left
    const Eigen::Vector3d x =
        Eigen::Vector3d(chain_.along(0, i), chain_.along(1, i), 0.0).normalized();
    frame.R.row(0) = x;
    frame.R.row(1) = Eigen::Vector3d::UnitZ();
    frame.R.row(2) = x.cross(Eigen::Vector3d::UnitZ());
    Matrix6d own = compute_contact_stiffness(keys.k_t[c], keys.k_n[c], keys.F_t[c]);
    if (keys.contact == ContactKind::rolling) {
      // the link is straight along x, the object upright
      const Curvatures curvatures{.K_vA = 1.0 / model_.radius,
                                  .K_uB = 1.0 / options_.object->radius,
                                  .F_n = keys.F_n[c],
                                  .F_t = keys.F_t[c],
                                  .k_t = keys.k_t[c],
                                  .k_n = keys.k_n[c]};
      if (!compute_rolling_stiffness(curvatures, own)) return false;
    }
    kappa += move_stiffness(own, frame);
  }
  return true;
}

template <typename Bytes, typename Self>
void GraspSystem::exchange(Bytes& bytes, Self& self) {
  auto& s = self.state_;
  auto& wish = s.wish;
  bytes(s.k, s.q.P0, s.q.pitch, s.q.yaw, s.phase);
  bytes(wish.layout.held, wish.layout.holds, wish.layout.oscillating, wish.begin, wish.motion,
        wish.head, wish.head_wished, wish.rises, wish.rises_wished, wish.offset, wish.fixed,
        wish.anchor, wish.pivot, wish.shift, wish.turn, wish.sway, wish.closing, wish.carries,
        wish.psi, wish.psi_size, wish.psi_omega);
  bytes(s.object.p, s.object.yaw, s.gain, s.D_first.m, s.D_first.e, s.D_before.m, s.D_before.e,
        s.D_last.m, s.D_last.e, s.D_count);
  bytes.list(s.contacts, [&](auto& each) { bytes(each.link, each.local, each.touches); });
}

template <typename Bytes, typename Self>
void GraspSystem::exchange_sums(Bytes& bytes, Self& self) {
  auto& s = self.state_;
  bytes(s.drift, s.largest_input, s.largest_slip, s.largest_drift, s.least_self);
  chain::Travel::exchange(bytes, s.travel);
}

std::uint64_t GraspSystem::state_hash() const {
  StateHasher hash(StateHasher::Sizes::counted);
  exchange(hash, *this);
  return hash.finish();
}

bool GraspSystem::save_state(ByteWriter& bytes) const {
  bytes.section("grasp", 1);
  exchange(bytes, *this);
  exchange_sums(bytes, *this);
  return true;
}

void GraspSystem::restore_state(ByteReader& bytes) {
  bytes.section("grasp", 1);
  restore_or_keep(
      bytes,
      [this](auto& to) {
        exchange(to, *this);
        exchange_sums(to, *this);
      },
      [&] {
        const Layout& layout = state_.wish.layout;
        const auto is_link = [&](int link) { return link >= 0 && link < model_.links; };
        if (state_.k < 0 || state_.D_count < 0) bytes.refuse("a negative count");
        if (state_.phase < 0 || state_.phase >= std::ssize(phases_)) {
          bytes.refuse("there is no such task");
        }
        if (layout.holds < 0 || layout.holds > kHeld || layout.oscillating < 0 ||
            layout.oscillating >= model_.links || state_.wish.closing < 0 ||
            state_.wish.closing >= model_.links || !std::ranges::all_of(layout.held, is_link) ||
            !std::ranges::all_of(state_.contacts, is_link, &Contact::link)) {
          bytes.refuse("there is no such link");
        }
      });
  state_.contacts.reserve(static_cast<std::size_t>(model_.links));
  set_mobility();
  if (look(time(), false) != Fault::none) bytes.refuse("a state that has no motion");
}

}  // namespace coluber::grasp
