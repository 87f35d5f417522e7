#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "coluber/measure/measure.hpp"
#include "coluber/record/drawing.hpp"
#include "coluber/scenario/scenario.hpp"

#include "reproduce/claims.hpp"

namespace coluber::app {

using measure::MeasuredRun;
using measure::RunLookup;

/// A scenario of the claims, run in one way.
struct DoneRun : MeasuredRun {
  scenario::Scenario scenario;
  std::string command;      ///< the study it is for; "": it is simulated
  bool drawn = false;       ///< a figure shows it
  record::Drawing drawing;  ///< of a run that is drawn
  std::string failure;      ///< why it did not complete; "" if it did
};

/// Runs by scenario and way; each distinct one is computed once.
class RunStore {
 public:
  /// Adds a run to do. Throws InputError if its scenario cannot be loaded.
  void request(const ClaimRun& run, const Way& way);
  /// A figure shows this run, if it is done at all.
  void keep_drawing(const ClaimRun& run, const Way& way);
  /// Does all that was requested, on `threads` threads. The results do not depend on their number.
  void compute(int threads);
  [[nodiscard]] const DoneRun& at(const ClaimRun& run, const Way& way) const;
  [[nodiscard]] bool contains(const ClaimRun& run, const Way& way) const {
    return runs_.contains(key_of(run, way));
  }
  [[nodiscard]] std::size_t size() const { return runs_.size(); }

 private:
  /// Scenario, command and changes.
  using Key = std::tuple<std::string, std::string, std::vector<std::string>>;
  static Key key_of(const ClaimRun& run, const Way& way);
  std::map<Key, std::unique_ptr<DoneRun>> runs_;
};

/// The run can be measured and drawn: it completed, or it may fail and has frames up to there.
bool usable(const ClaimRun& run, const DoneRun& done);

/// What became of a claim.
struct Verdict {
  const Claim* claim = nullptr;
  std::vector<std::pair<std::string, MeasureValue>> values;    ///< by way, in the file's order
  std::vector<std::pair<std::string, MeasureValue>> controls;  ///< the same of the negative control
  std::string judged;                                          ///< the way that is `measured`
  ClaimStatus status = ClaimStatus::differs;
  std::vector<std::string> failures;  ///< what makes the command fail; empty: as recorded

  [[nodiscard]] bool passed() const { return failures.empty(); }
  /// What the status was read from, and the control of the same way; null if there is none.
  [[nodiscard]] const MeasureValue* measured() const { return find(values); }
  [[nodiscard]] const MeasureValue* control() const { return find(controls); }

 private:
  [[nodiscard]] const MeasureValue* find(
      const std::vector<std::pair<std::string, MeasureValue>>& of) const {
    for (const auto& [way, value] : of)
      if (way == judged) return &value;
    return nullptr;
  }
};

/// True if the value fulfils every condition.
bool fulfils(const MeasureValue& value, const Bounds& bounds);

/// Requests every run that the claim and its control need.
void request_runs(const ClaimFile& file, const Claim& claim, RunStore& store);

/// Measures and judges.
Verdict judge(const ClaimFile& file, const Claim& claim, const RunStore& store);

}  // namespace coluber::app
