#pragma once

#include "coluber/core/export.hpp"
#include "coluber/gait/gait.hpp"

namespace coluber::gait {

/// Constant joint angles: the reference of a scenario without a gait.
class COLUBER_EXPORT Held final : public Gait {
 public:
  /// `angles` in rad, one per joint.
  explicit Held(Eigen::VectorXd angles);

  /// Other angles from now on, of the same number.
  void hold(const Eigen::Ref<const Eigen::VectorXd>& angles) { angles_ = angles; }

  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override;
  void evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const override;
  [[nodiscard]] double max_rate() const override { return 0.0; }

 private:
  Eigen::VectorXd angles_;
};

}  // namespace coluber::gait
