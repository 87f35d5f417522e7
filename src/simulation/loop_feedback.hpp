#pragma once

#include <atomic>

#include <Eigen/Core>

#include "coluber/control/controller.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/feedback.hpp"
#include "coluber/gait/gait.hpp"

#include "simulation/driver.hpp"

namespace coluber::simulation {

/// Gait and controller as one torque law, for a model that is integrated.
class LoopFeedback final : public Feedback {
 public:
  /// The controller is `continuous()`.
  LoopFeedback(const System& system, const gait::Gait& gait, control::Controller& controller);

  /// Once `interrupt`, if there is one, is set, compute_torque() throws Driver::Interrupted: a step
  /// of the integrator may take long.
  void watch(const std::atomic<bool>* interrupt) { interrupt_ = interrupt; }
  /// From now on `gait` gives the references.
  void follow(const gait::Gait& gait) { gait_ = &gait; }

  void compute_torque(double t, const Eigen::Ref<const Eigen::VectorXd>& phi,
                      const Eigen::Ref<const Eigen::VectorXd>& phidot, const BaseState& base,
                      Eigen::Ref<Eigen::VectorXd> tau) override;
  [[nodiscard]] double next_break(double t) const override;

 private:
  const System& system_;
  const gait::Gait* gait_;
  control::Controller& controller_;
  const std::atomic<bool>* interrupt_ = nullptr;
  Eigen::VectorXd phi_, phidot_, phi_d_, phidot_d_, phidd_d_;
  JointCommand command_;
};

}  // namespace coluber::simulation
