#include <array>
#include <cmath>

#include "coluber/nonsmooth/prox.hpp"

#include "sweep.hpp"

namespace coluber::nonsmooth {

// One iteration of Transeth's algorithm 3.1 in joint coordinates: velocities from the impulses of
// the last iteration, (3.75)-(3.77), then every impulse by its prox equation, (3.78)-(3.80). The
// joint impulses P_J of (3.75) are eliminated by the sweep instead of by (W_J^T M^-1 W_J)^-1: the
// same velocities, linear cost. Differs: the prox arguments are those of the problem, xi = gamma_N
// + b + c P_N and gamma_T + c_T (P_T - A); the thesis' own law is b = c = 0 and `rigid`, c_T = 0.
// Limits of the servos, which the thesis has none of, are iterated likewise: what a servo would
// give in addition to its limit is taken off its impulse.
template <int T>
SolveInfo solve_thesis(const ContactProblem<T>& problem, Solution<T>& solution, SolverData<T>& data,
                       const ThesisOptions& options) {
  auto& storage = data.storage();
  storage.fit(problem);
  solution.resize(problem.nodes.size(), problem.contacts.size());
  update_twists(problem, solution);

  // Factors of the tree without contacts: constant over the iterations.
  for (auto& law : storage.laws) law = LinearLaw{};
  eliminate(problem, solution, storage.laws.data(), 1.0, storage, false);
  storage.set_proximal(problem, options.law == Law::rigid ? 0.0 : 1.0);
  solution.proximal = storage.proximal;

  SolveInfo info;
  info.status = Status::not_converged;
  while (info.iterations < options.max_iterations) {
    eliminate_right_side<T>(problem, solution, storage);
    std::array<double, 3> dP_normal{};      // sums of squares: N, -, H
    std::array<double, 3> dP_tangential{};  // T, V, T
    double dP_J = 0.0;
    double worst = 0.0;
    substitute<T>(problem, solution, storage, [&](std::size_t i, const Twist<T>&) {
      const Node<T>& node = problem.nodes[i];
      const Twist<T>& u = solution.twist[i];
      const int end = node.first_contact + node.contact_count;
      for (int k = node.first_contact; k < end; ++k) {
        const auto index = static_cast<std::size_t>(k);
        const Contact<T>& contact = problem.contacts[index];
        Impulse& P = solution.impulse[index];
        const double gamma_N = contact.w_N.dot(u);
        // Rolling takes over the normal impulse of the contact before it, and so its r.
        const double r_normal = contact.kind == ContactKind::obstacle ? options.r_H : options.r_N;
        double N = contact.load;
        if (contact.unilateral) {
          N = std::max(0.0, P.N - r_normal * (gamma_N + contact.b + contact.c * P.N));
        }
        Eigen::Vector2d tangential = Eigen::Vector2d::Zero();
        if (contact.mu_max > 0.0) {
          const double mu = contact.mu.maxCoeff();
          const double r =
              (contact.kind == ContactKind::rolling ? options.r_V : options.r_T) / (mu * mu);
          const Eigen::Vector2d gamma{contact.w_1.dot(u), contact.w_2.dot(u)};
          const Proximal& term = storage.proximal[index];
          tangential = prox_disc(P.T - r * (gamma + term.c_t * (P.T - term.A)), N);
        }
        const Eigen::Vector2d change = contact.mu.cwiseProduct(tangential - P.T);
        const auto kind = static_cast<std::size_t>(contact.kind);
        if (!contact.shares_normal) dP_normal[kind] += (N - P.N) * (N - P.N);
        dP_tangential[kind] += change.squaredNorm();
        worst = std::max({worst, std::abs(N - P.N), change.norm()});
        P = Impulse{N, tangential};
      }
      if (std::isfinite(node.limit) && i + 1 < problem.nodes.size()) {
        const double rate = solution.rate[i];
        const double sr = joint_impulse(node, rate) + node.sd * rate;
        const double step = (sr - storage.nodes[i].sr) / joint_scale(problem, node);
        dP_J += step * step;
        worst = std::max(worst, std::abs(step));
        storage.nodes[i].sr = sr;
      }
    });
    ++info.iterations;
    info.residual = worst / problem.impulse_scale;
    const auto [ground_N, no_normal, dP_H] = dP_normal;
    const auto [ground_T, dP_V, obstacle_T] = dP_tangential;
    const double change = std::sqrt(ground_N) + std::sqrt(ground_T + obstacle_T) + std::sqrt(dP_V) +
                          std::sqrt(dP_H) + std::sqrt(dP_J);
    if (!std::isfinite(change)) {
      info.status = Status::non_finite;
      return info;
    }
    if (change < options.epsilon) {  // (3.81), (4.121)
      info.status = Status::ok;
      break;
    }
  }
  // Differs: the thesis returns the velocities of the iterate before; these belong to the impulses.
  eliminate_right_side<T>(problem, solution, storage);
  substitute<T>(problem, solution, storage, [](std::size_t, const Twist<T>&) {});
  return info;
}

template SolveInfo solve_thesis<3>(const ContactProblem<3>&, Solution<3>&, SolverData<3>&,
                                   const ThesisOptions&);
template SolveInfo solve_thesis<6>(const ContactProblem<6>&, Solution<6>&, SolverData<6>&,
                                   const ThesisOptions&);

}  // namespace coluber::nonsmooth
