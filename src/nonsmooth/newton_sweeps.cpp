#include <algorithm>
#include <cmath>

#include "newton.hpp"

namespace coluber::nonsmooth {
namespace {

/// Laws of the contacts of node i at the solution's velocities and impulses; the worst residual
/// comes back.
template <bool kOnCone, int T>
inline double linearise_node(const ContactProblem<T>& problem, const Proximal* proximal,
                             const Solution<T>& solution, std::size_t i, LinearLaw* laws,
                             double worst) {
  const Node<T>& node = problem.nodes[i];
  const Twist<T>& u = solution.twist[i];
  const int end = node.first_contact + node.contact_count;
  for (int k = node.first_contact; k < end; ++k) {
    const auto index = static_cast<std::size_t>(k);
    const Contact<T>& contact = problem.contacts[index];
    linearise<kOnCone>(contact, proximal[index], solution.impulse[index], contact.w_N.dot(u),
                       contact.w_1.dot(u), contact.w_2.dot(u), kProxR, scaled_r(contact, kProxR),
                       laws[index]);
    if (!(laws[index].residual <= worst)) worst = laws[index].residual;
  }
  return worst;
}

/// What rounding alone can leave of the residual (N s): the largest over contacts and servos.
template <int T>
double rounding_floor(const ContactProblem<T>& problem, const Proximal* proximal,
                      const Solution<T>& solution) {
  double worst = 0.0;
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const Node<T>& node = problem.nodes[i];
    const int end = node.first_contact + node.contact_count;
    for (int k = node.first_contact; k < end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      if (!(solution.impulse[index].N > 0.0)) continue;  // open: its residual is exactly zero
      worst = std::max(worst, law_rounding(problem.contacts[index], proximal[index],
                                           solution.impulse[index], solution.twist[i]));
    }
    if (node.limit < kInfinity && i + 1 < problem.nodes.size()) {
      const double servo = std::abs(node.sr) + 2.0 * std::abs(node.sd * solution.rate[i]);
      worst = std::max(worst, 2.0 * kRoundoff * servo / joint_scale(problem, node));
    }
  }
  return worst;
}

/// Full Newton steps from `solution`, at most `max_sweeps`, until the laws hold to `tolerance` (N
/// s), or to rounding and a sweep no longer halves what is left. Each sweep makes the momentum
/// balance exact, but for servos that reached or left their limit; so the laws of contacts and
/// servos decide.
template <bool kOnCone, int T>
Reached newton_sweeps(const ContactProblem<T>& problem, Solution<T>& solution, Storage<T>& storage,
                      double tolerance, int max_sweeps, int& sweeps) {
  constexpr int kMayHaveStrayed = 3;  // sweeps
  LinearLaw* laws = storage.laws.data();
  const Proximal* proximal = storage.proximal.data();
  const std::size_t n = problem.nodes.size();
  for (std::size_t i = 0; i < n; ++i) {
    linearise_node<kOnCone>(problem, proximal, solution, i, laws, 0.0);
  }
  Reached reached;
  bool polished = false;
  bool gathered = false;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    eliminate(problem, solution, laws, 1.0, storage);
    double residual = 0.0;
    double largest = 0.0;  // of the terms that impulses are differences of (N s)
    substitute<T>(problem, solution, storage, [&](std::size_t i, const Twist<T>& du) {
      const Node<T>& node = problem.nodes[i];
      const int end = node.first_contact + node.contact_count;
      for (int k = node.first_contact; k < end; ++k) {
        const auto index = static_cast<std::size_t>(k);
        const Contact<T>& contact = problem.contacts[index];
        const LinearLaw& law = laws[index];
        largest = std::max({largest, std::abs(law.q_N), contact.mu_max * std::abs(law.q_1),
                            contact.mu_max * std::abs(law.q_2)});
        apply(law, contact.w_N.dot(du), contact.w_1.dot(du), contact.w_2.dot(du),
              solution.impulse[index]);
      }
      residual = linearise_node<kOnCone>(problem, proximal, solution, i, laws, residual);
      if (node.limit < kInfinity && i + 1 < n) {
        const SweepNode<T>& used = storage.nodes[i];
        const double rate = solution.rate[i];
        const double missed = joint_impulse(node, rate) - (used.sr - used.sd * rate);
        residual = std::max(residual, std::abs(missed) / joint_scale(problem, node));
      }
    });
    ++sweeps;
    const double before = reached.residual;
    reached.residual = residual;
    // An impact can be solved in one sweep, but P = q - K dgamma then is a small difference of
    // large terms, and their roundings spoil the balance of momentum. From the answer they are
    // small.
    const bool spoilt = 4.0 * kRoundoff * largest > tolerance;
    const bool last = sweep + 1 == max_sweeps;
    if (residual <= tolerance && (!spoilt || polished || last)) {
      if (sweeps < kMayHaveStrayed || gathered || last ||
          momentum_lost(problem, solution, storage) <= kMayLose * tolerance) {
        reached.settled = true;
        return reached;
      }
      gathered = true;
      update_twists(problem, solution);
      for (std::size_t i = 0; i < n; ++i) {
        linearise_node<kOnCone>(problem, proximal, solution, i, laws, 0.0);
      }
      continue;
    }
    if (residual <= tolerance) {
      polished = true;
      continue;
    }
    if (!std::isfinite(residual)) return reached;
    if (residual > 0.5 * before && residual <= kLostDigits * problem.impulse_scale &&
        residual <= rounding_floor(problem, proximal, solution)) {
      reached.settled = true;
      return reached;
    }
  }
  return reached;
}

}  // namespace

