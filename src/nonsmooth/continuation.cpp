#include <array>
#include <cmath>

#include "explicit_laws.hpp"

namespace coluber::nonsmooth {
namespace {

struct Attempt {
  double tau;
  int steps;
  bool determinant_only;  // judge the sign of the whole determinant instead of every pivot
};
constexpr std::array<Attempt, 4> kAttempts{
    {{0.1, 200, false}, {10.0, 200, true}, {0.01, 1500, false}, {0.1, 200, true}}};

}  // namespace

/// Pseudo-transient continuation: implicit Euler of M du/ds = -G(u) from the last step's
/// velocities, with pseudo-time step tau. Unlike Newton it leaves unstable branches, where Newton
/// cycles between two active sets across a fold. Every few steps, P <- P(u) and Newton is tried.
template <int T>
Reached continue_in_pseudo_time(const ContactProblem<T>& problem, const Solution<T>& previous,
                                Solution<T>& solution, Storage<T>& storage,
                                const NewtonOptions& options, int& sweeps, Best& best) {
  Solution<T>& u = storage.trial;
  storage.last_increment.resize(problem.nodes.size());
  for (const Attempt& attempt : kAttempts) {
    start_from(problem, previous, storage, best);
    if (!std::isfinite(best.defect)) return {};
    double tau = attempt.tau;
    bool have_last = false;
    int since_try = 0;
    for (int step = 0; step < attempt.steps && tau > 1e-12; ++step) {
      const PivotSigns signs = eliminate(problem, u, storage.laws.data(), 1.0 + 1.0 / tau, storage);
      ++sweeps;
      const bool good =
          signs.determinant_positive && (attempt.determinant_only || signs.joints_positive);
      if (!good) {
        tau /= 4.0;
        continue;
      }
      double turn = 0.0;  // <du, du_last>_M
      substitute<T>(problem, u, storage, [&](std::size_t i, const Twist<T>& du) {
        if (have_last) turn += du.dot(problem.nodes[i].M * storage.last_increment[i]);
        storage.last_increment[i] = du;
      });
      explicit_laws(problem, u, storage);
      const double new_defect = momentum_defect(problem, u, storage);
      if (!std::isfinite(new_defect)) break;
      tau *= (have_last && turn < 0.0) ? 0.4 : (new_defect < best.defect ? 2.0 : 1.3);
      best.defect = new_defect;
      have_last = true;

      ++since_try;
      const bool near = best.defect < kNearEnough * problem.impulse_scale;
      if ((near && since_try >= kBetweenTries) || since_try >= 20) {
        since_try = 0;
        const Reached reached = try_newton(problem, solution, storage, options, sweeps, best);
        if (reached.settled) return reached;
      }
    }
  }
  return {};
}

template Reached continue_in_pseudo_time<3>(const ContactProblem<3>&, const Solution<3>&,
                                            Solution<3>&, Storage<3>&, const NewtonOptions&, int&,
                                            Best&);
template Reached continue_in_pseudo_time<6>(const ContactProblem<6>&, const Solution<6>&,
                                            Solution<6>&, Storage<6>&, const NewtonOptions&, int&,
                                            Best&);

}  // namespace coluber::nonsmooth
