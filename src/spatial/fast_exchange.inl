// From the state into the groups and back: part of fast_kernel.inl.

/// Numbers of links, three each, between the arrays and where the state has them: slots 2 j and 2 j
/// + 1 are the links pairs - j ahead of the middle one and behind it. With an even number of links
/// the first slot of the rear half stands for none.
inline bool has_stand_in(const FastArrays& k) { return k.base < k.pairs; }

/// `field` picks the three numbers of a group.
template <typename Field>
inline void load_links(const FastArrays& k, const double* from, Field field) {
  const double* middle = from + 3 * k.base;
  for (int d = 0; d < 3; ++d) field(k.groups[k.root / kGroup])[d][k.root % kGroup] = middle[d];
  int pair = 0;
  if (has_stand_in(k)) {
    for (int d = 0; d < 3; ++d) field(k.groups[0])[d][0] = middle[3 * k.pairs + d];
    pair = 1;
  }
  for (; pair < k.pairs; ++pair) {
    double(*to)[kGroup] = field(k.groups[2 * pair / kGroup]);
    const int h = place_of_pair(pair);
    const int away = 3 * (k.pairs - pair);
    for (int d = 0; d < 3; ++d) store(to[d] + h, Two{middle[away + d], middle[d - away]});
  }
}

template <typename Field>
inline void store_links(const FastArrays& k, Field field, double* to) {
  double* middle = to + 3 * k.base;
  for (int d = 0; d < 3; ++d) middle[d] = field(k.groups[k.root / kGroup])[d][k.root % kGroup];
  int pair = 0;
  if (has_stand_in(k)) {
    for (int d = 0; d < 3; ++d) middle[3 * k.pairs + d] = field(k.groups[0])[d][0];
    pair = 1;
  }
  for (; pair < k.pairs; ++pair) {
    const double(*from)[kGroup] = field(k.groups[2 * pair / kGroup]);
    const int h = place_of_pair(pair);
    const int away = 3 * (k.pairs - pair);
    for (int d = 0; d < 3; ++d) {
      const Two both = load<Two>(from[d] + h);
      middle[away + d] = both[0];
      middle[d - away] = both[1];
    }
  }
}

/// Servos and the guess of the rates, in the order of the angles: sd, sr, limit, rate. Returns the
/// lowest limit.
template <typename V>
inline V load_servos(const FastState& state, double dt, int a, double* const to[4]) {
  const V k_P = load<V>(state.k_P + a);
  const V k_D = load<V>(state.k_D + a);
  // chain::servo_theta
  const V stiffness = k_P * dt * dt;
  const auto stiff = stiffness > state.Theta_min;
  const V theta = stiff ? 1.0 - 0.5 * state.Theta_min / stiffness : V{} + 0.5;
  const V phidot_d = load<V>(state.phidot_d + a);
  const V phi_E = load<V>(state.phi_d + a);
  const V phi_d = stiff ? phi_E + (theta - 0.5) * dt * phidot_d : phi_E;
  const V sd = dt * k_D + theta * dt * dt * k_P;
  const V limit = dt * load<V>(state.tau_max + a);
  const V sr =
      dt * (load<V>(state.tau + a) + k_P * (phi_d - load<V>(state.phi + a)) + k_D * phidot_d);
  // A torque that does not depend on the step's end is known to be cut off before it is solved.
  const V cut = servo(V{}, sr, limit, V{});
  const V x_1 = load<V>(state.phidot + a);
  const V guess = 3.0 * (x_1 - load<V>(state.phidot_2 + a)) + load<V>(state.phidot_3 + a);
  store(to[0] + a, sd);
  store(to[1] + a, sd == 0.0 ? cut : sr);
  store(to[2] + a, limit);
  store(to[3] + a, state.three ? guess : x_1);
  return limit;
}

