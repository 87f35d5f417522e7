#include "loop_feedback.hpp"

#include <algorithm>
#include <limits>

namespace coluber::simulation {

LoopFeedback::LoopFeedback(const System& system, const gait::Gait& gait,
                           control::Controller& controller)
    : system_(system),
      gait_(&gait),
      controller_(controller),
      phi_(dynamic_cast<const JointDriven&>(system).joint_count()),
      phidot_(phi_),
      phi_d_(phi_),
      phidot_d_(phi_),
      phidd_d_(Eigen::VectorXd::Constant(phi_.size(), std::numeric_limits<double>::quiet_NaN())),
      command_(static_cast<int>(phi_.size())) {}

void LoopFeedback::compute_torque(double t, const Eigen::Ref<const Eigen::VectorXd>& phi,
                                  const Eigen::Ref<const Eigen::VectorXd>& phidot,
                                  const BaseState& base, Eigen::Ref<Eigen::VectorXd> tau) {
  if (interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed))
    throw Driver::Interrupted{};
  phi_ = phi;
  phidot_ = phidot;
  gait_->evaluate(t, phi_d_, phidot_d_);
  const bool model_based = controller_.model_based();
  if (model_based) gait_->evaluate_acceleration(t, phidd_d_);
  command_.phi_d = phi_d_;
  command_.phidot_d = phidot_d_;
  controller_.update({.t = t,
                      .dt = 0.0,  // start and end of the step are the same instant
                      .phi = phi_,
                      .phidot = phidot_,
                      .phi_d_A = phi_d_,
                      .phidot_d_A = phidot_d_,
                      .phi_d_E = phi_d_,
                      .phidot_d_E = phidot_d_,
                      .phidd_d_A = phidd_d_,
                      .base = model_based ? &base : nullptr,
                      .system = system_},
                     command_);
  for (Eigen::Index j = 0; j < tau.size(); ++j) tau(j) = command_.torque(j, phi(j), phidot(j));
}

double LoopFeedback::next_break(double t) const {
  const double next = gait_->next_break(t);
  const double start = controller_.start_time();
  return start > t ? std::min(next, start) : next;
}

}  // namespace coluber::simulation
