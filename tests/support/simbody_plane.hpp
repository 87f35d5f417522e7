#pragma once

// A planar robot in Simbody, whose headers are not C++20: what it is and what comes out, without
// them.

#include <array>
#include <vector>

namespace simbody {

/// Where a robot is, how it moves, what it takes.
struct Answer {
  double t = 0.0;                 // s
  std::array<double, 3> pose{};   // x, y (m), heading (rad)
  std::array<double, 3> twist{};  // V_x, V_y (m/s), Omega (rad/s), body axes
  std::vector<double> tau;        // N m
  std::vector<double> lambda;     // N
};

struct Body {
  double m = 0.0;                   // kg
  std::array<double, 3> centre{};   // of mass (m)
  std::array<double, 3> moments{};  // of inertia about it (kg m²)
};

/// A body on the base, turned by amplitude sin(omega t).
struct Pin {
  Body body{};
  double x = 0.0;  // on the base (m)
  double amplitude = 0.0, omega = 0.0;
  bool wheel = false;  // at its origin, rolling along its x
};

/// A base that moves in the plane from the origin, and what turns on it.
struct PlanarRobot {
  Body body{};
  bool wheel = false;             // at the base's origin
  double V_x = 0.0, Omega = 0.0;  // at the start
  std::vector<Pin> pins;
};

/// Its motion to time `end` (s).
Answer run(const PlanarRobot& robot, double end);

}  // namespace simbody
