#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "coluber/core/export.hpp"

namespace coluber {

/// How a step came out.
enum class Status : std::uint8_t {
  ok,             ///< the laws hold to the tolerance
  not_converged,  ///< the best iterate was kept; its residual says how far off it is
  non_finite,     ///< a NaN or an infinity appeared; the state is not usable
  not_taken,      ///< the model has no next state: the last is kept
};

/// In words: "ok", "not converged", "not finite", "not taken".
COLUBER_EXPORT std::string_view to_string(Status status);

/// A figure that every step of a system has, and what the run's summary makes of it.
struct StepFigure {
  std::string name;  ///< "residual"
  std::string unit{};
  std::string largest_as{};   ///< in the summary: the largest, under this name; "": not there
  std::string sum_as{};       ///< the sum over the steps, a whole number
  std::string positive_as{};  ///< how many steps had more than zero of it
  std::string in_message{};   ///< of a step that did not come out: "residual {:.3g}"; "": not said
};

/// Outcome of one time step: whether it came out, and the figures that the system names.
struct [[nodiscard]] StepInfo {
  Status status = Status::ok;
  const char* quantity =
      "";         ///< what was non-finite or worst ("velocity of link", "impulse on link", …)
  int index = 0;  ///< 1-based link, joint or contact it belongs to; 0: none
  /// Values of `System::figures()`, in their order; valid until the next step.
  std::span<const double> figures{};
  bool refused = false;  ///< it was not taken: the state is that before the step
};

}  // namespace coluber
