#pragma once

#include "coluber/core/export.hpp"
#include "coluber/path/tracker.hpp"

namespace coluber::control {

/// `[controller.heading]`: how the first module is steered to its path, Murugendran (13)-(17).
struct HeadingOptions {
  double K = 1.5;           ///< rad/m
  double K_i = 0.04;        ///< 1/s
  double T = 2.0;           ///< s
  double limit = 1.2;       ///< of delta_1 (rad), below pi/2
  bool anti_windup = true;  ///< the integral stands still while z_c is clamped
};

/// The steering angle of the head, with its integral.
class COLUBER_EXPORT Heading {
 public:
  /// With no integral yet.
  explicit Heading(const HeadingOptions& options) : options_(options) {}

  /// delta_1 (rad) at a tick: the head is `at` from the path, its heading `theta_error` off (rad),
  /// at the speed v (m/s); L_PJ (m) is the way from its axle to its front. The next tick comes
  /// after `period` (s).
  double steer(const path::Deviation& at, double theta_error, double v, double L_PJ, double period);

  /// Whether the last tick's angle was cut off.
  [[nodiscard]] bool clamped() const { return clamped_; }
  /// Integral of z_1 (m s), to and from a checkpoint.
  [[nodiscard]] double integral() const { return integral_; }
  /// The same, back.
  void set_integral(double integral) { integral_ = integral; }

 private:
  HeadingOptions options_;
  double integral_ = 0.0;
  bool clamped_ = false;
};

}  // namespace coluber::control
