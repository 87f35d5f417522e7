#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "coluber/core/bytes.hpp"
#include "coluber/core/export.hpp"
#include "coluber/core/status.hpp"

namespace coluber {

class Profile;

/// One named quantity of a System. A recorder, a CSV header, a plot and Python need nothing else.
struct Observable {
  std::string name;        ///< dataset name, e.g. "link_position"
  std::string unit;        ///< SI, "" for a pure number
  std::string doc;         ///< one line
  std::vector<int> shape;  ///< per frame: {} scalar, {11} by link, {11, 2} by link and axis
  std::vector<std::string> components;  ///< labels of the last axis if it is x, y, z, …; else empty

  /// Numbers a frame: the product of `shape`.
  [[nodiscard]] int size() const {
    int product = 1;
    for (int extent : shape) product *= extent;
    return product;
  }
};

/// What a body looks like.
enum class ShapeKind : std::uint8_t { capsule, sphere, cylinder, box, circle, tube, wheel, plane };

/// Something drawable. `size` in metres: capsule {radius, half core length along body x},
/// sphere {radius}, cylinder {radius, height}, box {x, y, z}, circle {radius}, plane {}.
struct Body {
  std::string name;  ///< link_1 …, obstacle_1 …, ground
  ShapeKind shape = ShapeKind::capsule;
  std::vector<double> size;
  std::string colour;   ///< "#rrggbb"
  bool moving = false;  ///< has a pose in every frame; else `pose` holds for the whole run
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
};

/// A contact as drawn: point and force in world axes; NaN when the slot is open.
struct ContactSlot {
  Eigen::Vector3d point;
  Eigen::Vector3d force;
};

/// What a controller asks of the joints for one step. The joint gets the impulse
///   dt clamp(tau + k_P (phi_d - phi_E) + k_D (phidot_d - phidot_E), ±tau_max),
/// E being the end of the step: `tau` alone is an explicit controller, the gains make the servo
/// part of the step (stable at any dt).
struct JointCommand {
  /// Asks for nothing: all zero.
  explicit JointCommand(int joints)
      : tau(Eigen::VectorXd::Zero(joints)),
        k_P(Eigen::VectorXd::Zero(joints)),
        phi_d(Eigen::VectorXd::Zero(joints)),
        k_D(Eigen::VectorXd::Zero(joints)),
        phidot_d(Eigen::VectorXd::Zero(joints)),
        tau_max(Eigen::VectorXd::Constant(joints, std::numeric_limits<double>::infinity())) {}

  /// Torque (N m) of joint j, counted from 0, at this angle (rad) and rate (rad/s). NaN passes.
  [[nodiscard]] double torque(Eigen::Index j, double phi, double phidot) const {
    return std::clamp(tau(j) + k_P(j) * (phi_d(j) - phi) + k_D(j) * (phidot_d(j) - phidot),
                      -tau_max(j), tau_max(j));
  }

  Eigen::VectorXd tau;       ///< N m, positive drives phi up
  Eigen::VectorXd k_P;       ///< N m/rad
  Eigen::VectorXd phi_d;     ///< rad, reference at the end of the step; recorded as such
  Eigen::VectorXd k_D;       ///< N m s/rad
  Eigen::VectorXd phidot_d;  ///< rad/s, reference at the end of the step
  Eigen::VectorXd tau_max;   ///< N m, largest torque of the motor, > 0; infinite: no limit
};

/// How the first link lies and moves: what a model-based controller measures beside the joints.
/// Transeth 6.2: its "tail", q = (r, theta, phi).
struct BaseState {
  Eigen::Vector2d r = Eigen::Vector2d::Zero();  ///< its end away from link 2, O_2 (m)
  double theta = 0.0;                           ///< angle of its axis, which points to link 2 (rad)
  Eigen::Vector2d v = Eigen::Vector2d::Zero();  ///< of that end, world axes (m/s)
  double thetadot = 0.0;                        ///< rad/s
};

/// Joint torques at any instant, for a model that is integrated with its controller at work inside
/// the step. A function of its arguments alone: an integrator asks for instants it then discards.
class COLUBER_EXPORT Feedback {
 public:
  Feedback() = default;
  Feedback(const Feedback&) = delete;
  Feedback& operator=(const Feedback&) = delete;
  virtual ~Feedback() = default;

