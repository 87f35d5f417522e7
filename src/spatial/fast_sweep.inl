// Blocks of the links and the sweep through the chain: part of fast_kernel.inl.

/// Closed contacts with obstacles of one pair of slots into its block.
void add_obstacles(const FastArrays& k, int pair, double* blocks) {
  for (int n = k.first_contact[pair]; n >= 0; n = k.contacts[n].next) {
    const FastContact& at = k.contacts[n];
    if (!(at.k_N > 0.0)) continue;
    // K in world axes from that in (n, t, e_z)
    const double m_11 = at.mu * at.mu * at.k_11;
    const double m_12 = at.mu * at.mu * at.k_12;
    const double m_22 = at.mu * at.mu * at.k_22;
    const double tn = at.mu * at.n_1 * at.k_N;  // row t, column n
    const double zn = at.mu * at.n_2 * at.k_N;
    const double n_x = at.n_x;
    const double n_y = at.n_y;
    // rows n and t times the columns' directions
    const double nx = at.k_N * n_x;
    const double ny = at.k_N * n_y;
    const double tx = tn * n_x - m_11 * n_y;
    const double ty = tn * n_y + m_11 * n_x;
    const double K[3][3] = {{n_x * nx - n_y * tx, n_x * ny - n_y * ty, -n_y * m_12},
                            {n_y * nx + n_x * tx, n_y * ny + n_x * ty, n_x * m_12},
                            {zn * n_x - m_12 * n_y, zn * n_y + m_12 * n_x, m_22}};
    const double t = at.mu * at.q_1;
    const double Q[3] = {n_x * at.q_N - n_y * t, n_y * at.q_N + n_x * t, at.mu * at.q_2};
    const double a[3] = {at.a_x, at.a_y, at.a_z};
    double* G = blocks + at.slot % 2;
    double B[3][3];
    for (int j = 0; j < 3; ++j) {
      B[0][j] = a[1] * K[2][j] - a[2] * K[1][j];
      B[1][j] = a[2] * K[0][j] - a[0] * K[2][j];
      B[2][j] = a[0] * K[1][j] - a[1] * K[0][j];
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const int j_1 = (j + 1) % 3;
        const int j_2 = (j + 2) % 3;
        double* AC = G + (3 * i + j) * 4;
        double* BE = AC + 36;
        AC[0] -= B[i][j_1] * a[j_2] - B[i][j_2] * a[j_1];
        AC[2] -= K[i][j_1] * a[j_2] - K[i][j_2] * a[j_1];
        BE[0] += B[i][j];
        BE[2] += K[i][j];
      }
    }
    double* p = G + 72;
    p[0] -= a[1] * Q[2] - a[2] * Q[1];
    p[4] -= a[2] * Q[0] - a[0] * Q[2];
    p[8] -= a[0] * Q[1] - a[1] * Q[0];
    for (int d = 0; d < 3; ++d) p[4 * d + 2] -= Q[d];
  }
}

/// A ground point's K and q in world axes; the ground's normal is e_z, so that the last row of K is
/// (0, 0, k_N).
struct GroundLaw {
  Vector a;  // from the root's centre
  Vector x, y;
  Lanes k_N;
  Vector Q;
};
inline GroundLaw ground_law(const FastArrays& k, const FastGroup& g, const FastPoint& point, int h,
                            const Vector& r, const Vector& e, Lanes height) {
  const Lanes c = load<Lanes>(g.f_c + h);
  const Lanes s = load<Lanes>(g.f_s + h);
  const FastDisc& disc = point.sliding;
  const Lanes at = load<Lanes>(point.s + h);
  GroundLaw law;
  law.a = {mul_add(at, e.x, r.x), mul_add(at, e.y, r.y), mul_add(at, e.z, height)};
  law.k_N = load<Lanes>(point.k_N + h);
  const Lanes k_11 = (k.mu_1 * k.mu_1) * load<Lanes>(disc.k_11 + h);
  const Lanes k_12 = (k.mu_1 * k.mu_2) * load<Lanes>(disc.k_12 + h);
  const Lanes k_22 = (k.mu_2 * k.mu_2) * load<Lanes>(disc.k_22 + h);
  const Lanes n_1 = k.mu_1 * load<Lanes>(disc.n_1 + h);
  const Lanes n_2 = k.mu_2 * load<Lanes>(disc.n_2 + h);
  const Lanes q_1 = k.mu_1 * load<Lanes>(disc.q_1 + h);
  const Lanes q_2 = k.mu_2 * load<Lanes>(disc.q_2 + h);
  const Lanes x_1 = difference(c, k_11, s, k_12);
  const Lanes x_2 = difference(c, k_12, s, k_22);
  const Lanes y_1 = sum(s, k_11, c, k_12);
  const Lanes y_2 = sum(s, k_12, c, k_22);
  law.x = {difference(c, x_1, s, x_2), sum(s, x_1, c, x_2), law.k_N * difference(c, n_1, s, n_2)};
  law.y = {law.x.y, sum(s, y_1, c, y_2), law.k_N * sum(s, n_1, c, n_2)};
  law.Q = {difference(c, q_1, s, q_2), sum(s, q_1, c, q_2), load<Lanes>(point.q_N + h)};
  return law;
}

