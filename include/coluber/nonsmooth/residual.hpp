#pragma once

#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/nonsmooth/contact_problem.hpp"

namespace coluber::nonsmooth {

/// How well a solution answers a problem, computed from the two alone and from nothing a solver
/// keeps (law `rigid`: with the proximal terms of the solution). All figures are impulses over
/// `impulse_scale`.
struct Residual {
  double law = 0.0;        ///< max over contacts of |F_N| and mu |F_T| with r = 0.3 kg
  double rigid_law = 0.0;  ///< the same for the set-valued law as it stands: c_T = 0
  double gap = 0.0;        ///< law `rigid`: max over closed points of r c_T |P_T - A|
  double momentum = 0.0;   ///< max over joints (torque over length_scale) and the root's rows
  int worst_node = -1;     ///< node of the worst contact
  /// Friction that is off, mu |F_T| summed over all points, as a share of mu P_N; at most 1.
  double friction_share = 0.0;
};

/// What rounding alone can make of the figures of `Residual`: no answer in double precision can be
/// asked to do better. All figures are impulses over `impulse_scale`.
struct Rounding {
  double law = 0.0;
  double momentum = 0.0;
};

/// Scratch: twists rebuilt from root and rates, the momentum defect of every subtree, and what
/// rounding does to both.
template <int T>
struct ResidualData {
  std::vector<Twist<T>> twist, defect, twist_error, defect_error;
};

/// The residual of `solution`; `data` is overwritten. Law `rigid`: with the proximal terms of the
/// solution if it has one per contact, else without any.
template <int T>
COLUBER_EXPORT Residual compute_residual(const ContactProblem<T>& problem,
                                         const Solution<T>& solution, ResidualData<T>& data,
                                         Law law = Law::anchored);

/// Running error analysis of compute_residual(), to first order: every sum is rounded by at most
/// 2^-53 of what it gives, and the errors add up along the tree. It grows with the number of links,
/// their distance from the common point and their speed (docs/numerics.md). `data` is overwritten.
template <int T>
COLUBER_EXPORT Rounding compute_rounding(const ContactProblem<T>& problem,
                                         const Solution<T>& solution, ResidualData<T>& data);

extern template Residual compute_residual<3>(const ContactProblem<3>&, const Solution<3>&,
                                             ResidualData<3>&, Law);
extern template Residual compute_residual<6>(const ContactProblem<6>&, const Solution<6>&,
                                             ResidualData<6>&, Law);
extern template Rounding compute_rounding<3>(const ContactProblem<3>&, const Solution<3>&,
                                             ResidualData<3>&);
extern template Rounding compute_rounding<6>(const ContactProblem<6>&, const Solution<6>&,
                                             ResidualData<6>&);

}  // namespace coluber::nonsmooth
