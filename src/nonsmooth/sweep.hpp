#pragma once

// The linear algebra of a tree of links: one sweep from the tips to the root and one back solve
//   J^T [ (M + W K W^T) J dnu ] = - G,   G = J^T [ M u - p - sum W q ] + sd phidot - sr
// (with a joint's own inertia: + J phidot - p_J)
// without ever forming a matrix larger than T by T. All twists are taken at one common point, so
// that nothing has to be shifted along the chain.

#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/LU>

#include "coluber/nonsmooth/contact_problem.hpp"
#include "coluber/nonsmooth/solver.hpp"

#include "contact_law.hpp"

namespace coluber::nonsmooth {

template <int T>
struct SweepNode {
  Block<T> G;       // articulated inertia of the subtree
  Twist<T> p;       // articulated residual
  Twist<T> U, V;    // G s,  G^T s / D
  Twist<T> dtwist;  // increment of the last forward sweep
  double D = 1.0;   // pivot s.G s + sd + J; infinite where the rate is given
  double e = 0.0;   // (s.p + sd phidot - sr + J phidot - p_J) / D
  double sd = 0.0;  // servo as linearised: sd = 0 and sr = ±limit where it is saturated
  double sr = 0.0;
};

template <int T>
struct SolverData<T>::Storage {
  std::vector<SweepNode<T>> nodes;
  std::vector<LinearLaw> laws;
  std::vector<Proximal> proximal;  // terms of the tangential laws being solved
  Eigen::PartialPivLU<Block<T>> root;
  Solution<T> best, trial;               // of the fallback
  Solution<T> newton;                    // law `rigid`: where Newton alone came to
  Solution<T> before_pass, best_pass;    // of the proximal passes
  std::vector<Twist<T>> last_increment;  // of the pseudo-transient continuation
  std::vector<double> drate;             // of the descent
  // Gauss-Seidel: joints with a limit, what their servos fall short of, W^T M^-1 W and W^T u
  std::vector<std::size_t> limited;
  std::vector<double> excess, delassus, velocity;

  void fit(const ContactProblem<T>& problem) {
    const std::size_t n = problem.nodes.size();
    if (nodes.size() != n) nodes.resize(n);
    if (laws.size() < problem.contacts.size()) laws.resize(problem.contacts.size());
    proximal.resize(problem.contacts.size());
  }

  /// Proximal terms of the contacts, their compliance times `share`.
  void set_proximal(const ContactProblem<T>& problem, double share) {
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
      proximal[k] = {share * problem.contacts[k].c_t, problem.contacts[k].A};
    }
  }
};

/// Signs of the pivots of one elimination.
struct PivotSigns {
  bool joints_positive = true;  // every D > 0
  bool determinant_positive = true;
};

/// (M + W K W^T) and (M u - p - W q) of one node, its children's shares already in `node`.
template <int T>
inline void add_own_block(const ContactProblem<T>& problem, const Solution<T>& solution,
                          const LinearLaw* laws, double mass_factor, std::size_t i, Block<T>& G,
                          Twist<T>& p) {
  const Node<T>& link = problem.nodes[i];
  G += mass_factor * link.M;
  p += link.M.lazyProduct(solution.twist[i]) - link.p;
  const int end = link.first_contact + link.contact_count;
  for (int k = link.first_contact; k < end; ++k) {
    const Contact<T>& contact = problem.contacts[static_cast<std::size_t>(k)];
    const LinearLaw& law = laws[k];
    if (contact.mu_max > 0.0) {
      const Twist<T> a = law.k_11 * contact.w_1 + law.k_12 * contact.w_2;
      const Twist<T> b = law.k_12 * contact.w_1 + law.k_22 * contact.w_2;
      G += a.lazyProduct(contact.w_1.transpose());
      G += b.lazyProduct(contact.w_2.transpose());
      p -= law.q_1 * contact.w_1 + law.q_2 * contact.w_2;
    }
    if (contact.unilateral && law.k_N != 0.0) {
      const Twist<T> passed_on = contact.shares_normal ? Twist<T>{Twist<T>::Zero()} : contact.w_N;
      const Twist<T> column = law.k_N * (passed_on + law.n_1 * contact.w_1 + law.n_2 * contact.w_2);
      G += column.lazyProduct(contact.w_N.transpose());
      p -= law.q_N * passed_on;
    }
  }
}