/// Blocks of the links from slot `i` on, of M + W K W^T and of M u - p - W q, at the root's centre:
/// [A B; C E] with rows torque, force and columns omega, v. Row by row, so that little has to be
/// kept in registers.
template <bool rolling>
inline void assemble(const FastArrays& k, int i, double* G) {
  const FastGroup& g = k.groups[i / kGroup];
  const int h = place_of(i);
  const Lanes zero = {};
  const Lanes m = load<Lanes>(g.m + h);
  const Lanes Theta = load<Lanes>(g.Theta_psi + h);
  const Lanes Theta_d = load<Lanes>(g.Theta_d + h);
  const Vector r = load_vector(g.r, h);
  const Vector e = load_vector(g.e, h);
  const Lanes height = r.z - load<Lanes>(g.L_SC + h);
  const GroundLaw rear = ground_law(k, g, g.point[0], h, r, e, height);
  const GroundLaw front = ground_law(k, g, g.point[1], h, r, e, height);
  const Vector mr = m * r;
  {
    const Vector w = load_vector(g.w, h);
    const Vector pull = {zero + k.pull[0], zero + k.pull[1], zero + k.pull[2]};
    const Vector gain = (add_cross(load_vector(g.v, h), w, r) - load_vector(g.u_v, h)) - pull;
    const Vector f = m * gain;
    const Vector l = add_scaled(Theta * w, Theta_d * dot(e, w), e);
    Vector torque = add_cross(l - load_vector(g.u_l, h), r, f);
    torque = add_cross(add_cross(torque, rear.Q, rear.a), front.Q, front.a);
    if constexpr (rolling) {
      const Lanes arm = load<Lanes>(g.arm_V + h);
      for (const FastDisc& roll : g.rolling) {
        torque.x = sub_mul(torque.x, arm, load<Lanes>(roll.q_2 + h));
        torque.y = mul_add(arm, load<Lanes>(roll.q_1 + h), torque.y);
      }
    }
    const Vector force = f - (rear.Q + front.Q);
    store_pairs(G + 72, kBlock, torque.x, force.x);
    store_pairs(G + 76, kBlock, torque.y, force.y);
    store_pairs(G + 80, kBlock, torque.z, force.z);
  }
  // Rolling friction: torques (0, -arm, 0) and (arm, 0, 0); P_N acts through (a x e_z, e_z).
  Lanes V_xx = zero, V_xy = zero, V_yx = zero, V_yy = zero, V_xv = zero, V_yv = zero;
  if constexpr (rolling) {
    const Lanes arm = load<Lanes>(g.arm_V + h);
    const Lanes square = arm * arm;
    for (int q = 0; q < 2; ++q) {
      const FastDisc& roll = g.rolling[q];
      const GroundLaw& law = q == 0 ? rear : front;
      const Lanes passed = arm * law.k_N;
      const Lanes R_1 = passed * load<Lanes>(roll.n_1 + h);
      const Lanes R_2 = passed * load<Lanes>(roll.n_2 + h);
      const Lanes mixed = square * load<Lanes>(roll.k_12 + h);
      V_yy += square * load<Lanes>(roll.k_11 + h) + R_1 * law.a.x;
      V_yx -= mixed + R_1 * law.a.y;
      V_xy -= mixed + R_2 * law.a.x;
      V_xx += square * load<Lanes>(roll.k_22 + h) + R_2 * law.a.y;
      V_xv += R_2;
      V_yv -= R_1;
    }
  }
  const Vector Te = Theta_d * e;
  const Lanes across = Theta + dot(mr, r);
  const Vector& a = rear.a;
  const Vector& b = front.a;
  // Rows of  B = [a] K,  A = -B [a] = -(B_i x a),  C = -K [a] = -(K_i x a),  E = K  of both points.
  {
    const Vector a_B = {-(a.z * rear.y.x), -(a.z * rear.y.y),
                        difference(a.y, rear.k_N, a.z, rear.y.z)};
    const Vector b_B = {-(b.z * front.y.x), -(b.z * front.y.y),
                        difference(b.y, front.k_N, b.z, front.y.z)};
    Vector A = {sub_mul(mul_add(Te.x, e.x, across), mr.x, r.x), difference(Te.x, e.y, mr.x, r.y),
                difference(Te.x, e.z, mr.x, r.z)};
    Vector B = a_B + b_B;
    if constexpr (rolling) {
      A.x += V_xx;
      A.y += V_xy;
      B.z += V_xv;
    }
    A = add_cross(add_cross(A, a, a_B), b, b_B);
    const Vector C = add_cross(add_cross({zero, mr.z, -mr.y}, a, rear.x), b, front.x);
    const Vector E = rear.x + front.x;
    store_pairs(G, kBlock, A.x, C.x);
    store_pairs(G + 4, kBlock, A.y, C.y);
    store_pairs(G + 8, kBlock, A.z, C.z);
    store_pairs(G + 36, kBlock, B.x, E.x + m);
    store_pairs(G + 40, kBlock, B.y - mr.z, E.y);
    store_pairs(G + 44, kBlock, B.z + mr.y, E.z);
  }
  {
    const Vector a_B = {a.z * rear.x.x, a.z * rear.x.y, difference(a.z, rear.x.z, a.x, rear.k_N)};
    const Vector b_B = {b.z * front.x.x, b.z * front.x.y,
                        difference(b.z, front.x.z, b.x, front.k_N)};
    Vector A = {difference(Te.y, e.x, mr.y, r.x), sub_mul(mul_add(Te.y, e.y, across), mr.y, r.y),
                difference(Te.y, e.z, mr.y, r.z)};
    Vector B = a_B + b_B;
    if constexpr (rolling) {
      A.x += V_yx;
      A.y += V_yy;
      B.z += V_yv;
    }
    A = add_cross(add_cross(A, a, a_B), b, b_B);
    const Vector C = add_cross(add_cross({-mr.z, zero, mr.x}, a, rear.y), b, front.y);
    const Vector E = rear.y + front.y;
    store_pairs(G + 12, kBlock, A.x, C.x);
    store_pairs(G + 16, kBlock, A.y, C.y);
    store_pairs(G + 20, kBlock, A.z, C.z);
    store_pairs(G + 48, kBlock, B.x + mr.z, E.x);
    store_pairs(G + 52, kBlock, B.y, E.y + m);
    store_pairs(G + 56, kBlock, B.z - mr.x, E.z);
  }
  {
    const Vector a_B = add_scaled(a.x * rear.y, -a.y, rear.x);
    const Vector b_B = add_scaled(b.x * front.y, -b.y, front.x);
    Vector A = {difference(Te.z, e.x, mr.z, r.x), difference(Te.z, e.y, mr.z, r.y),
                sub_mul(mul_add(Te.z, e.z, across), mr.z, r.z)};
    A = add_cross(add_cross(A, a, a_B), b, b_B);
    const Vector B = a_B + b_B;
    store_pairs(G + 24, kBlock, A.x, mul_add(rear.k_N, a.y, mul_add(front.k_N, b.y, mr.y)));
    store_pairs(G + 28, kBlock, A.y, sub_mul(sub_mul(-mr.x, front.k_N, b.x), rear.k_N, a.x));
    store_pairs(G + 32, kBlock, A.z, zero);
    store_pairs(G + 60, kBlock, B.x - mr.y, zero);
    store_pairs(G + 64, kBlock, B.y + mr.x, zero);
    store_pairs(G + 68, kBlock, B.z, (m + rear.k_N) + front.k_N);
  }
}

