#pragma once

#include <Eigen/Core>

#include "coluber/core/export.hpp"
#include "coluber/core/status.hpp"
#include "coluber/drive/moving_base.hpp"

namespace coluber {

/// Joint torques at any instant, for a model that is integrated with its controller at work inside
/// the step. A function of its arguments alone: an integrator asks for instants it then discards.
class COLUBER_EXPORT Feedback {
 public:
  Feedback() = default;
  Feedback(const Feedback&) = delete;
  Feedback& operator=(const Feedback&) = delete;
  virtual ~Feedback() = default;

  /// Torques `tau` (N m, positive drives phi up) at time `t` (s).
  virtual void compute_torque(double t, const Eigen::Ref<const Eigen::VectorXd>& phi,
                              const Eigen::Ref<const Eigen::VectorXd>& phidot,
                              const BaseState& base, Eigen::Ref<Eigen::VectorXd> tau) = 0;
  /// First instant after `t` (s) where the torques jump; infinite if there is none.
  [[nodiscard]] virtual double next_break(double t) const = 0;
};

/// A model that is integrated: it takes a controller at work inside its step.
class COLUBER_EXPORT FeedbackDriven {
 public:
  FeedbackDriven() = default;
  FeedbackDriven(const FeedbackDriven&) = delete;
  FeedbackDriven& operator=(const FeedbackDriven&) = delete;
  virtual ~FeedbackDriven() = default;
  /// One step with `feedback` at work at every instant of it; `phi_d` (rad) are the references at
  /// its end, for the record. Whatever throws in it, the state and all that the next step depends
  /// on are those before it.
  virtual StepInfo step_under(Feedback& feedback,
                              const Eigen::Ref<const Eigen::VectorXd>& phi_d) = 0;
  /// The next step is under another feedback than the last: what is left of that is not used.
  virtual void start_afresh() {}
};

}  // namespace coluber
