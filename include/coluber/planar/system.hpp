#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coluber/chain/account.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/drive/linked.hpp"
#include "coluber/drive/moving_base.hpp"
#include "coluber/nonsmooth/hardest_problem.hpp"
#include "coluber/planar/snake.hpp"

namespace coluber::planar {

/// The planar snake behind the common interface: keeps what a recorder asks for between frames.
class COLUBER_EXPORT PlanarSystem final : public System,
                                          public JointDriven,
                                          public MovingBase,
                                          public Linked {
 public:
  /// Throws Error if the model is not physical. `keep_hardest`: for `dump_hardest_problem`; the
  /// same steps, which take longer.
  PlanarSystem(Model model, State state, const StepOptions& options, bool keep_hardest = false);

  [[nodiscard]] double dt() const override { return options_.dt; }
  [[nodiscard]] std::int64_t step_count() const override { return state_.k; }
  StepInfo step() override { return step(command_); }
  StepInfo step(const JointCommand& command) override;
  [[nodiscard]] const std::vector<StepFigure>& figures() const override { return account_.figures; }
  void expect_frame() override { options_.audit = true; }
  void set_profile(Profile* profile) override { data_.profile = profile; }

  [[nodiscard]] int joint_count() const override { return model_.n() - 1; }
  void joint_state(Eigen::Ref<Eigen::VectorXd> phi,
                   Eigen::Ref<Eigen::VectorXd> phidot) const override;
  [[nodiscard]] double explicit_servo_limit(double k_P, double k_D) const override;
  void base_state(BaseState& base) const override;
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
  static constexpr int kContactSlots = 4;

  // what is summed up beside the state, to or from a checkpoint
  template <typename Bytes, typename Self>
  static void exchange_sums(Bytes& bytes, Self& self);
  void add_rows();

  Model model_;
  State state_;
  StepOptions options_;
  Data data_;
  JointCommand command_;  // of the last step
  nonsmooth::ContactStepInfo last_;
  mutable Pose pose_;  // at time(), for observers
  ObservableTable observables_;
  std::vector<Body> bodies_;
  std::vector<ArrowFamily> arrows_;
  nonsmooth::HardestProblem<3> hardest_;
  chain::ContactAccount<2> account_;
  double max_penetration_ = 0.0;                     // since the start
  Eigen::Vector3d start_ = Eigen::Vector3d::Zero();  // x, y, theta of the middle link
};

}  // namespace coluber::planar
