#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "coluber/core/system.hpp"
#include "coluber/core/torque_peak.hpp"
#include "coluber/nonsmooth/hardest_problem.hpp"
#include "coluber/spatial/snake.hpp"

namespace coluber::spatial {

/// The snake in space behind the common interface: keeps what a recorder asks for between frames.
class COLUBER_EXPORT SpatialSystem final : public System {
 public:
  /// Throws Error if the model is not physical. `keep_hardest`: for `dump_hardest_problem`.
  SpatialSystem(Model model, State state, const StepOptions& options, bool keep_hardest = false);

  [[nodiscard]] double dt() const override { return options_.dt; }
  [[nodiscard]] std::int64_t step_count() const override { return state_.k; }
  [[nodiscard]] int joint_count() const override { return model_.angles(); }
  void joint_state(Eigen::Ref<Eigen::VectorXd> phi,
                   Eigen::Ref<Eigen::VectorXd> phidot) const override;
  StepInfo step(const JointCommand& command) override;
  void set_profile(Profile* profile) override { data_.profile = profile; }
  [[nodiscard]] const std::vector<Observable>& observables() const override { return observables_; }
  void observe(std::span<double> frame) const override;
  void start_frame() override;
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override;
  [[nodiscard]] int contact_slots() const override { return kContactSlots; }
  void contacts(std::span<ContactSlot> slots) const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  std::string dump_hardest_problem(const std::filesystem::path& file) const override;
  [[nodiscard]] std::uint64_t state_hash() const override;
  bool save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

  /// Robot and world.
  [[nodiscard]] const Model& model() const { return model_; }
  /// Where the robot is, to go on from.
  [[nodiscard]] const State& state() const { return state_; }
  /// How it steps.
  [[nodiscard]] const StepOptions& options() const { return options_; }
  /// Results of the last step.
  [[nodiscard]] const Data& data() const { return data_; }

 private:
  static constexpr int kContactSlots = 6;  // two on the ground, four at cylinders

  // what is summed up beside the state, to or from a checkpoint
  template <typename Bytes, typename Self>
  static void exchange_sums(Bytes& bytes, Self& self);
  [[nodiscard]] double potential_energy() const;  // of pose_ (J)

  Model model_;
  State state_;
  StepOptions options_;
  Data data_;
  mutable Pose pose_;  // at time(), for observers
  std::vector<Observable> observables_;
  std::vector<Body> bodies_;

  nonsmooth::HardestProblem<6> hardest_;
  Eigen::VectorXd phi_d_;  // of the last step

  // since the last frame
  Matrix3Xd ground_sum_, obstacle_sum_;  // impulses (N s)
  std::int64_t frame_start_ = 0;
  double frame_residual_ = 0.0, frame_rigid_residual_ = 0.0, frame_penetration_ = 0.0;
  std::int64_t frame_iterations_ = 0;

  // since the start
  StepWork work_;
  TorquePeak torque_peak_;
  double ground_penetration_ = 0.0, obstacle_penetration_ = 0.0;  // deepest (m)
  Vector3d start_ = Vector3d::Zero();                             // of the middle link
  double heading_ = 0.0;  // of the middle link, never wrapped (rad)
  double start_heading_ = 0.0;
};

}  // namespace coluber::spatial
