#include <algorithm>
#include <cmath>

#include "explicit_laws.hpp"

namespace coluber::nonsmooth {
namespace {

/// phi'(a) = G(u + a du) . du, with the increments of the last sweep (`dtwist`, `drate`).
template <int T>
double slope_along(const ContactProblem<T>& problem, const Solution<T>& u,
                   const Storage<T>& storage, double a) {
  const std::size_t n = problem.nodes.size();
  double slope = 0.0;
  LinearLaw unused;
  for (std::size_t i = 0; i < n; ++i) {
    const Node<T>& node = problem.nodes[i];
    const Twist<T>& du = storage.nodes[i].dtwist;
    const Twist<T> twist = u.twist[i] + a * du;
    Twist<T> p = node.M * twist - node.p;
    const int end = node.first_contact + node.contact_count;
    for (int k = node.first_contact; k < end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      const Contact<T>& contact = problem.contacts[index];
      p -= compute_wrench(contact, explicit_law(contact, storage.proximal[index], twist, unused));
    }
    slope += du.dot(p);
    if (i + 1 == n) break;
    const double drate = storage.drate[i];
    const double rate = u.rate[i] + a * drate;
    slope += drate * ((node.J * rate - node.p_J) - joint_impulse(node, rate));
  }
  return slope;
}

/// A step length that makes phi fall by a share of |a du|²_M, found by bisection. phi'' is at least
/// m = |du|²_M. With phi'(a) <= a m/4 the minimum a* along the line lies beyond 3 a/4: phi falls by
/// 9/32 a² m or more up to there and rises by a² m/16 or less from there to a. With phi'(a) >=
/// phi'(0)/2, or a = 1, the step is not needlessly short.
template <int T>
double step_length(const ContactProblem<T>& problem, const Solution<T>& u,
                   const Storage<T>& storage) {
  constexpr int kMaxHalvings = 60;
  double m = 0.0;
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    const Twist<T>& du = storage.nodes[i].dtwist;
    m += du.dot(problem.nodes[i].M * du);
    if (problem.nodes[i].J > 0.0) m += problem.nodes[i].J * storage.drate[i] * storage.drate[i];
  }
  if (slope_along(problem, u, storage, 1.0) <= 0.25 * m) return 1.0;
  const double start = slope_along(problem, u, storage, 0.0);
  double low = 0.0;
  double high = 1.0;
  for (int halving = 0; halving < kMaxHalvings; ++halving) {
    const double a = 0.5 * (low + high);
    const double slope = slope_along(problem, u, storage, a);
    if (slope > 0.25 * a * m) {
      high = a;
    } else if (slope < 0.5 * start) {
      low = a;
    } else {
      return a;
    }
  }
  return low;
}

/// Root to tips: the increments of a sweep, without adding them to anything.
template <int T>
void increments(const ContactProblem<T>& problem, Storage<T>& storage) {
  const std::size_t n = problem.nodes.size();
  SweepNode<T>& root = storage.nodes[n - 1];
  root.dtwist = -storage.root.solve(root.p);
  for (std::size_t i = n - 1; i-- > 0;) {
    SweepNode<T>& node = storage.nodes[i];
    const Twist<T>& carried =
        storage.nodes[static_cast<std::size_t>(problem.nodes[i].parent)].dtwist;
    storage.drate[i] = -(node.e + node.V.dot(carried));
    node.dtwist = carried + storage.drate[i] * problem.nodes[i].s;
  }
}

}  // namespace

template <int T>
bool is_convex(const ContactProblem<T>& problem) {
  return std::none_of(problem.contacts.begin(), problem.contacts.end(),
                      [](const Contact<T>& contact) {
                        return contact.unilateral && contact.mu_max > 0.0;
                      }) &&
         std::all_of(problem.nodes.begin(), problem.nodes.end(),
                     [](const Node<T>& node) { return node.sd >= 0.0; });
}

/// Newton's method on the convex function phi whose gradient is G, with a line search: from
/// anywhere it comes to the one answer, whatever the masses (a semismooth gradient with K >= 0; Qi
/// and Sun 1993). Newton without it, and pseudo-time steps too, can go back and forth for ever
/// between two directions of slip of a light link that comes to rest, past the narrow band of
/// speeds |gamma_T| < c_t R where it sticks.
template <int T>
Reached descend(const ContactProblem<T>& problem, const Solution<T>& previous,
                Solution<T>& solution, Storage<T>& storage, const NewtonOptions& options,
                int& sweeps, Best& best) {
  constexpr int kMaxSteps = 200;
  constexpr int kMaxTries = 8;
  const std::size_t n = problem.nodes.size();
  Solution<T>& u = storage.trial;
  start_from(problem, previous, storage, best);
  if (!std::isfinite(best.defect)) return {};
  int since_try = kBetweenTries;
  int tries = 0;
  for (int step = 0; step < kMaxSteps && tries < kMaxTries; ++step) {
    eliminate(problem, u, storage.laws.data(), 1.0, storage);
    increments(problem, storage);
    ++sweeps;
    const double a = step_length(problem, u, storage);
    u.root += a * storage.nodes[n - 1].dtwist;
    for (std::size_t i = 0; i + 1 < n; ++i) u.rate[i] += a * storage.drate[i];
    update_twists(problem, u);
    explicit_laws(problem, u, storage);
    best.defect = momentum_defect(problem, u, storage);
    if (!std::isfinite(best.defect)) return {};
    ++since_try;
    if (best.defect < kNearEnough * problem.impulse_scale && since_try >= kBetweenTries) {
      since_try = 0;
      ++tries;
      const Reached reached = try_newton(problem, solution, storage, options, sweeps, best);
      if (reached.settled) return reached;
    }
  }
  return {};
}

template bool is_convex<3>(const ContactProblem<3>&);
template bool is_convex<6>(const ContactProblem<6>&);
template Reached descend<3>(const ContactProblem<3>&, const Solution<3>&, Solution<3>&, Storage<3>&,
                            const NewtonOptions&, int&, Best&);
template Reached descend<6>(const ContactProblem<6>&, const Solution<6>&, Solution<6>&, Storage<6>&,
                            const NewtonOptions&, int&, Best&);

}  // namespace coluber::nonsmooth
