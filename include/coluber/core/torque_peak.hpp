#pragma once

#include <algorithm>
#include <cstdint>

#include <Eigen/Core>

namespace coluber {

/// The largest torque so far of joints or shafts, either way, and when it was.
struct TorquePeak {
  static constexpr int kLooksBack = 4;  ///< steps that follow() remembers

  double torque = 0.0;  ///< N m
  double time = 0.0;    ///< s
  // known of what follow() looks at; torques are positive if they went the way of the largest:
  int angle = -1;          ///< which of the torques it was, counted from 0
  double way = 1.0;        ///< 1 or -1: its sign
  int rise = 0;            ///< steps since that torque was below half; 0: more than it remembers
  double before = 0.0;     ///< that torque so many steps earlier (N m)
  double beside = 0.0;     ///< the lower of those one step earlier and one step later (N m)
  bool newest = false;     ///< there has been no step since
  std::uint32_t at = 0;    ///< number of the next column of `last`
  Eigen::MatrixXd last{};  ///< torques of the last steps (N m), a column each, in turn

  /// Ready to follow so many torques, which were zero so far.
  void follow_from_rest(Eigen::Index size) { last = Eigen::MatrixXd::Zero(size, kLooksBack); }

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
  /// Looks at the torques of steps that follow one another; `last` has a row for each.
  void follow(const Eigen::VectorXd& tau, double t) {
    if (tau.size() == 0) return;
    if (newest && angle >= 0 && angle < tau.size()) {
      beside = std::min(beside, way * tau(angle));
    }
    newest = false;
    Eigen::Index j = 0;
    const double largest = tau.cwiseAbs().maxCoeff(&j);
    if (largest > torque) {
      update(largest, t);
      angle = static_cast<int>(j);
      way = tau(j) < 0.0 ? -1.0 : 1.0;
      newest = true;
      beside = way * earlier(j, 1);
      rise = 0;
      for (int steps = kLooksBack; steps > 0; --steps) {
        if (!(way * earlier(j, steps) < 0.5 * torque)) continue;
        rise = steps;
        before = way * earlier(j, steps);
      }
    }
    last.col(at++ % kLooksBack) = tau;
  }
  /// It came up within a few steps and is lower by more than a tenth a step before or after: how
  /// high it is depends on the step size.
  [[nodiscard]] bool is_spike() const { return angle >= 0 && rise > 0 && beside < 0.9 * torque; }

  /// To or from a checkpoint.
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    bytes(self.torque, self.time, self.angle, self.rise, self.before, self.beside, self.newest,
          self.way, self.at, self.last);
  }

 private:
  [[nodiscard]] double earlier(Eigen::Index j, int steps) const {
    return last(j, (at + kLooksBack - static_cast<std::uint32_t>(steps)) % kLooksBack);
  }
};

}  // namespace coluber
