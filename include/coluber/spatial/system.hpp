#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coluber/chain/contact_system.hpp"
#include "coluber/spatial/snake.hpp"

namespace coluber::spatial {

/// What a snake in space is made of.
struct Parts {
  using Model = spatial::Model;              ///< robot and world
  using State = spatial::State;              ///< all that is needed to continue
  using StepOptions = spatial::StepOptions;  ///< how it steps
  using Data = spatial::Data;                ///< scratch and results of a step
  using Pose = spatial::Pose;                ///< where every link is
  static constexpr int twist = 6;
  static constexpr int axes = 3;
  /// Of the centres of gravity, a column per link (m/s).
  static const Matrix3Xd& velocities(const State& state) { return state.v; }
  /// Mean of the links' centres over the ground in the middle of the last step (m).
  static Vector2d mean_place(const Data& data) {
    return data.pose.origin.head<2>() +
           data.sum_of_places / static_cast<double>(data.pose.r.cols());
  }
  /// Number of driven shafts.
  static int shafts(const State& /*state*/) { return 0; }
  static constexpr auto step = spatial::step;  ///< of the model
  /// Robots in space start at rest.
  static void put_back(State& /*state*/, double /*dt*/) {}
  /// Place and velocities, but those of the joints.
  static void take_motion(const State& from, State& to) {
    to.r = from.r;
    to.p = from.p;
    to.twist = from.twist;
    to.v = from.v;
    to.omega = from.omega;
    to.l = from.l;
  }
};

/// The snake in space behind the common interface.
class COLUBER_EXPORT SpatialSystem final : public chain::ContactSystem<Parts> {
 public:
  /// Throws Error if the model is not physical. `keep_hardest`: for `dump_hardest_problem`.
  SpatialSystem(Model model, State state, const StepOptions& options, bool keep_hardest = false);

  [[nodiscard]] int angles_per_joint() const override { return model_.axes(); }
  [[nodiscard]] double explicit_servo_limit(double k_P, double k_D) const override;
  void link_centres(Eigen::Ref<Eigen::VectorXd> centres) const override;
  void poses(std::span<double> values) const override;
  void contacts(std::size_t family, std::span<ContactSlot> slots) const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  [[nodiscard]] std::uint64_t state_hash() const override;
  bool save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

 private:
  nonsmooth::ContactStepInfo take_step(const JointCommand& command) override;
  void fill_problem_of(const JointCommand& command) override;
  double note_step() override;
  [[nodiscard]] chain::Depths deepest_overlap() const override {
    return {obstacle_penetration_, ground_penetration_};
  }
  void update_pose() const override;
  template <typename Bytes, typename Self>
  static void exchange_sums(Bytes& bytes, Self& self);
  void add_rows();
  void write_link_angles(std::span<double> out) const;
  [[nodiscard]] double mean_link_angle() const;         // of pose_ (rad)
  [[nodiscard]] Eigen::Vector2d mean_of_links() const;  // of pose_, over the ground (m)
  [[nodiscard]] double potential_energy() const;        // of pose_ (J)

  // since the start
  double ground_penetration_ = 0.0, obstacle_penetration_ = 0.0;  // deepest (m)
  double heading_ = 0.0;  // of the middle link, never wrapped (rad)
};

}  // namespace coluber::spatial
