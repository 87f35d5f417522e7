#include "coluber/gait/gait.hpp"

#include <limits>

namespace coluber::gait {

void Gait::evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const {
  constexpr double h = 1e-4;  // s: errors of h² phidot''' / 6 and of rounding / h
  Eigen::VectorXd phi(phidd_d.size());
  Eigen::VectorXd before(phidd_d.size());
  evaluate(t - h, phi, before);
  evaluate(t + h, phi, phidd_d);
  phidd_d = (phidd_d - before) / (2.0 * h);
}

double Gait::next_break(double /*t*/) const { return std::numeric_limits<double>::infinity(); }

}  // namespace coluber::gait
