// Breaks of the shape, as at the ends of a table: the coordinates are continuous, their rates jump.

#include "multibody/jump.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coluber::multibody {

namespace {

/// A break this near to the end of a step, in steps, is at its end.
constexpr double kAtTheEnd = 1e-9;

double just_before(double t) { return std::nextafter(t, -std::numeric_limits<double>::infinity()); }
double just_after(double t) { return std::nextafter(t, std::numeric_limits<double>::infinity()); }

/// Adds an impulse's work: it acts while the rate goes from one to the other, so on their mean.
void add_work(double impulse, double before, double after, chain::StepWork& work) {
  const double own = impulse * 0.5 * (before + after);
  work.servo += own;
  work.positive += std::max(0.0, own);
}

}  // namespace

MultibodySystem::Jump::Jump(const Model& model)
    : input(model),
      before(model),
      program([this](double /*t*/, Input& to) { to = input; }),
      rdot(Eigen::VectorXd::Zero(model.coordinates)),
      thetadot(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(model.wheels.size()))),
      slip(thetadot),
      tau(rdot),
      Gamma(thetadot),
      lambda(thetadot) {
  at.follower.resize(static_cast<Eigen::Index>(model.followers.size()));
  at.passive.resize(static_cast<Eigen::Index>(model.passive.size()));
}

void MultibodySystem::find_break(double t) {
  piece_ = {};
  break_ = next_break(0.0);
  while (break_ < t - kAtTheEnd * options_.dt) {
    piece_.first = just_after(break_);
    break_ = next_break(break_);
  }
  piece_.last = just_before(break_);
  if (std::isfinite(break_) && jump_ == nullptr) jump_ = std::make_unique<Jump>(model_);
}

Outcome MultibodySystem::advance(double t_A, double t_E, chain::StepWork& work) {
  const double near = kAtTheEnd * options_.dt;
  double t = t_A;
  while (break_ < t_E - near) {
    if (break_ - t > near) {
      if (const Outcome outcome = advance_piece(t, break_, work); !outcome.ok()) return outcome;
      t = break_;
    }
    if (const Outcome outcome = pass_break(t, work); !outcome.ok()) return outcome;
  }
  return advance_piece(t, t_E, work);
}

// The limit of a ramp from one rate to the other, the shorter the better: places stay, forces that
// are finite do nothing, and what inertia, joints and wheels say of accelerations they say of the
// jumps of the rates, their forces being impulses. A free robot keeps its momentum,
//   M_o⁺ Δη_o + M_r Δṙ = 0,
// wheels that hold do not slide after it either, A Δη_o + B Δṙ = 0.
Outcome MultibodySystem::pass_break(double t, chain::StepWork& work) {
  Jump& jump = *jump_;
  jump.rdot = data_.rdot;
  jump.thetadot = data_.thetadot;
  jump.slip = data_.slip;
  jump.eta = data_.eta_o;
  program_(t, jump.before);
  piece_ = {just_after(break_), std::numeric_limits<double>::infinity()};
  break_ = next_break(break_);
  piece_.last = just_before(break_);
  Input& input = jump.input;
  program_(t, input);
  const Input& before = jump.before;
  input.rddot = input.rdot - before.rdot;
  input.rdot.setZero();
  input.betadot.setZero();
  input.thetaddot = input.thetadot - before.thetadot;
  input.thetadot.setZero();
  input.speeddot = input.speed - before.speed;
  input.speed = 0.0;
  input.placeddot = input.placedot - before.placedot;
  input.placedot.setZero();
  input.yawddot = input.yawdot - before.yawdot;
  input.yawdot = 0.0;
  jump.at = at_;
  jump.at.eta.setZero();
  EvaluateOptions options = evaluate_;
  options.loads = false;
  Outcome outcome = evaluate(model_, as_, jump.program, t, jump.at, options, data_);
  if (!outcome.ok()) return outcome;
  jump.tau = data_.tau;
  jump.Gamma = data_.Gamma;
  jump.lambda = data_.lambda;
  jump.F_c = data_.F_c;
  if (!as_.kinematic) {
    at_.eta += data_.etadot_o;
    if (model_.planar) at_.eta = nearest_twist(model_, as_, program_, t, at_, data_);
  }
  outcome = look(t);
  if (!outcome.ok()) return outcome;
  if (as_.kinematic) at_.eta = data_.eta_o;

  for (Eigen::Index k = 0; k < jump.tau.size(); ++k) {
    add_work(jump.tau(k), jump.rdot(k), data_.rdot(k), work);
  }
  for (int w = 0; w < static_cast<int>(model_.wheels.size()); ++w) {
    const Wheel& wheel = model_.wheel(w);
    if (wheel.driven) add_work(jump.Gamma(w), jump.thetadot(w), data_.thetadot(w), work);
    if (wheel.holds()) work.contact += jump.lambda(w) * 0.5 * (jump.slip(w) + data_.slip(w));
  }
  if (model_.base_imposed) work.contact += jump.F_c.dot(0.5 * (jump.eta + data_.eta_o));
  return {};
}

}  // namespace coluber::multibody
