#include <algorithm>
#include <cmath>

#include "newton.hpp"

namespace coluber::nonsmooth {
namespace {

/// Law `rigid`: what the proximal terms keep the answer from the set-valued law, r c_T |P_T - A|
/// over the closed points (N s).
template <int T>
double proximal_gap(const ContactProblem<T>& problem, const Solution<T>& solution,
                    const Storage<T>& storage) {
  double gap = 0.0;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const Contact<T>& contact = problem.contacts[k];
    const Impulse& P = solution.impulse[k];
    if (!(contact.mu_max > 0.0) || !(P.N > 0.0)) continue;
    const Proximal& term = storage.proximal[k];
    gap = std::max(gap, kProxR / contact.mu_max * term.c_t * (P.T - term.A).norm());
  }
  return gap;
}

/// A <- P_T, c_t <- share times the contact's: the terms act on what the next pass changes only.
template <int T>
void move_proximal(const ContactProblem<T>& problem, const Solution<T>& solution, double share,
                   Storage<T>& storage) {
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    storage.proximal[k] = {share * problem.contacts[k].c_t, solution.impulse[k].T};
  }
}

constexpr double kLargeShare = 0.5;    // from this compliance on the continuation is of use
constexpr double kLeastShare = 5e-10;  // below kRigidShare momentum suffers
constexpr double kStalled = 0.5;       // of the gap of the pass before
constexpr int kMaxPasses = 100;

/// Proximal passes: the terms shrink while Newton is at ease, grow where it fails, and move with
/// the answer until they no longer matter. They start as they stand, with `share`. `gap` (N s) is
/// that of the pass kept, the one with the smallest.
///
/// Points that cannot all stick (two of a link that pitches) have a speed v = c_t (P_T - A) forced
/// upon them. As long as none slips, the gap stays and a pass pushes the impulses that they share
/// on by v/c_t, until some are at the edge of their cones; in a jam that is thousands of passes
/// away. So where the gap stays, c_t goes down as far as it takes. Such an answer has lost digits
/// of its momentum, as much as 1/c_t is large: it is where the last pass begins, with the usual
/// c_t, which gives them back.
template <int T>
Reached proximal_passes(const ContactProblem<T>& problem, const Solution<T>& previous,
                        Solution<T>& solution, double share, Storage<T>& storage,
                        const NewtonOptions& options, SolveInfo& info, double& gap) {
  constexpr int kMaxSweeps = 12;
  constexpr int kAtEase = 6;  // sweeps
  constexpr double kBoldest = 0.1;
  const double tolerance = options.tolerance * problem.impulse_scale;
  const double gap_tolerance = options.gap * problem.impulse_scale;
  double factor = kBoldest;
  int at_ease = 0;  // passes in a row
  double last_gap = kInfinity;
  Reached best;
  gap = kInfinity;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    ++info.passes;
    ++info.fallback_passes;
    if (momentum_lost(problem, solution, storage) > kMayLose * tolerance)
      update_twists(problem, solution);
    storage.before_pass = solution;
    int sweeps = 0;
    Reached reached = newton_sweeps(problem, solution, storage, options, kMaxSweeps, sweeps);
    if (!reached.settled && share >= kLargeShare) {
      reached = fall_back(problem, previous, solution, reached.residual, storage, options, sweeps);
      if (!reached.settled) {
        info.iterations += sweeps;
        if (gap == kInfinity) return reached;  // not even the anchored law
        break;
      }
    }
    info.iterations += sweeps;
    if (!reached.settled) {
      solution = storage.before_pass;
      share = std::min(1.0, 10.0 * share);
      factor = std::sqrt(factor);
      at_ease = 0;
      move_proximal(problem, solution, share, storage);
      continue;
    }
    const double pass_gap = proximal_gap(problem, solution, storage);
    const bool exact = share >= kRigidShare;  // in its momentum
    if (exact && pass_gap < gap) {
      gap = pass_gap;
      best = reached;
      solution.proximal = storage.proximal;
      if (gap <= gap_tolerance) return best;
      storage.best_pass = solution;
    }
    at_ease = sweeps <= kAtEase ? at_ease + 1 : 0;
    if (at_ease % 3 == 2) factor = std::max(kBoldest, factor * factor);
    if (!exact && (pass_gap <= gap_tolerance || share <= kLeastShare)) {
      share = kRigidShare;
    } else if (sweeps <= kAtEase) {
      const bool stalled = share <= kRigidShare && pass_gap > kStalled * last_gap;
      share = stalled ? std::max(factor * share, kLeastShare)
                      : std::max(factor * share, std::min(share, kRigidShare));
    }
    last_gap = pass_gap;
    move_proximal(problem, solution, share, storage);
  }
  if (gap < kInfinity) solution = storage.best_pass;
  return best;
}

}  // namespace

