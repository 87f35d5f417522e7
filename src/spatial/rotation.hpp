#pragma once

#include <cmath>

#include <Eigen/Core>

#include "coluber/math/sincos.hpp"

// Euler parameters, scalar first.

namespace coluber::spatial {

/// R = (e0² - e.e) I + 2 e e^T + 2 e0 skew(e): columns are the body axes.
/// Transeth (4.3)-(4.5)
inline Eigen::Matrix3d to_matrix(const Eigen::Vector4d& p) {
  const double e0 = p(0);
  const double x = p(1);
  const double y = p(2);
  const double z = p(3);
  Eigen::Matrix3d R;
  R << 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - e0 * z), 2.0 * (x * z + e0 * y),  //
      2.0 * (x * y + e0 * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - e0 * x),   //
      2.0 * (x * z - e0 * y), 2.0 * (y * z + e0 * x), 1.0 - 2.0 * (x * x + y * y);
  return R;
}

/// `p`, of unit length, turned by the rotation vector `w` (rad, world axes); of unit length to
/// rounding.
/// Differs: Transeth (4.103)-(4.105), (4.108), (4.123) adds pdot dt and normalises; this turn is
/// exact for a constant omega.
inline Eigen::Vector4d turn(const Eigen::Vector4d& p, const Eigen::Vector3d& w) {
  const double half_square = 0.25 * w.squaredNorm();
  double sine = 1.0;  // sin(h)/h
  double cosine = 1.0;
  if (half_square < 1e-3) {  // the next terms are below 1e-17
    const double x = half_square;
    sine = 1.0 - x * (1.0 / 6.0 - x * (1.0 / 120.0 - x / 5040.0));
    cosine = 1.0 - x * (0.5 - x * (1.0 / 24.0 - x * (1.0 / 720.0 - x / 40320.0)));
  } else {
    const double half = std::sqrt(half_square);
    math::sincos(half, sine, cosine);
    sine /= half;
  }
  const Eigen::Vector3d e = 0.5 * sine * w;
  Eigen::Vector4d q;
  q(0) = cosine * p(0) - e.dot(p.tail<3>());
  q.tail<3>() = cosine * p.tail<3>() + p(0) * e + Eigen::Vector3d{e.cross(p.tail<3>())};
  return (1.5 - 0.5 * q.squaredNorm()) * q;  // 1/|q|, which is 1 but for rounding
}

}  // namespace coluber::spatial
