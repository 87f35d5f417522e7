#include "coluber/nonsmooth/residual.hpp"

#include <algorithm>
#include <cmath>

#include "coluber/nonsmooth/prox.hpp"

namespace coluber::nonsmooth {
namespace {

constexpr double kR = 0.3;  // kg; fixed, so that figures of different solvers compare

/// mu |F_T| with the given tangential compliance; scaled variables.
template <int T>
double friction_residual(const Contact<T>& contact, const Impulse& P, const Eigen::Vector2d& gamma,
                         const Proximal& term, double radius) {
  const double r = kR / (contact.mu_max * contact.mu_max);
  const Eigen::Vector2d s = P.T - r * (gamma + term.c_t * (P.T - term.A));
  return contact.mu_max * (P.T - prox_disc(s, radius)).norm();
}

/// worst <- max(worst, value); a NaN stays.
bool raise(double& worst, double value) {
  if (value <= worst || std::isnan(worst)) return false;
  worst = value;
  return true;
}

}  // namespace

template <int T>
Residual compute_residual(const ContactProblem<T>& problem, const Solution<T>& solution,
                          ResidualData<T>& data, Law law_asked) {
  const std::size_t n = problem.nodes.size();
  auto& twist = data.twist;
  auto& defect = data.defect;
  twist.resize(n);
  defect.assign(n, Twist<T>::Zero());
  twist[n - 1] = solution.root;
  for (std::size_t i = n - 1; i-- > 0;) {
    const Node<T>& node = problem.nodes[i];
    twist[i] = twist[static_cast<std::size_t>(node.parent)] + node.s * solution.rate[i];
  }

  Residual result;
  double torque = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Node<T>& node = problem.nodes[i];
    defect[i] += node.M * twist[i] - node.p;
    const int end = node.first_contact + node.contact_count;
    for (int k = node.first_contact; k < end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      const Contact<T>& contact = problem.contacts[index];
      const Impulse& P = solution.impulse[index];
      defect[i] -= compute_wrench(contact, P);

      double radius = contact.load;
      double law = std::abs(P.N - contact.load);
      if (contact.unilateral) {
        const double gamma_N = contact.w_N.dot(twist[i]);
        radius = prox_unilateral(P.N - kR * (gamma_N + contact.b + contact.c * P.N));
        law = std::abs(P.N - radius);
      }
      double rigid = law;
      if (contact.mu_max > 0.0) {
        const Eigen::Vector2d gamma{contact.w_1.dot(twist[i]), contact.w_2.dot(twist[i])};
        Proximal term{contact.c_t, contact.A};
        if (law_asked == Law::rigid) {
          term = solution.proximal[index];
          const double left = kR / contact.mu_max * term.c_t * (P.T - term.A).norm();
          if (P.N > 0.0) raise(result.gap, left);
        }
        raise(law, friction_residual(contact, P, gamma, term, radius));
        raise(rigid, friction_residual(contact, P, gamma, Proximal{}, radius));
      }
      if (raise(result.law, law)) result.worst_node = static_cast<int>(i);
      raise(result.rigid_law, rigid);
    }
    if (i + 1 == n) break;
    raise(torque, std::abs(node.s.dot(defect[i]) - joint_impulse(node, solution.rate[i])));
    defect[static_cast<std::size_t>(node.parent)] += defect[i];
  }
  constexpr int kAngular = T == 3 ? 1 : 3;
  for (int row = 0; row < kAngular; ++row) raise(torque, std::abs(defect[n - 1](row)));
  result.momentum = torque / problem.length_scale;
  for (int row = kAngular; row < T; ++row) raise(result.momentum, std::abs(defect[n - 1](row)));
  result.law /= problem.impulse_scale;
  result.rigid_law /= problem.impulse_scale;
  result.gap /= problem.impulse_scale;
  result.momentum /= problem.impulse_scale;
  return result;
}

template Residual compute_residual<3>(const ContactProblem<3>&, const Solution<3>&,
                                      ResidualData<3>&, Law);
template Residual compute_residual<6>(const ContactProblem<6>&, const Solution<6>&,
                                      ResidualData<6>&, Law);

}  // namespace coluber::nonsmooth