template <int axes>
void load_joints(FastArrays& k, const FastState& state) {
  const int count = axes * (k.n - 1);
  double* const to[4] = {k.by_angle[0], k.by_angle[1], k.by_angle[2], k.by_angle[3]};
  Lanes lowest = Lanes{} + __builtin_inf();
  int a = 0;
  for (; a + kLanes <= count; a += kLanes) {
    const Lanes limit = load_servos<Lanes>(state, k.dt, a, to);
    lowest = limit < lowest ? limit : lowest;
  }
  double least = __builtin_inf();
  for (int lane = 0; lane < kLanes; ++lane) least = lowest[lane] < least ? lowest[lane] : least;
  for (; a < count; ++a) {
    const double limit = load_servos<double>(state, k.dt, a, to);
    least = limit < least ? limit : least;
  }
  k.limited = least < __builtin_inf();
  for (int axis = 0; axis < axes; ++axis) {
    for (int pair = 0; pair < k.pairs; ++pair) {
      FastGroup& g = k.groups[2 * pair / kGroup];
      const int h = place_of_pair(pair);
      const Angles at = angles_of<axes>(k, pair, axis);
      store(g.sd[axis] + h, load_both(to[0], at));
      store(g.sr[axis] + h, load_both(to[1], at));
      store(g.limit[axis] + h, load_both(to[2], at));
      store(g.rate[axis] + h, load_both(to[3], at));
    }
    if (has_stand_in(k)) {
      FastGroup& g = k.groups[0];
      g.sd[axis][1] = 1.0;
      g.sr[axis][1] = g.rate[axis][1] = 0.0;
      g.limit[axis][1] = __builtin_inf();
    }
  }
}

void load_motion(FastArrays& k, const FastState& state) {
  load_links(k, state.v, [](FastGroup& g) { return g.u_v; });
  load_links(k, state.omega, [](FastGroup& g) { return g.u_w; });
  load_links(k, state.l, [](FastGroup& g) { return g.u_l; });
  if (k.axes == 2) {
    load_joints<2>(k, state);
  } else {
    load_joints<1>(k, state);
  }
}

inline Quad quad_at(const unsigned char* at) {
  Quad value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}
inline int closed_at(const unsigned char* history) {
  int value;
  __builtin_memcpy(&value, history + FastMemory::closed, sizeof value);
  return value;
}

/// Impulses (N, T_1, T_2, …) of the last step, and a second-order guess from the last three where
/// they are all there.
struct Recalled {
  Quad newest, guess;
};
inline Recalled recall_one(const unsigned char* history) {
  constexpr int kStep = FastMemory::impulse;
  const Quad x_1 = quad_at(history);
  if (closed_at(history) < 3) return {x_1, x_1};
  const Quad three = join(Two{3.0, 3.0}, Two{3.0, 3.0});
  // what follows x_3 is no double, and as one it would be denormal, which is slow
  const Quad x_3 = first_three(quad_at(history + 2 * kStep));
  return {x_1, mul_add(three, x_1 - quad_at(history + kStep), x_3)};
}
/// Of the four slots of a group; `N` may be none.
inline void recall_four(unsigned char* const memory[4], int offset, int h, double* N,
                        FastDisc& disc) {
  Recalled of[4];
  for (int i = 0; i < 4; ++i) of[i] = recall_one(memory[i] + offset);
  const Rows guess = transpose({of[0].guess, of[1].guess, of[2].guess, of[3].guess});
  const Rows newest = transpose({of[0].newest, of[1].newest, of[2].newest, of[3].newest});
  if (N != nullptr) store(N + h, guess.a);
  store(disc.T_1 + h, guess.b);
  store(disc.T_2 + h, guess.c);
  store(disc.A_1 + h, newest.b);
  store(disc.A_2 + h, newest.c);
}
void recall(FastArrays& k, const FastState& state) {
  for (int slot = 0; slot < k.slots; slot += 4) {
    FastGroup& g = k.groups[slot / kGroup];
    const int h = slot % kGroup;
    unsigned char* memory[4];
    for (int i = 0; i < 4; ++i) {
      const int at = k.memory_at[slot + i];
      memory[i] = state.memory + (at < 0 ? 0 : at);  // what stands for no link is never closed
    }
    for (int key = 0; key < 2; ++key) {
      const int at = key * FastMemory::size;
      recall_four(memory, at + FastMemory::sliding, h, g.point[key].N, g.point[key].sliding);
      if (k.rolling) recall_four(memory, at + FastMemory::rolling, h, nullptr, g.rolling[key]);
    }
  }
}

