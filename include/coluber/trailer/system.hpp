#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/chain/account.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/drive/linked.hpp"
#include "coluber/drive/moving_base.hpp"
#include "coluber/trailer/kinematics.hpp"

namespace coluber::trailer {

/// One module of the train.
struct Module {
  double length = 0.0;        ///< m, joint to joint
  double half_core = 0.0;     ///< m, of its capsule, as drawn
  double radius = 0.0;        ///< m
  double cg_offset = 0.0;     ///< m, centre of gravity behind the middle
  double axle_offset = 0.0;   ///< m, shaft behind the middle
  double wheel_radius = 0.0;  ///< m
  double half_track = 0.0;    ///< m
  double mass = 0.0;          ///< kg; told, of no effect
};

/// A train of modules that roll without slip, steered at its head: no dynamics. State (24): where
/// the head's shaft is, the way it points, the joint angles.  Murugendran (18)-(27)
class COLUBER_EXPORT TrailerSystem final : public System,
                                           public JointDriven,
                                           public Linked,
                                           public MovingBase {
 public:
  /// The train in a line behind the head, whose shaft is at `P_1` (m); it drives towards `theta`
  /// (rad). Throws Error if it has no module, or a length that is none.
  TrailerSystem(std::vector<Module> modules, const Lengths& lengths, const Eigen::Vector2d& P_1,
                double theta, double dt);

  [[nodiscard]] double dt() const override { return dt_; }
  [[nodiscard]] std::int64_t step_count() const override { return k_; }
  StepInfo step() override { return step(JointCommand(joint_count())); }
  /// Steering angle and speed of the command hold over the step, which is of fourth order. A module
  /// that would stand across its joint's way ends it.
  StepInfo step(const JointCommand& command) override;
  [[nodiscard]] const std::vector<StepFigure>& figures() const override { return figures_; }
  [[nodiscard]] std::string advice(const StepInfo& info) const override;
  [[nodiscard]] int joint_count() const override { return static_cast<int>(modules_.size()) - 1; }
  void joint_state(Eigen::Ref<Eigen::VectorXd> phi,
                   Eigen::Ref<Eigen::VectorXd> phidot) const override;
  void base_state(BaseState& base) const override;

  [[nodiscard]] int link_count() const override { return static_cast<int>(modules_.size()); }
  [[nodiscard]] double link_length(int link) const override { return module(link).length; }
  [[nodiscard]] double link_mass(int link) const override { return module(link).mass; }
  void link_centres(Eigen::Ref<Eigen::VectorXd> centres) const override;

  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return observables_.list();
  }
  void observe(std::span<double> frame) const override;
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  [[nodiscard]] std::uint64_t state_hash() const override;
  bool save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

 private:
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self);
  [[nodiscard]] const Module& module(int i) const { return modules_[static_cast<std::size_t>(i)]; }
  /// Rates of `q` under the present command; the module that stands across, 1-based, or 0.
  int compute_rates(const Eigen::VectorXd& q, Eigen::VectorXd& rates);
  void update_places() const;
  void add_rows();

  std::vector<Module> modules_;
  Lengths lengths_;
  double dt_;
  std::int64_t k_ = 0;
  Eigen::VectorXd q_;      // x, y of P_1, theta_1, phi_2 …, then the angles of the wheels
  Eigen::VectorXd rates_;  // of q, in the last step's end
  double steering_ = 0.0, speed_ = 0.0;
  chain::Travel travel_;
  Motion motion_;
  Eigen::VectorXd stage_, k_1_, k_2_, k_3_, k_4_;  // scratch
  mutable Eigen::VectorXd theta_;                  // of the links' axes, which point back (rad)
  mutable Eigen::Matrix2Xd front_;                 // front ends (m)
  ObservableTable observables_;
  std::vector<Body> bodies_;
  std::vector<StepFigure> figures_;
  double angle_ = 0.0;  // of the last step that could not be taken (rad)
};

}  // namespace coluber::trailer
