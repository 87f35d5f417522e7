#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "coluber/core/status.hpp"
#include "coluber/core/system.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::simulation {

/// What the loop counts from its first step on, of the figures that the system names.
class Tally {
 public:
  Tally(const std::vector<StepFigure>& figures, std::int64_t first);

  /// A step that was taken.
  void add(const StepInfo& info) {
    for (std::size_t i = 0; i < info.figures.size(); ++i) {
      const double value = info.figures[i];
      if (std::isnan(value)) continue;  // this step has none
      largest_[i] = value <= largest_[i] ? largest_[i] : value;
      sum_[i] += value;
      ++counted_[i];
      if (value > 0.0) ++positive_[i];
    }
  }
  /// A step that did not come out, up to t (s).
  void add_failure(const StepInfo& info, double t);

  /// What the summary says of `steps` steps.
  [[nodiscard]] std::vector<SummaryItem> summary() const;
  /// Mean and largest of each figure, over the steps that had it.
  [[nodiscard]] std::vector<RunOutcome::StepMean> means() const;
  /// "3 of 900 steps did not converge: …"; "" if all did.
  [[nodiscard]] std::string failures(std::int64_t steps) const;

  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t failed_steps() const { return failed_steps_; }
  /// What so many steps can have counted.
  [[nodiscard]] bool fits(std::int64_t steps) const;

  double wall = 0.0;         ///< s spent in runs
  std::int64_t untimed = 0;  ///< steps that were taken outside of them

  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    bytes(self.first_, self.failed_steps_, self.first_failure_, self.wall);
    for (auto* values : {&self.largest_, &self.sum_, &self.worst_}) {
      for (auto& value : *values) bytes(value);
    }
    for (auto* counts : {&self.positive_, &self.counted_}) {
      for (auto& value : *counts) bytes(value);
    }
    bytes(self.untimed);
  }

 private:
  const std::vector<StepFigure>* figures_;
  std::int64_t first_;  // step the run began at
  std::int64_t failed_steps_ = 0;
  double first_failure_ = 0.0;                    // s
  std::vector<double> largest_, sum_;             // NaN: no step had one
  std::vector<double> worst_;                     // of the failed steps
  std::vector<std::int64_t> positive_, counted_;  // steps with more than zero of it, with any
};

}  // namespace coluber::simulation
