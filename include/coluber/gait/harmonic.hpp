#pragma once

#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/gait/gait.hpp"

namespace coluber::gait {

// | letter   | code name    | meaning                                  | unit  | equation       |
// | phi_d,i  | phi_d        | reference of joint i                     | rad   | Transeth (7.1) |
// | A_h      | amplitude    | amplitude of every joint                 | rad   | Transeth (7.1) |
// | w_h      | omega        | angular frequency                        | rad/s | Transeth (7.1) |
// | beta_h   | phase        | phase from joint to joint                | rad   | Transeth (7.1) |
// | gamma_h  | offset       | steering offset                          | rad   | Transeth (2.14)|
// | beta_0   | start_phase  | phase of the pitch joints against yaw    | rad   | Transeth (2.15)|

/// The wave of Transeth (7.1), in rad and s.
struct HarmonicOptions {
  double amplitude = 0.0;    ///< rad
  double omega = 0.0;        ///< rad/s
  double phase = 0.0;        ///< rad, from joint to joint
  double offset = 0.0;       ///< rad, on every joint
  double start_phase = 0.0;  ///< rad, of the first joint
  bool soft_start = false;   ///< hold each joint at zero until its reference passes near zero
  double start_time = 0.0;   ///< s, no joint is released before
};

/// A wave along the body: phi_d,i = A sin(w t + (i - 1) beta + beta_0) + gamma.  Transeth (7.1),
/// (2.14), (2.15)
///
/// Soft start (Transeth 7.2.2): reference and rate of joint i are zero until the first
/// t >= start_time with |phi_d,i| <= 3 degrees. These times are found in closed form when the gait
/// is built, so that evaluate() is a function of time alone.
class COLUBER_EXPORT Harmonic final : public Gait {
 public:
  /// A joint is released when its reference is at most this far from zero (rad).
  static constexpr double release_angle = 3.0 * 0.017453292519943295;

  /// For a robot with this many joints.
  Harmonic(int joints, const HarmonicOptions& options);

  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override;
  void evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const override;
  [[nodiscard]] double next_break(double t) const override;
  [[nodiscard]] double max_rate() const override;
  [[nodiscard]] std::optional<double> mean_line() const override;

  /// Release time of every joint (s); infinite where the reference never comes near zero.
  /// Without soft start: minus infinity.
  [[nodiscard]] const std::vector<double>& release_times() const { return release_; }

 private:
  HarmonicOptions options_;
  std::vector<double> release_;                        // s, one per joint
  mutable std::vector<double> angle_, sine_, cosine_;  // scratch of evaluate
};

/// Waves at both axes of cardan joints: yaw and pitch of joint 1, of joint 2, …
class COLUBER_EXPORT TwoAxes final : public Gait {
 public:
  /// For a robot with this many joints.
  TwoAxes(int joints, const HarmonicOptions& yaw, const HarmonicOptions& pitch);

  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override;
  void evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const override;
  [[nodiscard]] double next_break(double t) const override;
  [[nodiscard]] double max_rate() const override;
  [[nodiscard]] std::optional<double> mean_line() const override { return yaw_.mean_line(); }

  /// The wave of the yaw joints.
  [[nodiscard]] const Harmonic& yaw() const { return yaw_; }
  /// The wave of the pitch joints.
  [[nodiscard]] const Harmonic& pitch() const { return pitch_; }

 private:
  Harmonic yaw_, pitch_;
  mutable Eigen::VectorXd phi_, phidot_;  // scratch of evaluate
};

/// First t >= t_0 with |A sin(w t + c) + gamma| <= bound; infinite if there is none. Closed form.
COLUBER_EXPORT double compute_release_time(double amplitude, double omega, double c, double offset,
                                           double bound, double t_0);

}  // namespace coluber::gait
