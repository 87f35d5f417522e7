#pragma once

#include <cmath>
#include <vector>

#include "coluber/grasp/chain.hpp"

// Atakan's robot, and where its runs start.

namespace coluber::sample {

inline constexpr double kDegree = 0.017453292519943295;

/// 15 links of 1 m, the last six on wheels.
inline grasp::Model lasso15() {
  grasp::Model model;
  model.wheeled = {9, 10, 11, 12, 13, 14};
  return model;
}

/// Yaws of all joints in degrees, flat.
inline grasp::Configuration grasp_pose(double heading_deg, const std::vector<double>& yaws_deg) {
  grasp::Configuration q(15);
  q.yaw(0) = heading_deg * kDegree;
  for (std::size_t j = 0; j < yaws_deg.size(); ++j) {
    q.yaw(static_cast<Eigen::Index>(j) + 1) = yaws_deg[j] * kDegree;
  }
  return q;
}

/// Start of R1 and R2.
inline grasp::Configuration start_R1() {
  grasp::Configuration q = grasp_pose(90.0, {});
  q.yaw(14) = 12.0 * kDegree;
  return q;
}

/// Start of a lasso: the front level at 0.3 m as far as link 8, from there in equal falls to the
/// first link on wheels.
inline grasp::Configuration start_lasso() {
  grasp::Configuration q = grasp_pose(20.0, {2, 2, 2, 2, 2, 2, 8, -10, -20, -25, 25, 30, -20, -25});
  Eigen::VectorXd heights = Eigen::VectorXd::Zero(16);
  heights.head(8).setConstant(0.3);
  heights(8) = 0.15;
  static_cast<void>(grasp::pitch_to_heights(lasso15(), heights, q));
  return q;
}

/// Start of R9 to R11: one of two tails.
inline grasp::Configuration start_R9(bool other_tail) {
  grasp::Configuration q(15);
  const std::vector<double> yaws =
      other_tail ? std::vector<double>{0.0401,  0.5643,  -0.5180, 1.0058, 1.2499, 1.5734,  1.8098,
                                       -0.6000, -0.4994, 0.5005,  0.6007, 0.4994, -0.4995, -0.6009}
                 : std::vector<double>{0.0401,  0.5642,  -0.5179, 1.0057, 1.2499, 1.5734, 1.8119,
                                       -0.1986, -0.4999, -0.3984, 0.2998, 0.6002, 0.5005, -0.2002};
  const std::vector<double> pitches =
      other_tail ? std::vector<double>{0.1002,  -0.0973, 0.1118, -0.1791, 0.0293, -0.1948, -0.0243,
                                       -0.0969, 0.1108,  0.1033, -0.4164, 0.3918, -0.4460, 0.3606}
                 : std::vector<double>{0.1002,  -0.0973, 0.1118, -0.1791, 0.0294, -0.2332, 0.1325,
                                       -0.1308, 0.0214,  0.0659, -0.3979, 0.4494, -0.3620, 0.4012};
  q.P0 << 2.0139, 5.5077, 0.0;
  q.yaw(0) = -5.7572;
  for (std::size_t j = 0; j < yaws.size(); ++j) {
    q.yaw(static_cast<Eigen::Index>(j) + 1) = yaws[j];
    q.pitch(static_cast<Eigen::Index>(j) + 1) = pitches[j];
  }
  return q;
}

}  // namespace coluber::sample
