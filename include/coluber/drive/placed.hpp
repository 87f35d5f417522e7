#pragma once

#include <Eigen/Core>

#include "coluber/core/export.hpp"

namespace coluber {

/// A robot that says where its link 1 is, and need not be made of links with lengths.
class COLUBER_EXPORT Placed {
 public:
  Placed() = default;
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  virtual ~Placed() = default;

  /// The reference point of link 1, world axes (m).
  [[nodiscard]] virtual Eigen::Vector3d place() const = 0;
};

}  // namespace coluber
