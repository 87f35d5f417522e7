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
};

/// Scratch: twists rebuilt from root and rates, and the momentum defect of every subtree.
template <int T>
struct ResidualData {
  std::vector<Twist<T>> twist, defect;
};

/// The residual of `solution`; `data` is overwritten.
template <int T>
COLUBER_EXPORT Residual compute_residual(const ContactProblem<T>& problem,
                                         const Solution<T>& solution, ResidualData<T>& data,
                                         Law law = Law::anchored);

extern template Residual compute_residual<3>(const ContactProblem<3>&, const Solution<3>&,
                                             ResidualData<3>&, Law);
extern template Residual compute_residual<6>(const ContactProblem<6>&, const Solution<6>&,
                                             ResidualData<6>&, Law);

}  // namespace coluber::nonsmooth
