#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/control/controller.hpp"
#include "coluber/core/export.hpp"
#include "coluber/core/shown.hpp"
#include "coluber/core/status.hpp"
#include "coluber/gait/gait.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {

/// Why a call of Stepper::step came back.
enum class StepEnd : std::uint8_t {
  done,         ///< every step that was asked for was taken
  stopped,      ///< a condition of the scenario's [stop] holds
  interrupted,  ///< the flag given to set_interrupt() is set
  failed,       ///< a step did not come out, or joints ran away
};

/// What a call of Stepper::step did.
struct [[nodiscard]] Stepped {
  StepEnd end = StepEnd::done;
  std::int64_t steps = 0;         ///< taken by this call
  std::int64_t failed_steps = 0;  ///< of this call: did not converge, or could not be taken
  StepInfo last{};                ///< of the last step tried; its figures: until the next step
};

/// Takes the steps of a simulation, as many at a time as its caller likes: references, the
/// controller's command, the system's step, its judgement by `solver.on_failure`, the guard against
/// runaway joints, the conditions of [stop]. run() is one loop over it, and a simulation ends in
/// the same bits however its steps are divided into calls.
///
/// Nothing is recorded and no duration holds in step(); run() records, up to the duration.
///
///     Stepper stepper(simulation);
///     const Stepped stepped = stepper.step(20);
///     if (stepped.end == StepEnd::failed) fmt::print("{}\n", stepper.message());
///     stepper.observe(frame);  // forces: the mean over these 20 steps
///
/// An exception of a callback (gait, controller, sink, progress) passes through unchanged. The
/// simulation then stands at the last whole step, every frame up to there was given, and the next
/// call continues. What the callback itself remembers of the step that was broken off is its own
/// affair; so are entries of the command that it had written already.
///
/// A call while another is under way, from a callback or another thread, throws Error. step()
/// allocates nothing if the simulation's parts allocate nothing and nothing has to be said.
class COLUBER_EXPORT Stepper {
 public:
  /// The simulation must stay where it is for as long as this lives, and its parts be replaced by
  /// set_gait() and set_controller() alone. It may have taken steps already. Throws Error if its
  /// parts do not fit.
  explicit Stepper(Simulation& simulation);
  Stepper(Stepper&&) noexcept;
  Stepper& operator=(Stepper&&) noexcept;
  ~Stepper();

  /// Up to n steps (0 or less: none), beyond the scenario's duration too. It ends early where
  /// `end` says so. Afterwards forces are means over this call.
  ///
  /// After `failed` the state is that before the step (its `last` is refused, not finite or not
  /// taken), or the best that was found (not converged); the next call tries on. After `stopped`
  /// the next call steps on, and the conditions are not looked at any more.
  Stepped step(std::int64_t n = 1);

  /// Why the last call ended early, in words: time, quantity, link; "" if it did not.
  [[nodiscard]] const std::string& message() const;
  /// The key of [stop] that ended the last call; "" if none did.
  [[nodiscard]] const std::string& stopped_by() const;

  /// Continues to the scenario's duration, or until a condition of [stop] holds; gives frames and
  /// checkpoints on the way. With `options.resume` it continues after that checkpoint instead; it
  /// throws FileError if that does not fit the simulation. Frame k is the step nearest to
  /// k/rate_hz, and none is given twice: after a call that was broken off, another gives the rest.
  /// `options.interrupt` holds for this call. A sink that throws has had its frame; those behind it
  /// get theirs with the next call.
  RunOutcome run(std::span<FrameSink* const> sinks = {}, const RunOptions& options = {});

  /// Set from another thread or a signal handler: a call ends after the step that is under way, or
  /// where the model is integrated, before it. Null: never. It must outlive its use.
  void set_interrupt(const std::atomic<bool>* interrupt);

  /// System, controller and gait as one, until one of them is replaced.
  [[nodiscard]] const Shown& shown() const;
  /// Numbers that observe() writes: `frame_size(shown().observables())`.
  [[nodiscard]] int frame_size() const;
  /// All observables as of now, in the order of `shown().observables()`. Forces are means since
  /// the last call of step() began; in run(), since the last frame. Throws Error if the size is
  /// another than frame_size().
  void observe(std::span<double> frame);

  /// Follows another gait from now on. Throws Error if the model takes none.
  void set_gait(std::unique_ptr<gait::Gait> gait);
  /// Takes another controller from now on, which begins anew. Throws Error, and keeps the old one,
  /// if the model takes none, or the controller asks for what the model does not offer.
  void set_controller(std::unique_ptr<control::Controller> controller);
  /// From now on the references are these angles (rad, one per joint angle), at rest, instead of
  /// the gait's. Throws Error if the model takes none, the number is wrong or one is not finite.
  void hold_references(std::span<const double> phi_d);
  /// From now on the references are the gait's again.
  void follow_gait();
  /// True: references are held.
  [[nodiscard]] bool holds_references() const;
  /// Joint angles that hold_references() wants: 0 where the model takes no references.
  [[nodiscard]] int reference_count() const;

  /// Everything that is needed to continue bit-identically, in this process or another: the state
  /// of system, controller, gait and of this. Equal states are equal bytes. A gait or controller of
  /// one's own has to keep its own, see their save_state(). Throws Error if the model keeps none.
  [[nodiscard]] std::string save_state() const;
  /// Takes what save_state() wrote. Throws FileError, and changes nothing, if the bytes are
  /// damaged, of another version, or of another robot: another model, other sizes, or a section of
  /// the scenario with other values. Title, duration, seed, start, [record] and [stop] may differ.
  void restore_state(std::string_view bytes);

  /// The simulation that it steps.
  [[nodiscard]] Simulation& simulation() const;

 private:
  friend class Batch;
  /// The state without what guards it, to be put back here and nowhere else.
  [[nodiscard]] std::string keep() const;
  void put_back(const std::string& kept);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coluber::simulation