/// The servo of a joint at its present rate: as it is, or constant where it is saturated.
template <int T>
inline void linearise_servo(const Node<T>& link, double rate, bool limits, SweepNode<T>& node) {
  node.sd = link.sd;
  node.sr = link.sr;
  const double impulse = link.sr - link.sd * rate;
  if (limits && std::abs(impulse) > link.limit) {
    node.sd = 0.0;
    node.sr = std::copysign(link.limit, impulse);
  }
}

/// What the balance of a joint lacks at its present rate.
template <int T>
inline double joint_defect(const Node<T>& link, const SweepNode<T>& node, double rate) {
  return link.s.dot(node.p) + node.sd * rate - node.sr + (link.J * rate - link.p_J);
}

/// Tips to root: eliminates every joint and factors the root's block. Without `limits` every servo
/// is taken as if it had none.
template <int T>
inline PivotSigns eliminate(const ContactProblem<T>& problem, const Solution<T>& solution,
                            const LinearLaw* laws, double mass_factor,
                            typename SolverData<T>::Storage& storage, bool limits = true) {
  PivotSigns signs;
  const std::size_t n = problem.nodes.size();
  for (auto& node : storage.nodes) {
    node.G.setZero();
    node.p.setZero();
  }
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const Node<T>& link = problem.nodes[i];
    SweepNode<T>& node = storage.nodes[i];
    add_own_block(problem, solution, laws, mass_factor, i, node.G, node.p);
    node.U = node.G.lazyProduct(link.s);
    linearise_servo(link, solution.rate[i], limits, node);
    node.D = link.held ? std::numeric_limits<double>::infinity()
                       : link.s.dot(node.U) + node.sd + mass_factor * link.J;
    node.V = node.G.transpose().lazyProduct(link.s) / node.D;
    node.e = joint_defect(link, node, solution.rate[i]) / node.D;
    if (!(node.D > 0.0)) {
      signs.joints_positive = false;
      signs.determinant_positive = !signs.determinant_positive;
    }
    SweepNode<T>& parent = storage.nodes[static_cast<std::size_t>(link.parent)];
    parent.G += node.G - node.U.lazyProduct(node.V.transpose());
    parent.p += node.p - node.e * node.U;
  }
  SweepNode<T>& root = storage.nodes[n - 1];
  add_own_block(problem, solution, laws, mass_factor, n - 1, root.G, root.p);
  storage.root.compute(root.G);
  if (!(storage.root.determinant() > 0.0)) signs.determinant_positive = !signs.determinant_positive;
  return signs;
}

/// Tips to root once more with the factors of `eliminate` and other impulses: p = M u - p - sum W
/// P.
template <int T>
inline void eliminate_right_side(const ContactProblem<T>& problem, const Solution<T>& solution,
                                 typename SolverData<T>::Storage& storage) {
  const std::size_t n = problem.nodes.size();
  for (auto& node : storage.nodes) node.p.setZero();
  for (std::size_t i = 0; i < n; ++i) {
    const Node<T>& link = problem.nodes[i];
    SweepNode<T>& node = storage.nodes[i];
    node.p += link.M.lazyProduct(solution.twist[i]) - link.p;
    const int end = link.first_contact + link.contact_count;
    for (int k = link.first_contact; k < end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      const Contact<T>& contact = problem.contacts[index];
      const Impulse& P = solution.impulse[index];
      node.p -= compute_wrench(contact, P);
    }
    if (i + 1 == n) break;
    node.e = joint_defect(link, node, solution.rate[i]) / node.D;
    storage.nodes[static_cast<std::size_t>(link.parent)].p += node.p - node.e * node.U;
  }
}

/// Root to tips: adds the increments to root, rates and twists, and calls `visit(i, dtwist)` for
/// every node.
template <int T, typename Visit>
inline void substitute(const ContactProblem<T>& problem, Solution<T>& solution,
                       typename SolverData<T>::Storage& storage, Visit&& visit) {
  const std::size_t n = problem.nodes.size();
  SweepNode<T>& root = storage.nodes[n - 1];
  root.dtwist = -storage.root.solve(root.p);
  solution.root += root.dtwist;
  solution.twist[n - 1] += root.dtwist;
  visit(n - 1, root.dtwist);
  for (std::size_t i = n - 1; i-- > 0;) {
    const Node<T>& link = problem.nodes[i];
    SweepNode<T>& node = storage.nodes[i];
    const Twist<T>& carried = storage.nodes[static_cast<std::size_t>(link.parent)].dtwist;
    const double drate = -(node.e + node.V.dot(carried));
    node.dtwist = carried + drate * link.s;
    solution.rate[i] += drate;
    solution.twist[i] += node.dtwist;
    visit(i, node.dtwist);
  }
}

}  // namespace coluber::nonsmooth
