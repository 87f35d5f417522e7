#pragma once

// Parts of solve_newton() that call each other: Newton's sweeps, and what is done where they do not
// settle. `Storage` is that of the solver; its `proximal` terms are those of the law being solved.

#include <limits>

#include "sweep.hpp"

namespace coluber::nonsmooth {

template <int T>
using Storage = typename SolverData<T>::Storage;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Where an iteration came to.
struct Reached {
  double residual = kInfinity;  // N s
  bool settled = false;         // within the tolerance, or at the rounding of the laws
};

/// What a fallback has found so far: `storage.best`, and its residual (N s).
struct Best {
  double residual = kInfinity;
  double defect = kInfinity;  // max |G| at `storage.trial`
};

/// Of the ten times the tolerance that a step's momentum may be off (solve_step.hpp), the part that
/// roundings of earlier sweeps may use up.
inline constexpr double kMayLose = 5.0;

/// What the twists, increments added up sweep by sweep, have lost of the momentum that root and
/// joint rates stand for (N s). Sweeps that went astray by kilometres a second leave that much.
template <int T>
double momentum_lost(const ContactProblem<T>& problem, const Solution<T>& solution,
                     Storage<T>& storage);

/// Full Newton steps from `solution` with the law that is being solved, at most `max_sweeps`, until
/// the laws hold to the tolerance, or to rounding and a sweep no longer halves what is left.
template <int T>
Reached newton_sweeps(const ContactProblem<T>& problem, Solution<T>& solution, Storage<T>& storage,
                      const NewtonOptions& options, int max_sweeps, int& sweeps);

/// Whether the step is the minimum of a strictly convex function: no friction on a normal impulse
/// that is itself unknown, and no servo that drives.
template <int T>
bool is_convex(const ContactProblem<T>& problem);

/// Newton's method with a line search on that function.
template <int T>
Reached descend(const ContactProblem<T>& problem, const Solution<T>& previous,
                Solution<T>& solution, Storage<T>& storage, const NewtonOptions& options,
                int& sweeps, Best& best);

/// Pseudo-transient continuation: for any problem.
template <int T>
Reached continue_in_pseudo_time(const ContactProblem<T>& problem, const Solution<T>& previous,
                                Solution<T>& solution, Storage<T>& storage,
                                const NewtonOptions& options, int& sweeps, Best& best);

/// Where Newton does not settle: a descent if the problem is convex, else, or if rounding is in its
/// way, pseudo-transient continuation. If neither settles, the best answer found is kept.
template <int T>
Reached fall_back(const ContactProblem<T>& problem, const Solution<T>& previous,
                  Solution<T>& solution, double newton_residual, Storage<T>& storage,
                  const NewtonOptions& options, int& sweeps);

/// Law `rigid`: Newton with a proximal term so small that it hardly matters, moved until it does
/// not; where that does not settle, proximal passes.
template <int T>
Reached solve_rigid(const ContactProblem<T>& problem, const Solution<T>& previous,
                    Solution<T>& solution, Storage<T>& storage, const NewtonOptions& options,
                    SolveInfo& info);

}  // namespace coluber::nonsmooth