/// Newton with a proximal term so small that it hardly matters, moved until it does not. Where it
/// settles and the term goes on to matter, passes go on from there; where it does not settle, they
/// start from the last step's values with terms as large as those of the anchored law.
template <int T>
Reached solve_rigid(const ContactProblem<T>& problem, const Solution<T>& previous,
                    Solution<T>& solution, Storage<T>& storage, const NewtonOptions& options,
                    SolveInfo& info) {
  const double gap_tolerance = options.gap * problem.impulse_scale;
  const int max_sweeps = options.max_sweeps + options.max_sweeps / 3;
  storage.set_proximal(problem, kRigidShare);
  Reached reached;
  double gap = kInfinity;
  while (info.iterations < max_sweeps) {
    reached = newton_sweeps(problem, solution, storage, options, max_sweeps - info.iterations,
                            info.iterations);
    if (!reached.settled) break;
    const double last_gap = gap;
    gap = proximal_gap(problem, solution, storage);
    if (gap <= gap_tolerance || gap > kStalled * last_gap || info.iterations >= max_sweeps) break;
    ++info.passes;
    move_proximal(problem, solution, kRigidShare, storage);
  }
  solution.proximal = storage.proximal;
  const auto solved = [&] { return reached.settled && gap <= gap_tolerance; };
  if (solved() || !options.fallback) {
    info.gap = gap / problem.impulse_scale;
    return reached;
  }

  info.fallback = true;
  const int before = info.iterations;
  // The best of what is tried is kept.
  Reached kept = reached;
  double kept_gap = proximal_gap(problem, solution, storage);
  storage.newton = solution;
  const auto keep_the_better = [&] {
    if (solved() || std::max(reached.residual, gap) <= std::max(kept.residual, kept_gap)) {
      kept = reached;
      kept_gap = gap;
      storage.newton = solution;
    }
  };
  if (reached.settled) {
    const double share = 0.1 * kRigidShare;
    move_proximal(problem, solution, share, storage);
    reached = proximal_passes(problem, previous, solution, share, storage, options, info, gap);
    keep_the_better();
  }
  if (!solved()) {
    solution.root = previous.root;
    std::copy(previous.rate.begin(), previous.rate.end(), solution.rate.begin());
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
      solution.impulse[k] = {problem.contacts[k].load, problem.contacts[k].A};
    }
    update_twists(problem, solution);
    storage.set_proximal(problem, 1.0);
    reached = proximal_passes(problem, previous, solution, 1.0, storage, options, info, gap);
    keep_the_better();
  }
  if (!solved()) solution = storage.newton;
  info.fallback_sweeps = info.iterations - before;
  info.gap = kept_gap / problem.impulse_scale;
  return kept;
}

template Reached solve_rigid<3>(const ContactProblem<3>&, const Solution<3>&, Solution<3>&,
                                Storage<3>&, const NewtonOptions&, SolveInfo&);
template Reached solve_rigid<6>(const ContactProblem<6>&, const Solution<6>&, Solution<6>&,
                                Storage<6>&, const NewtonOptions&, SolveInfo&);

}  // namespace coluber::nonsmooth
