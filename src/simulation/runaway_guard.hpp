#pragma once

#include <algorithm>

#include <Eigen/Core>

namespace coluber::simulation {

/// Joint rates far above anything the reference asks for, step after step: an explicit controller
/// feeds energy in. The motion stays finite and looks like a result, so it has to be told apart.
class RunawayGuard {
 public:
  static constexpr double factor = 20.0;  ///< times the largest rate of the reference …
  static constexpr double floor = 1.0;    ///< … which counts as at least this (rad/s) …
  static constexpr double time = 0.1;     ///< … for so long (s)

  /// Watches from `start` (s) on: joints whose motors are off may fall as they like.
  RunawayGuard(bool on, double max_rate, double start, double dt)
      : on_(on), limit_(factor * std::max(max_rate, floor)), start_(start), dt_(dt) {}

  /// From now on the references' largest rate is this (rad/s).
  void expect_rate(double max_rate) { limit_ = factor * std::max(max_rate, floor); }

  bool triggered(double t, const Eigen::VectorXd& phidot) {
    if (!on_ || t <= start_ || phidot.size() == 0) return false;
    if (phidot.cwiseAbs().maxCoeff(&joint_) > limit_) {
      above_ += dt_;
    } else {
      above_ = 0.0;
    }
    return above_ >= time;
  }
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    bytes(self.above_, self.joint_);
  }
  [[nodiscard]] double limit() const { return limit_; }
  /// 0-based index of the fastest joint angle.
  [[nodiscard]] int angle() const { return static_cast<int>(joint_); }

 private:
  bool on_;
  double limit_;  // rad/s
  double start_;  // s
  double dt_;
  double above_ = 0.0;  // s without a break
  Eigen::Index joint_ = 0;
};

}  // namespace coluber::simulation
