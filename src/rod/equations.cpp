#include "rod/equations.hpp"

namespace coluber::rod {

namespace {

/// σ and S; then η and the works of actuators, force laws and gravity.
constexpr Eigen::Index kPath = 6, kKinematic = 7, kWorks = 13, kDynamic = 16;

}  // namespace

RodSystem::Equations::Equations(RodSystem& system)
    : system_(system),
      size_(system.kinematic() ? kKinematic : kDynamic),
      y_(Eigen::VectorXd::Zero(size_)),
      rk4_(system.options_.solver.integrator == Integrator::rk4 ? size_ : 0),
      dopri5_(system.options_.solver.integrator == Integrator::dopri5 ? size_ : 0,
              {.rtol = system.options_.solver.rtol, .atol = system.options_.solver.atol}) {
  if (system.options_.solver.integrator == Integrator::cvode) {
    cvode_ = std::make_unique<math::CvodeIntegrator>(*this, size_, system.options_.solver.rtol,
                                                     system.options_.solver.atol);
  }
}

bool RodSystem::Equations::compute_rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                                        Eigen::Ref<Eigen::VectorXd> ydot) {
  RodSystem& s = system_;
  const double at = s.within(t);
  const Vector6d sigma = y.head<6>();
  const Pose g = start_ * math::exp(sigma);
  if (s.kinematic()) {
    fault_ = update_kinematic_twist(s.model_, s.contact_, *s.strain_, at, g, y(kPath), s.contacts_,
                                    s.data_);
    if (fault_ != Fault::none) return false;
    ydot.head<6>() = math::dexp_inverse(sigma, s.data_.eta_o);
    ydot(kPath) = s.contacts_.travel.V;
    return ydot.allFinite();
  }
  const Vector6d eta = y.segment<6>(kKinematic);
  fault_ = evaluate_dynamic(s.model_, *s.strain_, at, g, eta, true, s.data_);
  if (fault_ != Fault::none) return false;
  ydot.head<6>() = math::dexp_inverse(sigma, eta);
  ydot(kPath) = 0.0;
  ydot.segment<6>(kKinematic) = s.data_.etadot_o;
  ydot.segment<3>(kWorks) << s.data_.actuator_power, s.data_.power_friction, s.data_.power_gravity;
  return ydot.allFinite();
}

Fault RodSystem::Equations::advance(double t_A, double t_E) {
  RodSystem& s = system_;
  fault_ = Fault::none;
  start_ = s.g_;
  y_.setZero();
  y_(kPath) = s.S_;
  if (!s.kinematic()) y_.segment<6>(kKinematic) = s.eta_;
  bool good = false;
  switch (s.options_.solver.integrator) {
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
  if (!good || !y_.allFinite()) return fault_ == Fault::none ? Fault::not_finite : fault_;
  s.g_ = start_ * math::exp(Vector6d{y_.head<6>()});
  s.g_.R = math::to_quaternion(s.g_.R).toRotationMatrix();
  s.S_ = y_(kPath);
  if (s.kinematic()) return Fault::none;
  s.eta_ = y_.segment<6>(kKinematic);
  work = {};
  work.servo = y_(kWorks);
  work.friction = y_(kWorks + 1);
  work.gravity = y_(kWorks + 2);
  return Fault::none;
}

}  // namespace coluber::rod
