#pragma once

#include <memory>

#include "coluber/math/ode.hpp"
#include "coluber/rod/system.hpp"

#include "math/cvode_integrator.hpp"

namespace coluber::rod {

/// The head's motion as an initial-value problem: its pose as σ, g = g_0 exp(σ), the distance S
/// along the path; where forces move the rod also its twist and the works, all since the start.
class RodSystem::Equations final : public math::Ode {
 public:
  explicit Equations(RodSystem& system);

  bool compute_rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                    Eigen::Ref<Eigen::VectorXd> ydot) override;

  /// Moves the head from t_A to t_E.
  Fault advance(double t_A, double t_E);
  /// Step size that the next step begins with, of an adaptive integrator.
  [[nodiscard]] double& next_step() { return dopri5_.next_step(); }

  /// Works of the last advance where forces move the rod (J).
  chain::StepWork work;

 private:
  RodSystem& system_;
  Eigen::Index size_;
  Eigen::VectorXd y_;
  Pose start_{};
  Fault fault_ = Fault::none;
  math::Rk4 rk4_;
  math::Dopri5 dopri5_;
  std::unique_ptr<math::CvodeIntegrator> cvode_;
};

}  // namespace coluber::rod