/// Newest impulse first; as nonsmooth::remember().
inline void remember_one(unsigned char* history, Quad P, bool closed) {
  constexpr int kStep = FastMemory::impulse;
  unsigned char older[2 * kStep];
  __builtin_memcpy(older, history, sizeof older);
  __builtin_memcpy(history, &P, sizeof P);  // the fourth number is overwritten next
  __builtin_memcpy(history + kStep, older, sizeof older);
  const int before = closed_at(history);
  const int now = closed ? (before < 3 ? before + 1 : 3) : 0;
  __builtin_memcpy(history + FastMemory::closed, &now, sizeof now);
}

template <bool rolling>
int remember_all(const FastArrays& k, const FastState& state) {
  int count = 0;
  for (int slot = 0; slot < k.slots; slot += 4) {
    const FastGroup& g = k.groups[slot / kGroup];
    const int h = slot % kGroup;
    for (int key = 0; key < 2; ++key) {
      const double* N = g.point[key].N + h;
      const auto rows = [&](const FastDisc& disc) {
        return transpose(
            {load<Quad>(N), load<Quad>(disc.T_1 + h), load<Quad>(disc.T_2 + h), Quad{}});
      };
      const Rows slide = rows(g.point[key].sliding);
      const Rows roll = rolling ? rows(g.rolling[key]) : Rows{};
      const auto keep = [&](int i, Quad slides, Quad rolls) {
        const int at = k.memory_at[slot + i];
        if (at < 0) return;
        unsigned char* memory = state.memory + at + key * FastMemory::size;
        const bool closed = N[i] > 0.0;
        remember_one(memory + FastMemory::sliding, slides, closed);
        if (rolling) remember_one(memory + FastMemory::rolling, rolls, closed);
        __builtin_memcpy(memory + FastMemory::last_active, N + i, sizeof *N);
        count += closed ? 1 : 0;
      };
      keep(0, slide.a, roll.a);
      keep(1, slide.b, roll.b);
      keep(2, slide.c, roll.c);
      keep(3, slide.d, roll.d);
    }
  }
  return count;
}

int remember(const FastArrays& k, const FastState& state) {
  return k.rolling ? remember_all<true>(k, state) : remember_all<false>(k, state);
}

/// Torques at E from rates in the order of the angles; the older rates move down. Returns torque
/// times the rates at both ends.
template <typename V>
inline V finish_servos(const FastState& state, double inverse_dt, int a, double* const from[4]) {
  const V rate = load<V>(from[3] + a);
  const V before = load<V>(state.phidot + a);
  const V raw = inverse_dt * (load<V>(from[1] + a) - load<V>(from[0] + a) * rate);
  // dt tau_max / dt may round up
  const V tau = servo(V{}, raw, load<V>(state.tau_max + a), V{});
  store(state.torque + a, tau);
  store(state.phidot_3 + a, load<V>(state.phidot_2 + a));
  store(state.phidot_2 + a, before);
  store(state.phidot + a, rate);
  return tau * (before + rate);
}

/// Rates into the order of the angles.
template <int axes>
void unload_rates(const FastArrays& k) {
  double* to = k.by_angle[3];
  for (int axis = 0; axis < axes; ++axis) {
    for (int pair = 0; pair < k.pairs; ++pair) {
      const FastGroup& g = k.groups[2 * pair / kGroup];
      const Angles at = angles_of<axes>(k, pair, axis);
      const Two rate = load<Two>(g.rate[axis] + place_of_pair(pair));
      to[at.rear] = rate[1];
      to[at.front] = rate[0];  // last: where there is no rear joint, both are this one
    }
  }
}

/// Work of the servos, and what of it drove (J).
struct JointWork {
  double all, positive;
};

