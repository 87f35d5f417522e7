// Laws of contacts and servos, linearised: part of fast_kernel.inl.

/// Laws of the friction points at the present velocities and impulses, after the increments of a
/// sweep if `apply`. Returns max F², scaled.
template <bool apply, bool wheels>
[[gnu::always_inline]] inline double laws(FastArrays& k) {
  const Lanes zero = {};
  const Lanes r = zero + kProxR / (mu_max(k) * mu_max(k));
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
    Lanes rim = zero, along = zero;  // of the shaft; increment at its middle
    if constexpr (wheels) rim = load<Lanes>(k.rim + i);
    if constexpr (apply) {
      dw = load<Lanes>(k.d_0 + i);
      const Lanes dv_x = load<Lanes>(k.d_1 + i);
      const Lanes dv_y = load<Lanes>(k.d_2 + i);
      d_1 = k.mu_1 * (t_1 * dw + (c * dv_x + s * dv_y));
      d_2 = t_2 * dw + (c * dv_y - s * dv_x);
      if constexpr (wheels) {
        along = t_1 * dw + (c * dv_x + s * dv_y);
        const Lanes drim = -(load<Lanes>(k.rim_e + i) +
                             (load<Lanes>(k.Z_0 + i) * dw +
                              (load<Lanes>(k.Z_1 + i) * along + load<Lanes>(k.Z_2 + i) * d_2)));
        along += drim;
        rim += drim;
        store(k.rim + i, rim);
      }
      w += dw;
      v_x += dv_x;
      v_y += dv_y;
      store(k.w + i, w);
      store(k.v_x + i, v_x);
      store(k.v_y + i, v_y);
    }
    Lanes gamma_1 = k.mu_1 * (t_1 * w + (c * v_x + s * v_y));
    const Lanes middle_1 = t_1 * w + (c * v_x + s * v_y) + rim;  // of the shaft
    const Lanes centre_2 = t_2 * w + (c * v_y - s * v_x);
    const Lanes c_t = load<Lanes>(k.c_t + i);
    const Lanes inverse_c_t = load<Lanes>(k.inverse_c_t + i);
    for (int q = 0; q < k.points; ++q) {
      const Lanes a = load<Lanes>(k.a[q] + i);
      Lanes T_1, T_2;
      if constexpr (wheels) {
        const Lanes b = load<Lanes>(k.b[q] + i);
        gamma_1 = k.mu_1 * (middle_1 - b * w);
        d_1 = k.mu_1 * (along - b * dw);
      }
      if constexpr (apply) {
        const Lanes dg_2 = k.mu_2 * (d_2 + a * dw);
        const Tangent<Lanes> T = subtract_compliance(
            load<Lanes>(k.q_1[q] + i), load<Lanes>(k.q_2[q] + i), load<Lanes>(k.k_11[q] + i),
            load<Lanes>(k.k_12[q] + i), load<Lanes>(k.k_22[q] + i), d_1, dg_2);
        T_1 = T.t_1;
        T_2 = T.t_2;
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
      const DiscLaw<Lanes> law = linearise_disc(s_1, s_2, gamma_1 - c_t * A_1, gamma_2 - c_t * A_2,
                                                R, R, c_t, inverse_c_t, r, Always{});
      store(k.q_1[q] + i, law.q_1);
      store(k.q_2[q] + i, law.q_2);
      store(k.k_11[q] + i, law.k_11);
      store(k.k_12[q] + i, law.k_12);
      store(k.k_22[q] + i, law.k_22);
      const Lanes F_1 = T_1 - law.end_1;
      const Lanes F_2 = T_2 - law.end_2;
      const Lanes F = F_1 * F_1 + F_2 * F_2;
      worst = larger(worst, F);
    }
  }
  return largest(worst);
}

/// Laws of the obstacle contacts; as nonsmooth/contact_law.hpp. Returns the largest |F_N|.
template <bool apply>
double obstacle_laws(FastArrays& k) {
  double worst = 0.0;
  for (int n = 0; n < k.contact_count; ++n) {
    FastContact& contact = k.contacts[n];
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
double servo_defect(const FastArrays& k) {
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

/// The same of the shafts (N s).
double rim_defect(const FastArrays& k) {
  Lanes worst = {};
  for (int i = 0; i < k.slots; i += kLanes) {
    const Lanes rim = load<Lanes>(k.rim + i);
    const Lanes given = load<Lanes>(k.rim_sr_used + i) - load<Lanes>(k.rim_sd_used + i) * rim;
    const Lanes wanted = servo(load<Lanes>(k.rim_sd + i), load<Lanes>(k.rim_sr + i),
                               load<Lanes>(k.rim_limit + i), rim);
    worst = larger(worst, magnitude(wanted - given));
  }
  return largest(worst);
}

/// What rounding alone can leave of the residual (N s); as nonsmooth/contact_law.hpp.
template <bool wheels>
double law_rounding(const FastArrays& k) {
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
      Lanes gamma = k.mu_1 * (magnitude(load<Lanes>(k.t_1 + i)) * w + (c * v_x + s * v_y)) +
                    k.mu_2 * (arm * w + (c * v_y + s * v_x));
      if constexpr (wheels) {
        gamma +=
            k.mu_1 * (magnitude(load<Lanes>(k.b[q] + i)) * w + magnitude(load<Lanes>(k.rim + i)));
      }
      const Lanes T = magnitude(load<Lanes>(k.T_1[q] + i)) + magnitude(load<Lanes>(k.T_2[q] + i));
      const Lanes A = magnitude(load<Lanes>(k.A_1[q] + i)) + magnitude(load<Lanes>(k.A_2[q] + i));
      const Lanes held = 4.0 * load<Lanes>(k.c_t + i) * (T + A);
      lanes =
          larger(lanes, kProxR / mu * (8.0 * gamma + held) + 4.0 * mu * load<Lanes>(k.R[q] + i));
    }
  }
  double worst = largest(lanes);
  for (int n = 0; n < k.contact_count; ++n) {
    const FastContact& contact = k.contacts[n];
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
  for (int i = 0; wheels && k.rims_limited && i < k.slots; ++i) {
    worst =
        largest_of(worst, 2.0 * (magnitude(k.rim_sr[i]) + 2.0 * magnitude(k.rim_sd[i] * k.rim[i])));
  }
  return kRoundoff * worst;
}

double gap(const FastArrays& k) {
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

void move_anchors(FastArrays& k) {
  for (int q = 0; q < k.points; ++q) {
    for (int i = 0; i < k.slots; i += kLanes) {
      store(k.A_1[q] + i, load<Lanes>(k.T_1[q] + i));
      store(k.A_2[q] + i, load<Lanes>(k.T_2[q] + i));
    }
  }
}
