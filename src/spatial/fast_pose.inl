// Poses, gaps and twists: part of fast_kernel.inl.

typedef unsigned long long Bits __attribute__((vector_size(8 * COLUBER_LANES)));

/// Numbers of a pair's joint angles about an axis. Where there is no rear joint, `rear` is `front`.
struct Angles {
  int front, rear;
};
template <int axes>
inline Angles angles_of(const FastArrays& k, int pair, int axis) {
  const int away = k.pairs - pair;
  // axis 0 is on the link's side: pitch in the front half, yaw in the rear half
  const int front = axes * (k.base + away - 1) + (axes - 1 - axis);
  const int rear = axes * (k.base - away) + axis;
  return {front, rear < 0 ? front : rear};
}
inline Two load_both(const double* from, Angles at) { return Two{from[at.front], from[at.rear]}; }

/// Sine and cosine of all joint angles. False if one is too large for them.
bool turn_joints(FastArrays& k, const FastState& state) {
  const int count = k.axes * (k.n - 1);
  Lanes largest_angle = {};
  int a = 0;
  for (; a + kLanes <= count; a += kLanes) {
    const Lanes phi = load<Lanes>(state.phi + a);
    Lanes s, c;
    sincos_kernel<Bits>(phi, s, c);
    store(k.sine + a, s);
    store(k.cosine + a, c);
    largest_angle = larger(largest_angle, magnitude(phi));
  }
  double worst = largest(largest_angle);
  for (; a < count; ++a) {
    sincos_kernel<unsigned long long>(state.phi[a], k.sine[a], k.cosine[a]);
    worst = largest_of(worst, magnitude(state.phi[a]));
  }
  return worst <= kSincosLimit;
}

/// From the root outwards, both halves at once. In the front half a joint turns by R_y(phi_h)
/// R_x(phi_v), in the rear half by R_x(-phi_v) R_y(-phi_h): with p = e_x, q = e_y in front and the
/// two exchanged behind, the formulas are the same. Axis 0 of a joint is p of the link, axis 1 is q
/// of its parent, both negative behind.
template <int axes>
void place_chain(FastArrays& k) {
  const Two sign = {1.0, -1.0};
  FastGroup& root = k.groups[k.root / kGroup];
  Two p[3], q[3], z[3], r[3];
  for (int d = 0; d < 3; ++d) {
    const double e_x = k.root_axes[d];
    const double e_y = k.root_axes[3 + d];
    const double e_z = k.root_axes[6 + d];
    p[d] = axes == 2 ? Two{e_x, e_y} : Two{e_x, e_x};
    q[d] = axes == 2 ? Two{e_y, e_x} : Two{e_y, e_y};
    z[d] = Two{e_z, e_z};
    r[d] = Two{};
    root.e[d][k.root % kGroup] = e_z;
    root.r[d][k.root % kGroup] = 0.0;
  }
  Two out = {k.root_out[0], k.root_out[1]};
  for (int pair = k.pairs - 1; pair >= 0; --pair) {
    FastGroup& g = k.groups[2 * pair / kGroup];
    const int h = place_of_pair(pair);
    Two o[3];
    for (int d = 0; d < 3; ++d) o[d] = mul_add(out, z[d], r[d]);
    const auto store_axis = [&](int axis, const Two a[3]) {
      double* to = k.s + (k.axes * pair + axis) * kTwist;
      store(to, a[0]);
      store(to + 2, difference(o[1], a[2], o[2], a[1]));
      store(to + 4, a[1]);
      store(to + 6, difference(o[2], a[0], o[0], a[2]));
      store(to + 8, a[2]);
      store(to + 10, difference(o[0], a[1], o[1], a[0]));
    };
    Two axis[3];
    if constexpr (axes == 2) {
      for (int d = 0; d < 3; ++d) axis[d] = sign * q[d];
      store_axis(1, axis);
      const Angles at_1 = angles_of<axes>(k, pair, 1);
      const Angles at_0 = angles_of<axes>(k, pair, 0);
      const Two s_1 = load_both(k.sine, at_1);
      const Two c_1 = load_both(k.cosine, at_1);
      const Two s_0 = load_both(k.sine, at_0);
      const Two c_0 = load_both(k.cosine, at_0);
      for (int d = 0; d < 3; ++d) {
        const Two turned = sum(s_1, p[d], c_1, z[d]);
        p[d] = difference(c_1, p[d], s_1, z[d]);
        z[d] = difference(c_0, turned, s_0, q[d]);
        q[d] = sum(c_0, q[d], s_0, turned);
        axis[d] = sign * p[d];
      }
    } else {
      const Angles at = angles_of<axes>(k, pair, 0);
      const Two s = -sign * load_both(k.sine, at);
      const Two c = load_both(k.cosine, at);
      for (int d = 0; d < 3; ++d) {
        const Two turned = difference(c, z[d], s, p[d]);
        p[d] = sum(c, p[d], s, z[d]);
        z[d] = turned;
        axis[d] = sign * q[d];
      }
    }
    store_axis(0, axis);
    const Two arm = load<Two>(g.arm + h);
    for (int d = 0; d < 3; ++d) {
      r[d] = sub_mul(o[d], arm, z[d]);
      store(g.r[d] + h, r[d]);
      store(g.e[d] + h, z[d]);
    }
    out = load<Two>(g.out + h);
  }
}

