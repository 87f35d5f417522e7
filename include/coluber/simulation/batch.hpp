#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "coluber/core/error.hpp"
#include "coluber/core/export.hpp"
#include "coluber/core/shown.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/stepper.hpp"

namespace coluber::simulation {

/// A callback of one simulation of a batch threw.
class COLUBER_EXPORT BatchError : public Error {
 public:
  /// `cause` was thrown by simulation `index`; `why` says it in words.
  BatchError(int index, const std::string& why, std::exception_ptr cause);
  [[nodiscard]] int index() const { return index_; }  ///< counted from 0
  /// What was thrown, to be thrown again.
  [[nodiscard]] const std::exception_ptr& cause() const { return cause_; }

 private:
  int index_;
  std::exception_ptr cause_;
};

/// Several simulations of one scenario, stepped together on several threads. Each is what it would
/// be alone: the number of threads changes nothing.
///
///     Batch batch(scenario, 64, 2);
///     batch.hold_references(phi_d);             // 64 × reference_count()
///     batch.step(20);
///     batch.observables();                      // 64 × frame_size(), as of now
///     batch.reset(ended);                       // those go back to their start
///
/// Not to be called by two threads at once; a call from a callback of a simulation, too, throws
/// Error. A gait or controller of one's own is called from any thread, but never by two at once.
class COLUBER_EXPORT Batch {
 public:
  /// `size` simulations, at their start, on so many threads (1 or less: the caller's own). Throws
  /// InputError as make_simulation(), and Error if size < 1 or the model keeps no state.
  Batch(const scenario::Scenario& scenario, int size, int threads = 1);
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  [[nodiscard]] int size() const;     ///< simulations
  [[nodiscard]] int threads() const;  ///< that work, the caller's own among them

  /// Up to n steps of every simulation, as Stepper::step() takes them. Returns what each did, until
  /// the next call; why one ended early is in `at(i).message()`. Throws BatchError, after all of
  /// them have ended, for the first whose callback threw: it stands at its last whole step.
  std::span<const Stepped> step(std::int64_t n = 1);
  /// What each did in the last call of step().
  [[nodiscard]] std::span<const Stepped> stepped() const;

  /// The names of what observables() holds, the same for all.
  [[nodiscard]] const Shown& shown() const;
  /// Numbers per simulation.
  [[nodiscard]] int frame_size() const;
  /// All observables of all simulations, one after another: size() × frame_size() numbers in the
  /// order of `shown().observables()`. As of the end of the last call of step() or reset(); the
  /// place stays the same for as long as the batch lives. Forces are means over that step().
  [[nodiscard]] std::span<const double> observables() const;

  /// Joint angles of a reference; 0: the model takes none.
  [[nodiscard]] int reference_count() const;
  /// From now on simulation i has references i of `phi_d` (rad, size() × reference_count()), at
  /// rest, instead of its gait's. Throws Error, and changes nothing, if the number is wrong, one is
  /// not finite, or the model takes none.
  void hold_references(std::span<const double> phi_d);
  /// From now on the references are the gaits' again.
  void follow_gaits();

  /// Simulations with a mask other than 0 (one entry each) go back to their start, and follow their
  /// gaits if they did at their start. Nothing is built: it takes microseconds each.
  void reset(std::span<const std::uint8_t> mask);
  /// All of them go back.
  void reset();
  /// Builds simulation i anew from another scenario (friction, seed, start, …), which also is its
  /// start from now on. Throws InputError as make_simulation(), and Error if it shows or is driven
  /// by other numbers than the batch; it is then as it was.
  void rebuild(int i, const scenario::Scenario& scenario);
  /// The state that simulation i has now is its start from now on.
  void keep_start(int i);

  /// One of the simulations, to look at, to give another gait or controller, to save and restore.
  /// observables() does not follow what is done there before the next call of step() or reset().
  [[nodiscard]] Stepper& at(int i);

  /// Set from another thread or a signal handler: all simulations end after the step under way.
  void set_interrupt(const std::atomic<bool>* interrupt);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coluber::simulation
