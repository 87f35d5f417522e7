#include "multibody/equations.hpp"

#include <algorithm>

namespace coluber::multibody {

namespace {

/// Pose and twist, then: followers, passive coordinates, wheels, works of joints and wheels, works
/// of friction, contact and gravity.
constexpr Eigen::Index kPose = 6, kTwist = 6, kOther = 3;

Eigen::Index count(const auto& list) { return static_cast<Eigen::Index>(list.size()); }

}  // namespace

MultibodySystem::Equations::Equations(const Model& model, const Classification& as,
                                      const Program& program, const SystemOptions& options,
                                      const EvaluateOptions& evaluate, Data& data)
    : model_(model),
      as_(as),
      program_(program),
      options_(options),
      evaluate_(evaluate),
      data_(data),
      followers_(count(model.followers)),
      passive_(count(model.passive)),
      wheels_(count(model.wheels)),
      joints_(model.coordinates),
      size_(kPose + kTwist + followers_ + passive_ + 2 * wheels_ + joints_ + kOther),
      y_(Eigen::VectorXd::Zero(size_)),
      rk4_(options.solver.integrator == Integrator::rk4 ? size_ : 0),
      dopri5_(options.solver.integrator == Integrator::dopri5 ? size_ : 0,
              {.rtol = options.solver.rtol, .atol = options.solver.atol}) {
  at_.follower = Eigen::VectorXd::Zero(followers_);
  at_.passive = Eigen::VectorXd::Zero(passive_);
  if (options.solver.integrator == Integrator::cvode) {
    cvode_ = std::make_unique<math::CvodeIntegrator>(*this, size_, options.solver.rtol,
                                                     options.solver.atol);
  }
}

void MultibodySystem::Equations::read(const Eigen::Ref<const Eigen::VectorXd>& y) {
  at_.g = start_ * math::exp(Vector6d{y.head<6>()});
  at_.eta = y.segment<6>(kPose);
  at_.follower = y.segment(kPose + kTwist, followers_);
  at_.passive = y.segment(kPose + kTwist + followers_, passive_);
}

bool MultibodySystem::Equations::compute_rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                                              Eigen::Ref<Eigen::VectorXd> ydot) {
  read(y);
  if (model_.base_imposed) {  // it is where it is said to be
    program_(t, data_.input);
    at_.g = imposed_pose(data_.input);
  }
  outcome_ = evaluate(model_, as_, program_, t, at_, evaluate_, data_);
  if (!outcome_.ok()) return false;
  ydot.head<6>() = math::dexp_inverse(Vector6d{y.head<6>()}, data_.eta_o);
  ydot.segment<6>(kPose) = data_.etadot_o;
  Eigen::Index at = kPose + kTwist;
  for (const Follower& follower : model_.followers) ydot(at++) = data_.rdot(follower.coordinate);
  for (int k : model_.passive) ydot(at++) = data_.rdot(k);
  ydot.segment(at, wheels_) = data_.thetadot;
  at += wheels_;
  ydot.segment(at, joints_) = data_.tau.cwiseProduct(data_.rdot);
  at += joints_;
  ydot.segment(at, wheels_) = data_.Gamma.cwiseProduct(data_.thetadot);
  at += wheels_;
  ydot.segment<3>(at) << data_.power_friction, data_.power_contact, data_.power_gravity;
  return true;
}

bool MultibodySystem::Equations::advance(double t_A, double t_E, Configuration& at,
                                         Eigen::VectorXd& theta) {
  outcome_ = {};
  start_ = at.g;
  y_.setZero();
  y_.segment<6>(kPose) = at.eta;
  y_.segment(kPose + kTwist, followers_) = at.follower;
  y_.segment(kPose + kTwist + followers_, passive_) = at.passive;
  const Eigen::Index wheels = kPose + kTwist + followers_ + passive_;
  y_.segment(wheels, wheels_) = theta;
  bool good = false;
  switch (options_.solver.integrator) {
    case Integrator::rk4:
      good = rk4_.step(*this, t_A, t_E - t_A, y_);
      break;
    case Integrator::dopri5:
      good = dopri5_.advance(*this, t_A, t_E, y_) == math::Advance::ok;
      break;
    case Integrator::cvode:
      cvode_->restart(t_A, y_);
      good = true;
      while (good && cvode_->t() < t_E) good = cvode_->advance(t_E) == math::Advance::ok;
      cvode_->interpolate(cvode_->t(), y_);
      break;
  }
  if (!good || !y_.allFinite()) {
    if (outcome_.ok()) outcome_.kind = Outcome::Kind::non_finite;
    return false;
  }
  read(y_);
  if (model_.base_imposed) {
    program_(t_E, data_.input);
    at_.g = imposed_pose(data_.input);
  }
  at = at_;
  at.g.R = math::to_quaternion(at.g.R).toRotationMatrix();
  theta = y_.segment(wheels, wheels_);
  const auto own = y_.segment(wheels + wheels_, joints_ + wheels_);
  const auto other = y_.tail<kOther>();
  work = {};
  work.servo = own.sum();
  work.positive = own.cwiseMax(0.0).sum();
  work.friction = other(0);
  work.contact = other(1);
  work.gravity = other(2);
  return true;
}

}  // namespace coluber::multibody
