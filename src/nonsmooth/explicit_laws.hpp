#pragma once

// Impulses as explicit functions of the velocities, and what the fallbacks that work with them
// share.

#include <algorithm>
#include <cmath>
#include <limits>

#include "newton.hpp"

namespace coluber::nonsmooth {

/// The impulse of a contact as an explicit function of its link's twist, P(u), and its derivative:
/// the same laws with r = 1/c and r_T = 1/c_t, where P drops out of s.
template <int T>
Impulse explicit_law(const Contact<T>& contact, const Proximal& term, const Twist<T>& u,
                     LinearLaw& law) {
  linearise(contact, term, Impulse{}, contact.w_N.dot(u), contact.w_1.dot(u), contact.w_2.dot(u),
            contact.unilateral ? 1.0 / contact.c : 0.0, contact.mu_max > 0.0 ? 1.0 / term.c_t : 0.0,
            law);
  return {law.q_N, {law.q_1, law.q_2}};
}

/// P <- P(u) at every contact.
template <int T>
void explicit_laws(const ContactProblem<T>& problem, Solution<T>& solution, Storage<T>& storage) {
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const Node<T>& node = problem.nodes[i];
    const int end = node.first_contact + node.contact_count;
    for (int k = node.first_contact; k < end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      solution.impulse[index] = explicit_law(problem.contacts[index], storage.proximal[index],
                                             solution.twist[i], storage.laws[index]);
    }
  }
}

/// max |G(u)|, G = J^T [M u - p - sum W P] - P_J, torques over the length scale (N s).
template <int T>
double momentum_defect(const ContactProblem<T>& problem, const Solution<T>& solution,
                       Storage<T>& storage) {
  const std::size_t n = problem.nodes.size();
  double worst = 0.0;
  for (auto& node : storage.nodes) node.p.setZero();
  for (std::size_t i = 0; i < n; ++i) {
    const Node<T>& link = problem.nodes[i];
    Twist<T>& p = storage.nodes[i].p;
    p += link.M.lazyProduct(solution.twist[i]) - link.p;
    const int end = link.first_contact + link.contact_count;
    for (int k = link.first_contact; k < end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      const Impulse& P = solution.impulse[index];
      const Contact<T>& contact = problem.contacts[index];
      p -= compute_wrench(contact, P);
    }
    if (i + 1 == n) break;
    if (!link.held) {  // else its motor takes whatever is left
      const double rate = solution.rate[i];
      const double joint =
          std::abs(link.s.dot(p) + (link.J * rate - link.p_J) - joint_impulse(link, rate));
      worst = std::max(worst, joint / joint_scale(problem, link));
    }
    storage.nodes[static_cast<std::size_t>(link.parent)].p += p;
  }
  const Twist<T>& root = storage.nodes[n - 1].p;
  constexpr int kAngular = T == 3 ? 1 : 3;
  for (int row = 0; row < T; ++row) {
    worst = std::max(worst, std::abs(root(row)) / (row < kAngular ? problem.length_scale : 1.0));
  }
  return std::isfinite(root.sum()) ? worst : std::numeric_limits<double>::infinity();
}

/// `storage.trial` <- the last step's velocities and the impulses P(u) there.
template <int T>
void start_from(const ContactProblem<T>& problem, const Solution<T>& previous, Storage<T>& storage,
                Best& best) {
  Solution<T>& u = storage.trial;
  u.root = previous.root;
  u.rate = previous.rate;
  u.twist.resize(problem.nodes.size());
  u.impulse.resize(problem.contacts.size());
  update_twists(problem, u);
  explicit_laws(problem, u, storage);
  best.defect = momentum_defect(problem, u, storage);
}

/// Newton from `storage.trial`, whose impulses are P(u). Its laws are those of u again afterwards.
template <int T>
Reached try_newton(const ContactProblem<T>& problem, Solution<T>& solution, Storage<T>& storage,
                   const NewtonOptions& options, int& sweeps, Best& best) {
  constexpr int kNewtonTry = 8;
  solution = storage.trial;
  const Reached reached = newton_sweeps(problem, solution, storage, options, kNewtonTry, sweeps);
  if (reached.settled) return reached;
  if (reached.residual < best.residual) {
    best.residual = reached.residual;
    storage.best = solution;
  }
  explicit_laws(problem, storage.trial, storage);
  return reached;
}

/// Where to try Newton: max |G| over the impulse scale, and steps from one try to the next.
inline constexpr double kNearEnough = 1e-3;
inline constexpr int kBetweenTries = 4;

}  // namespace coluber::nonsmooth
