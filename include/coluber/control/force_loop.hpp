#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "coluber/control/controller.hpp"
#include "coluber/control/force_map_keys.hpp"
#include "coluber/control/force_mapping.hpp"
#include "coluber/control/gains.hpp"
#include "coluber/control/train.hpp"
#include "coluber/core/error.hpp"
#include "coluber/core/export.hpp"
#include "coluber/path/path.hpp"
#include "coluber/planar/system.hpp"

namespace coluber::control {

class PegsAtLinks;

// | letter   | code name | meaning                                       | unit   | Holden    |
// |----------|-----------|-----------------------------------------------|--------|-----------|
// | s        | s         | arc length of the robot's rear end, local fit | m      | –         |
// | s_ref    | s_ref     | the same of the train that is wished for      | m      | –         |
// | p_d, θ_d | shape_    | centre and link angles of that train          | m, rad | (47)-(49) |
// | u        | u         | torques of least effort, held until next tick | N m    | (53)      |

/// What the closed loop is told.
struct ForceLoopOptions {
  std::shared_ptr<const path::Path> path{};
  bool last_leads = true;  ///< link n is in front
  planar::Model model{};   ///< robot and world, friction as the controller believes
  ForceMappingOptions mapping{};
  WishKeys wish{};             ///< links and gains; the rest is the train's
  double speed = 0.1;          ///< of the wish along the path (m/s)
  double period = 5e-3;        ///< s
  double lead = 0.05;          ///< how far the wish runs ahead of the robot at most (m)
  double reach = 2e-3;         ///< obstacles nearer than this to a link are contacts (m)
  double ground_blend = 5e-3;  ///< ground friction grows linearly up to this speed (m/s)
  bool map = true;             ///< false: the servos alone follow the wish
  Gains kp = 300.0;            ///< of the servos (N m/rad)
  Gains kd = 6.0;              ///< N m s/rad
  double start_time = 0.0;     ///< s, motors off before
  double torque_limit = std::numeric_limits<double>::infinity();  ///< N m
  double duration = 0.0;  ///< of the run, to see whether the path holds the robot (s)
  /// A fault of a key, found when the controller sees its robot.
  std::function<Diagnostic(std::string key, std::string message, std::string hint)> fault{};
};

/// Obstacle-aided locomotion in closed loop: a train on the path runs ahead of the robot, and every
/// period the force map finds torques of least effort that accelerate the robot towards it through
/// the obstacles it touches. Where it has no answer, and without a contact, joint servos hold the
/// train's shape until the next tick.  Holden VI, VII
class COLUBER_EXPORT ForceLoop final : public Controller {
 public:
  /// Throws Error if something is missing.
  explicit ForceLoop(ForceLoopOptions options);
  ~ForceLoop() override;
  /// Throws InputError where the robot does not start on the train, or the path does not hold it.
  std::string connect(System& system, std::vector<drive::Warning>& warnings) override;
  void update(const ControlInput& input, JointCommand& command) override;
  [[nodiscard]] bool model_based() const override { return true; }
  [[nodiscard]] double start_time() const override { return options_.start_time; }
  [[nodiscard]] std::vector<std::string> warnings() const override;

  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return observables_.list();
  }
  void observe(std::span<double> frame) const override { observables_.write(frame); }
  [[nodiscard]] const std::vector<ArrowFamily>& arrows() const override { return arrows_; }
  void contacts(std::size_t family, std::span<ContactSlot> slots) const override;
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  void save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

 private:
  /// What it remembers from tick to tick, and shows.
  struct State {
    double s = 0.0, s_ref = 0.0, rate = 0.0;  ///< m, m, m/s
    double tick = 0.0;                        ///< s, when the last one was
    double turn = 0.0;                        ///< rad, full turns of the robot against the train
    Eigen::VectorXd theta_ref, omega_ref;     ///< of the wish at the tick (rad, rad/s)
    Eigen::VectorXd u;                        ///< N m; NaN without an answer
    Eigen::Matrix2Xd force, constraint;       ///< mapped, on the links (N)
    Eigen::VectorXd at;                       ///< m along the link, of its contact; NaN: none
    double slack = 0.0, kkt = 0.0;            ///< NaN without an answer
    int status = 3;                           ///< as recorded: `qp_status`
    bool mapped = false;                      ///< torques of the map are at work
    std::int64_t ticks = 0, mapped_ticks = 0, waiting = 0;
    double slack_max = 0.0, angle_error_max = 0.0;
    double torque_joints = 0.0;  ///< integral of |tau| up to the last step (N m s)
    double s_first = 0.0;        ///< m, at the start
    Eigen::Vector2d p_first = Eigen::Vector2d::Zero();  ///< centre there (m)
  };
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& state);

  void look_at_robot(const BaseState& base, const Eigen::VectorXd& phi,
                     const Eigen::VectorXd& phidot, double turn);
  void place_start();
  void require_room();
  void tick(const ControlInput& input);
  void move_wish();
  void map();
  void clear_answer();
  void add_rows();

  ForceLoopOptions options_;
  ForceMapping mapping_;
  RobotTrain train_;
  std::unique_ptr<PegsAtLinks> pegs_;
  State state_;

  // of this tick
  TrainShape shape_;
  planar::Instant instant_;
  planar::Columns r_, v_, axis_;  // of the links' centres of gravity; axes
  planar::GroundLoad ground_;
  std::vector<planar::LinkContact> contacts_, contacts_before_;
  Wish wish_;

  /// What the last step adds to `torque_joints` (N m s).
  [[nodiscard]] double last_torque() const;
  /// Place of the centre now (m).
  [[nodiscard]] Eigen::Vector2d centre_now() const;

  const planar::PlanarSystem* system_ = nullptr;
  mutable Eigen::VectorXd phi_, phidot_;  // of the robot itself, scratch
  ObservableTable observables_;
  std::vector<ArrowFamily> arrows_;
};

}  // namespace coluber::control
