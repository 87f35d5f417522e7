// Laws of the contacts, linearised: part of fast_kernel.inl.

/// The law of a disc of radius R = max(0, s_N) at the present velocities and impulses.
template <typename Mask>
inline void update_disc(FastDisc& k, int h, Mask closed, Lanes R, Lanes q_N, Lanes gamma_1,
                        Lanes gamma_2, Lanes c_t, Lanes inverse_c_t, Lanes r) {
  const Lanes T_1 = load<Lanes>(k.T_1 + h);
  const Lanes T_2 = load<Lanes>(k.T_2 + h);
  const Lanes h_1 = sub_mul(gamma_1, c_t, load<Lanes>(k.A_1 + h));
  const Lanes h_2 = sub_mul(gamma_2, c_t, load<Lanes>(k.A_2 + h));
  const Lanes s_1 = sub_mul(T_1, r, mul_add(c_t, T_1, h_1));
  const Lanes s_2 = sub_mul(T_2, r, mul_add(c_t, T_2, h_2));
  const DiscLaw<Lanes> law =
      linearise_disc(s_1, s_2, h_1, h_2, R, q_N, c_t, inverse_c_t, r, closed);
  store(k.n_1 + h, law.n_1);
  store(k.n_2 + h, law.n_2);
  store(k.q_1 + h, law.q_1);
  store(k.q_2 + h, law.q_2);
  store(k.k_11 + h, law.k_11);
  store(k.k_12 + h, law.k_12);
  store(k.k_22 + h, law.k_22);
}

/// Velocities of a link's ground points in its horizontal frame: at the centre's foot, and by how
/// much they change along the link.
struct GroundSpeed {
  Lanes along, across, up;
  Lanes d_along, d_across, d_up;
};
inline GroundSpeed ground_speed(const Vector& w, const Vector& v, const Vector& r, const Vector& e,
                                Lanes L_SC, Lanes c, Lanes s) {
  const Vector foot = {r.x, r.y, r.z - L_SC};
  const Vector u = add_cross(v, w, foot);
  const Vector d = cross(w, e);
  return {sum(c, u.x, s, u.y), difference(c, u.y, s, u.x), u.z,
          sum(c, d.x, s, d.y), difference(c, d.y, s, d.x), d.z};
}

/// Laws of the ground points, linearised at the present velocities and impulses.
void linearise_ground(FastArrays& k) {
  const Lanes zero = {};
  const double mu = mu_max(k);
  const Lanes r = zero + (k.sliding ? kProxR / (mu * mu) : 0.0);
  const double inverse_share = 1.0 / k.share_T;
  // From the root, where the sweep that filled the arrays began: the tips' numbers, just stored two
  // by two, could not be loaded four at a time yet.
  for (int i = k.slots - kLanes; i >= 0; i -= kLanes) {
    FastGroup& g = k.groups[i / kGroup];
    const int h = place_of(i);
    const Lanes c = load<Lanes>(g.f_c + h);
    const Lanes s = load<Lanes>(g.f_s + h);
    const Vector w = load_vector(g.w, h);
    const GroundSpeed speed = ground_speed(w, load_vector(g.v, h), load_vector(g.r, h),
                                           load_vector(g.e, h), load<Lanes>(g.L_SC + h), c, s);
    const Lanes compliance = load<Lanes>(g.c + h);
    const Lanes inverse_c = load<Lanes>(g.inverse_c + h);
    for (int q = 0; q < 2; ++q) {
      FastPoint& point = g.point[q];
      const Lanes at = load<Lanes>(point.s + h);
      const Lanes N = load<Lanes>(point.N + h);
      const Lanes given = mul_add(at, speed.d_up, speed.up) + load<Lanes>(point.b + h);
      const Lanes s_N = N - kProxR * mul_add(compliance, N, given);
      const auto closed = s_N > 0.0;
      const Lanes R = closed ? s_N : zero;
      const Lanes q_N = closed ? -given * inverse_c : zero;
      store(point.q_N + h, q_N);
      store(point.k_N + h, closed ? inverse_c : zero);
      if (k.sliding) {
        update_disc(point.sliding, h, closed, R, q_N,
                    k.mu_1 * mul_add(at, speed.d_along, speed.along),
                    k.mu_2 * mul_add(at, speed.d_across, speed.across), k.share_T * compliance,
                    inverse_share * inverse_c, r);
      }
      if (k.rolling) {
        const Lanes arm = load<Lanes>(g.arm_V + h);
        update_disc(g.rolling[q], h, closed, R, q_N, -arm * w.y, arm * w.x, load<Lanes>(g.c_V + h),
                    load<Lanes>(g.inverse_c_V + h), kProxR / load<Lanes>(g.mu_V + h));
      }
    }
  }
}

