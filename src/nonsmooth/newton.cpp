#include "newton.hpp"

#include <cmath>

namespace coluber::nonsmooth {

template <int T>
Reached fall_back(const ContactProblem<T>& problem, const Solution<T>& previous,
                  Solution<T>& solution, double newton_residual, Storage<T>& storage,
                  const NewtonOptions& options, int& sweeps) {
  Best best;
  if (std::isfinite(newton_residual)) best.residual = newton_residual;
  storage.best = solution;
  storage.drate.resize(
      problem.nodes.size());  // even if this problem is not convex: a later one may be
  Reached reached;
  if (is_convex(problem)) {
    reached = descend(problem, previous, solution, storage, options, sweeps, best);
    if (reached.settled) return reached;
  }
  reached = continue_in_pseudo_time(problem, previous, solution, storage, options, sweeps, best);
  if (reached.settled || !std::isfinite(best.defect)) return reached;
  const bool found = std::isfinite(best.residual);
  solution = found ? storage.best : storage.trial;  // finite, if far from an answer
  return {found ? best.residual : best.defect, false};
}

template <int T>
SolveInfo solve_newton(const ContactProblem<T>& problem, const Solution<T>& previous,
                       Solution<T>& solution, SolverData<T>& data, const NewtonOptions& options) {
  auto& storage = data.storage();
  storage.fit(problem);
  solution.resize(problem.nodes.size(), problem.contacts.size());
  update_twists(problem, solution);

  SolveInfo info;
  Reached reached;
  if (options.law == Law::rigid) {
    reached = solve_rigid(problem, previous, solution, storage, options, info);
  } else {
    storage.set_proximal(problem, 1.0);
    reached =
        newton_sweeps(problem, solution, storage, options, options.max_sweeps, info.iterations);
    if (!reached.settled && options.fallback) {
      info.fallback = true;
      reached = fall_back(problem, previous, solution, reached.residual, storage, options,
                          info.fallback_sweeps);
      info.iterations += info.fallback_sweeps;
    }
  }
  info.residual = reached.residual / problem.impulse_scale;
  if (!std::isfinite(reached.residual)) {
    info.status = Status::non_finite;
  } else if (!reached.settled || info.gap > options.gap) {
    info.status = Status::not_converged;
  }
  return info;
}

template Reached fall_back<3>(const ContactProblem<3>&, const Solution<3>&, Solution<3>&, double,
                              Storage<3>&, const NewtonOptions&, int&);
template Reached fall_back<6>(const ContactProblem<6>&, const Solution<6>&, Solution<6>&, double,
                              Storage<6>&, const NewtonOptions&, int&);
template SolveInfo solve_newton<3>(const ContactProblem<3>&, const Solution<3>&, Solution<3>&,
                                   SolverData<3>&, const NewtonOptions&);
template SolveInfo solve_newton<6>(const ContactProblem<6>&, const Solution<6>&, Solution<6>&,
                                   SolverData<6>&, const NewtonOptions&);

}  // namespace coluber::nonsmooth