/// The servos as they are, or constant where they are saturated.
void linearise_servos(FastArrays& k) {
  for (int axis = 0; axis < k.axes; ++axis) {
    for (int pair = 0; pair < k.pairs; ++pair) {
      FastGroup& g = k.groups[2 * pair / kGroup];
      const int h = place_of_pair(pair);
      const Two sd = load<Two>(g.sd[axis] + h);
      const Two sr = load<Two>(g.sr[axis] + h);
      const Two limit = load<Two>(g.limit[axis] + h);
      const Two raw = sr - sd * load<Two>(g.rate[axis] + h);
      const auto saturated = magnitude(raw) > limit;
      store(g.sd_used[axis] + h, saturated ? Two{} : sd);
      store(g.sr_used[axis] + h, saturated ? (raw < 0.0 ? -limit : limit) : sr);
    }
  }
}

/// Inverse of a 3 × 3 matrix. False if it has none.
inline bool invert(const double M[3][3], double inverse[3][3]) {
  const double c_00 = M[1][1] * M[2][2] - M[1][2] * M[2][1];
  const double c_01 = M[1][2] * M[2][0] - M[1][0] * M[2][2];
  const double c_02 = M[1][0] * M[2][1] - M[1][1] * M[2][0];
  const double minor = M[0][0] * M[1][1] - M[0][1] * M[1][0];
  const double det = (M[0][0] * c_00 + M[0][1] * c_01) + M[0][2] * c_02;
  const double scale = 1.0 / det;
  inverse[0][0] = scale * c_00;
  inverse[1][0] = scale * c_01;
  inverse[2][0] = scale * c_02;
  inverse[0][1] = scale * (M[0][2] * M[2][1] - M[0][1] * M[2][2]);
  inverse[1][1] = scale * (M[0][0] * M[2][2] - M[0][2] * M[2][0]);
  inverse[2][1] = scale * (M[0][1] * M[2][0] - M[0][0] * M[2][1]);
  inverse[0][2] = scale * (M[0][1] * M[1][2] - M[0][2] * M[1][1]);
  inverse[1][2] = scale * (M[0][2] * M[1][0] - M[0][0] * M[1][2]);
  inverse[2][2] = scale * minor;
  return magnitude(scale) < __builtin_inf();
}