template <int T>
double momentum_lost(const ContactProblem<T>& problem, const Solution<T>& solution,
                     Storage<T>& storage) {
  constexpr int kAngular = T == 3 ? 1 : 3;
  const std::size_t n = problem.nodes.size();
  Twist<T> sum = Twist<T>::Zero();
  storage.nodes[n - 1].dtwist = solution.root;
  for (std::size_t i = n; i-- > 0;) {
    const Node<T>& node = problem.nodes[i];
    Twist<T>& twist = storage.nodes[i].dtwist;
    if (i + 1 < n) {
      twist =
          storage.nodes[static_cast<std::size_t>(node.parent)].dtwist + node.s * solution.rate[i];
    }
    sum += (node.M * (twist - solution.twist[i])).cwiseAbs();
  }
  return std::max(sum.template head<kAngular>().maxCoeff() / problem.length_scale,
                  sum.template tail<T - kAngular>().maxCoeff());
}

// In the plane laws are taken as they are, as the fast step takes them (planar/fast_laws.inl): the
// two make the same sweeps, and nothing there is forced to slip as slowly as the rolling friction
// of a robot that lies flat.
template <int T>
Reached newton_sweeps(const ContactProblem<T>& problem, Solution<T>& solution, Storage<T>& storage,
                      const NewtonOptions& options, int max_sweeps, int& sweeps) {
  const double tolerance = options.tolerance * problem.impulse_scale;
  return T == 6 && options.law == Law::rigid
             ? newton_sweeps<true>(problem, solution, storage, tolerance, max_sweeps, sweeps)
             : newton_sweeps<false>(problem, solution, storage, tolerance, max_sweeps, sweeps);
}

template double momentum_lost<3>(const ContactProblem<3>&, const Solution<3>&, Storage<3>&);
template double momentum_lost<6>(const ContactProblem<6>&, const Solution<6>&, Storage<6>&);
template Reached newton_sweeps<3>(const ContactProblem<3>&, Solution<3>&, Storage<3>&,
                                  const NewtonOptions&, int, int&);
template Reached newton_sweeps<6>(const ContactProblem<6>&, Solution<6>&, Storage<6>&,
                                  const NewtonOptions&, int, int&);

}  // namespace coluber::nonsmooth
