#pragma once

#include <limits>

#include "coluber/core/status.hpp"

namespace coluber::nonsmooth {

/// Outcome of one time step with contacts. Residuals are scaled: impulse over m_min g dt
/// (docs/numerics.md).
struct [[nodiscard]] ContactStepInfo {
  Status status = Status::ok;
  int iterations = 0;           ///< linear sweeps of the solver
  int fallback_sweeps = 0;      ///< those after Newton alone did not settle
  double residual = 0.0;        ///< law and momentum of the step's answer: the larger
  double rigid_residual = 0.0;  ///< the same judged by the set-valued law as it stands
  const char* quantity =
      "";         ///< what was non-finite or worst ("velocity of link", "impulse on link", …)
  int index = 0;  ///< 1-based link, joint or contact it belongs to; 0: none
  double residual_law = 0.0;       ///< of `residual`, the laws alone
  double residual_momentum = 0.0;  ///< of `residual`, the balance of momentum alone
  int passed_link = 0;             ///< 1-based; went through an obstacle within the step; 0: none
  int passed_obstacle = 0;         ///< 1-based, the one it went through
  int fallback_passes = 0;         ///< law `rigid`: proximal passes of the fallback
  double gap = 0.0;                ///< law `rigid`: what the fallback's proximal terms leave over
  /// Share of the friction that is off, as in nonsmooth::Residual; NaN: not asked for.
  double friction_share = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace coluber::nonsmooth
