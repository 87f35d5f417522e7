#pragma once

#include <Eigen/Core>

#include "coluber/core/export.hpp"

namespace coluber {

/// The shape of a robot as a function of time: joint coordinates that are given at every instant,
/// also inside a step, whatever torques that takes. A function of its arguments alone: an
/// integrator asks for instants it then discards.
class COLUBER_EXPORT Shape {
 public:
  Shape() = default;
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;
  virtual ~Shape() = default;

  /// Number of joint coordinates.
  [[nodiscard]] virtual int size() const = 0;
  /// Coordinates `r` (rad or m), their rates and accelerations at time `t` (s).
  virtual void evaluate(double t, Eigen::Ref<Eigen::VectorXd> r, Eigen::Ref<Eigen::VectorXd> rdot,
                        Eigen::Ref<Eigen::VectorXd> rddot) const = 0;
  /// First instant after `t` (s) where a coordinate or its rate jumps; infinite if there is none.
  [[nodiscard]] virtual double next_break(double t) const = 0;
};

}  // namespace coluber