bool place(FastArrays& k, const FastState& state) {
  if (!turn_joints(k, state)) return false;
  if (k.axes == 2) {
    place_chain<2>(k);
  } else {
    place_chain<1>(k);
  }
  return true;
}

FastGround find_ground(FastArrays& k) {
  const Lanes zero = {};
  const Lanes one = zero + 1.0;
  const Lanes far = zero + kFar;
  const Lanes slowest = zero - k.push_out;
  const double inverse_dt = 1.0 / k.dt;
  Lanes deepest = zero;
  Lanes highest = zero - 1.0;  // of the links there are
  for (int i = k.slots - kLanes; i >= 0; i -= kLanes) {
    FastGroup& g = k.groups[i / kGroup];
    const int h = place_of(i);
    const Vector e = load_vector(g.e, h);
    const Lanes length = square_root(sum(e.x, e.x, e.y, e.y));
    const auto lies = length > k.upright;
    const Lanes inverse = 1.0 / length;
    store(g.f_c + h, lies ? e.x * inverse : one);
    store(g.f_s + h, lies ? e.y * inverse : zero);
    const Lanes z = k.origin_z + load<Lanes>(g.r[2] + h);
    const Lanes L_SC = load<Lanes>(g.L_SC + h);
    for (FastPoint& point : g.point) {
      const Lanes gap = mul_add(load<Lanes>(point.s + h), e.z, z) - L_SC;
      const Lanes speed = gap * inverse_dt;
      const Lanes out = k.beta * speed;
      const Lanes b = gap > 0.0 ? speed : (out < slowest ? slowest : out);
      store(point.b + h, gap < k.near ? b : far);
      deepest = quick_larger(deepest, -gap);
      highest = quick_larger(highest, L_SC > 0.0 ? gap : highest);
    }
  }
  return {largest(deepest), largest(highest) < k.near};
}

/// Twists of all links from the root's and the rates.
template <int axes>
void spread_chain(FastArrays& k) {
  FastGroup& root = k.groups[k.root / kGroup];
  Quad t[3];
  for (int d = 0; d < 3; ++d) {
    const double w = k.root_twist[d];
    const double v = k.root_twist[3 + d];
    t[d] = join(Two{w, w}, Two{v, v});
    root.w[d][k.root % kGroup] = w;
    root.v[d][k.root % kGroup] = v;
  }
  for (int pair = k.pairs - 1; pair >= 0; --pair) {
    FastGroup& g = k.groups[2 * pair / kGroup];
    const int h = place_of_pair(pair);
    for (int axis = axes - 1; axis >= 0; --axis) {
      const double* s = k.s + (axes * pair + axis) * kTwist;
      const Quad rate = load_twice(g.rate[axis] + h);
      for (int d = 0; d < 3; ++d) t[d] = mul_add(load<Quad>(s + 4 * d), rate, t[d]);
    }
    for (int d = 0; d < 3; ++d) {
      store(g.w[d] + h, low_half(t[d]));
      store(g.v[d] + h, high_half(t[d]));
    }
  }
}

void spread(FastArrays& k) {
  if (k.axes == 2) {
    spread_chain<2>(k);
  } else {
    spread_chain<1>(k);
  }
}
