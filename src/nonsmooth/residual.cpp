#include "coluber/nonsmooth/residual.hpp"

#include <algorithm>
#include <cmath>

#include "coluber/core/assert.hpp"
#include "coluber/nonsmooth/prox.hpp"

#include "constants.hpp"

namespace coluber::nonsmooth {
namespace {

/// mu |F_T| with the given tangential compliance; scaled variables.
template <int T>
double friction_residual(const Contact<T>& contact, const Impulse& P, const Eigen::Vector2d& gamma,
                         const Proximal& term, double radius) {
  const double r = kProxR / (contact.mu_max * contact.mu_max);
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
  COLUBER_ASSERT(solution.rate.size() == n, solution.rate.size(), n);
  COLUBER_ASSERT(solution.impulse.size() == problem.contacts.size(), solution.impulse.size(),
                 problem.contacts.size());
  // The rigid law is judged with the terms its solver left; an answer that has none is judged
  // without.
  const bool has_terms = solution.proximal.size() == problem.contacts.size();
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
  double missed = 0.0;
  double possible = 0.0;
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
        radius = prox_unilateral(P.N - kProxR * (gamma_N + contact.b + contact.c * P.N));
        law = std::abs(P.N - radius);
      }
      double rigid = law;
      if (contact.mu_max > 0.0) {
        const Eigen::Vector2d gamma{contact.w_1.dot(twist[i]), contact.w_2.dot(twist[i])};
        Proximal term{contact.c_t, contact.A};
        if (law_asked == Law::rigid) {
          term = has_terms ? solution.proximal[index] : Proximal{};
          const double left = kProxR / contact.mu_max * term.c_t * (P.T - term.A).norm();
          if (P.N > 0.0) raise(result.gap, left);
        }
        const double friction = friction_residual(contact, P, gamma, term, radius);
        raise(law, friction);
        if (contact.kind != ContactKind::rolling) {
          missed += friction;
          possible += contact.mu_max * radius;
        }
        raise(rigid, friction_residual(contact, P, gamma, Proximal{}, radius));
      }
      if (raise(result.law, law)) result.worst_node = static_cast<int>(i);
      raise(result.rigid_law, rigid);
    }
    if (i + 1 == n) break;
    // a motor that holds its joint's rate takes whatever is left
    if (!node.held) {
      const double rate = solution.rate[i];
      const double joint =
          std::abs(node.s.dot(defect[i]) + (node.J * rate - node.p_J) - joint_impulse(node, rate));
      raise(is_sliding(node) ? result.momentum : torque, joint);
    }
    defect[static_cast<std::size_t>(node.parent)] += defect[i];
  }
  constexpr int kAngular = T == 3 ? 1 : 3;
  for (int row = 0; row < kAngular; ++row) raise(torque, std::abs(defect[n - 1](row)));
  raise(result.momentum, torque / problem.length_scale);
  for (int row = kAngular; row < T; ++row) raise(result.momentum, std::abs(defect[n - 1](row)));
  if (possible > 0.0) result.friction_share = std::min(1.0, missed / possible);
  result.law /= problem.impulse_scale;
  result.rigid_law /= problem.impulse_scale;
  result.gap /= problem.impulse_scale;
  result.momentum /= problem.impulse_scale;
  return result;
}

