#pragma once

// The smooth robot model of Transeth 7.3.5 and its two controllers, for tests and benchmarks.

#include <limits>

#include "coluber/gait/harmonic.hpp"
#include "coluber/planar/minimal.hpp"
#include "coluber/planar/smooth_system.hpp"

#include "sample/snake.hpp"

namespace coluber::sample {

/// Aiko with two friction points a link, table 7.2.
inline planar::Model rough_aiko(int n = 11) {
  planar::Model model = aiko(n);
  model.friction_points = 2;
  model.mu_T << 0.2, 0.5;
  model.mu_V << 0.1, 0.2;
  return model;
}

/// Straight along e_x, at rest.
inline planar::State straight(const planar::Model& model) {
  return planar::make_state(model, Eigen::VectorXd::Zero(model.n() - 1), 0, {0.0, 0.0}, 0.0);
}

/// Lateral undulation (7.3) with soft start.
inline gait::HarmonicOptions undulation(bool soft_start = true) {
  return {.amplitude = 40.0 * kDegree,
          .omega = 80.0 * kDegree,
          .phase = -50.0 * kDegree,
          .soft_start = soft_start};
}

/// PD servos (7.8), or input-output linearisation (6.58)-(6.60), after a gait.
class Follower final : public Feedback {
 public:
  enum class Law { pd, io };
  Follower(const planar::Model& model, Law law, const gait::HarmonicOptions& wave = undulation())
      : model_(model),
        law_(law),
        gait_(model.n() - 1, wave),
        data_(model),
        phi_d_(model.n() - 1),
        phidot_d_(model.n() - 1),
        phidd_d_(model.n() - 1) {}

  void compute_torque(double t, const Eigen::Ref<const Eigen::VectorXd>& phi,
                      const Eigen::Ref<const Eigen::VectorXd>& phidot, const BaseState& base,
                      Eigen::Ref<Eigen::VectorXd> tau) override {
    gait_.evaluate(t, phi_d_, phidot_d_);
    if (law_ == Law::pd) {
      tau = 200.0 * (phi_d_ - phi) + 1.2 * (phidot_d_ - phidot);
      return;
    }
    gait_.evaluate_acceleration(t, phidd_d_);
    phidd_d_ += 4e5 * (phi_d_ - phi) + 2.4e3 * (phidot_d_ - phidot);
    const Eigen::Rotation2Dd back(-base.theta);
    linearising_torque(model_, {}, {back * base.v, base.thetadot}, phi, phidot, phidd_d_, data_,
                       tau);
  }
  [[nodiscard]] double next_break(double t) const override { return gait_.next_break(t); }

  /// References at time t.
  const Eigen::VectorXd& phi_d(double t) {
    gait_.evaluate(t, phi_d_, phidot_d_);
    return phi_d_;
  }

 private:
  const planar::Model& model_;
  Law law_;
  gait::Harmonic gait_;
  planar::RobotData data_;
  Eigen::VectorXd phi_d_, phidot_d_, phidd_d_;
};

/// Torques that never change.
class ConstantTorque final : public Feedback {
 public:
  explicit ConstantTorque(Eigen::VectorXd tau) : tau_(std::move(tau)) {}
  void compute_torque(double /*t*/, const Eigen::Ref<const Eigen::VectorXd>& /*phi*/,
                      const Eigen::Ref<const Eigen::VectorXd>& /*phidot*/,
                      const BaseState& /*base*/, Eigen::Ref<Eigen::VectorXd> tau) override {
    tau = tau_;
  }
  [[nodiscard]] double next_break(double /*t*/) const override {
    return std::numeric_limits<double>::infinity();
  }

 private:
  Eigen::VectorXd tau_;
};

}  // namespace coluber::sample