/// Rates and torques at E.
JointWork finish_joints(const FastArrays& k, const FastState& state) {
  double* const of[4] = {k.by_angle[0], k.by_angle[1], k.by_angle[2], k.by_angle[3]};
  const int count = k.axes * (k.n - 1);
  const double inverse_dt = 1.0 / k.dt;
  Sum work, positive;
  int a = 0;
  for (; a + 8 <= count; a += 8) {
    for (int part = 0; part < 8; part += kLanes) {
      const Lanes done = finish_servos<Lanes>(state, inverse_dt, a + part, of);
      work.add(part, done);
      positive.add(part, quick_larger(done, Lanes{}));
    }
  }
  double rest = 0.0;
  double rest_positive = 0.0;
  for (; a < count; ++a) {
    const double done = finish_servos<double>(state, inverse_dt, a, of);
    rest += done;
    rest_positive += done > 0.0 ? done : 0.0;
  }
  return {0.5 * k.dt * (work.total() + rest), 0.5 * k.dt * (positive.total() + rest_positive)};
}

FastWork finish(FastArrays& k, const FastState& state) {
  // First the rates: they are then no longer in the store buffer when they are read as vectors.
  if (k.axes == 2) {
    unload_rates<2>(k);
  } else {
    unload_rates<1>(k);
  }
  const Lanes zero = {};
  const Vector pull = {zero + k.pull[0], zero + k.pull[1], zero + k.pull[2]};
  Sum T_A, T_E, friction, contact, gravity;
  for (int i = 0; i < k.slots; i += kLanes) {
    FastGroup& g = k.groups[i / kGroup];
    const int h = place_of(i);
    const Lanes m = load<Lanes>(g.m + h);
    const Lanes L_SC = load<Lanes>(g.L_SC + h);
    const Vector r = load_vector(g.r, h);
    const Vector e = load_vector(g.e, h);
    const Vector w = load_vector(g.w, h);
    const Vector u = add_cross(load_vector(g.v, h), w, r);
    const Vector l =
        add_scaled(load<Lanes>(g.Theta_psi + h) * w, load<Lanes>(g.Theta_d + h) * dot(e, w), e);
    const Vector u_A = load_vector(g.u_v, h);
    const Vector w_A = load_vector(g.u_w, h);
    T_A.add(i, 0.5 * mul_add(m, dot(u_A, u_A), dot(w_A, load_vector(g.u_l, h))));
    T_E.add(i, 0.5 * mul_add(m, dot(u, u), dot(w, l)));
    const Vector mean = (zero + 0.5) * (u_A + u);
    const Vector mean_w = (zero + 0.5) * (w_A + w);
    gravity.add(i, m * dot(pull, mean));
    Vector total = {};
    Lanes rubbed = zero;
    Lanes pressed = zero;
    for (int q = 0; q < 2; ++q) {
      const FastPoint& point = g.point[q];
      const Lanes at = load<Lanes>(point.s + h);
      const Vector a = {at * e.x, at * e.y, mul_sub(at, e.z, L_SC)};
      const Vector gamma = add_cross(mean, mean_w, a);
      const Vector P = ground_impulse(k, g, point, h);
      rubbed += sum(P.x, gamma.x, P.y, gamma.y);
      pressed = mul_add(P.z, gamma.z, pressed);
      total = total + P;
      if (k.rolling) {
        const Lanes arm = load<Lanes>(g.arm_V + h);
        rubbed += arm * (load<Lanes>(g.rolling[q].T_2 + h) * mean_w.x -
                         load<Lanes>(g.rolling[q].T_1 + h) * mean_w.y);
      }
    }
    friction.add(i, rubbed);
    contact.add(i, pressed);
    store_vector(g.d_w, h, total);
    store_vector(g.u_v, h, u);
    store_vector(g.u_l, h, l);
  }
  store_links(k, [](const FastGroup& g) { return g.u_v; }, state.v);
  store_links(k, [](const FastGroup& g) { return g.w; }, state.omega);
  store_links(k, [](const FastGroup& g) { return g.u_l; }, state.l);
  store_links(k, [](const FastGroup& g) { return g.d_w; }, state.ground_impulse);
  const JointWork joints = finish_joints(k, state);
  return {T_A.total(),     T_E.total(), friction.total(), contact.total(),
          gravity.total(), joints.all,  joints.positive};
}
