#include <cmath>

#include "sweep.hpp"

namespace coluber::nonsmooth {

// Power iteration on the map joint torques -> joint accelerations of the free tree, H^-1, symmetric
// and positive.
template <int T>
double joint_mobility(const ContactProblem<T>& problem, SolverData<T>& data) {
  const std::size_t n = problem.nodes.size();
  if (n < 2) return 0.0;
  auto& storage = data.storage();

  ContactProblem<T> free = problem;
  free.contacts.clear();
  for (Node<T>& node : free.nodes) {
    node.contact_count = 0;
    node.p.setZero();
    node.p_J = 0.0;
    node.sd = 0.0;
  }
  storage.fit(free);
  // Alternating signs lie near the stiffest mode, where neighbours turn against each other.
  for (std::size_t i = 0; i + 1 < n; ++i)
    free.nodes[i].sr = (i % 2 == 0 ? 1.0 : -1.0) + 1e-3 * static_cast<double>(i);

  Solution<T> answer;
  double lambda = 0.0;
  for (int iteration = 0; iteration < 1000; ++iteration) {
    double norm = 0.0;
    for (const Node<T>& node : free.nodes) norm += node.sr * node.sr;
    norm = std::sqrt(norm);
    for (Node<T>& node : free.nodes) node.sr /= norm;
    free.nodes[n - 1].sr = 0.0;

    answer.root.setZero();
    answer.rate.assign(n, 0.0);
    answer.twist.assign(n, Twist<T>::Zero());
    eliminate(free, answer, storage.laws.data(), 1.0, storage);
    substitute<T>(free, answer, storage, [](std::size_t, const Twist<T>&) {});
    double quotient = 0.0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      quotient += free.nodes[i].sr * answer.rate[i];
      free.nodes[i].sr = answer.rate[i];
    }
    if (std::abs(quotient - lambda) <= 1e-7 * quotient) return quotient;
    lambda = quotient;
  }
  return lambda;
}

template double joint_mobility<3>(const ContactProblem<3>&, SolverData<3>&);
template double joint_mobility<6>(const ContactProblem<6>&, SolverData<6>&);

}  // namespace coluber::nonsmooth
