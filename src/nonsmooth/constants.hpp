#pragma once

// Numbers that more than one solver, step or check of the same laws must agree on. No functions:
// this header is compiled for several instruction sets at once (planar/fast_kernel.inl).

namespace coluber::nonsmooth {

/// r of the prox equations, for statuses and residuals alike (kg). Any value from 0.05 to 1 gives
/// the same iterations for links of some 0.7 kg; the solution never depends on it, and residuals of
/// different solvers compare.
inline constexpr double kProxR = 0.3;

/// Law `rigid`: compliance of the proximal term as a share of the anchored law's.
inline constexpr double kRigidShare = 5e-5;

/// Largest relative error of one rounded operation, 2^-53.
inline constexpr double kRoundoff = 1.1102230246251565e-16;

/// Scaled residual above which rounding is no excuse: numbers have outgrown double precision.
inline constexpr double kLostDigits = 1e-5;

}  // namespace coluber::nonsmooth