template <int T>
Rounding compute_rounding(const ContactProblem<T>& problem, const Solution<T>& solution,
                          ResidualData<T>& data) {
  const std::size_t n = problem.nodes.size();
  auto& twist = data.twist;
  auto& defect = data.defect;
  auto& twist_error = data.twist_error;
  auto& defect_error = data.defect_error;
  twist.resize(n);
  twist_error.resize(n);
  defect.assign(n, Twist<T>::Zero());
  defect_error.assign(n, Twist<T>::Zero());

  // Root to tips: every sum adds a rounding of what it gives and of its product.
  twist[n - 1] = solution.root;
  twist_error[n - 1] = solution.root.cwiseAbs();
  for (std::size_t i = n - 1; i-- > 0;) {
    const Node<T>& node = problem.nodes[i];
    const auto parent = static_cast<std::size_t>(node.parent);
    const Twist<T> turn = node.s * solution.rate[i];
    twist[i] = twist[parent] + turn;
    twist_error[i] = twist_error[parent] + twist[i].cwiseAbs() + turn.cwiseAbs();
  }

  Rounding result;
  double torque = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Node<T>& node = problem.nodes[i];
    const Twist<T> size = twist[i].cwiseAbs();
    const Twist<T> moved =
        twist_error[i] + (T + 1.0) * size;  // error of u, and of a product with it
    defect[i] += node.M * twist[i] - node.p;
    defect_error[i] += node.M.cwiseAbs() * moved + 2.0 * node.p.cwiseAbs();
    const int end = node.first_contact + node.contact_count;
    for (int k = node.first_contact; k < end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      const Contact<T>& contact = problem.contacts[index];
      const Impulse& P = solution.impulse[index];
      defect[i] -= compute_wrench(contact, P);
      defect_error[i] += 3.0 * (std::abs(P.N) * contact.w_N.cwiseAbs() +
                                std::abs(P.T.x()) * contact.w_1.cwiseAbs() +
                                std::abs(P.T.y()) * contact.w_2.cwiseAbs());

      // The solver's sums have been rounded as well, by as much as a product once more.
      const Twist<T> gamma = moved + (T + 1.0) * size;
      if (!(P.N > 0.0)) continue;  // open: its residual is exactly zero
      if (contact.unilateral) {
        raise(result.law, kProxR * (contact.w_N.cwiseAbs().dot(gamma) +
                                    4.0 * (std::abs(contact.b) + contact.c * P.N)) +
                              2.0 * P.N);
      }
      if (contact.mu_max > 0.0) {
        const double along = contact.w_1.cwiseAbs().dot(gamma) + contact.w_2.cwiseAbs().dot(gamma);
        const double held =
            4.0 * contact.c_t * (P.T.template lpNorm<1>() + contact.A.template lpNorm<1>());
        raise(result.law, kProxR / contact.mu_max * (along + held) + 4.0 * contact.mu_max * P.N);
      }
    }
    defect_error[i] += defect[i].cwiseAbs();
    if (i + 1 == n) break;
    const Twist<T> arm = node.s.cwiseAbs();
    const double servo = std::abs(node.sr) + 2.0 * std::abs(node.sd * solution.rate[i]) +
                         std::abs(node.p_J) + 2.0 * std::abs(node.J * solution.rate[i]);
    raise(is_sliding(node) ? result.momentum : torque,
          arm.dot(defect_error[i] + double{T} * defect[i].cwiseAbs()) + 2.0 * servo);
    const auto parent = static_cast<std::size_t>(node.parent);
    defect[parent] += defect[i];
    defect_error[parent] += defect_error[i] + defect[parent].cwiseAbs();
  }
  constexpr int kAngular = T == 3 ? 1 : 3;
  for (int row = 0; row < kAngular; ++row) raise(torque, defect_error[n - 1](row));
  raise(result.momentum, torque / problem.length_scale);
  for (int row = kAngular; row < T; ++row) raise(result.momentum, defect_error[n - 1](row));
  result.law *= kRoundoff / problem.impulse_scale;
  // once for the check, and once for the sweep that balanced the same sums
  result.momentum *= 2.0 * kRoundoff / problem.impulse_scale;
  return result;
}

template Residual compute_residual<3>(const ContactProblem<3>&, const Solution<3>&,
                                      ResidualData<3>&, Law);
template Residual compute_residual<6>(const ContactProblem<6>&, const Solution<6>&,
                                      ResidualData<6>&, Law);
template Rounding compute_rounding<3>(const ContactProblem<3>&, const Solution<3>&,
                                      ResidualData<3>&);
template Rounding compute_rounding<6>(const ContactProblem<6>&, const Solution<6>&,
                                      ResidualData<6>&);

}  // namespace coluber::nonsmooth
