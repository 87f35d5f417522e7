#include <limits>
#include <optional>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/drive/feedback.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/drive/moving_base.hpp"

#include "simulation/driver.hpp"
#include "simulation/explain.hpp"
#include "simulation/loop_feedback.hpp"
#include "simulation/runaway_guard.hpp"

namespace coluber::simulation {

namespace {

/// A system that nothing drives from outside.
class Alone final : public Driver {
 public:
  explicit Alone(System& system) : system_(system) {}
  StepInfo step(double /*t_A*/, double /*t_E*/, Profile* /*profile*/) override {
    return system_.step();
  }

 private:
  System& system_;
};

/// Gait and controller at the joints. A controller of a system without joints gets none and drives
/// what it has asked the system for.
class JointDriver final : public Driver {
 public:
  JointDriver(Simulation& simulation, JointDriven* joints)
      : simulation_(simulation),
        gait_(simulation.gait.get()),
        joints_(joints),
        base_(dynamic_cast<const MovingBase*>(simulation.system.get())),
        integrated_(dynamic_cast<FeedbackDriven*>(simulation.system.get())),
        phi_(joints != nullptr ? joints->joint_count() : 0),
        phidot_(phi_),
        phi_d_A_(phi_),
        phidot_d_A_(phi_),
        phi_d_E_(phi_),
        phidot_d_E_(phi_),
        phi_d_M_(phi_),
        phidot_d_M_(phi_),
        phidd_d_A_(
            Eigen::VectorXd::Constant(phi_.size(), std::numeric_limits<double>::quiet_NaN())),
        shaft_rate_(joints != nullptr ? joints->shaft_count() : 0),
        command_(static_cast<int>(phi_.size()), static_cast<int>(shaft_rate_.size())),
        guard_(simulation.controller->holds_torques() && integrated_ == nullptr,
               simulation.gait != nullptr ? simulation.gait->max_rate() : 0.0,
               simulation.controller->start_time(), simulation.system->dt()) {
    // at work inside the step, where the model can have it so
    if (integrated_ != nullptr && simulation.gait != nullptr &&
        simulation.controller->continuous()) {
      feedback_.emplace(*simulation.system, *gait_, *simulation.controller);
    }
  }

  void start() override {
    if (gait_ != nullptr) gait_->evaluate(simulation_.system->time(), phi_d_A_, phidot_d_A_);
    if (joints_ == nullptr) return;
    if (simulation_.controller->prescribes()) joints_->start_moving(phidot_d_A_);
    joints_->joint_state(phi_, phidot_);
  }

  StepInfo step(double t_A, double t_E, Profile* profile) override {
    if (gait_ != nullptr) gait_->evaluate(t_E, phi_d_E_, phidot_d_E_);
    if (!started_) look_at_jump(t_A);
    lap(profile, Phase::references);
    if (feedback_) return integrated_->step_under(*feedback_, phi_d_E_);
    const bool model_based = simulation_.controller->model_based();
    if (model_based && gait_ != nullptr) gait_->evaluate_acceleration(t_A, phidd_d_A_);
    const bool prescribes = simulation_.controller->prescribes();
    if (prescribes && gait_ != nullptr) {
      gait_->evaluate(0.5 * (t_A + t_E), phi_d_M_, phidot_d_M_);
    }
    BaseState base;
    const bool has_base = model_based && base_ != nullptr;
    if (has_base) base_->base_state(base);
    if (shaft_rate_.size() > 0) joints_->shaft_rates(shaft_rate_);
    command_.phi_d = phi_d_E_;
    command_.phidot_d = phidot_d_E_;
    simulation_.controller->update({.t = t_A,
                                    .dt = simulation_.system->dt(),
                                    .phi = phi_,
                                    .phidot = phidot_,
                                    .phi_d_A = phi_d_A_,
                                    .phidot_d_A = phidot_d_A_,
                                    .phi_d_E = phi_d_E_,
                                    .phidot_d_E = phidot_d_E_,
                                    .phidd_d_A = phidd_d_A_,
                                    .base = has_base ? &base : nullptr,
                                    .system = *simulation_.system,
                                    .phi_d_M = prescribes ? &phi_d_M_ : nullptr,
                                    .shaft_rate = &shaft_rate_},
                                   command_);
    lap(profile, Phase::controller);
    return joints_ != nullptr ? joints_->step(command_) : simulation_.system->step();
  }

