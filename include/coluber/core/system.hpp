#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "coluber/core/bytes.hpp"
#include "coluber/core/export.hpp"
#include "coluber/core/shown.hpp"
#include "coluber/core/status.hpp"

namespace coluber {

class Profile;

/// Every mechanical model behind one interface: it steps, names its observables with units and
/// lists its drawable bodies with poses. What drives it is a capability beside this one
/// (drive/). Virtual calls happen once per step, never inside one.
class COLUBER_EXPORT System : public Shown {
 public:
  [[nodiscard]] virtual double dt() const = 0;                ///< s
  [[nodiscard]] virtual std::int64_t step_count() const = 0;  ///< t = step_count · dt
  /// Simulated time (s).
  [[nodiscard]] double time() const { return static_cast<double>(step_count()) * dt(); }

  /// One step of dt(), with what drives the system as it stands. The info says whether it came
  /// out; the state is never left non-finite.
  virtual StepInfo step() = 0;
  /// What every step tells of itself, in the order of `StepInfo::figures`.
  [[nodiscard]] virtual const std::vector<StepFigure>& figures() const;
  /// The next step ends on a recorded frame: a system may judge it more closely.
  virtual void expect_frame() {}
  /// What a user should know of the run so far beside its figures.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  /// What may help against a step that did not come out, said behind the reason; "" for nothing.
  [[nodiscard]] virtual std::string advice(const StepInfo& info) const;
  /// From now on a step gives its parts' times to `profile` (null: no more). A system may have none
  /// to tell apart.
  virtual void set_profile(Profile* /*profile*/) {}

  /// Writes the contact problem of the hardest step so far, if the system was built to keep it:
  /// one that was not solved, else the one with most sweeps. Returns what is in the file, in words;
  /// "" if there is none. Throws FileError.
  virtual std::string dump_hardest_problem(const std::filesystem::path& file) const;
  /// Hash of everything needed to continue: equal states have equal hashes, bit for bit.
  [[nodiscard]] virtual std::uint64_t state_hash() const = 0;

  /// Writes all that is needed to continue bit-identically: the state, what was summed up since
  /// the last frame and since the start. False: this model keeps no checkpoints.
  virtual bool save_state(ByteWriter& bytes) const;
  /// Takes what `save_state` of a system built alike wrote. Throws FileError if it does not fit;
  /// the system is then as it was.
  virtual void restore_state(ByteReader& bytes);
};

}  // namespace coluber
