#pragma once

#include <Eigen/Core>

namespace coluber {

/// The largest joint torque so far, either way, and when it was.
struct TorquePeak {
  double torque = 0.0;  ///< N m
  double time = 0.0;    ///< s

  /// Looks at the torques `tau` (N m) at time `t` (s).
  void update(const Eigen::Ref<const Eigen::VectorXd>& tau, double t) {
    if (tau.size() > 0) update(tau.cwiseAbs().maxCoeff(), t);
  }
  /// Looks at the largest of the torques alone.
  void update(double largest, double t) {
    if (!(largest > torque)) return;
    torque = largest;
    time = t;
  }

  /// To or from a checkpoint.
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    bytes(self.torque, self.time);
  }
};

}  // namespace coluber
