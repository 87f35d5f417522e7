#include "coluber/gait/held.hpp"

#include <utility>

#include "coluber/core/assert.hpp"

namespace coluber::gait {

Held::Held(Eigen::VectorXd angles) : angles_(std::move(angles)) {}

void Held::evaluate(double /*t*/, Eigen::Ref<Eigen::VectorXd> phi_d,
                    Eigen::Ref<Eigen::VectorXd> phidot_d) const {
  COLUBER_ASSERT(phi_d.size() == angles_.size(), phi_d.size(), angles_.size());
  phi_d = angles_;
  phidot_d.setZero();
}

void Held::evaluate_acceleration(double /*t*/, Eigen::Ref<Eigen::VectorXd> phidd_d) const {
  phidd_d.setZero();
}

}  // namespace coluber::gait
