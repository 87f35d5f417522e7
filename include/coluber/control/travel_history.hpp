#pragma once

#include <cstddef>
#include <vector>

#include "coluber/core/export.hpp"

namespace coluber::control {

/// A value over the distance travelled, as far back as it is asked for: Murugendran (28). Memory is
/// what the distance takes, however long the run and however slow the robot.
class COLUBER_EXPORT TravelHistory {
 public:
  /// Remembers `length` (m) of travel in steps of at least `resolution` (m), both > 0.
  TravelHistory(double length, double resolution);

  /// The value after the distance `d` (m). A distance that is not `resolution` beyond the one
  /// before replaces it; going back does not unlearn.
  void add(double d, double value);
  /// The value `back` (m) ago, linear between what was added; 0 before the first.
  [[nodiscard]] double at(double back) const;

  /// Sizes as after construction: what only a damaged checkpoint has not.
  [[nodiscard]] bool makes_sense(const TravelHistory& made) const {
    return distance_.size() == made.distance_.size() && value_.size() == made.value_.size() &&
           first_ < distance_.size() && count_ <= distance_.size();
  }
  /// To and from a checkpoint.
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    bytes.list(self.distance_, [&](auto& value) { bytes(value); });
    bytes.list(self.value_, [&](auto& value) { bytes(value); });
    bytes(self.first_, self.count_);
  }

 private:
  [[nodiscard]] std::size_t slot(std::size_t i) const { return (first_ + i) % distance_.size(); }

  double resolution_;
  std::vector<double> distance_, value_;  // a ring
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace coluber::control
