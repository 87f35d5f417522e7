#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/bytes.hpp"
#include "coluber/core/export.hpp"
#include "coluber/core/system.hpp"
#include "coluber/drive/build.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/drive/moving_base.hpp"

namespace coluber::control {

/// All a controller may look at when it decides about one step from A (start) to E (end).
struct ControlInput {
  double t = 0.0;                     ///< start of the step (s)
  double dt = 0.0;                    ///< its length (s)
  const Eigen::VectorXd& phi;         ///< joint angles at A (rad)
  const Eigen::VectorXd& phidot;      ///< joint rates at A (rad/s)
  const Eigen::VectorXd& phi_d_A;     ///< reference at A (rad)
  const Eigen::VectorXd& phidot_d_A;  ///< its rate at A (rad/s)
  const Eigen::VectorXd& phi_d_E;     ///< reference at E (rad)
  const Eigen::VectorXd& phidot_d_E;  ///< its rate at E (rad/s)
  const Eigen::VectorXd& phidd_d_A;   ///< second derivative of the reference at A (rad/s²); NaN
                                      ///< unless the controller model_based()
  const BaseState* base;              ///< link 1 at A; null if the model has none to tell
                                      ///< of, or the controller is not model_based()
  const System& system;               ///< everything else: observables, bodies
  /// Reference in the middle of the step (rad); null unless the controller prescribes().
  const Eigen::VectorXd* phi_d_M = nullptr;
  /// Rates of driven shafts at A (rad/s), positive forward; empty or null: there are none.
  const Eigen::VectorXd* shaft_rate = nullptr;
};

/// What a run says of a controller whose joints ran away.
struct RunawayWords {
  std::string_view what = "controller";       ///< "the explicit … is unstable"
  std::string_view remedy = "smaller gains";  ///< "take a smaller solver.dt or …"
  bool noisy = false;                         ///< what is measured may be mostly noise
};

/// A joint controller. Derive from it for one of your own (examples/own_controller). What it shows
/// is recorded behind what its system shows.
class COLUBER_EXPORT Controller : public Shown {
 public:
  /// Looks at the system it is to drive, before the run. Returns why it cannot ("" if it can): a
  /// capability that the system does not offer. May add warnings.
  virtual std::string connect(System& system, std::vector<drive::Warning>& warnings);

  /// Writes the whole command of this step; `phi_d` and `phidot_d` come as the references at its
  /// end, other entries left alone keep their last value.
  virtual void update(const ControlInput& input, JointCommand& command) = 0;

  /// Return true to receive `phidd_d_A` and `base`; no other controller gets them.
  [[nodiscard]] virtual bool model_based() const { return false; }

  /// Return true to receive `phi_d_M`.
  [[nodiscard]] virtual bool prescribes() const { return false; }

  /// True: update() is a function of its input alone, and may be called for any instant inside a
  /// step. A model that is integrated then has the controller at work all the time; else it gets
  /// the command of the step's start.
  [[nodiscard]] virtual bool continuous() const { return false; }

  /// True: its torques hold over a step, and may run away where the step is too long.
  [[nodiscard]] virtual bool holds_torques() const { return false; }
  /// The motors are off before (s).
  [[nodiscard]] virtual double start_time() const { return 0.0; }
  /// What a user should know of the run so far beside its figures.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  /// For the message of a run that stops because its joints ran away.
  [[nodiscard]] virtual RunawayWords runaway_words() const { return {}; }

  /// A controller that remembers something from step to step (an integral, random numbers) writes
  /// it here, so that a resumed run is bit-identical. The last command is kept anyway.
  virtual void save_state(ByteWriter& /*bytes*/) const {}
  /// Takes back what `save_state` wrote. May throw FileError.
  virtual void restore_state(ByteReader& /*bytes*/) {}
};

}  // namespace coluber::control
