#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "coluber/control/controller.hpp"
#include "coluber/control/driven_wheels.hpp"
#include "coluber/control/gains.hpp"
#include "coluber/control/heading.hpp"
#include "coluber/control/travel_history.hpp"
#include "coluber/core/export.hpp"
#include "coluber/path/path.hpp"
#include "coluber/trailer/kinematics.hpp"

namespace coluber::control {

// | letter   | code name | meaning                                             | Murugendran |
// | z_i      | z         | distance of module i from the path, left positive   | (13)        |
// | θ~_1     | –         | heading of module 1 less the path's direction        | (13)        |
// | δ_1      | delta_1   | steering angle of the head                           | (13)        |
// | φ_ref    | phi_ref   | reference of the joint angles                        | (23), (28)  |
// | ω_ref    | –         | reference of the wheel rates, v_i/L_w                | (26)        |
// | d        | –         | distance that the head has travelled                 | (28)        |

/// How the modules behind the head get their references.
enum class Coordination : std::uint8_t {
  n_trailer,          ///< as trailers that roll without slip: (23), (26)
  follow_the_leader,  ///< joint i does what joint 2 did (i - 2) L before: (28)
};

/// How references go from tick to tick.
enum class Reference : std::uint8_t { hold, ramp };
/// From which joint angles (23) is integrated.
enum class Update : std::uint8_t { model, measured };
/// Where a module is seen from the path.
enum class ControlPoint : std::uint8_t { axle, centre };
/// Wheel speeds of follow-the-leader.
enum class WheelSpeeds : std::uint8_t { uniform, chain };
/// How follow-the-leader knows the distance travelled.
enum class Odometry : std::uint8_t { wheel, reference };

/// A module as the controller knows it, from its front end back (m).
struct ModuleLengths {
  double length = 0.0;  ///< to its rear end
  double point = 0.0;   ///< to its control point
  double wheel_radius = 0.0;
  double axle = 0.0;  ///< to its axle
};

/// Everything a path follower is told.
struct PathFollowingOptions {
  Coordination coordination = Coordination::n_trailer;
  std::shared_ptr<const path::Path> path{};
  double shown_length = 1.0;  ///< of the path, as drawn (m)
  std::vector<ModuleLengths> modules{};
  trailer::Lengths trailer{};
  HeadingOptions heading{};
  double speed = 0.5;     ///< m/s
  double period = 0.025;  ///< s
  Reference reference = Reference::hold;
  bool reference_rate = true;  ///< in the D part
  Update update = Update::model;
  WheelSpeeds wheel_speeds = WheelSpeeds::uniform;
  Odometry odometry = Odometry::wheel;
  Gains kp = 800.0;            ///< N m/rad
  Gains kd = 2.0;              ///< N m s/rad
  bool implicit_servo = true;  ///< part of the step; else torques of its start
  double start_time = 0.0;     ///< s, motors off before
  double torque_limit = std::numeric_limits<double>::infinity();  ///< N m
  WheelServoOptions wheels{};
  double odometry_error = 0.0;  ///< relative: travel is measured too long by this share
  double duration = std::numeric_limits<double>::infinity();  ///< of the run (s)
};

/// Drives a train of modules with wheels along a path: the head is steered to it (control/heading),
/// the modules behind follow by one of two ways of coordination.  Murugendran III, IV
///
/// It looks at the robot once in a period; between, its references hold or ramp. Path errors are
/// those of the robot itself, not as measured.
class COLUBER_EXPORT PathFollowing final : public Controller {
 public:
  /// Throws Error if something is missing.
  explicit PathFollowing(PathFollowingOptions options);
  std::string connect(System& system, std::vector<drive::Warning>& warnings) override;
  void update(const ControlInput& input, JointCommand& command) override;
  [[nodiscard]] bool model_based() const override { return true; }
  [[nodiscard]] bool holds_torques() const override { return !options_.implicit_servo; }
  [[nodiscard]] double start_time() const override { return options_.start_time; }
  [[nodiscard]] std::vector<std::string> warnings() const override;
  [[nodiscard]] RunawayWords runaway_words() const override {
    return {"servo", "controller.servo = \"implicit\""};
  }

  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return observables_.list();
  }
  void observe(std::span<double> frame) const override { observables_.write(frame); }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  [[nodiscard]] std::vector<SummaryItem> summary() const override;
  void save_state(ByteWriter& bytes) const override;
  void restore_state(ByteReader& bytes) override;

 private:
  /// What it remembers from tick to tick.
  struct State {
    Eigen::VectorXd phi_ref, phi_before, phidot_ref;  ///< of the joints (rad, rad/s)
    Eigen::VectorXd v;                                ///< of the modules (m/s)
    Eigen::VectorXd s, z;                             ///< nearest points and distances (m)
    double s_1 = 0.0;                                 ///< nearest point of the head as measured (m)
    double theta_error = 0.0, delta_1 = 0.0;          ///< rad
    double travel = 0.0;                              ///< m, of the head; for follow-the-leader
    double tick = 0.0;                                ///< s, when the last one was
    double error = 0.0, error_head = 0.0;             ///< integrals of |z| (m s)
    double max = 0.0, max_head = 0.0;                 ///< largest |z| (m)
    double s_first = 0.0;                             ///< s(0) at the first tick (m)
    double first_tick = 0.0, end = 0.0;               ///< s, the end of the last step
    std::int64_t clamped = 0, ticks = 0;
  };
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& state);

  void tick(const ControlInput& input);
  /// Nearest points and distances of all modules now, from `s` on.
  void look_at_robot(Eigen::VectorXd& s, Eigen::VectorXd& z) const;
  void note_errors();
  void update_references(const ControlInput& input);
  void warn_of_path(std::vector<drive::Warning>& warnings) const;
  void warn_of_start(std::vector<drive::Warning>& warnings) const;
  void warn_of_loop(System& system, std::vector<drive::Warning>& warnings) const;
  [[nodiscard]] std::string warn_of_progress() const;
  void add_rows();
  void add_path_body();

  PathFollowingOptions options_;
  Heading heading_;
  trailer::Motion motion_;
  std::optional<TravelHistory> history_;
  State state_;
  const JointDriven* joints_ = nullptr;
  const MovingBase* base_ = nullptr;
  mutable Eigen::VectorXd phi_, phidot_, s_now_, z_now_;  // of the robot itself, scratch
  ObservableTable observables_;
  std::vector<Body> bodies_;
};

}  // namespace coluber::control
