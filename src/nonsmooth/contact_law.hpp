#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "coluber/nonsmooth/contact_problem.hpp"

#include "constants.hpp"

namespace coluber::nonsmooth {

/// The law on a disc in plain arithmetic: nothing fused, every quotient by a division of its own.
namespace plain {

struct Quotients {
  double a, b, c;
};
inline double mul_add(double a, double b, double c) { return a * b + c; }
inline double sub_mul(double c, double a, double b) { return c - a * b; }
inline double square_root(double x) { return std::sqrt(x); }
inline bool complement(bool mask) { return !mask; }
inline Quotients quotients(double a, double b, double x, double c, double y) {
  return {a / x, b / x, c / y};
}
#include "disc_law.inl"

}  // namespace plain

/// A contact's laws at one velocity, linearised: P+ = q - K dgamma. In scaled variables
///   K = [ k_N 0 ; k_N n  K_T ],  K_T = I/c_t (stick) or k t t^T with t across n (slip).
struct LinearLaw {
  double q_N = 0.0;
  double k_N = 0.0;
  double q_1 = 0.0, q_2 = 0.0;
  double n_1 = 0.0, n_2 = 0.0;  // slip direction; couples the friction to P_N of the same sweep
  double k_11 = 0.0, k_12 = 0.0, k_22 = 0.0;
  double residual = 0.0;  // max(|F_N|, mu |F_T|)
};

/// Prox equations of one contact and their derivative.
///   s_N = P_N - r_N (gamma_N + b + c P_N),        F_N = P_N - max(0, s_N)
///   s   = T - r_T (gamma_t + c_t (T - A)),        F_T = T - prox_disc(s, max(0, s_N))
/// with c_t and A from `term`. `gamma_*` are W^T u with the friction coefficients in w_1, w_2.
/// `r_T` is r/max(mu)²: with r/min(mu)² more than half of the steps of a (0.01, 1) ellipse would
/// need the fallback.
///
/// `kOnCone` takes n and k at the impulse brought back to the disc. A sweep moves T along the
/// tangent of the disc, by a share e of R, and so leaves it outside by R e²/2. At a solution |s| -
/// R = r_T |gamma_t|; where a point slips so slowly that this is less than R e²/2, k = R r_T/(|s| -
/// R
/// + …) would come out too small and the iteration not be Newton's. With the anchored law the term
/// R r_T c_t stands in for the missing speed; the rigid law has next to none. The residual is that
/// of the impulse as it is.
template <bool kOnCone = false, int T>
inline void linearise(const Contact<T>& contact, const Proximal& term, const Impulse& P,
                      double gamma_N, double gamma_1, double gamma_2, double r_N, double r_T,
                      LinearLaw& law) {
  double R = contact.load;
  double F_N = 0.0;
  law.k_N = 0.0;
  law.q_N = contact.load;
  if (contact.unilateral) {
    const double s_N = P.N - r_N * (gamma_N + contact.b + contact.c * P.N);
    R = std::max(0.0, s_N);
    F_N = P.N - R;
    const bool closed = s_N > 0.0;
    law.k_N = closed ? 1.0 / contact.c : 0.0;
    law.q_N = closed ? -(gamma_N + contact.b) / contact.c : 0.0;
  }

  law.q_1 = law.q_2 = law.n_1 = law.n_2 = law.k_11 = law.k_12 = law.k_22 = 0.0;
  double F_1 = P.T.x();
  double F_2 = P.T.y();
  if (contact.mu_max > 0.0 && R > 0.0) {
    const double c_t = term.c_t;
    double s_1 = P.T.x() - r_T * (gamma_1 + c_t * (P.T.x() - term.A.x()));
    double s_2 = P.T.y() - r_T * (gamma_2 + c_t * (P.T.y() - term.A.y()));
    const double h_1 = gamma_1 - c_t * term.A.x();
    const double h_2 = gamma_2 - c_t * term.A.y();
    bool judged = false;
    if (const double size = P.T.x() * P.T.x() + P.T.y() * P.T.y(); kOnCone && size > R * R) {
      const double square = s_1 * s_1 + s_2 * s_2;
      const double inside = square <= R * R ? 1.0 : R / std::sqrt(square);
      F_1 -= inside * s_1;
      F_2 -= inside * s_2;
      judged = true;
      const double T_1 = P.T.x() * (R / std::sqrt(size));
      const double T_2 = P.T.y() * (R / std::sqrt(size));
      s_1 = T_1 - r_T * (gamma_1 + c_t * (T_1 - term.A.x()));
      s_2 = T_2 - r_T * (gamma_2 + c_t * (T_2 - term.A.y()));
    }
    const plain::DiscLaw<double> disc =
        plain::linearise_disc(s_1, s_2, h_1, h_2, R, law.q_N, c_t, 1.0 / c_t, r_T, plain::Always{});
    law.q_1 = disc.q_1;
    law.q_2 = disc.q_2;
    law.n_1 = disc.n_1;
    law.n_2 = disc.n_2;
    law.k_11 = disc.k_11;
    law.k_12 = disc.k_12;
    law.k_22 = disc.k_22;
    if (!judged) {
      F_1 -= disc.end_1;
      F_2 -= disc.end_2;
    }
  }
  law.residual = std::max(std::abs(F_N), contact.mu_max * std::sqrt(F_1 * F_1 + F_2 * F_2));
}

/// r/max(mu)², and 0 for a frictionless contact.
template <int T>
inline double scaled_r(const Contact<T>& contact, double r) {
  return contact.mu_max > 0.0 ? r / (contact.mu_max * contact.mu_max) : 0.0;
}

/// What rounding alone can leave of a contact's residual after a sweep (N s). The velocity at the
/// contact is a sum w.u whose terms cancel: twists are taken at one point common to all links, and
/// an arm of metres times a turn of radians a second is far larger than the velocity at the
/// contact. Counted in roundings of a term, to first order: T each in w.u before and after the
/// sweep, 1 in the sum u + du, 1 in F; the other terms of F as they stand.
template <int T>
inline double law_rounding(const Contact<T>& contact, const Proximal& term, const Impulse& P,
                           const Twist<T>& u) {
  const Twist<T> size = u.cwiseAbs();
  double worst = 0.0;
  if (contact.unilateral) {
    const double gamma = 2.0 * (T + 1.0) * contact.w_N.cwiseAbs().dot(size);
    worst = kProxR * (gamma + 4.0 * (std::abs(contact.b) + contact.c * P.N)) + 2.0 * P.N;
  }
  if (contact.mu_max > 0.0) {
    const double gamma =
        2.0 * (T + 1.0) * (contact.w_1.cwiseAbs().dot(size) + contact.w_2.cwiseAbs().dot(size));
    const double held = 4.0 * term.c_t * (P.T.template lpNorm<1>() + term.A.template lpNorm<1>());
    worst = std::max(worst, kProxR / contact.mu_max * (gamma + held) + 4.0 * contact.mu_max * P.N);
  }
  return kRoundoff * worst;
}

/// P+ = q - K dgamma
inline void apply(const LinearLaw& law, double dgamma_N, double dgamma_1, double dgamma_2,
                  Impulse& P) {
  const double dN = law.k_N * dgamma_N;
  P.N = law.q_N - dN;
  const plain::Tangent<double> T =
      plain::subtract_compliance(law.q_1 - law.n_1 * dN, law.q_2 - law.n_2 * dN, law.k_11, law.k_12,
                                 law.k_22, dgamma_1, dgamma_2);
  P.T.x() = T.t_1;
  P.T.y() = T.t_2;
}

}  // namespace coluber::nonsmooth
