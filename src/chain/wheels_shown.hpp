#pragma once

// Wheels as bodies, of every model that has them.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/shown.hpp"
#include "coluber/math/sincos.hpp"

namespace coluber::chain {

/// A shaft with its two wheels as it lies.
struct PlacedAxle {
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();  ///< m
  double theta = 0.0;       ///< of the link's axis, which points back (rad)
  double half_track = 0.0;  ///< m
  double turned = 0.0;      ///< angle of the wheels, positive forward (rad)
};

/// The wheels of link i, counted from 0.
inline void add_wheels(int i, double radius, std::vector<Body>& bodies) {
  constexpr double width = 0.25;  // of the radius; not in any source
  for (const char* side : {"left", "right"}) {
    Body wheel;
    wheel.name = "wheel_" + std::to_string(i + 1) + "_" + side;
    wheel.shape = ShapeKind::wheel;
    wheel.size = {radius, width * radius};
    wheel.colour = "#b4bcc4";
    wheel.moving = true;
    wheel.parent = "link_" + std::to_string(i + 1);
    bodies.push_back(std::move(wheel));
  }
}

/// Poses of both wheels, left of the way forward first; returns what is behind them. Their axis is
/// body y, about which they have turned back as they rolled forward, against the link's axis.
inline double* write_wheels(const PlacedAxle& axle, double* out) {
  double s = 0.0;
  double c = 1.0;
  double s_half = 0.0;
  double c_half = 1.0;
  double s_w = 0.0;
  double c_w = 1.0;
  math::sincos(axle.theta, s, c);
  math::sincos(0.5 * axle.theta, s_half, c_half);
  math::sincos(-0.5 * axle.turned, s_w, c_w);
  for (const double side : {-axle.half_track, axle.half_track}) {
    const std::array<double, 7> each{axle.middle.x() - side * s,
                                     axle.middle.y() + side * c,
                                     0.0,
                                     c_half * c_w,
                                     -s_half * s_w,
                                     c_half * s_w,
                                     s_half * c_w};
    out = std::copy(each.begin(), each.end(), out);
  }
  return out;
}

}  // namespace coluber::chain
