#pragma once

// Initial-value problems with closed solutions.

#include <cmath>

#include <Eigen/Core>

#include "coluber/math/group.hpp"
#include "coluber/math/ode.hpp"

namespace coluber::test {

/// x'' = -x as y = (x, v)
class Oscillator final : public math::Ode {
 public:
  bool compute_rate(double /*t*/, const Eigen::Ref<const Eigen::VectorXd>& y,
                    Eigen::Ref<Eigen::VectorXd> ydot) override {
    ydot << y(1), -y(0);
    return true;
  }
  static Eigen::Vector2d solution(double t) { return {std::cos(t), -std::sin(t)}; }
};

/// y' = -2 t y, y(0) = 1: y = exp(-t²). Depends on t as well.
class Bell final : public math::Ode {
 public:
  bool compute_rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                    Eigen::Ref<Eigen::VectorXd> ydot) override {
    ydot(0) = -2.0 * t * y(0);
    return true;
  }
  static double solution(double t) { return std::exp(-t * t); }
};

/// y' = lambda (y - cos t) - sin t, y(0) = 1: y = cos t, and all else goes there with exp(lambda
/// t).
class Stiff final : public math::Ode {
 public:
  explicit Stiff(double rate) : math::Ode(1), lambda(rate) {}
  bool compute_rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                    Eigen::Ref<Eigen::VectorXd> ydot) override {
    ydot(0) = lambda * (y(0) - std::cos(t)) - std::sin(t);
    return true;
  }
  double lambda;
};

/// A symmetric top without moments, in the chart R = R_0 exp(sigma): y = (sigma, Omega).
class Top final : public math::Ode {
 public:
  static constexpr double A = 1.0, C = 1.7;  // kg m², across and along its axis

  bool compute_rate(double /*t*/, const Eigen::Ref<const Eigen::VectorXd>& y,
                    Eigen::Ref<Eigen::VectorXd> ydot) override {
    const Eigen::Vector3d sigma = y.head<3>();
    const Eigen::Vector3d Omega = y.tail<3>();
    ydot.head<3>() = math::dexp_inverse(sigma, Omega);
    ydot.tail<3>() << (A - C) / A * Omega.y() * Omega.z(), (C - A) / A * Omega.x() * Omega.z(), 0.0;
    return true;
  }
  /// From R = 1: precession about the angular momentum, spin about its own axis.
  static Eigen::Matrix3d solution(const Eigen::Vector3d& Omega, double t) {
    const Eigen::Vector3d L(A * Omega.x(), A * Omega.y(), C * Omega.z());
    const Eigen::Vector3d spin(0.0, 0.0, (1.0 - C / A) * Omega.z() * t);
    return math::exp(Eigen::Vector3d{L * (t / A)}) * math::exp(spin);
  }
};

}  // namespace coluber::test
