#pragma once

// A step's problem solved and judged: what every model does alike.

#include <algorithm>
#include <cmath>
#include <vector>

#include "coluber/core/profile.hpp"
#include "coluber/nonsmooth/residual.hpp"
#include "coluber/nonsmooth/solver.hpp"
#include "coluber/nonsmooth/step_info.hpp"

#include "constants.hpp"

namespace coluber::nonsmooth {

/// Whether a residual recomputed outside the solver bears a step out that the solver calls solved:
/// law and momentum each within ten times the tolerance, or within what rounding alone
/// makes of them, unless that is so much that no digits are left to trust. `rounding()` is called
/// only if it matters.
template <typename Compute>
bool bears_out(double law, double momentum, double tolerance, const Compute& rounding) {
  const double simple = 10.0 * tolerance;
  if (law <= simple && momentum <= simple) return true;
  const Rounding allowed = rounding();
  const auto limit = [&](double floor) { return std::max(simple, std::min(floor, kLostDigits)); };
  return law <= limit(allowed.law) && momentum <= limit(allowed.momentum);
}

/// The solver that `options` ask for; their law goes before the solver's own.
template <typename Data, typename Options>
SolveInfo solve_problem(Data& data, const Options& options) {
  if (options.solver == Solver::newton) {
    NewtonOptions newton = options.newton;
    newton.law = options.law;
    return solve_newton(data.problem, data.previous, data.solution, data.solver, newton);
  }
  if (options.solver == Solver::gauss_seidel) {
    GaussSeidelOptions gauss_seidel = options.gauss_seidel;
    gauss_seidel.law = options.law;
    return solve_gauss_seidel(data.problem, data.solution, data.solver, gauss_seidel);
  }
  ThesisOptions thesis = options.thesis;
  thesis.law = options.law;
  return solve_thesis(data.problem, data.solution, data.solver, thesis);
}

/// Solves `data.problem` and says how it came out; `data.audit` has the residual. The worst contact
/// is named `quantity` and the 1-based part its node belongs to: `part_of_node` has the 0-based one
/// of every node.
template <typename Data, typename Options>
ContactStepInfo solve_step(Data& data, const Options& options, const std::vector<int>& part_of_node,
                           const char* quantity) {
  const SolveInfo solve = solve_problem(data, options);
  lap(data.profile, Phase::solve);
  const Residual residual =
      compute_residual(data.problem, data.solution, data.residual, options.law);
  data.audit = residual;
  ContactStepInfo info;
  info.status = solve.status;
  info.iterations = solve.iterations;
  info.fallback_sweeps = solve.fallback_sweeps;
  info.fallback_passes = solve.fallback_passes;
  if (solve.fallback) info.gap = solve.gap;
  info.residual_law = residual.law;
  info.residual_momentum = residual.momentum;
  info.residual = std::max(residual.law, residual.momentum);
  info.rigid_residual = std::max(residual.rigid_law, residual.momentum);
  if (residual.worst_node >= 0) {
    info.quantity = quantity;
    info.index = part_of_node[static_cast<std::size_t>(residual.worst_node)] + 1;
  }
  // std::max may lose a NaN; without contacts the momentum alone has it.
  if (!std::isfinite(residual.law) || !std::isfinite(residual.momentum)) {
    info.status = Status::non_finite;
  }
  if (info.status == Status::not_converged && residual.law <= options.accepted &&
      residual.momentum <= options.accepted) {
    info.status = Status::ok;
  }
  if (options.solver == Solver::thesis) info.friction_share = residual.friction_share;
  // The thesis' iteration has its own, looser end.
  if (info.status == Status::ok && options.solver != Solver::thesis) {
    const double tolerance = options.solver == Solver::gauss_seidel ? options.gauss_seidel.tolerance
                                                                    : options.newton.tolerance;
    const double allowed = std::max(tolerance, 0.1 * options.accepted);
    const bool good = bears_out(residual.law, residual.momentum, allowed, [&] {
      return compute_rounding(data.problem, data.solution, data.residual);
    });
    if (!good) info.status = Status::not_converged;
  }
  lap(data.profile, Phase::residual);
  return info;
}

}  // namespace coluber::nonsmooth
