#pragma once

// Closed forms of rods.  Ali, chapter 6

#include <array>
#include <cmath>
#include <numbers>

#include <Eigen/Core>

#include "coluber/rod/data.hpp"

namespace coluber::sample {

/// Wrench of the contacts on a planar snake, head axes.
struct Resultant {
  Eigen::Vector2d force = Eigen::Vector2d::Zero();
  double torque = 0.0;
};

/// Of a snake that follows its own path: by the momentum that enters at one end and leaves at the
/// other. The path is integrated by Simpson's rule over 40000 intervals with K given.
///   force  = m V² (t(l) − t(0)) + m V̇ D
///   torque = m V² (D × t(l))_z + J V² (K(l) − K(0)) + V̇ (m ∫ ((p − p_o) × t)_z + J ∫ K)
inline Resultant exact_resultant(const rod::StrainLaw& strain, const rod::Model& model, double t) {
  constexpr int n = 20000;
  const double h = model.l / n;
  const double m = model.M(0);
  const double J = model.M(5);
  const rod::Travel travel = *strain.travel(t);
  const auto curvature = [&](double X) {
    rod::Strains at;
    strain.evaluate(t, {&X, 1}, {&at, 1});
    return at.xi(5);
  };
  double theta = 0.0;
  double moment = 0.0;
  Eigen::Vector2d p = Eigen::Vector2d::Zero();
  const auto tangent = [](double angle) {
    return Eigen::Vector2d(std::cos(angle), std::sin(angle));
  };
  const auto cross = [](const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
    return a.x() * b.y() - a.y() * b.x();
  };
  // θ by Simpson; x, y and the moment by the same rule with θ at the middle of an interval from
  // cubic K: both of order 4.
  for (int i = 0; i < n; ++i) {
    const double X = i * h;
    const std::array<double, 5> K{curvature(X), curvature(X + 0.25 * h), curvature(X + 0.5 * h),
                                  curvature(X + 0.75 * h), curvature(X + h)};
    const double middle = theta + h / 12.0 * (K[0] + 4.0 * K[1] + K[2]);
    const double end = middle + h / 12.0 * (K[2] + 4.0 * K[3] + K[4]);
    const Eigen::Vector2d t_0 = tangent(theta);
    const Eigen::Vector2d t_1 = tangent(middle);
    const Eigen::Vector2d t_2 = tangent(end);
    const Eigen::Vector2d p_1 = p + h / 24.0 * (5.0 * t_0 + 8.0 * t_1 - t_2);
    const Eigen::Vector2d p_2 = p + h / 6.0 * (t_0 + 4.0 * t_1 + t_2);
    moment += h / 6.0 * (cross(p, t_0) + 4.0 * cross(p_1, t_1) + cross(p_2, t_2));
    p = p_2;
    theta = end;
  }
  const Eigen::Vector2d t_l = tangent(theta);
  const double V2 = travel.V * travel.V;
  Resultant out;
  out.force = m * V2 * (t_l - tangent(0.0)) + m * travel.Vdot * p;
  out.torque = m * V2 * cross(p, t_l) + J * V2 * (curvature(model.l) - curvature(0.0)) +
               travel.Vdot * (m * moment + J * theta);
  return out;
}

}  // namespace coluber::sample
