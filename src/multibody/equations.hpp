#pragma once

#include <memory>

#include "coluber/math/ode.hpp"
#include "coluber/multibody/system.hpp"

#include "math/cvode_integrator.hpp"

namespace coluber::multibody {

/// The motion as an initial-value problem: the reference body's pose as σ, g = g_0 exp(σ), its
/// twist where it is dynamic, what is found by integration, and the works, all since the step's
/// start.
class MultibodySystem::Equations final : public math::Ode {
 public:
  Equations(const Model& model, const Classification& as, const Program& program,
            const SystemOptions& options, const EvaluateOptions& evaluate, Data& data);

  bool compute_rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                    Eigen::Ref<Eigen::VectorXd> ydot) override;

  /// From `at` at t_A to t_E; `at`, `theta` are those at the end, works into the members below.
  [[nodiscard]] bool advance(double t_A, double t_E, Configuration& at, Eigen::VectorXd& theta);
  [[nodiscard]] const Outcome& outcome() const { return outcome_; }
  /// Step size that the next step begins with, of an adaptive integrator.
  [[nodiscard]] double& next_step() { return dopri5_.next_step(); }

  /// Works of the last step (J).
  chain::StepWork work;

 private:
  void read(const Eigen::Ref<const Eigen::VectorXd>& y);

  const Model& model_;
  const Classification& as_;
  const Program& program_;
  const SystemOptions& options_;
  const EvaluateOptions& evaluate_;
  Data& data_;
  Eigen::Index followers_, passive_, wheels_, joints_, size_;
  Eigen::VectorXd y_;
  Pose start_{};
  Configuration at_;
  Outcome outcome_;
  math::Rk4 rk4_;
  math::Dopri5 dopri5_;
  std::unique_ptr<math::CvodeIntegrator> cvode_;
};

}  // namespace coluber::multibody
