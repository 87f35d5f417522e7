#pragma once

#include "coluber/nonsmooth/contact_problem.hpp"
#include "coluber/nonsmooth/solver.hpp"
#include "coluber/nonsmooth/step_info.hpp"

namespace coluber::chain {

/// How a step of a chain of links is done.
struct StepOptions {
  double dt = 1e-3;  ///< s
  nonsmooth::Solver solver = nonsmooth::Solver::newton;
  nonsmooth::Law law = nonsmooth::Law::anchored;  ///< of every solver; goes before their own
  nonsmooth::Activation activation = nonsmooth::Activation::landing;
  nonsmooth::NewtonOptions newton;
  nonsmooth::GaussSeidelOptions gauss_seidel;
  nonsmooth::ThesisOptions thesis;
  /// Scaled residual of law and momentum at which a step is good although it missed its solver's
  /// tolerance, where that is lower than what was asked for.
  double accepted = 0.0;
  /// A step that did not converge leaves the state as it was. (One that only `audit` finds fault
  /// with has been taken by then; ContactSystem takes it back.)
  bool refuse = false;
  bool plain = false;  ///< never the fast step; the same answer to rounding
  /// Judges a fast step's answer by the plain step's problem and nonsmooth::compute_residual(),
  /// too: `audit` of the data. The answer does not change; it costs about as much as a plain step's
  /// problem and residual.
  bool audit = false;
};

/// Whether a step that came out like this is not taken.
inline bool is_refused(const StepOptions& options, const nonsmooth::ContactStepInfo& info) {
  return info.status == Status::non_finite || (options.refuse && info.status != Status::ok);
}

}  // namespace coluber::chain
