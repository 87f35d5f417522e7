#pragma once

#include <Eigen/Core>

namespace coluber {

/// The largest joint torque so far, either way, and when it was.
struct TorquePeak {
  double torque = 0.0;  ///< N m
  double time = 0.0;    ///< s
  // known of what follow() looks at:
  int angle = -1;        ///< which of the torques it was, counted from 0
  double before = 0.0;   ///< that torque a step earlier (N m), positive if it went the same way
  Eigen::VectorXd last;  ///< torques of the last step (N m)

  /// Looks at the torques `tau` (N m) at time `t` (s).
  void update(const Eigen::Ref<const Eigen::VectorXd>& tau, double t) {
    if (tau.size() > 0) update(tau.cwiseAbs().maxCoeff(), t);
  }
  /// Looks at the largest of the torques alone.
  void update(double largest, double t) {
    if (!(largest > torque)) return;
    torque = largest;
    time = t;
    angle = -1;
  }
  /// Looks at the torques of steps that follow one another; `last` has their size.
  void follow(const Eigen::VectorXd& tau, double t) {
    if (tau.size() == 0) return;
    Eigen::Index at = 0;
    const double largest = tau.cwiseAbs().maxCoeff(&at);
    if (largest > torque) {
      update(largest, t);
      angle = static_cast<int>(at);
      before = tau(at) < 0.0 ? -last(at) : last(at);
    }
    last = tau;
  }

  /// To or from a checkpoint.
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    bytes(self.torque, self.time, self.angle, self.before, self.last);
  }
};

}  // namespace coluber
