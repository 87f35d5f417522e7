#include "coluber/nonsmooth/contact_problem.hpp"

namespace coluber::nonsmooth {

template <int T>
void update_twists(const ContactProblem<T>& problem, Solution<T>& solution) {
  const std::size_t n = problem.nodes.size();
  solution.twist[n - 1] = solution.root;
  for (std::size_t i = n - 1; i-- > 0;) {
    const Node<T>& node = problem.nodes[i];
    solution.twist[i] =
        solution.twist[static_cast<std::size_t>(node.parent)] + node.s * solution.rate[i];
  }
}

template void update_twists<3>(const ContactProblem<3>&, Solution<3>&);
template void update_twists<6>(const ContactProblem<6>&, Solution<6>&);

}  // namespace coluber::nonsmooth
