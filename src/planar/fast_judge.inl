// How good an answer is, from nothing the solver keeps: part of fast_kernel.inl.

template <bool wheels>
FastResidual residual(FastArrays& k) {
  FastResidual result = {};
  spread(k);
  const double r = k.points > 0 ? kProxR / (mu_max(k) * mu_max(k)) : 0.0;
  Lanes law = {};
  Lanes rigid = {};
  Lanes balance = {};  // of the shafts
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
    Lanes rim = {}, pushed = {};
    if constexpr (wheels) rim = load<Lanes>(k.rim + i);
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
      Lanes gamma_1 = k.mu_1 * along;
      if constexpr (wheels) {
        const Lanes b = load<Lanes>(k.b[q] + i);
        torque += b * P_1;
        pushed += P_1;
        gamma_1 = k.mu_1 * (along - b * w + rim);
      }
      const Lanes gamma_2 = k.mu_2 * (across + a * w);
      const Lanes R = load<Lanes>(k.R[q] + i);
      const Lanes E_1 = c_t * (T_1 - load<Lanes>(k.A_1[q] + i));
      const Lanes E_2 = c_t * (T_2 - load<Lanes>(k.A_2[q] + i));
      law = larger(law,
                   disc_defect(T_1, T_2, T_1 - r * (gamma_1 + E_1), T_2 - r * (gamma_2 + E_2), R));
      rigid = larger(rigid, disc_defect(T_1, T_2, T_1 - r * gamma_1, T_2 - r * gamma_2, R));
    }
    if constexpr (wheels) {
      const Lanes motor = servo(load<Lanes>(k.rim_sd + i), load<Lanes>(k.rim_sr + i),
                                load<Lanes>(k.rim_limit + i), rim);
      const Lanes change = load<Lanes>(k.J + i) * (rim - load<Lanes>(k.rim_A + i));
      balance = larger(balance, magnitude((change - pushed) - motor));
    }
    store(k.r_0 + i, (torque + (x * f_y - y * f_x)) - load<Lanes>(k.p_0 + i));
    store(k.r_1 + i, f_x - load<Lanes>(k.p_1 + i));
    store(k.r_2 + i, f_y - load<Lanes>(k.p_2 + i));
  }
  result.law = mu_max(k) * square_root(largest(law));
  result.rigid_law = mu_max(k) * square_root(largest(rigid));
  for (int n = 0; n < k.contact_count; ++n) {
    const FastContact& contact = k.contacts[n];
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
  if constexpr (wheels) result.momentum = largest_of(result.momentum, largest(balance));
  return result;
}

/// Running error analysis of `residual`, as nonsmooth/residual.cpp; r_0 … r_2 hold the links'
/// defects.
template <bool wheels>
FastRounding rounding(FastArrays& k) {
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
  FastRounding result = {};
  const double mu = mu_max(k);
  Lanes law = {};
  Lanes balance = {};
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
    Lanes along = k.mu_1 * (arm_1 * g_0 + (c * g_1 + s * g_2));
    Lanes rim = {};
    Lanes motor = {};
    if constexpr (wheels) {
      rim = magnitude(load<Lanes>(k.rim + i));
      motor = magnitude(load<Lanes>(k.rim_sr + i)) + 2.0 * load<Lanes>(k.rim_sd + i) * rim +
              2.0 * load<Lanes>(k.J + i) * (rim + magnitude(load<Lanes>(k.rim_A + i)));
    }
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
      if constexpr (wheels) {
        const Lanes b = magnitude(load<Lanes>(k.b[q] + i));
        torque += b * P_1;
        motor += P_1;
        along = k.mu_1 * ((arm_1 + b) * g_0 + (c * g_1 + s * g_2) + 10.0 * rim);
      }
      Lanes across = k.mu_2 * ((arm_2 + a) * g_0 + (c * g_2 + s * g_1));
      if constexpr (wheels) across += k.mu_2 * (18.0 * (c * s) * rim);
      const Lanes A = magnitude(load<Lanes>(k.A_1[q] + i)) + magnitude(load<Lanes>(k.A_2[q] + i));
      const Lanes held = 4.0 * load<Lanes>(k.c_t + i) * (T_1 + T_2 + A);
      law = larger(law, kProxR / mu * (along + across + held) + 4.0 * mu * load<Lanes>(k.R[q] + i));
    }
    if constexpr (wheels) balance = larger(balance, motor);
    store(k.G_00 + i, torque);
    store(k.G_01 + i, f_x);
    store(k.G_02 + i, f_y);
  }
  result.law = largest(law);
  for (int n = 0; n < k.contact_count; ++n) {
    const FastContact& contact = k.contacts[n];
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
  if constexpr (wheels) result.momentum = largest_of(result.momentum, 2.0 * largest(balance));
  // once for the check, and once for the sweep that balanced the same sums
  result.momentum = 2.0 * kRoundoff * largest_of(largest_of(result.momentum, b_1), b_2);
  result.law *= kRoundoff;
  return result;
}
