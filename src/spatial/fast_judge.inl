// Answers: how good they are, and Newton's way to them. Part of fast_kernel.inl.

/// By how much the linearised servos differ from the clamped ones (N s).
double servo_defect(const FastArrays& k) {
  Two worst = {};
  for (int axis = 0; axis < k.axes; ++axis) {
    for (int pair = 0; pair < k.pairs; ++pair) {
      const FastGroup& g = k.groups[2 * pair / kGroup];
      const int h = place_of_pair(pair);
      const Two rate = load<Two>(g.rate[axis] + h);
      const Two given = load<Two>(g.sr_used[axis] + h) - load<Two>(g.sd_used[axis] + h) * rate;
      const Two wanted = servo(load<Two>(g.sd[axis] + h), load<Two>(g.sr[axis] + h),
                               load<Two>(g.limit[axis] + h), rate);
      worst = larger(worst, magnitude(wanted - given));
    }
  }
  return largest_of(worst[0], worst[1]) / k.length;
}

/// (c_t |T - A|)² of the closed points.
inline Lanes disc_gap(const FastDisc& k, int h, Lanes N, Lanes c_t) {
  const Lanes E_1 = c_t * (load<Lanes>(k.T_1 + h) - load<Lanes>(k.A_1 + h));
  const Lanes E_2 = c_t * (load<Lanes>(k.T_2 + h) - load<Lanes>(k.A_2 + h));
  return N > 0.0 ? E_1 * E_1 + E_2 * E_2 : Lanes{};
}

double gap(const FastArrays& k) {
  Lanes slide = {};
  Lanes roll = {};
  for (int i = 0; i < k.slots; i += kLanes) {
    const FastGroup& g = k.groups[i / kGroup];
    const int h = place_of(i);
    for (int q = 0; q < 2; ++q) {
      const Lanes N = load<Lanes>(g.point[q].N + h);
      if (k.sliding) {
        const Lanes c_t = k.share_T * load<Lanes>(g.c + h);
        slide = larger(slide, disc_gap(g.point[q].sliding, h, N, c_t));
      }
      if (k.rolling) {
        roll = larger(
            roll, disc_gap(g.rolling[q], h, N, load<Lanes>(g.c_V + h)) / load<Lanes>(g.mu_V + h));
      }
    }
  }
  double worst = k.sliding ? kProxR / mu_max(k) * square_root(largest(slide)) : 0.0;
  if (k.rolling) worst = largest_of(worst, kProxR * square_root(largest(roll)));
  for (int n = 0; n < k.contact_count; ++n) {
    const FastContact& at = k.contacts[n];
    if (!(at.mu > 0.0) || !(at.N > 0.0)) continue;
    const double E_1 = at.c_t * (at.T_1 - at.A_1);
    const double E_2 = at.c_t * (at.T_2 - at.A_2);
    worst = largest_of(worst, kProxR / at.mu * square_root(E_1 * E_1 + E_2 * E_2));
  }
  return worst;
}

void move_anchors(FastArrays& k) {
  for (int i = 0; i < k.slots; i += kGroup) {
    FastGroup& g = k.groups[i / kGroup];
    for (int q = 0; q < 2; ++q) {
      FastDisc* const discs[] = {&g.point[q].sliding, &g.rolling[q]};
      for (FastDisc* disc : discs) {
        __builtin_memcpy(disc->A_1, disc->T_1, sizeof disc->A_1);
        __builtin_memcpy(disc->A_2, disc->T_2, sizeof disc->A_2);
      }
    }
  }
  for (int n = 0; n < k.contact_count; ++n) {
    k.contacts[n].A_1 = k.contacts[n].T_1;
    k.contacts[n].A_2 = k.contacts[n].T_2;
  }
}

/// P+ = q - K dgamma of a law on a disc; dN = k_N dgamma_N.
inline void apply_to_disc(FastDisc& k, int h, Lanes dN, Lanes d_1, Lanes d_2) {
  const Tangent<Lanes> T = subtract_compliance(
      sub_mul(load<Lanes>(k.q_1 + h), load<Lanes>(k.n_1 + h), dN),
      sub_mul(load<Lanes>(k.q_2 + h), load<Lanes>(k.n_2 + h), dN), load<Lanes>(k.k_11 + h),
      load<Lanes>(k.k_12 + h), load<Lanes>(k.k_22 + h), d_1, d_2);
  store(k.T_1 + h, T.t_1);
  store(k.T_2 + h, T.t_2);
}

