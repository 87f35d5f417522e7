#pragma once

#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/drive/laws.hpp"
#include "coluber/gait/gait.hpp"

namespace coluber::gait {

/// Joint coordinates by a law each; those without one are held at zero.
class COLUBER_EXPORT JointLaws final : public Gait {
 public:
  /// `laws` of `joints` coordinates, for a run of `duration` (s).
  JointLaws(const std::vector<drive::JointLaw>& laws, int joints, double duration);

  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override;
  void evaluate_acceleration(double t, Eigen::Ref<Eigen::VectorXd> phidd_d) const override;
  [[nodiscard]] double max_rate() const override { return max_rate_; }

 private:
  std::vector<drive::Law> laws_;  // one per joint
  double max_rate_ = 0.0;
};

}  // namespace coluber::gait
