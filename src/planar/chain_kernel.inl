// Kernels of the planar step, compiled once for every instruction set (math/lanes.inl). Nothing may
// be included here that defines inline functions with external linkage.

#include "chain_kernel.hpp"
#include "math/lanes.inl"
#include "nonsmooth/constants.hpp"

namespace coluber::planar {
namespace COLUBER_PATH {
namespace {

using namespace lanes::COLUBER_PATH;
using nonsmooth::kProxR;
using nonsmooth::kRoundoff;

inline double mu_max(const ChainArrays& k) { return k.mu_1 > k.mu_2 ? k.mu_1 : k.mu_2; }

void prepare(ChainArrays& k) {
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

/// Laws of the friction points at the present velocities and impulses, after the increments of a
/// sweep if `apply`. Returns max F², scaled.
template <bool apply>
double laws(ChainArrays& k) {
  const double mu_max = k.mu_1 > k.mu_2 ? k.mu_1 : k.mu_2;
  const double r = kProxR / (mu_max * mu_max);
  const Lanes zero = {};
  Lanes worst = zero;
  // From the root, where the sweep that filled the arrays began: the tips' numbers, just stored two
  // by two, could not be loaded four at a time yet.
  for (int i = k.slots - kLanes; i >= 0; i -= kLanes) {
    const Lanes c = load<Lanes>(k.c + i);
    const Lanes s = load<Lanes>(k.s + i);
    const Lanes t_1 = load<Lanes>(k.t_1 + i);
    const Lanes t_2 = load<Lanes>(k.t_2 + i);
    Lanes w = load<Lanes>(k.w + i);
    Lanes v_x = load<Lanes>(k.v_x + i);
    Lanes v_y = load<Lanes>(k.v_y + i);
    Lanes dw = zero, d_1 = zero, d_2 = zero;
    if constexpr (apply) {
      dw = load<Lanes>(k.d_0 + i);
      const Lanes dv_x = load<Lanes>(k.d_1 + i);
      const Lanes dv_y = load<Lanes>(k.d_2 + i);
      d_1 = k.mu_1 * (t_1 * dw + (c * dv_x + s * dv_y));
      d_2 = t_2 * dw + (c * dv_y - s * dv_x);
      w += dw;
      v_x += dv_x;
      v_y += dv_y;
      store(k.w + i, w);
      store(k.v_x + i, v_x);
      store(k.v_y + i, v_y);
    }
    const Lanes gamma_1 = k.mu_1 * (t_1 * w + (c * v_x + s * v_y));
    const Lanes centre_2 = t_2 * w + (c * v_y - s * v_x);
    const Lanes c_t = load<Lanes>(k.c_t + i);
    const Lanes inverse_c_t = load<Lanes>(k.inverse_c_t + i);
    for (int q = 0; q < k.points; ++q) {
      const Lanes a = load<Lanes>(k.a[q] + i);
      Lanes T_1, T_2;
      if constexpr (apply) {
        const Lanes dg_2 = k.mu_2 * (d_2 + a * dw);
        const Lanes k_12 = load<Lanes>(k.k_12[q] + i);
        T_1 = load<Lanes>(k.q_1[q] + i) - load<Lanes>(k.k_11[q] + i) * d_1 - k_12 * dg_2;
        T_2 = load<Lanes>(k.q_2[q] + i) - k_12 * d_1 - load<Lanes>(k.k_22[q] + i) * dg_2;
        store(k.T_1[q] + i, T_1);
        store(k.T_2[q] + i, T_2);
      } else {
        T_1 = load<Lanes>(k.T_1[q] + i);
        T_2 = load<Lanes>(k.T_2[q] + i);
      }
      const Lanes gamma_2 = k.mu_2 * (centre_2 + a * w);
      const Lanes R = load<Lanes>(k.R[q] + i);
      const Lanes A_1 = load<Lanes>(k.A_1[q] + i);
      const Lanes A_2 = load<Lanes>(k.A_2[q] + i);
      const Lanes s_1 = T_1 - r * (gamma_1 + c_t * (T_1 - A_1));
      const Lanes s_2 = T_2 - r * (gamma_2 + c_t * (T_2 - A_2));
      const Lanes h_1 = gamma_1 - c_t * A_1;
      const Lanes h_2 = gamma_2 - c_t * A_2;
      const Lanes square = s_1 * s_1 + s_2 * s_2;
      const auto stick = square <= R * R;
      // Slip; at a solution k = R/|gamma|. One division for 1/norm and 1/below; where the point
      // sticks it may be by zero, and is not used.
      const Lanes norm = square_root(square);
      const Lanes Rr = R * r;
      const Lanes below = norm - R + Rr * c_t;
      const Lanes inverse = 1.0 / (norm * below);
      const Lanes n_1 = s_1 * (inverse * below);
      const Lanes n_2 = s_2 * (inverse * below);
      const Lanes slide = Rr * (inverse * norm);
      const Lanes h_t = slide * (n_1 * h_2 - n_2 * h_1);
      const Lanes end_1 = R * n_1;
      const Lanes end_2 = R * n_2;
      store(k.q_1[q] + i, stick ? -h_1 * inverse_c_t : end_1 + h_t * n_2);
      store(k.q_2[q] + i, stick ? -h_2 * inverse_c_t : end_2 - h_t * n_1);
      store(k.k_11[q] + i, stick ? inverse_c_t : slide * n_2 * n_2);
      store(k.k_12[q] + i, stick ? zero : -slide * n_1 * n_2);
      store(k.k_22[q] + i, stick ? inverse_c_t : slide * n_1 * n_1);
      const Lanes F_1 = T_1 - (stick ? s_1 : end_1);
      const Lanes F_2 = T_2 - (stick ? s_2 : end_2);
      const Lanes F = F_1 * F_1 + F_2 * F_2;
      worst = larger(worst, F);
    }
  }
  return largest(worst);
}

/// Every link's block of M + W K W^T and of M u - p - W q, at the root's centre. Viscous friction
/// is diagonal in the link's axes at its centre (viscosity_of in problem.cpp) and acts at E: M has
/// it, p has not.
void assemble(ChainArrays& k) {
  const double m_11 = k.mu_1 * k.mu_1;
  const double m_12 = k.mu_1 * k.mu_2;
  const double m_22 = k.mu_2 * k.mu_2;
  for (int i = 0; i < k.slots; i += kLanes) {
    const Lanes zero = {};
    const Lanes c = load<Lanes>(k.c + i);
    const Lanes s = load<Lanes>(k.s + i);
    const Lanes t_1 = load<Lanes>(k.t_1 + i);
    const Lanes t_2 = load<Lanes>(k.t_2 + i);
    const Lanes w = load<Lanes>(k.w + i);
    const Lanes v_x = load<Lanes>(k.v_x + i);
    const Lanes v_y = load<Lanes>(k.v_y + i);
    const Lanes m = load<Lanes>(k.m + i);
    // in the link's axes, at its centre: rows (torque, along, across)
    Lanes A = load<Lanes>(k.Theta + i) + load<Lanes>(k.eta_0 + i);
    Lanes C_11 = m + load<Lanes>(k.eta_1 + i);
    Lanes C_22 = m + load<Lanes>(k.eta_2 + i);
    Lanes B_1 = zero, B_2 = zero, C_12 = zero;
    Lanes f_0 = A * w;
    Lanes f_1 = C_11 * (t_1 * w + (c * v_x + s * v_y));
    Lanes f_2 = C_22 * (t_2 * w + (c * v_y - s * v_x));
    for (int q = 0; q < k.points; ++q) {
      const Lanes a = load<Lanes>(k.a[q] + i);
      const Lanes K_12 = m_12 * load<Lanes>(k.k_12[q] + i);
      const Lanes K_22 = m_22 * load<Lanes>(k.k_22[q] + i);
      const Lanes aK_22 = a * K_22;
      A += a * aK_22;
      B_1 += a * K_12;
      B_2 += aK_22;
      C_11 += m_11 * load<Lanes>(k.k_11[q] + i);
      C_12 += K_12;
      C_22 += K_22;
      const Lanes Q_2 = k.mu_2 * load<Lanes>(k.q_2[q] + i);
      f_0 -= a * Q_2;
      f_1 -= k.mu_1 * load<Lanes>(k.q_1[q] + i);
      f_2 -= Q_2;
    }
    const Lanes h_10 = C_11 * t_1 + C_12 * t_2 + B_1;
    const Lanes h_1x = C_11 * c - C_12 * s;
    const Lanes h_1y = C_11 * s + C_12 * c;
    const Lanes h_20 = C_12 * t_1 + C_22 * t_2 + B_2;
    const Lanes h_2x = C_12 * c - C_22 * s;
    const Lanes h_2y = C_12 * s + C_22 * c;
    store(k.G_00 + i, A + (B_1 * t_1 + B_2 * t_2) + (t_1 * h_10 + t_2 * h_20));
    store(k.G_01 + i, c * h_10 - s * h_20);
    store(k.G_02 + i, s * h_10 + c * h_20);
    store(k.G_11 + i, c * h_1x - s * h_2x);
    store(k.G_12 + i, c * h_1y - s * h_2y);
    store(k.G_22 + i, s * h_1y + c * h_2y);
    store(k.r_0 + i, f_0 + (t_1 * f_1 + t_2 * f_2) - load<Lanes>(k.p_0 + i));
    store(k.r_1 + i, (c * f_1 - s * f_2) - load<Lanes>(k.p_1 + i));
    store(k.r_2 + i, (s * f_1 + c * f_2) - load<Lanes>(k.p_2 + i));
  }
  for (int n = 0; n < k.contact_count; ++n) {
    const ChainContact& contact = k.contacts[n];
    const int i = contact.slot;
    const double kw_0 = contact.k * contact.w_0;
    const double kw_1 = contact.k * contact.w_1;
    k.G_00[i] += kw_0 * contact.w_0;
    k.G_01[i] += kw_0 * contact.w_1;
    k.G_02[i] += kw_0 * contact.w_2;
    k.G_11[i] += kw_1 * contact.w_1;
    k.G_12[i] += kw_1 * contact.w_2;
    k.G_22[i] += contact.k * contact.w_2 * contact.w_2;
    k.r_0[i] -= contact.q * contact.w_0;
    k.r_1[i] -= contact.q * contact.w_1;
    k.r_2[i] -= contact.q * contact.w_2;
  }
  if (!k.limited) return;
  for (int i = 0; i < 2 * k.pairs; i += 2) {
    const Two sd = load<Two>(k.sd + i);
    const Two sr = load<Two>(k.sr + i);
    const Two limit = load<Two>(k.limit + i);
    const Two raw = sr - sd * load<Two>(k.rate + i);
    const auto saturated = magnitude(raw) > limit;
    store(k.sd_used + i, saturated ? Two{} : sd);
    store(k.sr_used + i, saturated ? (raw < 0.0 ? -limit : limit) : sr);
  }
}

/// Tips to root, both halves at once, then the root and back. False if a pivot is not positive.
bool sweep(ChainArrays& k) {
  const double* sds = k.limited ? k.sd_used : k.sd;
  const double* srs = k.limited ? k.sr_used : k.sr;
  Two G_00 = {}, G_01 = {}, G_02 = {}, G_11 = {}, G_12 = {}, G_22 = {}, p_0 = {}, p_1 = {},
      p_2 = {};
  const int joints = 2 * k.pairs;
  for (int i = 0; i < joints; i += 2) {
    G_00 += load<Two>(k.G_00 + i);
    G_01 += load<Two>(k.G_01 + i);
    G_02 += load<Two>(k.G_02 + i);
    G_11 += load<Two>(k.G_11 + i);
    G_12 += load<Two>(k.G_12 + i);
    G_22 += load<Two>(k.G_22 + i);
    p_0 += load<Two>(k.r_0 + i);
    p_1 += load<Two>(k.r_1 + i);
    p_2 += load<Two>(k.r_2 + i);
    const Two s_1 = load<Two>(k.s_1 + i);
    const Two s_2 = load<Two>(k.s_2 + i);
    const Two sd = load<Two>(sds + i);
    const Two U_0 = G_00 + (G_01 * s_1 + G_02 * s_2);
    const Two U_1 = G_01 + (G_11 * s_1 + G_12 * s_2);
    const Two U_2 = G_02 + (G_12 * s_1 + G_22 * s_2);
    const Two D = (U_0 + sd) + (s_1 * U_1 + s_2 * U_2);
    const Two torque =
        (p_0 + (s_1 * p_1 + s_2 * p_2)) + (sd * load<Two>(k.rate + i) - load<Two>(srs + i));
    const Two inverse = 1.0 / D;
    const Two V_0 = U_0 * inverse;
    const Two V_1 = U_1 * inverse;
    const Two V_2 = U_2 * inverse;
    const Two e = torque * inverse;
    store(k.V_0 + i, V_0);
    store(k.V_1 + i, V_1);
    store(k.V_2 + i, V_2);
    store(k.e + i, e);
    G_00 -= U_0 * V_0;
    G_01 -= U_0 * V_1;
    G_02 -= U_0 * V_2;
    G_11 -= U_1 * V_1;
    G_12 -= U_1 * V_2;
    G_22 -= U_2 * V_2;
    p_0 -= e * U_0;
    p_1 -= e * U_1;
    p_2 -= e * U_2;
  }
  const int o = k.root;
  const double a_00 = (G_00[0] + G_00[1]) + k.G_00[o];
  const double a_01 = (G_01[0] + G_01[1]) + k.G_01[o];
  const double a_02 = (G_02[0] + G_02[1]) + k.G_02[o];
  const double a_11 = (G_11[0] + G_11[1]) + k.G_11[o];
  const double a_12 = (G_12[0] + G_12[1]) + k.G_12[o];
  const double a_22 = (G_22[0] + G_22[1]) + k.G_22[o];
  const double b_0 = (p_0[0] + p_0[1]) + k.r_0[o];
  const double b_1 = (p_1[0] + p_1[1]) + k.r_1[o];
  const double b_2 = (p_2[0] + p_2[1]) + k.r_2[o];
  // L D L^T, translations first: their block does not depend on the arms
  const double i_22 = 1.0 / a_22;
  const double l_12 = a_12 * i_22;
  const double l_02 = a_02 * i_22;
  const double d_11 = a_11 - l_12 * a_12;
  const double m_01 = a_01 - l_02 * a_12;
  const double i_11 = 1.0 / d_11;
  const double l_01 = m_01 * i_11;
  const double d_00 = (a_00 - l_02 * a_02) - l_01 * m_01;
  if (!(a_22 > 0.0) || !(d_11 > 0.0) || !(d_00 > 0.0)) return false;
  const double z_1 = b_1 - l_12 * b_2;
  const double z_0 = (b_0 - l_02 * b_2) - l_01 * z_1;
  const double x_0 = -z_0 / d_00;
  const double x_1 = -z_1 * i_11 - l_01 * x_0;
  const double x_2 = (-b_2 * i_22 - l_12 * x_1) - l_02 * x_0;
  k.root_w += x_0;
  k.root_x += x_1;
  k.root_y += x_2;
  k.d_0[o] = x_0;
  k.d_1[o] = x_1;
  k.d_2[o] = x_2;
  Two t_0 = {x_0, x_0}, t_1 = {x_1, x_1}, t_2 = {x_2, x_2};
  for (int i = joints - 2; i >= 0; i -= 2) {
    const Two dr = -(load<Two>(k.e + i) + load<Two>(k.V_0 + i) * t_0 +
                     (load<Two>(k.V_1 + i) * t_1 + load<Two>(k.V_2 + i) * t_2));
    t_0 += dr;
    t_1 += load<Two>(k.s_1 + i) * dr;
    t_2 += load<Two>(k.s_2 + i) * dr;
    store(k.rate + i, load<Two>(k.rate + i) + dr);
    store(k.d_0 + i, t_0);
    store(k.d_1 + i, t_1);
    store(k.d_2 + i, t_2);
  }
  return true;
}

/// Twists of all links from the root's and the rates.
void spread(ChainArrays& k) {
  Two t_0 = {k.root_w, k.root_w};
  Two t_1 = {k.root_x, k.root_x};
  Two t_2 = {k.root_y, k.root_y};
  k.w[k.root] = k.root_w;
  k.v_x[k.root] = k.root_x;
  k.v_y[k.root] = k.root_y;
  for (int i = 2 * k.pairs - 2; i >= 0; i -= 2) {
    const Two rate = load<Two>(k.rate + i);
    t_0 += rate;
    t_1 += load<Two>(k.s_1 + i) * rate;
    t_2 += load<Two>(k.s_2 + i) * rate;
    store(k.w + i, t_0);
    store(k.v_x + i, t_1);
    store(k.v_y + i, t_2);
  }
}

/// Laws of the obstacle contacts; as nonsmooth/contact_law.hpp. Returns the largest |F_N|.
template <bool apply>
double obstacle_laws(ChainArrays& k) {
  double worst = 0.0;
  for (int n = 0; n < k.contact_count; ++n) {
    ChainContact& contact = k.contacts[n];
    const int i = contact.slot;
    if constexpr (apply) {
      contact.P = contact.q - contact.k * (contact.w_0 * k.d_0[i] + contact.w_1 * k.d_1[i] +
                                           contact.w_2 * k.d_2[i]);
    }
    const double gamma = contact.w_0 * k.w[i] + contact.w_1 * k.v_x[i] + contact.w_2 * k.v_y[i];
    const double s = contact.P - kProxR * (gamma + contact.b + contact.c * contact.P);
    const bool closed = s > 0.0;
    contact.k = closed ? 1.0 / contact.c : 0.0;
    contact.q = closed ? -(gamma + contact.b) / contact.c : 0.0;
    const double F = contact.P - (closed ? s : 0.0);
    worst = largest_of(worst, F < 0.0 ? -F : F);
  }
  return worst;
}

/// By how much the linearised servos differ from the clamped ones (N s).
double servo_defect(const ChainArrays& k) {
  Two worst = {};
  for (int i = 0; i < 2 * k.pairs; i += 2) {
    const Two rate = load<Two>(k.rate + i);
    const Two given = load<Two>(k.sr_used + i) - load<Two>(k.sd_used + i) * rate;
    const Two wanted =
        servo(load<Two>(k.sd + i), load<Two>(k.sr + i), load<Two>(k.limit + i), rate);
    worst = larger(worst, magnitude(wanted - given));
  }
  return largest_of(worst[0], worst[1]) / k.length;
}

/// What rounding alone can leave of the residual (N s); as nonsmooth/contact_law.hpp.
double law_rounding(const ChainArrays& k) {
  const double mu = mu_max(k);
  Lanes lanes = {};
  for (int q = 0; q < k.points; ++q) {
    for (int i = 0; i < k.slots; i += kLanes) {
      const Lanes c = magnitude(load<Lanes>(k.c + i));
      const Lanes s = magnitude(load<Lanes>(k.s + i));
      const Lanes w = magnitude(load<Lanes>(k.w + i));
      const Lanes v_x = magnitude(load<Lanes>(k.v_x + i));
      const Lanes v_y = magnitude(load<Lanes>(k.v_y + i));
      const Lanes arm = magnitude(load<Lanes>(k.t_2 + i)) + magnitude(load<Lanes>(k.a[q] + i));
      const Lanes gamma = k.mu_1 * (magnitude(load<Lanes>(k.t_1 + i)) * w + (c * v_x + s * v_y)) +
                          k.mu_2 * (arm * w + (c * v_y + s * v_x));
      const Lanes T = magnitude(load<Lanes>(k.T_1[q] + i)) + magnitude(load<Lanes>(k.T_2[q] + i));
      const Lanes A = magnitude(load<Lanes>(k.A_1[q] + i)) + magnitude(load<Lanes>(k.A_2[q] + i));
      const Lanes held = 4.0 * load<Lanes>(k.c_t + i) * (T + A);
      lanes =
          larger(lanes, kProxR / mu * (8.0 * gamma + held) + 4.0 * mu * load<Lanes>(k.R[q] + i));
    }
  }
  double worst = largest(lanes);
  for (int n = 0; n < k.contact_count; ++n) {
    const ChainContact& contact = k.contacts[n];
    const int i = contact.slot;
    const double gamma = magnitude(contact.w_0 * k.w[i]) + magnitude(contact.w_1 * k.v_x[i]) +
                         magnitude(contact.w_2 * k.v_y[i]);
    const double other = magnitude(contact.b) + contact.c * contact.P;
    worst = largest_of(worst, kProxR * (8.0 * gamma + 4.0 * other) + 2.0 * contact.P);
  }
  for (int i = 0; k.limited && i < 2 * k.pairs; ++i) {
    const double servo = magnitude(k.sr[i]) + 2.0 * magnitude(k.sd[i] * k.rate[i]);
    worst = largest_of(worst, 2.0 * servo / k.length);
  }
  return kRoundoff * worst;
}

ChainSolve solve(ChainArrays& k, double tolerance, double lost, int max_sweeps) {
  ChainSolve result = {__builtin_inf(), 0, false};
  spread(k);
  laws<false>(k);
  obstacle_laws<false>(k);
  while (result.sweeps < max_sweeps) {
    assemble(k);
    ++result.sweeps;
    if (!sweep(k)) {
      result.residual = __builtin_nan("");
      return result;
    }
    const double before = result.residual;
    result.residual = mu_max(k) * square_root(laws<true>(k));
    result.residual = largest_of(result.residual, obstacle_laws<true>(k));
    if (k.limited) result.residual = largest_of(result.residual, servo_defect(k));
    if (!(result.residual > tolerance)) {  // NaN ends it too
      result.settled = result.residual <= tolerance;
      return result;
    }
    // at rounding, and a sweep no longer halves what is left
    if (result.residual > 0.5 * before && result.residual <= lost &&
        result.residual <= law_rounding(k)) {
      result.settled = true;
      return result;
    }
  }
  return result;
}

double gap(const ChainArrays& k) {
  Lanes worst = {};
  for (int q = 0; q < k.points; ++q) {
    for (int i = 0; i < k.slots; i += kLanes) {
      const Lanes c_t = load<Lanes>(k.c_t + i);
      const Lanes E_1 = c_t * (load<Lanes>(k.T_1[q] + i) - load<Lanes>(k.A_1[q] + i));
      const Lanes E_2 = c_t * (load<Lanes>(k.T_2[q] + i) - load<Lanes>(k.A_2[q] + i));
      worst = larger(worst, E_1 * E_1 + E_2 * E_2);
    }
  }
  return k.points > 0 ? kProxR / mu_max(k) * square_root(largest(worst)) : 0.0;
}

void move_anchors(ChainArrays& k) {
  for (int q = 0; q < k.points; ++q) {
    for (int i = 0; i < k.slots; i += kLanes) {
      store(k.A_1[q] + i, load<Lanes>(k.T_1[q] + i));
      store(k.A_2[q] + i, load<Lanes>(k.T_2[q] + i));
    }
  }
}

/// F² of the tangential law, scaled.
inline Lanes friction_defect(Lanes T_1, Lanes T_2, Lanes gamma_1, Lanes gamma_2, Lanes R,
                             double r) {
  const Lanes s_1 = T_1 - r * gamma_1;
  const Lanes s_2 = T_2 - r * gamma_2;
  const Lanes square = s_1 * s_1 + s_2 * s_2;
  const Lanes one = Lanes{} + 1.0;
  const Lanes scale = square <= R * R ? one : R / square_root(square);
  const Lanes F_1 = T_1 - scale * s_1;
  const Lanes F_2 = T_2 - scale * s_2;
  return F_1 * F_1 + F_2 * F_2;
}

ChainResidual residual(ChainArrays& k) {
  ChainResidual result = {};
  spread(k);
  const double r = k.points > 0 ? kProxR / (mu_max(k) * mu_max(k)) : 0.0;
  Lanes law = {};
  Lanes rigid = {};
  for (int i = 0; i < k.slots; i += kLanes) {
    const Lanes c = load<Lanes>(k.c + i);
    const Lanes s = load<Lanes>(k.s + i);
    const Lanes x = load<Lanes>(k.x + i);
    const Lanes y = load<Lanes>(k.y + i);
    const Lanes w = load<Lanes>(k.w + i);
    const Lanes m = load<Lanes>(k.m + i);
    // velocity and forces at the link's centre, world axes
    const Lanes u_x = load<Lanes>(k.v_x + i) - y * w;
    const Lanes u_y = load<Lanes>(k.v_y + i) + x * w;
    Lanes f_x = m * u_x;
    Lanes f_y = m * u_y;
    Lanes torque = load<Lanes>(k.Theta + i) * w;
    const Lanes c_t = load<Lanes>(k.c_t + i);
    const Lanes along = c * u_x + s * u_y;
    const Lanes across = c * u_y - s * u_x;
    if (k.viscous) {
      const Lanes P_1 = load<Lanes>(k.eta_1 + i) * along;
      const Lanes P_2 = load<Lanes>(k.eta_2 + i) * across;
      f_x += c * P_1 - s * P_2;
      f_y += s * P_1 + c * P_2;
      torque += load<Lanes>(k.eta_0 + i) * w;
    }
    for (int q = 0; q < k.points; ++q) {
      const Lanes a = load<Lanes>(k.a[q] + i);
      const Lanes T_1 = load<Lanes>(k.T_1[q] + i);
      const Lanes T_2 = load<Lanes>(k.T_2[q] + i);
      const Lanes P_1 = k.mu_1 * T_1;
      const Lanes P_2 = k.mu_2 * T_2;
      f_x -= c * P_1 - s * P_2;
      f_y -= s * P_1 + c * P_2;
      torque -= a * P_2;
      const Lanes gamma_1 = k.mu_1 * along;
      const Lanes gamma_2 = k.mu_2 * (across + a * w);
      const Lanes R = load<Lanes>(k.R[q] + i);
      const Lanes E_1 = c_t * (T_1 - load<Lanes>(k.A_1[q] + i));
      const Lanes E_2 = c_t * (T_2 - load<Lanes>(k.A_2[q] + i));
      law = larger(law, friction_defect(T_1, T_2, gamma_1 + E_1, gamma_2 + E_2, R, r));
      rigid = larger(rigid, friction_defect(T_1, T_2, gamma_1, gamma_2, R, r));
    }
    store(k.r_0 + i, (torque + (x * f_y - y * f_x)) - load<Lanes>(k.p_0 + i));
    store(k.r_1 + i, f_x - load<Lanes>(k.p_1 + i));
    store(k.r_2 + i, f_y - load<Lanes>(k.p_2 + i));
  }
  result.law = mu_max(k) * square_root(largest(law));
  result.rigid_law = mu_max(k) * square_root(largest(rigid));
  for (int n = 0; n < k.contact_count; ++n) {
    const ChainContact& contact = k.contacts[n];
    const int i = contact.slot;
    const double gamma = contact.w_0 * k.w[i] + contact.w_1 * k.v_x[i] + contact.w_2 * k.v_y[i];
    const double s = contact.P - kProxR * (gamma + contact.b + contact.c * contact.P);
    const double F = contact.P - (s > 0.0 ? s : 0.0);
    result.law = largest_of(result.law, F < 0.0 ? -F : F);
    result.rigid_law = largest_of(result.rigid_law, F < 0.0 ? -F : F);
    k.r_0[i] -= contact.P * contact.w_0;
    k.r_1[i] -= contact.P * contact.w_1;
    k.r_2[i] -= contact.P * contact.w_2;
  }

  Two p_0 = {};
  Two p_1 = {};
  Two p_2 = {};
  Two torque = {};
  for (int i = 0; i < 2 * k.pairs; i += 2) {
    p_0 += load<Two>(k.r_0 + i);
    p_1 += load<Two>(k.r_1 + i);
    p_2 += load<Two>(k.r_2 + i);
    const Two motor = servo(load<Two>(k.sd + i), load<Two>(k.sr + i), load<Two>(k.limit + i),
                            load<Two>(k.rate + i));
    const Two joint = p_0 + (load<Two>(k.s_1 + i) * p_1 + load<Two>(k.s_2 + i) * p_2);
    torque = larger(torque, magnitude(joint - motor));
  }
  const int o = k.root;
  const double b_0 = (p_0[0] + p_0[1]) + k.r_0[o];
  const double b_1 = (p_1[0] + p_1[1]) + k.r_1[o];
  const double b_2 = (p_2[0] + p_2[1]) + k.r_2[o];
  result.momentum = largest_of(largest_of(torque[0], torque[1]), b_0 < 0.0 ? -b_0 : b_0) / k.length;
  result.momentum = largest_of(result.momentum, b_1 < 0.0 ? -b_1 : b_1);
  result.momentum = largest_of(result.momentum, b_2 < 0.0 ? -b_2 : b_2);
  return result;
}

/// Running error analysis of `residual`, as nonsmooth/residual.cpp; r_0 … r_2 hold the links'
/// defects.
ChainRounding rounding(ChainArrays& k) {
  // errors of the twists, root to tips
  double* const e_0 = k.d_0;
  double* const e_1 = k.d_1;
  double* const e_2 = k.d_2;
  const int o = k.root;
  e_0[o] = magnitude(k.root_w);
  e_1[o] = magnitude(k.root_x);
  e_2[o] = magnitude(k.root_y);
  Two t_0 = {e_0[o], e_0[o]}, t_1 = {e_1[o], e_1[o]}, t_2 = {e_2[o], e_2[o]};
  for (int i = 2 * k.pairs - 2; i >= 0; i -= 2) {
    const Two rate = magnitude(load<Two>(k.rate + i));
    t_0 += magnitude(load<Two>(k.w + i)) + rate;
    t_1 += magnitude(load<Two>(k.v_x + i)) + magnitude(load<Two>(k.s_1 + i)) * rate;
    t_2 += magnitude(load<Two>(k.v_y + i)) + magnitude(load<Two>(k.s_2 + i)) * rate;
    store(e_0 + i, t_0);
    store(e_1 + i, t_1);
    store(e_2 + i, t_2);
  }

  // errors of the links' own defects, and of their laws
  ChainRounding result = {};
  const double mu = mu_max(k);
  Lanes law = {};
  for (int i = 0; i < k.slots; i += kLanes) {
    const Lanes c = magnitude(load<Lanes>(k.c + i));
    const Lanes s = magnitude(load<Lanes>(k.s + i));
    const Lanes x = magnitude(load<Lanes>(k.x + i));
    const Lanes y = magnitude(load<Lanes>(k.y + i));
    const Lanes m = load<Lanes>(k.m + i);
    const Lanes size_0 = 4.0 * magnitude(load<Lanes>(k.w + i));
    const Lanes size_1 = 4.0 * magnitude(load<Lanes>(k.v_x + i));
    const Lanes size_2 = 4.0 * magnitude(load<Lanes>(k.v_y + i));
    const Lanes u_0 = load<Lanes>(e_0 + i) + size_0;
    const Lanes u_1 = load<Lanes>(e_1 + i) + size_1;
    const Lanes u_2 = load<Lanes>(e_2 + i) + size_2;
    Lanes f_x = m * (u_1 + y * u_0) + 2.0 * magnitude(load<Lanes>(k.p_1 + i));
    Lanes f_y = m * (u_2 + x * u_0) + 2.0 * magnitude(load<Lanes>(k.p_2 + i));
    Lanes torque = load<Lanes>(k.Theta + i) * u_0 +
                   m * (y * (u_1 + y * u_0) + x * (u_2 + x * u_0)) +
                   2.0 * magnitude(load<Lanes>(k.p_0 + i));
    const Lanes g_0 = u_0 + size_0;
    const Lanes g_1 = u_1 + size_1;
    const Lanes g_2 = u_2 + size_2;
    const Lanes arm_1 = magnitude(load<Lanes>(k.t_1 + i));
    const Lanes arm_2 = magnitude(load<Lanes>(k.t_2 + i));
    if (k.viscous) {
      const Lanes P_1 = load<Lanes>(k.eta_1 + i) * (arm_1 * g_0 + (c * g_1 + s * g_2));
      const Lanes P_2 = load<Lanes>(k.eta_2 + i) * (arm_2 * g_0 + (c * g_2 + s * g_1));
      f_x += c * P_1 + s * P_2;
      f_y += s * P_1 + c * P_2;
      torque += arm_1 * P_1 + arm_2 * P_2 + load<Lanes>(k.eta_0 + i) * g_0;
    }
    const Lanes along = k.mu_1 * (arm_1 * g_0 + (c * g_1 + s * g_2));
    for (int q = 0; q < k.points; ++q) {
      const Lanes a = magnitude(load<Lanes>(k.a[q] + i));
      const Lanes T_1 = magnitude(load<Lanes>(k.T_1[q] + i));
      const Lanes T_2 = magnitude(load<Lanes>(k.T_2[q] + i));
      const Lanes P_1 = 3.0 * k.mu_1 * T_1;
      const Lanes P_2 = 3.0 * k.mu_2 * T_2;
      const Lanes P_x = c * P_1 + s * P_2;
      const Lanes P_y = s * P_1 + c * P_2;
      f_x += P_x;
      f_y += P_y;
      torque += x * P_y + y * P_x + a * P_2;
      const Lanes across = k.mu_2 * ((arm_2 + a) * g_0 + (c * g_2 + s * g_1));
      const Lanes A = magnitude(load<Lanes>(k.A_1[q] + i)) + magnitude(load<Lanes>(k.A_2[q] + i));
      const Lanes held = 4.0 * load<Lanes>(k.c_t + i) * (T_1 + T_2 + A);
      law = larger(law, kProxR / mu * (along + across + held) + 4.0 * mu * load<Lanes>(k.R[q] + i));
    }
    store(k.G_00 + i, torque);
    store(k.G_01 + i, f_x);
    store(k.G_02 + i, f_y);
  }
  result.law = largest(law);
  for (int n = 0; n < k.contact_count; ++n) {
    const ChainContact& contact = k.contacts[n];
    const int i = contact.slot;
    const double w_0 = magnitude(contact.w_0);
    const double w_1 = magnitude(contact.w_1);
    const double w_2 = magnitude(contact.w_2);
    const double gamma = w_0 * (e_0[i] + 8.0 * magnitude(k.w[i])) +
                         w_1 * (e_1[i] + 8.0 * magnitude(k.v_x[i])) +
                         w_2 * (e_2[i] + 8.0 * magnitude(k.v_y[i]));
    const double other = magnitude(contact.b) + contact.c * contact.P;
    result.law = largest_of(result.law, kProxR * (gamma + 4.0 * other) + 2.0 * contact.P);
    k.G_00[i] += 3.0 * contact.P * w_0;
    k.G_01[i] += 3.0 * contact.P * w_1;
    k.G_02[i] += 3.0 * contact.P * w_2;
  }

  // tips to root: what is added up, and the roundings of the sums
  Two p_0 = {}, p_1 = {}, p_2 = {}, E_0 = {}, E_1 = {}, E_2 = {}, torque = {};
  for (int i = 0; i < 2 * k.pairs; i += 2) {
    p_0 += load<Two>(k.r_0 + i);
    p_1 += load<Two>(k.r_1 + i);
    p_2 += load<Two>(k.r_2 + i);
    E_0 += load<Two>(k.G_00 + i) + 2.0 * magnitude(p_0);
    E_1 += load<Two>(k.G_01 + i) + 2.0 * magnitude(p_1);
    E_2 += load<Two>(k.G_02 + i) + 2.0 * magnitude(p_2);
    const Two arm_1 = magnitude(load<Two>(k.s_1 + i));
    const Two arm_2 = magnitude(load<Two>(k.s_2 + i));
    const Two servo = magnitude(load<Two>(k.sr + i)) +
                      2.0 * magnitude(load<Two>(k.sd + i) * load<Two>(k.rate + i));
    torque = larger(
        torque, (E_0 + 3.0 * magnitude(p_0)) +
                    (arm_1 * (E_1 + 3.0 * magnitude(p_1)) + arm_2 * (E_2 + 3.0 * magnitude(p_2))) +
                    2.0 * servo);
  }
  const double b_0 = (E_0[0] + E_0[1]) + k.G_00[o];
  const double b_1 = (E_1[0] + E_1[1]) + k.G_01[o];
  const double b_2 = (E_2[0] + E_2[1]) + k.G_02[o];
  result.momentum = largest_of(largest_of(torque[0], torque[1]), b_0) / k.length;
  // once for the check, and once for the sweep that balanced the same sums
  result.momentum = 2.0 * kRoundoff * largest_of(largest_of(result.momentum, b_1), b_2);
  result.law *= kRoundoff;
  return result;
}

ChainWork finish(ChainArrays& k) {
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
#define COLUBER_NAME(path) COLUBER_JOIN(path, _chain_kernels)
#define COLUBER_QUOTE(a) #a
#define COLUBER_TEXT(a) COLUBER_QUOTE(a)
ChainKernels COLUBER_NAME(COLUBER_PATH)() {
  using namespace COLUBER_PATH;
  return {
      COLUBER_TEXT(COLUBER_PATH), prepare, solve, gap, move_anchors, residual, rounding, finish};
}

}  // namespace coluber::planar
