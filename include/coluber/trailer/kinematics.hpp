#pragma once

#include <cmath>

#include <Eigen/Core>

#include "coluber/core/export.hpp"

/// A train of modules that roll without slip: a driven axle each, the first steered.
///
// clang-format off
/// | letter | code | meaning | unit | Murugendran |
/// |---|---|---|---|---|
/// | P_i | – | middle of the axle of module i; module 1 leads | – | fig. 1 |
/// | J_i | – | front end of module i, joint to module i - 1 | – | fig. 1 |
/// | L_PJ | `L_PJ` | from P_i forward to J_i | m | – |
/// | L_JP | `L_JP` | from P_i back to J_(i+1) | m | – |
/// | δ_i | `delta` | direction in which J_i moves, from module i's axis; δ_1 steers | rad | (18) |
/// | β_i | `beta` | direction in which J_(i+1) moves, from module i's axis | rad | (25) |
/// | φ_i | `phi(i - 2)` | θ_i - θ_(i-1), i = 2 … n; negative in a left turn | rad | (19) |
/// | v_i | `v(i - 1)` | speed of P_i along its module | m/s | (26) |
// clang-format on
namespace coluber::trailer {

/// Lengths of every module.
struct Lengths {
  double L_PJ = 0.079;  ///< m, > 0
  double L_JP = 0.043;  ///< m, >= 0
};

/// How the train moves: what follows from its shape, the steering angle and the speed of P_1.
struct Motion {
  /// Of `modules` modules, all zero.
  explicit Motion(int modules)
      : phidot(Eigen::VectorXd::Zero(modules - 1)),
        delta(Eigen::VectorXd::Zero(modules)),
        v(Eigen::VectorXd::Zero(modules)) {}

  Eigen::VectorXd phidot;  ///< rad/s
  Eigen::VectorXd delta;   ///< rad
  Eigen::VectorXd v;       ///< m/s
  double thetadot = 0.0;   ///< of module 1 (rad/s)
};

/// Murugendran (23), (25)-(27), for joint angles `phi`, steering delta_1 (rad) and the speed v_1.
/// Singular where a |phi_i| or |delta_i| is pi/2: returns the module (1-based) that gets there
/// first, else 0. Nothing is wrapped.
COLUBER_EXPORT int update_motion(const Lengths& lengths,
                                 const Eigen::Ref<const Eigen::VectorXd>& phi, double delta_1,
                                 double v_1, Motion& motion);

}  // namespace coluber::trailer
