#include "start_pose.hpp"

#include <cmath>
#include <numbers>

#include "coluber/math/sincos.hpp"

namespace coluber::simulation {

double minus_mean_angle(const Eigen::VectorXd& phi) {
  const auto n = static_cast<double>(phi.size() + 1);
  double mean = 0.0;
  for (Eigen::Index j = 0; j < phi.size(); ++j) {
    mean += phi(j) * (n - 1.0 - static_cast<double>(j)) / n;
  }
  return -mean;
}

double first_link_angle(const scenario::Scenario& scenario, const Eigen::VectorXd& phi) {
  constexpr double kDegree = std::numbers::pi / 180.0;
  // theta_i = theta_1 + sum phi_k; for phi_k = A sin((k-1) beta) the sum is
  // A (cos(beta/2) - cos((i-3/2) beta)) / (2 sin(beta/2)): a constant and a wave about it. The
  // constant turns the wave's mean line onto the heading. An offset bends that line; its mean over
  // the links is taken.
  const scenario::Gait& gait = scenario.gait;
  if (phi.size() > 0 && scenario.start.shape == scenario::StartShape::gait && gait.present &&
      gait.name != "table") {
    double s = 0.0;
    double c = 1.0;
    math::sincos(0.5 * gait.phase_deg * kDegree, s, c);
    if (std::abs(s) > 1e-9) {
      return -gait.amplitude_deg * kDegree * c / (2.0 * s) -
             gait.offset_deg * kDegree * static_cast<double>(phi.size()) / 2.0;
    }
  }
  return minus_mean_angle(phi);
}

}  // namespace coluber::simulation
