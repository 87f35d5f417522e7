#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "coluber/chain/account.hpp"
#include "coluber/core/hash.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/nonsmooth/step_info.hpp"

namespace coluber::test {

/// One wheel on a servo: J phidot' = impulse/dt, J = 1 kg m². Small enough to check a run by hand:
/// with k_P, k_D in the step, phidot_E = (phidot_A + dt (tau + k_P (phi_d - phi_A) + k_D phidot_d))
/// / (1 + dt k_D + dt² k_P), phi_E = phi_A + dt phidot_E.
class OneJoint : public System, public JointDriven {
 public:
  /// `rigid`: its steps tell of themselves what those under the law `rigid` do.
  explicit OneJoint(double dt, double phi = 0.0, bool rigid = false)
      : dt_(dt), phi_(phi), account_(1, Eigen::VectorXd::Zero(1), rigid) {}

  [[nodiscard]] double dt() const override { return dt_; }
  [[nodiscard]] std::int64_t step_count() const override { return k_; }
  [[nodiscard]] int joint_count() const override { return 1; }
  void joint_state(Eigen::Ref<Eigen::VectorXd> phi,
                   Eigen::Ref<Eigen::VectorXd> phidot) const override {
    phi(0) = phi_;
    phidot(0) = phidot_;
  }

  StepInfo step() override { return step(JointCommand(1)); }
  StepInfo step(const JointCommand& c) override {
    const double before = phidot_;
    const double drive = c.tau(0) + c.k_P(0) * (c.phi_d(0) - phi_) + c.k_D(0) * c.phidot_d(0);
    phidot_ = (phidot_ + dt_ * drive) / (1.0 + dt_ * c.k_D(0) + dt_ * dt_ * c.k_P(0));
    phi_ += dt_ * phidot_;
    impulse_ += phidot_ - before;
    ++k_;
    ++since_frame_;
    last_ = info ? info(k_) : nonsmooth::ContactStepInfo{Status::ok, 1, 0, 1e-12, 2e-12, "", 0};
    return account_.tell(last_, std::numeric_limits<double>::quiet_NaN());
  }
  [[nodiscard]] const std::vector<StepFigure>& figures() const override { return account_.figures; }

  [[nodiscard]] const std::vector<Observable>& observables() const override { return observables_; }
  void observe(std::span<double> frame) const override {
    frame[0] = phi_;
    frame[1] = since_frame_ > 0 ? impulse_ / (since_frame_ * dt_) : 0.0;
    frame[2] = std::cos(phi_);
    frame[3] = std::sin(phi_);
    frame[4] = 0.5 * phidot_ * phidot_;
  }
  void start_frame() override {
    impulse_ = 0.0;
    since_frame_ = 0;
  }

  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> v) const override {
    const double pose[7] = {std::cos(phi_),    std::sin(phi_), 0.0, std::cos(phi_ / 2), 0.0, 0.0,
                            std::sin(phi_ / 2)};
    std::ranges::copy(pose, v.begin());
  }
  [[nodiscard]] const std::vector<ArrowFamily>& arrows() const override { return arrows_; }
  void contacts(std::size_t /*family*/, std::span<ContactSlot> slots) const override {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    slots[0] = {Eigen::Vector3d(1, 2, 0), Eigen::Vector3d(phi_, 0, 0)};
    slots[1] = {Eigen::Vector3d::Constant(nan), Eigen::Vector3d::Constant(nan)};
  }
  [[nodiscard]] std::vector<SummaryItem> summary() const override {
    return {{"distance", phi_, "rad"}};
  }
  [[nodiscard]] std::uint64_t state_hash() const override {
    return Hasher().update(k_).update(phi_).update(phidot_).finish();
  }

  bool save_state(ByteWriter& bytes) const override {
    bytes.section("wheel", 1);
    bytes(k_, phi_, phidot_, impulse_, since_frame_);
    return true;
  }
  void restore_state(ByteReader& bytes) override {
    bytes.section("wheel", 1);
    bytes(k_, phi_, phidot_, impulse_, since_frame_);
  }

  /// What to report of step k, if set.
  std::function<nonsmooth::ContactStepInfo(std::int64_t)> info;

 private:
  double dt_;
  double phi_;
  double phidot_ = 0.0;
  double impulse_ = 0.0;
  std::int64_t k_ = 0;
  int since_frame_ = 0;
  nonsmooth::ContactStepInfo last_;
  chain::ContactAccount<2> account_;
  std::vector<Observable> observables_{
      {"joint_angle", "rad", "angle of the wheel", {1}, {}, Plotted::angle},
      {"joint_torque", "N m", "mean torque since the last frame", {1}, {}, Plotted::torque},
      {"link_position", "m", "a point of the rim", {1, 2}, {"x", "y"}},
      {"energy", "J", "kinetic energy", {}, {}, Plotted::scalar}};
  std::vector<Body> bodies_{{.name = "link_1",
                             .shape = ShapeKind::capsule,
                             .size = {0.1, 0.2},
                             .colour = "#336699",
                             .moving = true},
                            {.name = "obstacle_1",
                             .shape = ShapeKind::circle,
                             .size = {0.5},
                             .colour = "#999999",
                             .moving = false,
                             .position = Eigen::Vector3d(3, 4, 0)}};
  std::vector<ArrowFamily> arrows_{
      {"obstacle", "obstacle forces", "#cc3311", "N", "contact", 2, {"link_1"}}};
};

}  // namespace coluber::test
