#pragma once

#include <cstdint>

#include <Eigen/Core>

#include "coluber/core/export.hpp"

// Initial-value problems dy/dt = f(t, y), and two explicit integrators of them. Their results are
// bit-identical on every processor if f is; nothing here allocates after construction.

namespace coluber::math {

/// dy/dt = f(t, y).
class COLUBER_EXPORT Ode {
 public:
  Ode() = default;
  /// With room for `compute_jacobian` below, for `size` entries of y; without it the first call
  /// makes room.
  explicit Ode(Eigen::Index size) : shifted_(size) {}
  Ode(const Ode&) = delete;
  Ode& operator=(const Ode&) = delete;
  virtual ~Ode() = default;
  /// ydot = f(t, y). False: something is not finite; the integrator tries a shorter step.
  virtual bool compute_rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                            Eigen::Ref<Eigen::VectorXd> ydot) = 0;
  /// df/dy at (t, y), where f is `ydot`; it need only be good enough for Newton's iteration. This
  /// one takes forward differences, one evaluation per entry of y. Its increments are 1.5e-8 of an
  /// entry, or of 0.1 if that is more.
  virtual bool compute_jacobian(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                                const Eigen::Ref<const Eigen::VectorXd>& ydot,
                                Eigen::Ref<Eigen::MatrixXd> J);

 private:
  Eigen::VectorXd shifted_;
};

/// How an integration came out.
enum class Advance : std::uint8_t {
  ok,
  non_finite,      ///< the right-hand side has no finite value, however short the step
  error_test,      ///< the error stays above the tolerance, however short the step
  newton,          ///< Newton's iteration does not converge, however short the step
  too_many_steps,  ///< the end is not reached in the number of steps allowed
  other,           ///< the integrator gave up for another reason
};

/// The classical method of Runge and Kutta, of order 4, with steps of a fixed size.
class COLUBER_EXPORT Rk4 {
 public:
  /// For `size` entries of y.
  explicit Rk4(Eigen::Index size);

  /// One step of size h from (t, y). False where `compute_rate` said false or the result is not
  /// finite; y is then unchanged.
  [[nodiscard]] bool step(Ode& ode, double t, double h, Eigen::Ref<Eigen::VectorXd> y);

 private:
  Eigen::VectorXd k_, sum_, stage_;
};

/// Tolerances and limits of Dopri5.
struct Dopri5Options {
  double rtol = 1e-8;                ///< error of a step, of the entry of y
  double atol = 1e-10;               ///< error of a step, in the units of y
  std::int64_t max_steps = 1000000;  ///< of one call, rejected ones included
};

/// The method of Dormand and Prince, of order 5 with an error estimate of order 4: explicit, with
/// steps of a size that it finds itself. The error is the root of the mean square over all entries,
/// each scaled by atol + rtol |y|.
class COLUBER_EXPORT Dopri5 {
 public:
  /// For `size` entries of y.
  explicit Dopri5(Eigen::Index size, const Dopri5Options& options = {});

  /// Integrates from (t, y) to `t_end` >= t, which it meets exactly. Whatever fails or throws, y
  /// and next_step() are unchanged. Call it from break to break of f: no step looks beyond `t_end`.
  [[nodiscard]] Advance advance(Ode& ode, double t, double t_end, Eigen::Ref<Eigen::VectorXd> y);

  /// Size of the step to try first in the next call; 0 for one found from f. It is all that a call
  /// leaves to the next: with it saved and restored a run continues bit-identically.
  [[nodiscard]] double& next_step() { return next_step_; }
  /// The same, to look at.
  [[nodiscard]] double next_step() const { return next_step_; }

  /// Steps accepted since it was made.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Steps rejected since it was made.
  [[nodiscard]] std::int64_t rejected() const { return rejected_; }
  /// Evaluations of f since it was made.
  [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }

 private:
  bool rate(Ode& ode, double t, const Eigen::VectorXd& y, int stage);
  /// The stages of a step of size h and the new y; false if one is not finite.
  bool update_stages(Ode& ode, double t, double t_new, double h);
  /// Scaled error of the last stages; above 1 the step is rejected.
  [[nodiscard]] double error(double h) const;
  double first_step(Ode& ode, double t, double t_end);

  Dopri5Options options_;
  double next_step_ = 0.0;
  std::int64_t steps_ = 0, rejected_ = 0, evaluations_ = 0;
  Eigen::MatrixXd k_;  // a stage per column
  Eigen::VectorXd y_, y_new_, stage_;
};

}  // namespace coluber::math
