#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "coluber/core/bytes.hpp"
#include "coluber/core/profile.hpp"
#include "coluber/core/status.hpp"
#include "coluber/gait/gait.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {

/// What takes a simulation's steps: the system by itself, or its joints under gait and controller.
class Driver {
 public:
  /// Thrown out of a step that is not wanted any more: the state is that before it.
  struct Interrupted {};

  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual ~Driver() = default;

  /// Ready to take the step after the system's count.
  virtual void start() {}
  /// The step from `t_A` to `t_E` (s).
  virtual StepInfo step(double t_A, double t_E, Profile* profile) = 0;
  /// False: the run has to end after the step to `t_E`; `why` then says why.
  virtual bool look_after(double /*t_E*/, std::string& /*why*/) { return true; }
  /// What a user should know of the run so far.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  /// Keeps what the next step needs of this one.
  virtual void advance() {}

  /// From now on `gait` gives the references. Must outlive its use.
  virtual void follow(const gait::Gait& /*gait*/) {}
  /// A step that takes long is broken off once `interrupt` is set; null: none is.
  virtual void watch(const std::atomic<bool>* /*interrupt*/) {}
  /// Numbers of a reference; 0: it takes none.
  [[nodiscard]] virtual int reference_count() const { return 0; }

  virtual void save(ByteWriter& /*bytes*/) const {}
  virtual void restore(ByteReader& /*bytes*/) {}
};

/// The driver that the simulation's system asks for. Throws Error if its parts do not fit.
std::unique_ptr<Driver> make_driver(Simulation& simulation);

}  // namespace coluber::simulation
