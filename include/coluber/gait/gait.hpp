#pragma once

#include <optional>

#include <Eigen/Core>

#include "coluber/core/bytes.hpp"
#include "coluber/core/export.hpp"
#include "coluber/core/shown.hpp"

namespace coluber::gait {

/// A joint reference over time. Derive from it for a gait of your own (examples/own_gait). What it
/// shows is recorded behind what system and controller show.
class COLUBER_EXPORT Gait : public Shown {
 public:
  /// References at time t (s): phi_d (rad) and phidot_d (rad/s), one entry per joint.
  virtual void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                        Eigen::Ref<Eigen::VectorXd> phidot_d) const = 0;

  /// Second derivative phidd_d (rad/s²) of the references at time t (s), one entry per joint. As it
  /// is here: the central difference of the rates over ±0.1 ms.
  virtual void evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const;

  /// First instant after `t` (s) where a reference or its rate jumps; as it is here: none.
  [[nodiscard]] virtual double next_break(double t) const;

  /// Largest |phidot_d| the gait ever asks for (rad/s); the runaway guard compares with it.
  [[nodiscard]] virtual double max_rate() const = 0;

  /// Angle of link 1 (rad) for which the mean line of the references' wave at t = 0 lies along the
  /// direction 0, from link 1 to the last; none where less than half a wave lies on the robot. As
  /// it is here: none, there is no wave.
  [[nodiscard]] virtual std::optional<double> mean_line() const { return std::nullopt; }

  /// A gait that remembers something from step to step (a phase, random numbers) writes it here, so
  /// that a resumed run is bit-identical.
  virtual void save_state(ByteWriter& /*bytes*/) const {}
  /// Takes back what `save_state` wrote. May throw FileError.
  virtual void restore_state(ByteReader& /*bytes*/) {}
};

}  // namespace coluber::gait
