#pragma once

// Checks of a chain and its world that are the same for every model.

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include <Eigen/Core>
#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/world/obstacle_grid.hpp"

namespace coluber::chain {

/// Throws Error at the first quantity that is not physical.
class Demand {
 public:
  /// `model` as messages name it.
  explicit Demand(const char* model) : model_(model) {}

  /// Quantity `what` of link or obstacle `index`, counted from 0.
  void operator()(bool good, const char* what, double value, std::size_t index = 0) const {
    if (!good) {
      throw Error(fmt::format("{} model: {} of number {} is {}", model_, what, index + 1, value));
    }
  }
  void is_positive(const char* what, double value, std::size_t index = 0) const {
    (*this)(std::isfinite(value) && value > 0.0, what, value, index);
  }
  void is_not_negative(const char* what, double value, std::size_t index = 0) const {
    (*this)(std::isfinite(value) && value >= 0.0, what, value, index);
  }
  void is_finite(const char* what, double value, std::size_t index = 0) const {
    (*this)(std::isfinite(value), what, value, index);
  }

  template <typename Link>
  void shape(const Link& link, std::size_t i) const {
    is_positive("link length", link.L, i);
    is_not_negative("link half_core", link.L_GS, i);
    is_positive("link radius", link.L_SC, i);
    is_finite("link cg_offset", link.offset, i);
  }
  void obstacles(std::span<const world::Obstacle> all) const {
    for (std::size_t j = 0; j < all.size(); ++j) {
      (*this)(all[j].H.allFinite(), "obstacle position", all[j].H.sum(), j);
      is_positive("obstacle radius", all[j].L_H, j);
      is_not_negative("obstacle friction", all[j].mu, j);
    }
  }
  void ground(double g, const Eigen::Vector2d& mu_T) const {
    is_not_negative("gravity", g);
    (*this)(mu_T.allFinite() && mu_T.minCoeff() >= 0.0, "friction", mu_T.minCoeff());
  }
  void slope(double tilt, double tilt_direction) const {
    (*this)(std::abs(tilt) < 0.5 * std::numbers::pi, "tilt", tilt);
    is_finite("tilt direction", tilt_direction);
  }

 private:
  const char* model_;
};

}  // namespace coluber::chain
