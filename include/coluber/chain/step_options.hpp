#pragma once

#include "coluber/nonsmooth/contact_problem.hpp"
#include "coluber/nonsmooth/solver.hpp"

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
  bool plain = false;  ///< never the fast step; the same answer to rounding
  /// Judges a fast step's answer by the plain step's problem and nonsmooth::compute_residual(),
  /// too: `audit` of the data. The answer does not change; it costs about as much as a plain step's
  /// problem and residual.
  bool audit = false;
};

}  // namespace coluber::chain