/// Velocity of the link at a contact with an obstacle, in the contact's frame.
struct ContactSpeed {
  double n, t_1, t_2;
};
inline ContactSpeed contact_speed(const FastContact& at, const double w[3][kGroup],
                                  const double v[3][kGroup]) {
  const int i = at.slot % kGroup;
  const double x = sub_mul(mul_add(w[1][i], at.a_z, v[0][i]), w[2][i], at.a_y);
  const double y = sub_mul(mul_add(w[2][i], at.a_x, v[1][i]), w[0][i], at.a_z);
  const double z = sub_mul(mul_add(w[0][i], at.a_y, v[2][i]), w[1][i], at.a_x);
  return {sum(at.n_x, x, at.n_y, y), at.mu * difference(at.n_x, y, at.n_y, x), at.mu * z};
}

/// The same of the contacts with obstacles.
void linearise_obstacles(FastArrays& k) {
  for (int n = 0; n < k.contact_count; ++n) {
    FastContact& at = k.contacts[n];
    const ContactSpeed gamma =
        contact_speed(at, k.groups[at.slot / kGroup].w, k.groups[at.slot / kGroup].v);
    const double given = gamma.n + at.b;
    const double s_N = at.N - kProxR * mul_add(at.c, at.N, given);
    at.q_N = at.k_N = at.q_1 = at.q_2 = at.n_1 = at.n_2 = at.k_11 = at.k_12 = at.k_22 = 0.0;
    if (!(s_N > 0.0)) continue;
    at.k_N = 1.0 / at.c;
    at.q_N = -given * at.k_N;
    if (!(at.mu > 0.0)) continue;
    const double r = kProxR / (at.mu * at.mu);
    const double h_1 = sub_mul(gamma.t_1, at.c_t, at.A_1);
    const double h_2 = sub_mul(gamma.t_2, at.c_t, at.A_2);
    const double s_1 = sub_mul(at.T_1, r, mul_add(at.c_t, at.T_1, h_1));
    const double s_2 = sub_mul(at.T_2, r, mul_add(at.c_t, at.T_2, h_2));
    const DiscLaw<double> law =
        linearise_disc(s_1, s_2, h_1, h_2, s_N, at.q_N, at.c_t, 1.0 / at.c_t, r, Always{});
    at.n_1 = law.n_1;
    at.n_2 = law.n_2;
    at.q_1 = law.q_1;
    at.q_2 = law.q_2;
    at.k_11 = law.k_11;
    at.k_12 = law.k_12;
    at.k_22 = law.k_22;
  }
}

/// P+ = q - K dgamma of the contacts with obstacles.
void apply_to_obstacles(FastArrays& k) {
  for (int n = 0; n < k.contact_count; ++n) {
    FastContact& at = k.contacts[n];
    if (!(at.k_N > 0.0)) {
      at.N = at.T_1 = at.T_2 = 0.0;
      continue;
    }
    const ContactSpeed d =
        contact_speed(at, k.groups[at.slot / kGroup].d_w, k.groups[at.slot / kGroup].d_v);
    const double dN = at.k_N * d.n;
    at.N = at.q_N - dN;
    const Tangent<double> T =
        subtract_compliance(sub_mul(at.q_1, at.n_1, dN), sub_mul(at.q_2, at.n_2, dN), at.k_11,
                            at.k_12, at.k_22, d.t_1, d.t_2);
    at.T_1 = T.t_1;
    at.T_2 = T.t_2;
  }
}
