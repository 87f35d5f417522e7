#pragma once

#include <Eigen/Core>

#include "coluber/core/export.hpp"

namespace coluber {

/// A robot made of links.
class COLUBER_EXPORT Linked {
 public:
  Linked() = default;
  Linked(const Linked&) = delete;
  Linked& operator=(const Linked&) = delete;
  virtual ~Linked() = default;

  [[nodiscard]] virtual int link_count() const = 0;              ///< number of links
  [[nodiscard]] virtual double link_length(int link) const = 0;  ///< m, counted from 0
  [[nodiscard]] virtual double link_mass(int link) const = 0;    ///< kg, counted from 0
  /// Centres of gravity seen from above, x and y of each link (m).
  virtual void link_centres(Eigen::Ref<Eigen::VectorXd> centres) const = 0;
};

}  // namespace coluber
