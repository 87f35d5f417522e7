#pragma once

#include <Eigen/Core>

#include "coluber/math/ode.hpp"
#include "coluber/rod/data.hpp"

namespace coluber::rod {

/// Which of the operators is integrated.
enum class Operator : std::uint8_t { f1, f2, f3 };

/// Integrators over X, one per operator.
struct Data::Marching final : public math::Ode {
  explicit Marching(const Model& model);

  bool compute_rate(double X, const Eigen::Ref<const Eigen::VectorXd>& state,
                    Eigen::Ref<Eigen::VectorXd> slope) override;

  const Model* model = nullptr;
  const StrainLaw* strain = nullptr;
  const Data* data = nullptr;
  double t = 0.0;
  double bad_X = -1.0;
  Operator which = Operator::f1;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  math::Dopri5 f1, f2, f3;
  Eigen::VectorXd y1, y2, y3;
};

}  // namespace coluber::rod