/// w, v of [A B; C E] (w, v) = -(torque, force) by blocks: E first, which does not depend on the
/// arms. False if a block has no inverse: no rows are exchanged.
inline bool solve_root(const double A[3][3], const double B[3][3], const double C[3][3],
                       const double E[3][3], const double torque[3], const double force[3],
                       double w[3], double v[3]) {
  double X[3][3], BX[3][3], S[3][3], Y[3][3], b[3];
  const bool first = invert(E, X);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      BX[i][j] = (B[i][0] * X[0][j] + B[i][1] * X[1][j]) + B[i][2] * X[2][j];
    }
    for (int j = 0; j < 3; ++j) {
      S[i][j] = A[i][j] - ((BX[i][0] * C[0][j] + BX[i][1] * C[1][j]) + BX[i][2] * C[2][j]);
    }
    b[i] = ((BX[i][0] * force[0] + BX[i][1] * force[1]) + BX[i][2] * force[2]) - torque[i];
  }
  const bool second = invert(S, Y);
  for (int i = 0; i < 3; ++i) w[i] = (Y[i][0] * b[0] + Y[i][1] * b[1]) + Y[i][2] * b[2];
  for (int i = 0; i < 3; ++i) {
    b[i] = force[i] + ((C[i][0] * w[0] + C[i][1] * w[1]) + C[i][2] * w[2]);
  }
  for (int i = 0; i < 3; ++i) v[i] = -((X[i][0] * b[0] + X[i][1] * b[1]) + X[i][2] * b[2]);
  return first && second;
}

