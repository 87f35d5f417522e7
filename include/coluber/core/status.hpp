#pragma once

#include <cstdint>
#include <string_view>

#include "coluber/core/export.hpp"

namespace coluber {

/// How a step came out.
enum class Status : std::uint8_t {
  ok,             ///< the laws hold to the tolerance
  not_converged,  ///< the best iterate was kept; its residual says how far off it is
  non_finite,     ///< a NaN or an infinity appeared; the state is not usable
};

/// In words: "ok", "not converged", "not finite".
COLUBER_EXPORT std::string_view to_string(Status status);

/// Outcome of one time step. Residuals are scaled: impulse over m_min g dt (docs/numerics.md).
struct [[nodiscard]] StepInfo {
  Status status = Status::ok;
  int iterations = 0;           ///< linear sweeps of the solver
  int fallback_sweeps = 0;      ///< those after Newton alone did not settle
  double residual = 0.0;        ///< law and momentum, recomputed outside the solver: the larger
  double rigid_residual = 0.0;  ///< the same judged by the set-valued law as it stands
  const char* quantity =
      "";         ///< what was non-finite or worst ("velocity of link", "impulse on link", …)
  int index = 0;  ///< 1-based link, joint or contact it belongs to; 0: none
  double residual_law = 0.0;       ///< of `residual`, the laws alone
  double residual_momentum = 0.0;  ///< of `residual`, the balance of momentum alone
  int fallback_passes = 0;         ///< law `rigid`: proximal passes of the fallback
  double gap = 0.0;                ///< law `rigid`: what the fallback's proximal terms leave over
};

}  // namespace coluber
