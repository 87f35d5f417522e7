#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coluber/core/system.hpp"
#include "coluber/core/torque_peak.hpp"
#include "coluber/nonsmooth/hardest_problem.hpp"
#include "coluber/planar/snake.hpp"

namespace coluber::planar {

/// The planar snake behind the common interface: keeps what a recorder asks for between frames.
class COLUBER_EXPORT PlanarSystem final : public System {
 public:
  /// Throws Error if the model is not physical. `keep_hardest`: for `dump_hardest_problem`; the
  /// same steps, which take longer.
  PlanarSystem(Model model, State state, const StepOptions& options, bool keep_hardest = false);

  [[nodiscard]] double dt() const override { return options_.dt; }
  [[nodiscard]] std::int64_t step_count() const override { return state_.k; }
  [[nodiscard]] int joint_count() const override { return model_.n() - 1; }
  void joint_state(Eigen::Ref<Eigen::VectorXd> phi,
                   Eigen::Ref<Eigen::VectorXd> phidot) const override;
  bool base_state(BaseState& base) const override;
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
  static constexpr int kContactSlots = 4;

  // what is summed up beside the state, to or from a checkpoint
  template <typename Bytes, typename Self>
  static void exchange_sums(Bytes& bytes, Self& self);

  Model model_;
  State state_;
  StepOptions options_;
  Data data_;
  mutable Pose pose_;  // at time(), for observers
  std::vector<Observable> observables_;
  std::vector<Body> bodies_;

  nonsmooth::HardestProblem<3> hardest_;
  Eigen::VectorXd phi_d_;  // of the last step

  // since the last frame
  Eigen::Matrix2Xd ground_sum_, obstacle_sum_;  // impulses (N s)
  std::int64_t frame_start_ = 0;
  double frame_residual_ = 0.0, frame_rigid_residual_ = 0.0, frame_penetration_ = 0.0;
  std::int64_t frame_iterations_ = 0;

  // since the start
  StepWork work_;
  TorquePeak torque_peak_;
  double max_penetration_ = 0.0;
  Eigen::Vector3d start_ = Eigen::Vector3d::Zero();  // x, y, theta of the middle link
};

}  // namespace coluber::planar
