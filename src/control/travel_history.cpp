#include "coluber/control/travel_history.hpp"

#include <cmath>

#include "coluber/core/assert.hpp"

namespace coluber::control {

TravelHistory::TravelHistory(double length, double resolution) : resolution_(resolution) {
  COLUBER_ASSERT(length > 0.0 && resolution > 0.0, length, resolution);
  // of two neighbouring gaps at least one is half of it
  const auto size = static_cast<std::size_t>(std::ceil(2.0 * length / resolution)) + 3;
  distance_.resize(size);
  value_.resize(size);
}

// The newest entry always has the newest value; it becomes a place of its own once the travel is
// `resolution` beyond the entry before it.
void TravelHistory::add(double d, double value) {
  if (count_ > 0) {
    const double newest = distance_[slot(count_ - 1)];
    if (!(d > newest)) {
      value_[slot(count_ - 1)] = value;
      return;
    }
    if (count_ > 1 && d - distance_[slot(count_ - 2)] < resolution_) {
      distance_[slot(count_ - 1)] = d;
      value_[slot(count_ - 1)] = value;
      return;
    }
  }
  if (count_ == distance_.size()) {
    first_ = slot(1);
    --count_;
  }
  ++count_;
  distance_[slot(count_ - 1)] = d;
  value_[slot(count_ - 1)] = value;
}

double TravelHistory::at(double back) const {
  if (count_ == 0) return 0.0;
  const double sought = distance_[slot(count_ - 1)] - back;
  std::size_t low = 0;
  std::size_t high = count_;  // the first beyond `sought`
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (distance_[slot(middle)] <= sought) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return 0.0;
  const std::size_t i = slot(low - 1);
  if (low == count_) return value_[i];
  const std::size_t j = slot(low);
  return value_[i] +
         (value_[j] - value_[i]) * (sought - distance_[i]) / (distance_[j] - distance_[i]);
}

}  // namespace coluber::control
