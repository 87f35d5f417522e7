#include "coluber/control/heading.hpp"

#include <algorithm>
#include <cmath>

#include "coluber/math/atan2.hpp"
#include "coluber/math/sincos.hpp"

namespace coluber::control {

// Far from the path z_c = v T, and the head turns until sin(theta~) = -1: it comes in at right
// angles. Differs: the source has neither anti-windup nor a limit on delta_1, which reaches 3 rad:
// beyond pi/2 tan(delta_1) changes its sign.
double Heading::steer(const path::Deviation& at, double theta_error, double v, double L_PJ,
                      double period) {
  const double reach = std::abs(v) * options_.T;
  const double z_hat = at.z + options_.K_i * integral_;  // (15)
  const double z_c = std::clamp(z_hat, -reach, reach);   // (14)
  if (!options_.anti_windup || z_c == z_hat) integral_ += period * at.z;
  const double delta_f = math::atan2(at.kappa * L_PJ, 1.0);  // (16), (17)
  double sine = 0.0;
  double cosine = 0.0;
  math::sincos(theta_error, sine, cosine);
  const double delta = delta_f - options_.K * (z_c + v * options_.T * sine);  // (13)
  const double cut = std::clamp(delta, -options_.limit, options_.limit);
  clamped_ = cut != delta;
  return cut;
}

}  // namespace coluber::control
