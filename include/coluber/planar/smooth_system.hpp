#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coluber/chain/account.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/feedback.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/drive/linked.hpp"
#include "coluber/drive/moving_base.hpp"
#include "coluber/planar/minimal.hpp"
#include "coluber/planar/snake.hpp"

namespace coluber::planar {

/// How the smooth minimal model is integrated.
struct SmoothOptions {
  double dt = 1e-3;  ///< s, from observation to observation; the integrator has its own steps
  SmoothFriction friction = {};
  double rtol = 1e-6;     ///< of the integrator's local error
  double atol = 1e-8;     ///< of the same (m, rad, m/s, rad/s)
  double restart = 0.25;  ///< s between fresh starts of the integrator, from where a run resumes
  int max_steps = 20000;  ///< of the integrator within dt
};

/// The minimal model with smooth friction behind the common interface, integrated by CVODE's
/// backward differentiation formulas.  Transeth (6.14), (6.21), (6.26)
///
/// A multistep method's history cannot be saved. The integrator starts afresh at every `restart`
/// seconds; a checkpoint holds the state then and now, and the first step after it goes over what
/// lies between again, bit-identically. It has no contacts, and names no quantity of contacts.
class COLUBER_EXPORT SmoothSystem final : public System,
                                          public JointDriven,
                                          public FeedbackDriven,
                                          public MovingBase,
                                          public Linked {
 public:
  /// What the integrator did since the system was made.
  struct Statistics {
    std::int64_t steps = 0;        ///< internal steps
    std::int64_t evaluations = 0;  ///< of the right-hand side, those for the Jacobian included
    std::int64_t restarts = 0;
  };

  /// A robot as `start` has it at time 0. Throws Error if model or options are not physical, if
  /// there are obstacles, or if this build has no CVODE.
  SmoothSystem(Model model, const State& start, const SmoothOptions& options);
  ~SmoothSystem() override;

  /// Was the library built with CVODE?
  static bool is_built();

  [[nodiscard]] double dt() const override { return options_.dt; }
  [[nodiscard]] std::int64_t step_count() const override { return k_; }
  /// The torques of the last command hold.
  StepInfo step() override { return step(command_); }
  /// Under the command's torques with its references fixed and the joints' motion continuous. The
  /// integrator starts afresh: what a command asks for jumps from step to step. After a status
  /// other than ok the state is what it was, and no step was taken.
  StepInfo step(const JointCommand& command) override;
  /// The integrator runs on from step to step. A failed step leaves the state unchanged, as in
  /// step().
  StepInfo step_under(Feedback& feedback, const Eigen::Ref<const Eigen::VectorXd>& phi_d) override;
  void start_afresh() override;
  [[nodiscard]] const std::vector<StepFigure>& figures() const override;
  [[nodiscard]] std::string advice(const StepInfo& info) const override;

  [[nodiscard]] int joint_count() const override { return model_.n() - 1; }
  void joint_state(Eigen::Ref<Eigen::VectorXd> phi,
                   Eigen::Ref<Eigen::VectorXd> phidot) const override;
  void base_state(BaseState& base) const override;
  [[nodiscard]] int link_count() const override { return model_.n(); }
  [[nodiscard]] double link_length(int link) const override;
  [[nodiscard]] double link_mass(int link) const override;
  void link_centres(Eigen::Ref<Eigen::VectorXd> centres) const override;

  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return observables_.list();
  }
  void observe(std::span<double> frame) const override;
  void start_frame() override;
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  [[nodiscard]] std::uint64_t state_hash() const override;
  bool save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

  /// Robot and world.
  [[nodiscard]] const Model& model() const { return model_; }
  /// How it is integrated.
  [[nodiscard]] const SmoothOptions& options() const { return options_; }
  /// (x_O2, y_O2, theta, phi) at time().
  [[nodiscard]] Eigen::Ref<const VectorXd> q() const { return y_.head(model_.n() + 2); }
  /// Its rate.
  [[nodiscard]] Eigen::Ref<const VectorXd> qdot() const { return y_.tail(model_.n() + 2); }
  /// Cost so far.
  [[nodiscard]] Statistics statistics() const;

 private:
  class Plant;

  template <typename Bytes, typename Self>
  static void exchange_sums(Bytes& bytes, Self& self);
  template <typename Bytes, typename Self>
  static void exchange_state(Bytes& bytes, Self& self);

  StepInfo advance(Feedback& feedback, const Eigen::Ref<const Eigen::VectorXd>& phi_d, bool afresh);
  StepInfo tell(StepInfo info);  // with its figures
  void update_pose() const;
  void update_link_velocities() const;
  void add_rows();

  Model model_;
  SmoothOptions options_;
  std::int64_t restart_steps_ = 1;
  std::unique_ptr<Plant> plant_;
  mutable Pose pose_;                  // at time(), for observers
  mutable Eigen::Matrix3Xd velocity_;  // xdot, ydot, omega of every link then
  ObservableTable observables_;
  std::vector<Body> bodies_;

  // state
  std::int64_t k_ = 0;
  VectorXd y_;  // q, qdot at time()
  // where the integrator last started on a step of ours; it runs on if `running_`
  std::int64_t anchor_k_ = 0;
  VectorXd anchor_y_;
  bool running_ = false;
  bool replay_ = false;  // restored in between: go over the steps since the anchor first

  VectorXd y_E_;              // of the step at work
  VectorXd anchor_y_before_;  // before it

  // of the last step
  JointCommand command_;
  VectorXd tau_;
  double kinetic_energy_ = 0.0;
  double integrator_steps_ = 0.0;  // the figure of a step

  Eigen::Matrix2Xd ground_sum_;  // impulses since the last frame (N s)
  chain::RunAccount account_;
};

}  // namespace coluber::planar