  bool look_after(double t_E, std::string& why) override {
    if (joints_ == nullptr) return true;
    joints_->joint_state(phi_, phidot_);
    if (!guard_.triggered(t_E, phidot_)) return true;
    why = explain_runaway(simulation_, guard_.angle() / joints_->angles_per_joint() + 1,
                          guard_.limit(), RunawayGuard::time, t_E);
    return false;
  }

  [[nodiscard]] std::vector<std::string> warnings() const override {
    if (jump_.angle < 0) return {};
    return {explain_jump(simulation_, jump_.angle / joints_->angles_per_joint() + 1, jump_.phi,
                         jump_.phi_d, jump_.t)};
  }

  void advance() override {
    phi_d_A_.swap(phi_d_E_);
    phidot_d_A_.swap(phidot_d_E_);
  }

  // The integrator's history is of the references before.
  void follow(const gait::Gait& gait) override {
    gait_ = &gait;
    guard_.expect_rate(gait.max_rate());
    if (feedback_) feedback_->follow(gait);
    if (integrated_ != nullptr) integrated_->start_afresh();
  }

  void watch(const std::atomic<bool>* interrupt) override {
    if (feedback_) feedback_->watch(interrupt);
  }

  [[nodiscard]] int reference_count() const override { return static_cast<int>(phi_.size()); }

  void save(ByteWriter& bytes) const override { exchange(bytes, *this); }
  void restore(ByteReader& bytes) override { exchange(bytes, *this); }

 private:
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    bytes.section("joints", 4);
    RunawayGuard::exchange(bytes, self.guard_);
    bytes(self.started_, self.jump_.angle, self.jump_.phi, self.jump_.phi_d, self.jump_.t);
    // a controller may leave entries as they were
    auto& [tau, k_P, phi_d, k_D, phidot_d, phi_M, tau_max, prescribed, shafts, steering, speed] =
        self.command_;
    auto& [shaft_tau, shaft_k, shaft_rate, shaft_tau_max] = shafts;
    bytes(tau, k_P, phi_d, k_D, phidot_d, phi_M, tau_max, prescribed);
    bytes(shaft_tau, shaft_k, shaft_rate, shaft_tau_max, steering, speed);
  }

  // Motors that start far from their references.
  void look_at_jump(double t) {
    const double dt = simulation_.system->dt();
    if (t + 1e-6 * dt < simulation_.controller->start_time()) return;
    started_ = true;
    if (joints_ == nullptr || simulation_.scenario.gait.empty() || phi_.size() == 0) return;
    Eigen::Index angle = 0;
    if (!((phi_ - phi_d_A_).cwiseAbs().maxCoeff(&angle) > notable_jump)) return;
    jump_ = {static_cast<int>(angle), phi_(angle), phi_d_A_(angle), t};
  }

  struct Jump {
    int angle = -1;  // none
    double phi = 0.0, phi_d = 0.0, t = 0.0;
  };

  Simulation& simulation_;
  const gait::Gait* gait_;  // null: nothing has references
  JointDriven* joints_;     // null: the system has none
  const MovingBase* base_;
  FeedbackDriven* integrated_;
  Eigen::VectorXd phi_, phidot_, phi_d_A_, phidot_d_A_, phi_d_E_, phidot_d_E_, phi_d_M_,
      phidot_d_M_, phidd_d_A_, shaft_rate_;
  JointCommand command_;
  RunawayGuard guard_;
  std::optional<LoopFeedback> feedback_;
  bool started_ = false;  // the motors
  Jump jump_;
};

}  // namespace

std::unique_ptr<Driver> make_driver(Simulation& simulation) {
  if (simulation.controller == nullptr) return std::make_unique<Alone>(*simulation.system);
  auto* joints = dynamic_cast<JointDriven*>(simulation.system.get());
  if (joints != nullptr && simulation.gait == nullptr) {
    throw Error("a controller of joints needs a gait to follow");
  }
  return std::make_unique<JointDriver>(simulation, joints);
}

}  // namespace coluber::simulation
