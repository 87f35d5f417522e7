#pragma once

#include "coluber/multibody/system.hpp"

namespace coluber::multibody {

/// What a jump of the shape's rates needs, sized once.
struct MultibodySystem::Jump {
  explicit Jump(const Model& model);

  Input input, before;  // of the jump as if it were an acceleration; of the side before it
  Program program;      // `input` at any time
  Configuration at;     // where it is, standing
  // both sides' rates, then impulses (N m s, N s)
  Eigen::VectorXd rdot, thetadot, slip;
  Vector6d eta = Vector6d::Zero();
  Eigen::VectorXd tau, Gamma, lambda;
  Vector6d F_c = Vector6d::Zero();
};

}  // namespace coluber::multibody
