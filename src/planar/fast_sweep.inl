// Blocks of the links and the sweep through the chain: part of fast_kernel.inl.

/// Every link's block of M + W K W^T and of M u - p - W q, at the root's centre. Viscous friction
/// is diagonal in the link's axes at its centre (viscosity_of in problem.cpp) and acts at E: M has
/// it, p has not. A shaft's column is that of the link's axis but for the link's own mass.
template <bool wheels>
void assemble(FastArrays& k) {
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
    Lanes S = zero, Q = zero;  // along the link, of the wheels: stiffness and impulse
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
      if constexpr (wheels) {
        const Lanes b = load<Lanes>(k.b[q] + i);
        const Lanes K_11 = m_11 * load<Lanes>(k.k_11[q] + i);
        const Lanes bK_11 = b * K_11;
        A += b * (bK_11 - 2.0 * (a * K_12));
        B_1 -= bK_11;
        B_2 -= b * K_12;
        S += K_11;
        const Lanes Q_1 = k.mu_1 * load<Lanes>(k.q_1[q] + i);
        f_0 += b * Q_1;
        Q += Q_1;
      } else {
        C_11 += m_11 * load<Lanes>(k.k_11[q] + i);
        f_1 -= k.mu_1 * load<Lanes>(k.q_1[q] + i);
      }
      C_12 += K_12;
      C_22 += K_22;
      const Lanes Q_2 = k.mu_2 * load<Lanes>(k.q_2[q] + i);
      f_0 -= a * Q_2;
      f_2 -= Q_2;
    }
    if constexpr (wheels) {
      const Lanes rim = load<Lanes>(k.rim + i);
      const Lanes J = load<Lanes>(k.J + i);
      Lanes sd = load<Lanes>(k.rim_sd + i);
      Lanes sr = load<Lanes>(k.rim_sr + i);
      if (k.rims_limited) {
        const Lanes limit = load<Lanes>(k.rim_limit + i);
        const Lanes raw = sr - sd * rim;
        const auto saturated = magnitude(raw) > limit;
        sd = saturated ? zero : sd;
        sr = saturated ? (raw < 0.0 ? -limit : limit) : sr;
        store(k.rim_sd_used + i, sd);
        store(k.rim_sr_used + i, sr);
      }
      const Lanes inverse = 1.0 / (J + sd + S);
      const Lanes own = J * (rim - load<Lanes>(k.rim_A + i)) + (sd * rim - sr);
      const Lanes e = (own - Q) * inverse;
      const Lanes Z_0 = B_1 * inverse;
      const Lanes Z_1 = S * inverse;
      const Lanes Z_2 = C_12 * inverse;
      store(k.rim_e + i, e);
      store(k.Z_0 + i, Z_0);
      store(k.Z_1 + i, Z_1);
      store(k.Z_2 + i, Z_2);
      f_0 -= B_1 * e;
      f_2 -= C_12 * e;
      A -= B_1 * Z_0;
      C_22 -= C_12 * Z_2;
      B_2 -= B_1 * Z_2;
      // x - x S/(J + sd + S), without the cancellation: a wheel that sticks has a large S
      const Lanes share = (J + sd) * inverse;
      f_1 -= Q * share + own * Z_1;
      C_11 += S * share;
      B_1 *= share;
      C_12 *= share;
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
    const FastContact& contact = k.contacts[n];
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
bool sweep(FastArrays& k) {
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
void spread(FastArrays& k) {
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