/// P+ = q - K dgamma of the ground points of the links from slot `i` on.
inline void apply_to_ground(const FastArrays& k, int i) {
  FastGroup& g = k.groups[i / kGroup];
  const int h = place_of(i);
  const Vector dw = load_vector(g.d_w, h);
  const GroundSpeed change =
      ground_speed(dw, load_vector(g.d_v, h), load_vector(g.r, h), load_vector(g.e, h),
                   load<Lanes>(g.L_SC + h), load<Lanes>(g.f_c + h), load<Lanes>(g.f_s + h));
  for (int q = 0; q < 2; ++q) {
    FastPoint& point = g.point[q];
    const Lanes at = load<Lanes>(point.s + h);
    const Lanes dN = load<Lanes>(point.k_N + h) * mul_add(at, change.d_up, change.up);
    store(point.N + h, load<Lanes>(point.q_N + h) - dN);
    if (k.sliding) {
      apply_to_disc(point.sliding, h, dN, k.mu_1 * mul_add(at, change.d_along, change.along),
                    k.mu_2 * mul_add(at, change.d_across, change.across));
    }
    if (k.rolling) {
      const Lanes arm = load<Lanes>(g.arm_V + h);
      apply_to_disc(g.rolling[q], h, dN, -arm * dw.y, arm * dw.x);
    }
  }
}

/// F² of a law on a disc, scaled, with the compliance's share E of the velocity and without.
struct Defects {
  Lanes law, rigid;
};
inline Defects disc_defects(const FastDisc& k, int h, Lanes gamma_1, Lanes gamma_2, Lanes R,
                            Lanes c_t, Lanes r) {
  const Lanes one = Lanes{} + 1.0;
  const Lanes least = Lanes{} + 1e-200;
  const Lanes T_1 = load<Lanes>(k.T_1 + h);
  const Lanes T_2 = load<Lanes>(k.T_2 + h);
  const Lanes s_1 = sub_mul(T_1, r, gamma_1);
  const Lanes s_2 = sub_mul(T_2, r, gamma_2);
  const Lanes e_1 = sub_mul(s_1, r * c_t, T_1 - load<Lanes>(k.A_1 + h));
  const Lanes e_2 = sub_mul(s_2, r * c_t, T_2 - load<Lanes>(k.A_2 + h));
  const Lanes s_square = sum(s_1, s_1, s_2, s_2);
  const Lanes e_square = sum(e_1, e_1, e_2, e_2);
  const Lanes s_norm = square_root(quick_larger(s_square, least));
  const Lanes e_norm = square_root(quick_larger(e_square, least));
  const Lanes inverse = R / (s_norm * e_norm);  // one division for both
  const Lanes R_square = R * R;
  const Lanes s_scale = s_square <= R_square ? one : e_norm * inverse;
  const Lanes e_scale = e_square <= R_square ? one : s_norm * inverse;
  const Lanes f_1 = sub_mul(T_1, e_scale, e_1);
  const Lanes f_2 = sub_mul(T_2, e_scale, e_2);
  const Lanes g_1 = sub_mul(T_1, s_scale, s_1);
  const Lanes g_2 = sub_mul(T_2, s_scale, s_2);
  return {sum(f_1, f_1, f_2, f_2), sum(g_1, g_1, g_2, g_2)};
}

/// |F| of the same for a contact with an obstacle (N s).
inline double obstacle_defect(const FastContact& at, ContactSpeed gamma, double R, double c_t) {
  const double r = kProxR / (at.mu * at.mu);
  const double s_1 = at.T_1 - r * (gamma.t_1 + c_t * (at.T_1 - at.A_1));
  const double s_2 = at.T_2 - r * (gamma.t_2 + c_t * (at.T_2 - at.A_2));
  return at.mu * square_root(disc_defect(at.T_1, at.T_2, s_1, s_2, R));
}

/// Impulse of the ground at a point, world axes.
inline Vector ground_impulse(const FastArrays& k, const FastGroup& g, const FastPoint& point,
                             int h) {
  const Lanes c = load<Lanes>(g.f_c + h);
  const Lanes s = load<Lanes>(g.f_s + h);
  const Lanes P_1 = k.mu_1 * load<Lanes>(point.sliding.T_1 + h);
  const Lanes P_2 = k.mu_2 * load<Lanes>(point.sliding.T_2 + h);
  return {difference(c, P_1, s, P_2), sum(s, P_1, c, P_2), load<Lanes>(point.N + h)};
}

