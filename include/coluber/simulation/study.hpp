#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/core/shown.hpp"
#include "coluber/drive/build.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {

/// A part of what a study computes, and the processor time it takes (s).
struct StudyPart {
  std::string name;      ///< such as "assembly"
  double seconds = 0.0;  ///< processor time of this thread
};

/// The other kind of job: frames over any axis (an instant, places along a path) and no loop. What
/// it shows is recorded, plotted, viewed and exported as that of a simulation.
class COLUBER_EXPORT Study : public Shown {
 public:
  /// Number of frames.
  [[nodiscard]] virtual std::size_t frame_count() const = 0;
  /// Computes frame `k`, counted from 0; what is shown is then that frame's.
  virtual void go_to(std::size_t k) = 0;
  /// Time of the frame (s), for the record's axis; as it is here: 0.
  [[nodiscard]] virtual double time() const { return 0.0; }
  /// Frames per second of a page that plays them.
  [[nodiscard]] virtual double rate_hz() const { return 10.0; }

  /// What the command prints when all frames were computed: a table for people …
  [[nodiscard]] virtual std::string report() const = 0;
  /// … and JSON for programs.
  [[nodiscard]] virtual std::string json() const = 0;
  /// Times what is computed at the last frame once more, part by part: the fastest of `rounds`,
  /// each of which repeats a part for at least `least` seconds. As it is here: no parts.
  [[nodiscard]] virtual std::vector<StudyPart> time_parts(int rounds, double least) {
    static_cast<void>(rounds);
    static_cast<void>(least);
    return {};
  }
  /// What all frames together show to be odd: printed, and kept in run.json.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  /// Why there is no answer; "" if there is one. The command then exits with 1.
  [[nodiscard]] virtual std::string failure() const { return ""; }
};

/// A study made from a scenario.
struct StudyJob {
  scenario::Scenario scenario;
  std::unique_ptr<Study> study;
  std::vector<drive::Warning> warnings;
};

/// Builds the study registered as `name`. Throws InputError, Error if there is none of that name.
COLUBER_EXPORT StudyJob make_study(const std::string& name, const scenario::Scenario& scenario);

/// Goes through all frames of a study. `interrupt`, if any, is looked at before each frame.
COLUBER_EXPORT RunOutcome run(StudyJob& job, std::span<FrameSink* const> sinks,
                              const std::atomic<bool>* interrupt = nullptr);

}  // namespace coluber::simulation
