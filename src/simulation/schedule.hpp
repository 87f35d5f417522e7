#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace coluber::simulation {

/// Steps at which frames are taken: frame k at the step nearest to k/rate, no step twice.
class FrameSchedule {
 public:
  FrameSchedule(double dt, double rate_hz) : dt_(dt), rate_hz_(rate_hz) {}

  /// True at a frame's step.
  [[nodiscard]] bool falls_on(std::int64_t step) const { return step == next_; }
  /// True at a frame's step; moves on to the next.
  bool due(std::int64_t step) {
    if (step != next_) return false;
    pass(step);
    return true;
  }
  /// Moves on to the first frame after this step.
  void pass(std::int64_t step) {
    while (next_ <= step) {
      ++k_;
      const double step_of_it = static_cast<double>(k_) / (rate_hz_ * dt_);
      next_ = step_of_it < never ? std::llround(step_of_it) : static_cast<std::int64_t>(never);
    }
  }

 private:
  static constexpr double never = 0x1p62;  // steps

  double dt_;
  double rate_hz_;
  std::int64_t k_ = 0;
  std::int64_t next_ = 0;
};

/// Steps after which a checkpoint may be taken, `interval` seconds apart. Counted from the start of
/// the run: a resumed one keeps them.
class CheckpointSchedule {
 public:
  CheckpointSchedule(double dt, double interval)
      : every_(std::max<std::int64_t>(1, std::llround(interval / dt))) {}
  [[nodiscard]] bool due(std::int64_t step) const { return step % every_ == 0; }

 private:
  std::int64_t every_;
};

}  // namespace coluber::simulation