/// Tips to root, both halves at once, then the root and back. False if the root's block cannot be
/// inverted.
template <int axes, bool rolling>
bool sweep_chain(FastArrays& k) {
  alignas(64) double blocks[kLanes / 2 * kBlock];
  Quad AC[9], BE[9], p[3];
  for (int n = 0; n < 9; ++n) AC[n] = BE[n] = Quad{};
  for (int d = 0; d < 3; ++d) p[d] = Quad{};
  for (int pair = 0; pair <= k.pairs; ++pair) {
    const int i = 2 * pair;
    FastGroup& g = k.groups[2 * pair / kGroup];
    const int h = place_of_pair(pair);
    double* G = blocks + pair % (kLanes / 2) * kBlock;
    if (i % kLanes == 0) assemble<rolling>(k, i, G);
    if (k.first_contact[pair] >= 0) add_obstacles(k, pair, G);
    for (int n = 0; n < 9; ++n) AC[n] += load<Quad>(G + 4 * n);
    for (int n = 0; n < 9; ++n) BE[n] += load<Quad>(G + 36 + 4 * n);
    for (int d = 0; d < 3; ++d) p[d] += load<Quad>(G + 72 + 4 * d);
    if (pair == k.pairs) break;  // the root
    for (int axis = 0; axis < axes; ++axis) {
      const double* s = k.s + (axes * pair + axis) * kTwist;
      double* V = k.V + (axes * pair + axis) * kTwist;
      Quad U[3];
      for (int row = 0; row < 3; ++row) {
        U[row] = three(AC[3 * row], load_twice(s), AC[3 * row + 1], load_twice(s + 4),
                       AC[3 * row + 2], load_twice(s + 8)) +
                 three(BE[3 * row], load_twice(s + 2), BE[3 * row + 1], load_twice(s + 6),
                       BE[3 * row + 2], load_twice(s + 10));
      }
      const Quad s_0 = load<Quad>(s);
      const Quad s_1 = load<Quad>(s + 4);
      const Quad s_2 = load<Quad>(s + 8);
      const Quad sd = load_twice((k.limited ? g.sd_used : g.sd)[axis] + h);
      const Quad D = add_halves(three(s_0, U[0], s_1, U[1], s_2, U[2])) + sd;
      const Quad inverse = 1.0 / D;
      const Quad motor = mul_sub(sd, load_twice(g.rate[axis] + h),
                                 load_twice((k.limited ? g.sr_used : g.sr)[axis] + h));
      const Quad e = (add_halves(three(s_0, p[0], s_1, p[1], s_2, p[2])) + motor) * inverse;
      store(g.e_joint[axis] + h, low_half(e));
      Quad V_w[3], V_v[3];
      for (int column = 0; column < 3; ++column) {
        V_w[column] =
            add_halves(three(AC[column], s_0, AC[3 + column], s_1, AC[6 + column], s_2)) * inverse;
        V_v[column] =
            add_halves(three(BE[column], s_0, BE[3 + column], s_1, BE[6 + column], s_2)) * inverse;
        store(V + 4 * column, blend(V_w[column], V_v[column]));
      }
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
          AC[3 * row + column] = sub_mul(AC[3 * row + column], U[row], V_w[column]);
          BE[3 * row + column] = sub_mul(BE[3 * row + column], U[row], V_v[column]);
        }
        p[row] = sub_mul(p[row], e, U[row]);
      }
    }
  }
  // The root: both halves and its own block together. Rows of four, torque rows of both entries
  // first.
  double A[3][3], B[3][3], C[3][3], E[3][3], torque[3], force[3], x_w[3], x_v[3];
  const auto unpack = [](Quad x, Quad y, double* x_up, double* y_up, double* x_down,
                         double* y_down) {
    const Quad sums = add_neighbours(x, y);
    *x_up = low_half(sums)[0];
    *y_up = low_half(sums)[1];
    *x_down = high_half(sums)[0];
    *y_down = high_half(sums)[1];
  };
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      unpack(AC[3 * row + column], BE[3 * row + column], &A[row][column], &B[row][column],
             &C[row][column], &E[row][column]);
    }
  }
  double none;
  unpack(p[0], p[1], torque, torque + 1, force, force + 1);
  unpack(p[2], p[2], torque + 2, &none, force + 2, &none);
  if (!solve_root(A, B, C, E, torque, force, x_w, x_v)) return false;
  FastGroup& root = k.groups[k.root / kGroup];
  Quad t[3];
  for (int d = 0; d < 3; ++d) {
    k.root_twist[d] += x_w[d];
    k.root_twist[3 + d] += x_v[d];
    root.d_w[d][k.root % kGroup] = x_w[d];
    root.d_v[d][k.root % kGroup] = x_v[d];
    t[d] = join(Two{x_w[d], x_w[d]}, Two{x_v[d], x_v[d]});
  }
  for (int pair = k.pairs - 1; pair >= 0; --pair) {
    FastGroup& g = k.groups[2 * pair / kGroup];
    const int h = place_of_pair(pair);
    for (int axis = axes - 1; axis >= 0; --axis) {
      const double* s = k.s + (k.axes * pair + axis) * kTwist;
      const double* V = k.V + (k.axes * pair + axis) * kTwist;
      const Quad carried =
          add_halves(three(load<Quad>(V), t[0], load<Quad>(V + 4), t[1], load<Quad>(V + 8), t[2]));
      const Quad change = -(load_twice(g.e_joint[axis] + h) + carried);
      for (int d = 0; d < 3; ++d) t[d] = mul_add(load<Quad>(s + 4 * d), change, t[d]);
      store(g.rate[axis] + h, load<Two>(g.rate[axis] + h) + low_half(change));
    }
    for (int d = 0; d < 3; ++d) {
      store(g.d_w[d] + h, low_half(t[d]));
      store(g.d_v[d] + h, high_half(t[d]));
    }
  }
  return true;
}

bool sweep(FastArrays& k) {
  if (k.axes == 2) return k.rolling ? sweep_chain<2, true>(k) : sweep_chain<2, false>(k);
  return k.rolling ? sweep_chain<1, true>(k) : sweep_chain<1, false>(k);
}
