#pragma once

#include <filesystem>

#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"
#include "coluber/nonsmooth/solver.hpp"

namespace coluber::nonsmooth {

/// `[solver]`: how the contact problem of a step is solved.
struct SolverKeys {
  Solver name = Solver::newton;
  Law law = Law::anchored;
  Activation activation = Activation::landing;
  double tolerance = 1e-10;
  std::filesystem::path dump{};  ///< for the problem of the hardest step; empty: none
  ThesisOptions thesis{};
};

/// The keys of SolverKeys.
COLUBER_EXPORT const keys::Section& solver_keys();

/// Options of a model's step as `[solver]` has them; `mu` are the ground's friction coefficients.
template <typename StepOptions>
StepOptions make_step_options(const SolverKeys& solver, double dt, const Eigen::Vector2d& mu) {
  StepOptions options;
  options.dt = dt;
  options.solver = solver.name;
  options.law = solver.law;
  options.activation = solver.activation;
  options.newton.tolerance = solver.tolerance;
  options.accepted = solver.tolerance;
  // The residual is weak along the slippery axis of a slender ellipse (docs/numerics.md).
  if (mu.maxCoeff() > 10.0 * mu.minCoeff()) {
    options.newton.tolerance = std::min(options.newton.tolerance, 1e-12);
  }
  options.gauss_seidel.tolerance = options.newton.tolerance;
  options.thesis = solver.thesis;
  return options;
}

}  // namespace coluber::nonsmooth
