#pragma once

#include <cstddef>
#include <iterator>
#include <vector>

#include <Eigen/Core>

#include "coluber/core/assert.hpp"
#include "coluber/core/export.hpp"

namespace coluber::control {

/// A gain at every joint: the same for all, or one each. The diagonal of a gain matrix.
class COLUBER_EXPORT Gains {
 public:
  /// The same at every joint.
  Gains(double all) : values_{all} {}  // NOLINT(google-explicit-constructor): `kp = 800`
  /// One per joint. Throws Error if there is none.
  explicit Gains(std::vector<double> each);

  /// True: one number stands for every joint.
  [[nodiscard]] bool is_uniform() const { return values_.size() == 1; }
  /// One number, or one per joint.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// Of this joint, counted from 0.
  [[nodiscard]] double operator()(Eigen::Index joint) const {
    COLUBER_ASSERT(is_uniform() || joint < std::ssize(values_), joint, values_.size());
    return is_uniform() ? values_.front() : values_[static_cast<std::size_t>(joint)];
  }
  /// Throws Error, naming `what`, unless every gain is finite and not negative.
  void require_valid(const char* what) const;
  friend bool operator==(const Gains&, const Gains&) = default;

 private:
  std::vector<double> values_;
};

}  // namespace coluber::control
