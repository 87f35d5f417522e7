#include <algorithm>
#include <cmath>

#include "coluber/grasp/system.hpp"

#include "math/degree.hpp"

// Where one task ends and the next begins.

namespace coluber::grasp {

namespace {

/// A link touches if it is no farther than this from touching (m).
constexpr double kTouch = 0.01;
/// Mobilities while a lasso closes a joint.  spec 3.2
constexpr double kOtherYaws = 1e-5;
constexpr double kPitches = 0.03;
/// The last second of a motion is a rest.
constexpr double kRest = 1.0;

}  // namespace

void GraspSystem::hold_newest(int most) {
  Layout& layout = state_.wish.layout;
  const auto count = static_cast<int>(state_.contacts.size());
  layout.holds = std::min(most, count);
  auto contact = state_.contacts.end() - layout.holds;
  for (int c = 0; c < layout.holds; ++c) {
    layout.held[static_cast<std::size_t>(c)] = (contact++)->link;
  }
}

// The first, the last and one in the middle: of three consecutive contacts the rows are dependent,
// of others they are not.
void GraspSystem::hold_spread() {
  Layout& layout = state_.wish.layout;
  const std::size_t count = state_.contacts.size();
  if (count <= static_cast<std::size_t>(kHeld)) {
    hold_newest(kHeld);
    return;
  }
  layout.holds = kHeld;
  layout.held = {state_.contacts[0].link, state_.contacts[count / 2].link,
                 state_.contacts[count - 1].link};
}

void GraspSystem::set_mobility() {
  const int joints = model_.joints();
  control_.mobility.setOnes();
  if (state_.wish.closing == 0) return;
  control_.mobility.head(joints).setConstant(kPitches);
  control_.mobility.tail(joints).setConstant(kOtherYaws);
  control_.mobility(joints + state_.wish.closing - 1) = 1.0;
}

Fault GraspSystem::add_contact(int link) {
  const bool touches = std::abs(clearance_(link)) <= kTouch;
  // A prism is wrapped as the circle round it: links between its corners do not touch.
  const bool may_be_apart = options_.object->is_prism() && !state_.contacts.empty();
  if (!touches && !may_be_apart) return fail(Fault::apart, link + 1, clearance_(link));
  const Eigen::Vector2d point = chain_.mid.col(link).head<2>();
  state_.contacts.push_back({link, state_.object.local(point), touches});
  state_.drift(link) = 0.0;
  return Fault::none;
}

Fault GraspSystem::end_phase() {
  if (phase().lays < 0) return Fault::none;
  return add_contact(phase().lays);
}

Fault GraspSystem::begin_lasso_phase() {
  const int first = task().first_link.value_or(1) - 1;
  if (find_contact(first) == nullptr) {
    if (const Fault fault = add_contact(first); fault != Fault::none) return fault;
  }
  hold_newest(2);
  begin_hold(model_, state_.q, chain_, phase().begin, state_.wish);
  if (phase().lays < 0) return Fault::none;
  switch (begin_lay(model_, chain_, *options_.object, state_.object, phase().lays, task().route,
                    state_.wish)) {
    case LayFault::inside:
      return fail(Fault::inside, phase().lays + 1, 0.0);
    case LayFault::beyond:
      return fail(Fault::beyond, phase().lays + 1, 0.0);
    case LayFault::none:
      break;
  }
  // Contacts stay where they were made, not where they have drifted to.
  Wish& wish = state_.wish;
  for (int c = 0; c < wish.layout.holds; ++c) {
    const Contact* contact = find_contact(wish.layout.held[static_cast<std::size_t>(c)]);
    wish.anchor.col(c) = state_.object.at(contact->local);
  }
  wish.motion = phase().end - phase().begin - kRest;
  return Fault::none;
}

void GraspSystem::begin_pose() {
  Wish& wish = state_.wish;
  const TaskKeys& keys = task();
  wish.layout.holds = static_cast<int>(keys.contacts.links.size());
  for (std::size_t c = 0; c < keys.contacts.links.size(); ++c) {
    wish.layout.held[c] = keys.contacts.links[c] - 1;
  }
  wish.layout.oscillating = keys.oscillating_joint;
  begin_hold(model_, state_.q, chain_, phase().begin, wish);
  if (keys.x) wish.head_wished(0) = *keys.x;
  if (keys.y) wish.head_wished(1) = *keys.y;
  if (keys.yaw_deg) wish.head_wished(3) = *keys.yaw_deg * math::degree;
  for (std::size_t i = 0; i < keys.rises.size(); ++i) {
    wish.rises_wished(static_cast<Eigen::Index>(i)) = keys.rises[i];
  }
  if (keys.oscillating_joint > 0) {
    update_rows(model_, wish.layout, state_.q, chain_, rows_);
    wish.psi = rows_.w(wish.layout.states(model_) - 1);
    wish.psi_size = keys.oscillation_deg * math::degree;
    wish.psi_omega = keys.oscillation_omega;
  }
  wish.carries = wish.layout.holds > 0 && !state_.contacts.empty();
  for (int c = 0; c < wish.layout.holds; ++c) {
    if (find_contact(wish.layout.held[static_cast<std::size_t>(c)]) == nullptr) {
      wish.carries = false;
    }
  }
}

// Head and contacts move as one body with the object: about its centre, and with it.
Fault GraspSystem::begin_carry() {
  if (state_.contacts.empty()) return fail(Fault::loose, 0, 0.0);
  Wish& wish = state_.wish;
  hold_spread();
  begin_hold(model_, state_.q, chain_, phase().begin, wish);
  wish.carries = true;
  wish.pivot = state_.object.p;
  wish.motion = phase().end - phase().begin - kRest;
  if (phase().kind == TaskKind::drag) {
    if (task().goal) wish.shift = *task().goal - wish.pivot;
    wish.turn = task().turn_deg * math::degree;
    return Fault::none;
  }
  // regrasp: as far as the grasp gives way to the push  Atakan 4.3
  Matrix6d kappa;
  if (compute_stiffness(kappa)) {
    wish.shift =
        compute_displacement(kappa, task().push.value_or(Eigen::Vector3d::Zero())).head<2>();
  }
  return Fault::none;
}

// The same without an object: the head and the last links ahead of the wheels but one.
void GraspSystem::begin_approach() {
  Wish& wish = state_.wish;
  const int last = model_.wheeled.empty() ? model_.links - 1 : model_.wheeled.front() - 2;
  wish.layout.holds = std::clamp(last, 0, kHeld);
  for (int c = 0; c < wish.layout.holds; ++c) {
    wish.layout.held[static_cast<std::size_t>(c)] = last - c;
  }
  begin_hold(model_, state_.q, chain_, phase().begin, wish);
  if (task().goal) wish.shift = *task().goal - wish.pivot;
  wish.turn = task().turn_deg * math::degree;
  wish.motion = phase().end - phase().begin - kRest;
}

Fault GraspSystem::begin_phase(double t) {
  Wish& wish = state_.wish;
  wish.layout = {};
  state_.D_count = 0;
  state_.gain = options_.controller.law.gain;
  // links that were held and are no contacts
  for (int i = 0; i < model_.links; ++i) {
    if (find_contact(i) == nullptr) state_.drift(i) = std::numeric_limits<double>::quiet_NaN();
  }
  Fault fault = Fault::none;
  switch (phase().kind) {
    case TaskKind::pose:
      begin_pose();
      break;
    case TaskKind::lasso:
      fault = begin_lasso_phase();
      break;
    case TaskKind::drag:
    case TaskKind::regrasp:
      fault = begin_carry();
      break;
    case TaskKind::approach:
      begin_approach();
      break;
    case TaskKind::hold:
      hold_spread();
      begin_hold(model_, state_.q, chain_, t, wish);
      wish.carries = !state_.contacts.empty();
      break;
  }
  wish.begin = t;
  set_mobility();
  return fault;
}

}  // namespace coluber::grasp
