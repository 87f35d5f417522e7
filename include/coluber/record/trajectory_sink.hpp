#pragma once

#include <span>
#include <utility>

#include "coluber/core/export.hpp"
#include "coluber/record/trajectory.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::record {

/// Keeps the frames of a run in memory.
class COLUBER_EXPORT TrajectorySink final : public simulation::FrameSink {
 public:
  void frame(double t, const Shown& shown, std::span<const double> values) override;
  /// The frames so far.
  [[nodiscard]] const Trajectory& trajectory() const { return trajectory_; }
  /// The same, moved out.
  [[nodiscard]] Trajectory take() { return std::move(trajectory_); }

 private:
  Trajectory trajectory_;
};

}  // namespace coluber::record
