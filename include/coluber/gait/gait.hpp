#pragma once

#include <Eigen/Core>

#include "coluber/core/export.hpp"

namespace coluber::gait {

/// A joint reference over time. Derive from it for a gait of your own (examples/own_gait).
class COLUBER_EXPORT Gait {
 public:
  Gait() = default;
  Gait(const Gait&) = delete;
  Gait& operator=(const Gait&) = delete;
  virtual ~Gait() = default;

  /// References at time t (s): phi_d (rad) and phidot_d (rad/s), one entry a joint.
  virtual void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                        Eigen::Ref<Eigen::VectorXd> phidot_d) const = 0;

  /// Second derivative phidd_d (rad/s²) of the references at time t (s), one entry a joint. As it
  /// is here: the central difference of the rates over ±0.1 ms.
  virtual void evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const;

  /// First instant after `t` (s) where a reference or its rate jumps; as it is here: none.
  [[nodiscard]] virtual double next_break(double t) const;

  /// Largest |phidot_d| the gait ever asks for (rad/s); the runaway guard compares with it.
  [[nodiscard]] virtual double max_rate() const = 0;
};

}  // namespace coluber::gait
