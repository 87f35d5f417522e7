#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "coluber/chain/contact_system.hpp"
#include "coluber/drive/moving_base.hpp"
#include "coluber/planar/snake.hpp"

namespace coluber::planar {

/// What a planar snake is made of.
struct Parts {
  using Model = planar::Model;              ///< robot and world
  using State = planar::State;              ///< all that is needed to continue
  using StepOptions = planar::StepOptions;  ///< how it steps
  using Data = planar::Data;                ///< scratch and results of a step
  using Pose = planar::Pose;                ///< where every link is
  static constexpr int twist = 3;
  static constexpr int axes = 2;
  /// Of the centres of gravity, a column per link (m/s).
  static auto velocities(const State& state) {
    return Eigen::Map<const Eigen::Matrix3Xd>(state.u.data(), 3, state.u.size() / 3).topRows<2>();
  }
  /// Mean of the links' centres over the ground in the middle of the last step (m).
  static Vector2d mean_place(const Data& data) {
    return data.pose.origin + chain::mean_over_ground(data.pose.r);
  }
  /// Number of driven shafts.
  static int shafts(const State& state) { return static_cast<int>(state.omega.size()); }
  static constexpr auto step = planar::step;  ///< of the model
  /// As it moves now, so long before (s).
  static void put_back(State& state, double dt) {
    state.base -= dt * Vector3d{state.twist(1), state.twist(2), state.twist(0)};
  }
  /// Place and velocities, but those of the joints.
  static void take_motion(const State& from, State& to) {
    to.base = from.base;
    to.twist = from.twist;
    to.u = from.u;
  }
};

/// The planar snake behind the common interface.
class COLUBER_EXPORT PlanarSystem : public chain::ContactSystem<Parts>, public MovingBase {
 public:
  /// Throws Error if the model is not physical. `keep_hardest`: for `dump_hardest_problem`; the
  /// same steps, which take longer.
  PlanarSystem(Model model, State state, const StepOptions& options, bool keep_hardest = false);

  /// Draws something that stands still, too.
  void show(Body body) { bodies_.push_back(std::move(body)); }
  [[nodiscard]] double explicit_servo_limit(double k_P, double k_D) const override;
  void base_state(BaseState& base) const override;
  void link_centres(Eigen::Ref<Eigen::VectorXd> centres) const override;
  void poses(std::span<double> values) const override;
  void contacts(std::size_t family, std::span<ContactSlot> slots) const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  [[nodiscard]] std::uint64_t state_hash() const override;
  bool save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

 protected:
  double note_step() override;
  /// Whose way the summary tells of, at a pose (m).
  [[nodiscard]] virtual Vector2d travelled_at(const Pose& pose) const;
  /// And whose heading, at a pose (rad).
  [[nodiscard]] virtual double heading_of(const Pose& pose) const;
  [[nodiscard]] Eigen::Vector2d travelled() const override { return travelled_at(data_.pose); }

 private:
  nonsmooth::ContactStepInfo take_step(const JointCommand& command) override;
  void fill_problem_of(const JointCommand& command) override;
  [[nodiscard]] chain::Depths deepest_overlap() const override { return {max_penetration_, 0.0}; }
  void update_pose() const override;
  template <typename Bytes, typename Self>
  static void exchange_sums(Bytes& bytes, Self& self);
  void add_rows();
  // in minimal coordinates there are none
  [[nodiscard]] bool meets_obstacles() const { return !options_.minimal_coordinates; }

  double max_penetration_ = 0.0;  // since the start
};

}  // namespace coluber::planar