/// Impulse of a contact with an obstacle, world axes.
struct Impulse {
  double x, y, z;
};
inline Impulse obstacle_impulse(const FastContact& at) {
  const double t = at.mu * at.T_1;
  return {at.n_x * at.N - at.n_y * t, at.n_y * at.N + at.n_x * t, at.mu * at.T_2};
}

/// The impulses after a sweep, and how well laws and momentum hold with them and with the
/// velocities that root and rates make: nothing else of the sweep counts.
FastResidual judge(FastArrays& k) {
  FastResidual result = {};
  apply_to_obstacles(k);
  spread(k);
  const Lanes zero = {};
  const double mu = mu_max(k);
  const Lanes r_T = zero + (k.sliding ? kProxR / (mu * mu) : 0.0);
  const Vector pull = {zero + k.pull[0], zero + k.pull[1], zero + k.pull[2]};
  Lanes normal = zero;
  Lanes law = zero, rigid = zero;      // sliding, squared
  Lanes law_V = zero, rigid_V = zero;  // rolling, squared
  for (int i = k.slots - kLanes; i >= 0; i -= kLanes) {
    FastGroup& g = k.groups[i / kGroup];
    const int h = place_of(i);
    apply_to_ground(k, i);
    const Lanes m = load<Lanes>(g.m + h);
    const Lanes c = load<Lanes>(g.f_c + h);
    const Lanes s = load<Lanes>(g.f_s + h);
    const Lanes L_SC = load<Lanes>(g.L_SC + h);
    const Vector r = load_vector(g.r, h);
    const Vector e = load_vector(g.e, h);
    const Vector w = load_vector(g.w, h);
    const Vector u = add_cross(load_vector(g.v, h), w, r);
    // about the centre
    Vector f = m * ((u - load_vector(g.u_v, h)) - pull);
    Vector torque =
        add_scaled(load<Lanes>(g.Theta_psi + h) * w, load<Lanes>(g.Theta_d + h) * dot(e, w), e) -
        load_vector(g.u_l, h);
    const Lanes compliance = load<Lanes>(g.c + h);
    for (int q = 0; q < 2; ++q) {
      const FastPoint& point = g.point[q];
      const Lanes at = load<Lanes>(point.s + h);
      const Vector a = {at * e.x, at * e.y, mul_sub(at, e.z, L_SC)};
      const Vector gamma = add_cross(u, w, a);
      const Lanes N = load<Lanes>(point.N + h);
      const Vector P = ground_impulse(k, g, point, h);
      f = f - P;
      torque = add_cross(torque, P, a);
      const Lanes s_N = N - kProxR * mul_add(compliance, N, gamma.z + load<Lanes>(point.b + h));
      const Lanes R = s_N > 0.0 ? s_N : zero;
      normal = quick_larger(normal, magnitude(N - R));
      if (k.sliding) {
        const Defects F = disc_defects(point.sliding, h, k.mu_1 * sum(c, gamma.x, s, gamma.y),
                                       k.mu_2 * difference(c, gamma.y, s, gamma.x), R,
                                       k.share_T * compliance, r_T);
        law = quick_larger(law, F.law);
        rigid = quick_larger(rigid, F.rigid);
      }
      if (k.rolling) {
        const Lanes arm = load<Lanes>(g.arm_V + h);
        const Lanes scale = load<Lanes>(g.mu_V + h);
        torque.x = sub_mul(torque.x, arm, load<Lanes>(g.rolling[q].T_2 + h));
        torque.y = mul_add(arm, load<Lanes>(g.rolling[q].T_1 + h), torque.y);
        const Defects F = disc_defects(g.rolling[q], h, -arm * w.y, arm * w.x, R,
                                       load<Lanes>(g.c_V + h), kProxR / scale);
        law_V = quick_larger(law_V, scale * F.law);
        rigid_V = quick_larger(rigid_V, scale * F.rigid);
      }
    }
    store_vector(g.d_w, h, add_cross(torque, r, f));
    store_vector(g.d_v, h, f);
  }
  result.law = largest_of(largest(normal), mu * square_root(largest(law)));
  result.rigid_law = largest_of(largest(normal), mu * square_root(largest(rigid)));
  if (k.rolling) {
    result.law = largest_of(result.law, square_root(largest(law_V)));
    result.rigid_law = largest_of(result.rigid_law, square_root(largest(rigid_V)));
  }
  for (int n = 0; n < k.contact_count; ++n) {
    const FastContact& at = k.contacts[n];
    const ContactSpeed gamma =
        contact_speed(at, k.groups[at.slot / kGroup].w, k.groups[at.slot / kGroup].v);
    const double s_N = at.N - kProxR * (gamma.n + at.b + at.c * at.N);
    const double R = s_N > 0.0 ? s_N : 0.0;
    if (!(R > 0.0) && at.N == 0.0) continue;  // open, and right so
    const double F_N = magnitude(at.N - R);
    result.law = largest_of(result.law, F_N);
    result.rigid_law = largest_of(result.rigid_law, F_N);
    if (at.mu > 0.0) {
      result.law = largest_of(result.law, obstacle_defect(at, gamma, R, at.c_t));
      result.rigid_law = largest_of(result.rigid_law, obstacle_defect(at, gamma, R, 0.0));
    }
    const Impulse P = obstacle_impulse(at);
    FastGroup& g = k.groups[at.slot / kGroup];
    const int i = at.slot % kGroup;
    g.d_w[0][i] -= at.a_y * P.z - at.a_z * P.y;
    g.d_w[1][i] -= at.a_z * P.x - at.a_x * P.z;
    g.d_w[2][i] -= at.a_x * P.y - at.a_y * P.x;
    g.d_v[0][i] -= P.x;
    g.d_v[1][i] -= P.y;
    g.d_v[2][i] -= P.z;
  }

  Quad p[3] = {};
  Two worst = {};
  for (int pair = 0; pair < k.pairs; ++pair) {
    const FastGroup& g = k.groups[2 * pair / kGroup];
    const int h = place_of_pair(pair);
    for (int d = 0; d < 3; ++d) p[d] += join(load<Two>(g.d_w[d] + h), load<Two>(g.d_v[d] + h));
    for (int axis = 0; axis < k.axes; ++axis) {
      const double* s = k.s + (k.axes * pair + axis) * kTwist;
      const Quad joint =
          add_halves(three(load<Quad>(s), p[0], load<Quad>(s + 4), p[1], load<Quad>(s + 8), p[2]));
      const Two motor = servo(load<Two>(g.sd[axis] + h), load<Two>(g.sr[axis] + h),
                              load<Two>(g.limit[axis] + h), load<Two>(g.rate[axis] + h));
      worst = larger(worst, magnitude(low_half(joint) - motor));
    }
  }
  const FastGroup& root = k.groups[k.root / kGroup];
  double torque = largest_of(worst[0], worst[1]);
  double force = 0.0;
  for (int d = 0; d < 3; ++d) {
    const Two w = low_half(p[d]);
    const Two v = high_half(p[d]);
    torque = largest_of(torque, magnitude((w[0] + w[1]) + root.d_w[d][k.root % kGroup]));
    force = largest_of(force, magnitude((v[0] + v[1]) + root.d_v[d][k.root % kGroup]));
  }
  result.momentum = largest_of(torque / k.length, force);
  return result;
}

FastSolve solve(FastArrays& k, double tolerance, double good, int max_sweeps) {
  FastSolve result = {{__builtin_inf(), __builtin_inf(), __builtin_inf()}, 0, false};
  bool polished = false;
  spread(k);
  while (result.sweeps < max_sweeps) {
    linearise_ground(k);
    linearise_obstacles(k);
    if (k.limited) linearise_servos(k);
    ++result.sweeps;
    if (!sweep(k)) return result;
    result.residual = judge(k);
    double law = result.residual.law;
    if (k.limited) law = largest_of(law, servo_defect(k));
    result.settled = law <= tolerance && result.residual.momentum <= good;
    if (result.settled || !(result.residual.momentum < __builtin_inf())) return result;
    // An impact solved in one sweep leaves roundings of large terms, which another one mends. What
    // then is left of the momentum is not for sweeps to mend.
    if (law <= tolerance && polished) return result;
    polished = law <= tolerance;
  }
  return result;
}
