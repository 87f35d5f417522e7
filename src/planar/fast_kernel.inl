// Kernels of the planar step, compiled once for every instruction set (math/lanes.inl). Nothing may
// be included here that defines inline functions with external linkage.

#include "fast_kernel.hpp"
#include "math/lanes.inl"
#include "nonsmooth/constants.hpp"

namespace coluber::planar {
namespace COLUBER_PATH {
namespace {

using namespace lanes::COLUBER_PATH;
using nonsmooth::kProxR;
using nonsmooth::kRoundoff;

#include "nonsmooth/disc_law.inl"

inline double mu_max(const FastArrays& k) { return k.mu_1 > k.mu_2 ? k.mu_1 : k.mu_2; }

void prepare(FastArrays& k) {
  for (int i = 0; i < k.slots; i += kLanes) {
    const Lanes c = load<Lanes>(k.c + i);
    const Lanes s = load<Lanes>(k.s + i);
    const Lanes x = load<Lanes>(k.x + i);
    const Lanes y = load<Lanes>(k.y + i);
    const Lanes arm = load<Lanes>(k.arm + i);
    const Lanes m = load<Lanes>(k.m + i);
    store(k.s_1 + i, y + arm * s);
    store(k.s_2 + i, -(x + arm * c));
    store(k.t_1 + i, x * s - y * c);
    store(k.t_2 + i, x * c + y * s);
    const Lanes p_x = m * (load<Lanes>(k.u_x + i) + k.pull_x);
    const Lanes p_y = m * (load<Lanes>(k.u_y + i) + k.pull_y);
    store(k.p_0 + i, load<Lanes>(k.Theta + i) * load<Lanes>(k.u_w + i) + (x * p_y - y * p_x));
    store(k.p_1 + i, p_x);
    store(k.p_2 + i, p_y);
  }
}

// clang-format off
#include "fast_laws.inl"
#include "fast_sweep.inl"
#include "fast_judge.inl"
// clang-format on

/// `wheels`: links have them.
template <bool wheels>
FastSolve solve(FastArrays& k, double tolerance, double lost, int max_sweeps) {
  FastSolve result = {__builtin_inf(), 0, false};
  spread(k);
  laws<false, wheels>(k);
  obstacle_laws<false>(k);
  while (result.sweeps < max_sweeps) {
    assemble<wheels>(k);
    ++result.sweeps;
    if (!sweep(k)) {
      result.residual = __builtin_nan("");
      return result;
    }
    const double before = result.residual;
    result.residual = mu_max(k) * square_root(laws<true, wheels>(k));
    result.residual = largest_of(result.residual, obstacle_laws<true>(k));
    if (k.limited) result.residual = largest_of(result.residual, servo_defect(k));
    if constexpr (wheels) {
      if (k.rims_limited) result.residual = largest_of(result.residual, rim_defect(k));
    }
    if (!(result.residual > tolerance)) {  // NaN ends it too
      result.settled = result.residual <= tolerance;
      return result;
    }
    // at rounding, and a sweep no longer halves what is left
    if (result.residual > 0.5 * before && result.residual <= lost &&
        result.residual <= law_rounding<wheels>(k)) {
      result.settled = true;
      return result;
    }
  }
  return result;
}

template <bool wheels>
FastWork finish(FastArrays& k) {
  Sum T_A;
  Sum T_E;
  Sum friction;
  Sum gravity;
  for (int i = 0; i < k.slots; i += kLanes) {
    const Lanes c = load<Lanes>(k.c + i);
    const Lanes s = load<Lanes>(k.s + i);
    const Lanes w = load<Lanes>(k.w + i);
    const Lanes m = load<Lanes>(k.m + i);
    const Lanes Theta = load<Lanes>(k.Theta + i);
    const Lanes u_x = load<Lanes>(k.v_x + i) - load<Lanes>(k.y + i) * w;
    const Lanes u_y = load<Lanes>(k.v_y + i) + load<Lanes>(k.x + i) * w;
    const Lanes a_x = load<Lanes>(k.u_x + i);
    const Lanes a_y = load<Lanes>(k.u_y + i);
    const Lanes a_w = load<Lanes>(k.u_w + i);
    T_A.add(i, 0.5 * (m * (a_x * a_x + a_y * a_y) + Theta * (a_w * a_w)));
    T_E.add(i, 0.5 * (m * (u_x * u_x + u_y * u_y) + Theta * (w * w)));
    const Lanes mean_x = 0.5 * (a_x + u_x);
    const Lanes mean_y = 0.5 * (a_y + u_y);
    const Lanes mean_w = 0.5 * (a_w + w);
    gravity.add(i, m * (k.pull_x * mean_x + k.pull_y * mean_y));
    Lanes P_1 = {};
    Lanes P_2 = {};
    Lanes torque = {};
    for (int q = 0; q < k.points; ++q) {
      const Lanes across = k.mu_2 * load<Lanes>(k.T_2[q] + i);
      P_1 += k.mu_1 * load<Lanes>(k.T_1[q] + i);
      P_2 += across;
      torque += load<Lanes>(k.a[q] + i) * across;
      if constexpr (wheels) {
        torque -= load<Lanes>(k.b[q] + i) * (k.mu_1 * load<Lanes>(k.T_1[q] + i));
      }
    }
    if constexpr (wheels) {
      const Lanes J = load<Lanes>(k.J + i);
      const Lanes rim_A = load<Lanes>(k.rim_A + i);
      const Lanes rim = load<Lanes>(k.rim + i);
      T_A.add(i, 0.5 * (J * (rim_A * rim_A)));
      T_E.add(i, 0.5 * (J * (rim * rim)));
      friction.add(i, P_1 * (0.5 * (rim_A + rim)));
    }
    if (k.viscous) {
      P_1 -= load<Lanes>(k.eta_1 + i) * (c * u_x + s * u_y);
      P_2 -= load<Lanes>(k.eta_2 + i) * (c * u_y - s * u_x);
      torque -= load<Lanes>(k.eta_0 + i) * w;
    }
    const Lanes f_x = c * P_1 - s * P_2;
    const Lanes f_y = s * P_1 + c * P_2;
    friction.add(i, (f_x * mean_x + f_y * mean_y) + torque * mean_w);
    store(k.f_x + i, f_x);
    store(k.f_y + i, f_y);
    store(k.u_x + i, u_x);
    store(k.u_y + i, u_y);
    store(k.u_w + i, w);
  }
  return {T_A.total(), T_E.total(), friction.total(), gravity.total()};
}

}  // namespace
}  // namespace COLUBER_PATH

#define COLUBER_JOIN(a, b) a##b
#define COLUBER_NAME(path) COLUBER_JOIN(path, _fast_kernels)
#define COLUBER_QUOTE(a) #a
#define COLUBER_TEXT(a) COLUBER_QUOTE(a)
FastKernels COLUBER_NAME(COLUBER_PATH)(bool wheels) {
  using namespace COLUBER_PATH;
  const char* name = COLUBER_TEXT(COLUBER_PATH);
  if (wheels) {
    return {name,         prepare,        solve<true>,    gap,
            move_anchors, residual<true>, rounding<true>, finish<true>};
  }
  return {name,         prepare,         solve<false>,    gap,
          move_anchors, residual<false>, rounding<false>, finish<false>};
}

}  // namespace coluber::planar