  /// Torques `tau` (N m, positive drives phi up) at time `t` (s).
  virtual void compute_torque(double t, const Eigen::Ref<const Eigen::VectorXd>& phi,
                              const Eigen::Ref<const Eigen::VectorXd>& phidot,
                              const BaseState& base, Eigen::Ref<Eigen::VectorXd> tau) = 0;
  /// First instant after `t` (s) where the torques jump; infinite if there is none.
  [[nodiscard]] virtual double next_break(double t) const = 0;
};

/// One number of the run's summary.
struct SummaryItem {
  std::string name;
  double value = 0.0;
  std::string unit;
};

/// Every mechanical model behind one interface: it steps, names its observables with units and
/// lists its drawable bodies with poses. Virtual calls happen once a step, never inside one.
class COLUBER_EXPORT System {
 public:
  System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  virtual ~System() = default;

  [[nodiscard]] virtual double dt() const = 0;                ///< s
  [[nodiscard]] virtual std::int64_t step_count() const = 0;  ///< t = step_count · dt
  /// Simulated time (s).
  [[nodiscard]] double time() const { return static_cast<double>(step_count()) * dt(); }

  /// Number of joints a command speaks of.
  [[nodiscard]] virtual int joint_count() const = 0;
  /// Joint angles (rad) and rates (rad/s) at time().
  virtual void joint_state(Eigen::Ref<Eigen::VectorXd> phi,
                           Eigen::Ref<Eigen::VectorXd> phidot) const = 0;

  /// Fills `base` as of time(). False: this model has no such base (it is not planar).
  virtual bool base_state(BaseState& base) const;

  /// One step of dt(). The info says whether it came out; the state is never left non-finite.
  virtual StepInfo step(const JointCommand& command) = 0;
  /// The model is integrated: step_under() is its better step.
  [[nodiscard]] virtual bool takes_feedback() const { return false; }
  /// One step of dt() with `feedback` at work at every instant of it; `phi_d` (rad) are the
  /// references at its end, for the record. Only for a model that takes_feedback().
  virtual StepInfo step_under(Feedback& feedback, const Eigen::Ref<const Eigen::VectorXd>& phi_d);
  /// From now on a step gives its parts' times to `profile` (null: no more). A system may have none
  /// to tell apart.
  virtual void set_profile(Profile* /*profile*/) {}

  /// What observe() writes, in its order; the same for the whole run.
  [[nodiscard]] virtual const std::vector<Observable>& observables() const = 0;
  /// All observables at time(), concatenated in the order of `observables()`, row-major.
  /// Forces are impulses since the last `start_frame()` over the time since it.
  virtual void observe(std::span<double> frame) const = 0;
  /// Begins a new recording interval for the force observables.
  virtual void start_frame() = 0;

  /// What there is to draw, with the poses of what does not move; the same for the whole run.
  [[nodiscard]] virtual const std::vector<Body>& bodies() const = 0;
  /// Poses at time() of the moving bodies, in the order of `bodies()`: x y z qw qx qy qz each.
  virtual void poses(std::span<double> values) const = 0;
  /// Contact slots drawn for each moving body.
  [[nodiscard]] virtual int contact_slots() const = 0;
  /// Contacts at time(): contact_slots() for each moving body, in their order.
  virtual void contacts(std::span<ContactSlot> slots) const = 0;

  /// Figures of the run so far that belong to this model (distance, mean_speed, max_torque, …).
  [[nodiscard]] virtual std::vector<SummaryItem> summary() const = 0;
  /// Writes the contact problem of the hardest step so far, if the system was built to keep it:
  /// one that was not solved, else the one with most sweeps. Returns what is in the file, in words;
  /// "" if there is none. Throws FileError.
  virtual std::string dump_hardest_problem(const std::filesystem::path& file) const;
  /// Hash of everything needed to go on: equal states have equal hashes, bit for bit.
  [[nodiscard]] virtual std::uint64_t state_hash() const = 0;

  /// Writes all that is needed to go on to the same bits: the state, what was summed up since the
  /// last frame and since the start. False: this model keeps no checkpoints.
  virtual bool save_state(ByteWriter& bytes) const;
  /// Takes what `save_state` of a system built alike wrote. Throws FileError if it does not fit;
  /// the system is then as it was.
  virtual void restore_state(ByteReader& bytes);
};

/// Number of doubles in one frame of `observables`.
COLUBER_EXPORT int frame_size(const std::vector<Observable>& observables);

}  // namespace coluber
