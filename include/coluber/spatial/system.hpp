#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "coluber/chain/account.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/drive/linked.hpp"
#include "coluber/nonsmooth/hardest_problem.hpp"
#include "coluber/spatial/snake.hpp"

namespace coluber::spatial {

/// The snake in space behind the common interface: keeps what a recorder asks for between frames.
class COLUBER_EXPORT SpatialSystem final : public System, public JointDriven, public Linked {
 public:
  /// Throws Error if the model is not physical. `keep_hardest`: for `dump_hardest_problem`.
  SpatialSystem(Model model, State state, const StepOptions& options, bool keep_hardest = false);

  [[nodiscard]] double dt() const override { return options_.dt; }
  [[nodiscard]] std::int64_t step_count() const override { return state_.k; }
  StepInfo step() override { return step(command_); }
  StepInfo step(const JointCommand& command) override;
  [[nodiscard]] const std::vector<StepFigure>& figures() const override { return account_.figures; }
  void expect_frame() override { options_.audit = true; }
  void set_profile(Profile* profile) override { data_.profile = profile; }

  [[nodiscard]] int joint_count() const override { return model_.angles(); }
  [[nodiscard]] int angles_per_joint() const override { return model_.axes(); }
  void joint_state(Eigen::Ref<Eigen::VectorXd> phi,
                   Eigen::Ref<Eigen::VectorXd> phidot) const override;
  [[nodiscard]] double explicit_servo_limit(double k_P, double k_D) const override;
  [[nodiscard]] int link_count() const override { return model_.n(); }
  [[nodiscard]] double link_length(int link) const override;
  [[nodiscard]] double link_mass(int link) const override;
  void link_centres(Eigen::Ref<Eigen::VectorXd> centres) const override;

  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return observables_.list();
  }
  void observe(std::span<double> frame) const override;
  void start_frame() override { account_.start_frame(state_.k); }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override;
  [[nodiscard]] const std::vector<ArrowFamily>& arrows() const override { return arrows_; }
  void contacts(std::size_t family, std::span<ContactSlot> slots) const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  std::string dump_hardest_problem(const std::filesystem::path& file) const override;
  [[nodiscard]] std::uint64_t state_hash() const override;
  bool save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

  /// Robot and world.
  [[nodiscard]] const Model& model() const { return model_; }
  /// Where the robot is, to continue from.
  [[nodiscard]] const State& state() const { return state_; }
  /// How it steps.
  [[nodiscard]] const StepOptions& options() const { return options_; }
  /// Results of the last step.
  [[nodiscard]] const Data& data() const { return data_; }
  /// How the last step came out.
  [[nodiscard]] const nonsmooth::ContactStepInfo& last_step() const { return last_; }

 private:
  // what is summed up beside the state, to or from a checkpoint
  template <typename Bytes, typename Self>
  static void exchange_sums(Bytes& bytes, Self& self);
  void add_rows();
  void write_link_angles(std::span<double> out) const;
  [[nodiscard]] double potential_energy() const;  // of pose_ (J)

  Model model_;
  State state_;
  StepOptions options_;
  Data data_;
  JointCommand command_;  // of the last step
  nonsmooth::ContactStepInfo last_;
  mutable Pose pose_;  // at time(), for observers
  ObservableTable observables_;
  std::vector<Body> bodies_;
  std::vector<ArrowFamily> arrows_;  // one per surface
  nonsmooth::HardestProblem<6> hardest_;
  chain::ContactAccount<3> account_;

  // since the start
  double ground_penetration_ = 0.0, obstacle_penetration_ = 0.0;  // deepest (m)
  Vector3d start_ = Vector3d::Zero();                             // of the middle link
  double heading_ = 0.0;  // of the middle link, never wrapped (rad)
  double start_heading_ = 0.0;
};

}  // namespace coluber::spatial
