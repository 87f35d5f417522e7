#pragma once

#include <cstdint>
#include <memory>

#include <Eigen/Core>

#include "coluber/math/ode.hpp"

// CVODE of SUNDIALS behind a small face: backward differentiation formulas of order 1 to 5 and
// Newton's iteration with a dense matrix. Nothing here throws but what the equations throw.

namespace coluber::math {

/// What is known of the equations beside their rate.
enum class Structure : std::uint8_t {
  general,
  second_order,  ///< y = (q, v) in halves, and the first half of f is v
};

/// One initial-value problem. Sized once; a restart allocates nothing. Of equations of second order
/// only half of Newton's matrix is factored.
class CvodeIntegrator {
 public:
  CvodeIntegrator(Ode& ode, Eigen::Index size, double rtol, double atol,
                  Structure structure = Structure::general);
  ~CvodeIntegrator();
  CvodeIntegrator(const CvodeIntegrator&) = delete;
  CvodeIntegrator& operator=(const CvodeIntegrator&) = delete;

  /// Was the library built with CVODE? If not, the constructor throws Error.
  static bool is_built();

  /// Forgets all and starts from `y` at `t`, with order 1.
  void restart(double t, const Eigen::Ref<const Eigen::VectorXd>& y);
  /// One internal step, not beyond `t_stop`.
  [[nodiscard]] Advance advance(double t_stop);
  /// End of the last internal step.
  [[nodiscard]] double t() const { return t_; }
  /// The solution at `t` within the last internal step; at t() itself it is exact. Before the first
  /// step the start's.
  void interpolate(double t, Eigen::Ref<Eigen::VectorXd> y) const;

  /// Totals since it was made.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }
  [[nodiscard]] std::int64_t restarts() const { return restarts_; }

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
  double t_ = 0.0;
  bool started_ = false;  // a step has been taken since the restart
  std::int64_t steps_ = 0, evaluations_ = 0, restarts_ = 0;
};

}  // namespace coluber::math
