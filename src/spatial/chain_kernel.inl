// Kernels of the step in space, compiled once for every instruction set (math/lanes.inl). Nothing
// may be included here that defines inline functions with external linkage.

#include "chain_kernel.hpp"
#include "math/lanes.inl"
#include "nonsmooth/constants.hpp"

namespace coluber::spatial {
namespace COLUBER_PATH {
namespace {

using namespace lanes::COLUBER_PATH;
using nonsmooth::kProxR;

#include "math/sincos_kernel.inl"

constexpr int kTwist = 12;     // doubles of a joint twist of both halves
constexpr int kBlock = 84;     // doubles of a block with its right side, both halves

inline double mu_max(const ChainArrays& k) { return k.mu_1 > k.mu_2 ? k.mu_1 : k.mu_2; }

/// Three vectors of lanes: a vector in world axes for every slot.
struct Vector {
  Lanes x, y, z;
};
inline Vector load_vector(const double from[3][kGroup], int h) {
  return {load<Lanes>(from[0] + h), load<Lanes>(from[1] + h), load<Lanes>(from[2] + h)};
}
inline void store_vector(double to[3][kGroup], int h, const Vector& value) {
  store(to[0] + h, value.x);
  store(to[1] + h, value.y);
  store(to[2] + h, value.z);
}
/// Where a vector of lanes or a pair begins in its group.
inline int place_of(int i) { return kLanes == kGroup ? 0 : i % kGroup; }
inline int place_of_pair(int pair) { return 2 * pair % kGroup; }
inline Vector operator+(const Vector& a, const Vector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vector operator-(const Vector& a, const Vector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vector operator*(Lanes a, const Vector& b) { return {a * b.x, a * b.y, a * b.z}; }
inline Lanes dot(const Vector& a, const Vector& b) {
  return mul_add(a.z, b.z, mul_add(a.y, b.y, a.x * b.x));
}
/// a b + c d + e f
template <typename V>
inline V three(V a, V b, V c, V d, V e, V f) {
  return mul_add(e, f, mul_add(c, d, a * b));
}
/// a b - c d
template <typename V>
inline V difference(V a, V b, V c, V d) {
  return sub_mul(a * b, c, d);
}
/// a b + c d
template <typename V>
inline V sum(V a, V b, V c, V d) {
  return mul_add(c, d, a * b);
}
inline Vector cross(const Vector& a, const Vector& b) {
  return {difference(a.y, b.z, a.z, b.y), difference(a.z, b.x, a.x, b.z),
          difference(a.x, b.y, a.y, b.x)};
}
/// a + b x c
inline Vector add_cross(const Vector& a, const Vector& b, const Vector& c) {
  return {sub_mul(mul_add(b.y, c.z, a.x), b.z, c.y), sub_mul(mul_add(b.z, c.x, a.y), b.x, c.z),
          sub_mul(mul_add(b.x, c.y, a.z), b.y, c.x)};
}
/// a + b c
inline Vector add_scaled(const Vector& a, Lanes b, const Vector& c) {
  return {mul_add(b, c.x, a.x), mul_add(b, c.y, a.y), mul_add(b, c.z, a.z)};
}

typedef unsigned long long Bits __attribute__((vector_size(8 * COLUBER_LANES)));

/// Numbers of a pair's joint angles about an axis. Where there is no rear joint, `rear` is `front`.
struct Angles {
  int front, rear;
};
template <int axes>
inline Angles angles_of(const ChainArrays& k, int pair, int axis) {
  const int away = k.pairs - pair;
  // axis 0 is on the link's side: pitch in the front half, yaw in the rear half
  const int front = axes * (k.base + away - 1) + (axes - 1 - axis);
  const int rear = axes * (k.base - away) + axis;
  return {front, rear < 0 ? front : rear};
}
inline Two load_both(const double* from, Angles at) { return Two{from[at.front], from[at.rear]}; }

/// Sine and cosine of all joint angles. False if one is too large for them.
bool turn_joints(ChainArrays& k, const ChainState& state) {
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
void place_chain(ChainArrays& k) {
  const Two sign = {1.0, -1.0};
  ChainGroup& root = k.groups[k.root / kGroup];
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
    ChainGroup& g = k.groups[2 * pair / kGroup];
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

bool place(ChainArrays& k, const ChainState& state) {
  if (!turn_joints(k, state)) return false;
  if (k.axes == 2) {
    place_chain<2>(k);
  } else {
    place_chain<1>(k);
  }
  return true;
}

ChainGround find_ground(ChainArrays& k) {
  const Lanes zero = {};
  const Lanes one = zero + 1.0;
  const Lanes far = zero + kChainFar;
  const Lanes slowest = zero - 0.3;  // m/s, at which a penetration is worked off
  const double inverse_dt = 1.0 / k.dt;
  Lanes deepest = zero;
  Lanes highest = zero - 1.0;  // of the links there are
  for (int i = k.slots - kLanes; i >= 0; i -= kLanes) {
    ChainGroup& g = k.groups[i / kGroup];
    const int h = place_of(i);
    const Vector e = load_vector(g.e, h);
    const Lanes length = square_root(sum(e.x, e.x, e.y, e.y));
    const auto lies = length > 1e-9;
    const Lanes inverse = 1.0 / length;
    store(g.f_c + h, lies ? e.x * inverse : one);
    store(g.f_s + h, lies ? e.y * inverse : zero);
    const Lanes z = k.origin_z + load<Lanes>(g.r[2] + h);
    const Lanes L_SC = load<Lanes>(g.L_SC + h);
    for (ChainPoint& point : g.point) {
      const Lanes gap = mul_add(load<Lanes>(point.s + h), e.z, z) - L_SC;
      const Lanes speed = gap * inverse_dt;
      const Lanes out = 0.2 * speed;
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
void spread_chain(ChainArrays& k) {
  ChainGroup& root = k.groups[k.root / kGroup];
  Quad t[3];
  for (int d = 0; d < 3; ++d) {
    const double w = k.root_twist[d];
    const double v = k.root_twist[3 + d];
    t[d] = join(Two{w, w}, Two{v, v});
    root.w[d][k.root % kGroup] = w;
    root.v[d][k.root % kGroup] = v;
  }
  for (int pair = k.pairs - 1; pair >= 0; --pair) {
    ChainGroup& g = k.groups[2 * pair / kGroup];
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

void spread(ChainArrays& k) {
  if (k.axes == 2) {
    spread_chain<2>(k);
  } else {
    spread_chain<1>(k);
  }
}

/// A law on a disc of radius R = max(0, s_N), linearised at the present velocities and impulses
/// (nonsmooth/contact_law.hpp).
template <typename Mask>
inline void linearise_disc(ChainDisc& k, int h, Mask closed, Lanes R, Lanes q_N,
                           Lanes gamma_1, Lanes gamma_2, Lanes c_t, Lanes inverse_c_t, Lanes r) {
  const Lanes zero = {};
  const Lanes T_1 = load<Lanes>(k.T_1 + h);
  const Lanes T_2 = load<Lanes>(k.T_2 + h);
  const Lanes h_1 = sub_mul(gamma_1, c_t, load<Lanes>(k.A_1 + h));
  const Lanes h_2 = sub_mul(gamma_2, c_t, load<Lanes>(k.A_2 + h));
  const Lanes s_1 = sub_mul(T_1, r, mul_add(c_t, T_1, h_1));
  const Lanes s_2 = sub_mul(T_2, r, mul_add(c_t, T_2, h_2));
  const Lanes square = sum(s_1, s_1, s_2, s_2);
  const auto stick = closed & (square <= R * R);
  const auto slip = closed & ~stick;
  // At a solution k = R/|gamma|. One division for 1/norm and 1/below; where the point does not slip
  // it may be by zero, and is not used.
  const Lanes norm = square_root(square);
  const Lanes Rr = R * r;
  const Lanes below = mul_add(Rr, c_t, norm - R);
  const Lanes inverse = 1.0 / (norm * below);
  const Lanes n_1 = slip ? s_1 * (inverse * below) : zero;
  const Lanes n_2 = slip ? s_2 * (inverse * below) : zero;
  const Lanes slide = slip ? Rr * (inverse * norm) : zero;
  const Lanes hold = stick ? inverse_c_t : zero;
  const Lanes h_t = slide * difference(n_1, h_2, n_2, h_1);
  const Lanes t_1 = slide * n_1;
  store(k.n_1 + h, n_1);
  store(k.n_2 + h, n_2);
  store(k.q_1 + h, sub_mul(sum(q_N, n_1, h_t, n_2), hold, h_1));
  store(k.q_2 + h, sub_mul(difference(q_N, n_2, h_t, n_1), hold, h_2));
  store(k.k_11 + h, mul_add(slide * n_2, n_2, hold));
  store(k.k_12 + h, -t_1 * n_2);
  store(k.k_22 + h, mul_add(t_1, n_1, hold));
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
void linearise_ground(ChainArrays& k) {
  const Lanes zero = {};
  const double mu = mu_max(k);
  const Lanes r = zero + (k.sliding ? kProxR / (mu * mu) : 0.0);
  const double inverse_share = 1.0 / k.share_T;
  // From the root, where the sweep that filled the arrays began: the tips' numbers, just stored two
  // by two, could not be loaded four at a time yet.
  for (int i = k.slots - kLanes; i >= 0; i -= kLanes) {
    ChainGroup& g = k.groups[i / kGroup];
    const int h = place_of(i);
    const Lanes c = load<Lanes>(g.f_c + h);
    const Lanes s = load<Lanes>(g.f_s + h);
    const Vector w = load_vector(g.w, h);
    const GroundSpeed speed =
        ground_speed(w, load_vector(g.v, h), load_vector(g.r, h), load_vector(g.e, h),
                     load<Lanes>(g.L_SC + h), c, s);
    const Lanes compliance = load<Lanes>(g.c + h);
    const Lanes inverse_c = load<Lanes>(g.inverse_c + h);
    for (int q = 0; q < 2; ++q) {
      ChainPoint& point = g.point[q];
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
        linearise_disc(point.sliding, h, closed, R, q_N,
                       k.mu_1 * mul_add(at, speed.d_along, speed.along),
                       k.mu_2 * mul_add(at, speed.d_across, speed.across), k.share_T * compliance,
                       inverse_share * inverse_c, r);
      }
      if (k.rolling) {
        const Lanes arm = load<Lanes>(g.arm_V + h);
        linearise_disc(g.rolling[q], h, closed, R, q_N, -arm * w.y, arm * w.x,
                       load<Lanes>(g.c_V + h), load<Lanes>(g.inverse_c_V + h),
                       kProxR / load<Lanes>(g.mu_V + h));
      }
    }
  }
}

/// Velocity of the link at a contact with an obstacle, in the contact's frame.
struct ContactSpeed {
  double n, t_1, t_2;
};
inline ContactSpeed contact_speed(const ChainContact& at, const double w[3][kGroup],
                                  const double v[3][kGroup]) {
  const int i = at.slot % kGroup;
  const double x = sub_mul(mul_add(w[1][i], at.a_z, v[0][i]), w[2][i], at.a_y);
  const double y = sub_mul(mul_add(w[2][i], at.a_x, v[1][i]), w[0][i], at.a_z);
  const double z = sub_mul(mul_add(w[0][i], at.a_y, v[2][i]), w[1][i], at.a_x);
  return {sum(at.n_x, x, at.n_y, y), at.mu * difference(at.n_x, y, at.n_y, x), at.mu * z};
}

/// The same of the contacts with obstacles.
void linearise_obstacles(ChainArrays& k) {
  for (int n = 0; n < k.contact_count; ++n) {
    ChainContact& at = k.contacts[n];
    const ContactSpeed gamma = contact_speed(at, k.groups[at.slot / kGroup].w, k.groups[at.slot / kGroup].v);
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
    const double square = sum(s_1, s_1, s_2, s_2);
    if (square <= s_N * s_N) {
      at.k_11 = at.k_22 = 1.0 / at.c_t;
      at.q_1 = -h_1 * at.k_11;
      at.q_2 = -h_2 * at.k_11;
      continue;
    }
    const double norm = square_root(square);
    const double below = mul_add(s_N * r, at.c_t, norm - s_N);
    const double inverse = 1.0 / (norm * below);
    at.n_1 = s_1 * (inverse * below);
    at.n_2 = s_2 * (inverse * below);
    const double slide = s_N * r * (inverse * norm);
    const double h_t = slide * difference(at.n_1, h_2, at.n_2, h_1);
    at.q_1 = sum(at.q_N, at.n_1, h_t, at.n_2);
    at.q_2 = difference(at.q_N, at.n_2, h_t, at.n_1);
    at.k_11 = slide * at.n_2 * at.n_2;
    at.k_12 = -slide * at.n_1 * at.n_2;
    at.k_22 = slide * at.n_1 * at.n_1;
  }
}

/// P+ = q - K dgamma of the contacts with obstacles.
void apply_to_obstacles(ChainArrays& k) {
  for (int n = 0; n < k.contact_count; ++n) {
    ChainContact& at = k.contacts[n];
    if (!(at.k_N > 0.0)) {
      at.N = at.T_1 = at.T_2 = 0.0;
      continue;
    }
    const ContactSpeed d = contact_speed(at, k.groups[at.slot / kGroup].d_w, k.groups[at.slot / kGroup].d_v);
    const double dN = at.k_N * d.n;
    at.N = at.q_N - dN;
    at.T_1 = at.q_1 - at.n_1 * dN - at.k_11 * d.t_1 - at.k_12 * d.t_2;
    at.T_2 = at.q_2 - at.n_2 * dN - at.k_12 * d.t_1 - at.k_22 * d.t_2;
  }
}

/// Closed contacts with obstacles of one pair of slots into its block.
void add_obstacles(const ChainArrays& k, int pair, double* blocks) {
  for (int n = k.first_contact[pair]; n >= 0; n = k.contacts[n].next) {
    const ChainContact& at = k.contacts[n];
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
inline GroundLaw ground_law(const ChainArrays& k, const ChainGroup& g, const ChainPoint& point,
                            int h, const Vector& r, const Vector& e, Lanes height) {
  const Lanes c = load<Lanes>(g.f_c + h);
  const Lanes s = load<Lanes>(g.f_s + h);
  const ChainDisc& disc = point.sliding;
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
inline void assemble(const ChainArrays& k, int i, double* G) {
  const ChainGroup& g = k.groups[i / kGroup];
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
      for (const ChainDisc& roll : g.rolling) {
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
      const ChainDisc& roll = g.rolling[q];
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
void linearise_servos(ChainArrays& k) {
  for (int axis = 0; axis < k.axes; ++axis) {
    for (int pair = 0; pair < k.pairs; ++pair) {
      ChainGroup& g = k.groups[2 * pair / kGroup];
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

/// Inverse of a 3 × 3 matrix. False if a leading minor is not positive.
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
  return M[0][0] > 0.0 && minor > 0.0 && det > 0.0;
}

/// w, v of [A B; C E] (w, v) = -(torque, force) by blocks: E first, which does not depend on the
/// arms. False if a pivot is not positive: no rows are exchanged.
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

/// Tips to root, both halves at once, then the root and back. False if the root's block has a pivot
/// that is not positive.
template <int axes, bool rolling>
bool sweep_chain(ChainArrays& k) {
  alignas(64) double blocks[kLanes / 2 * kBlock];
  Quad AC[9], BE[9], p[3];
  for (int n = 0; n < 9; ++n) AC[n] = BE[n] = Quad{};
  for (int d = 0; d < 3; ++d) p[d] = Quad{};
  for (int pair = 0; pair <= k.pairs; ++pair) {
    const int i = 2 * pair;
    ChainGroup& g = k.groups[2 * pair / kGroup];
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
      const Quad motor = mul_sub(sd, load_twice(g.rate[axis] + h), load_twice((k.limited ? g.sr_used : g.sr)[axis] + h));
      const Quad e = (add_halves(three(s_0, p[0], s_1, p[1], s_2, p[2])) + motor) * inverse;
      store(g.e_joint[axis] + h, low_half(e));
      Quad V_w[3], V_v[3];
      for (int column = 0; column < 3; ++column) {
        V_w[column] = add_halves(three(AC[column], s_0, AC[3 + column], s_1, AC[6 + column], s_2)) * inverse;
        V_v[column] = add_halves(three(BE[column], s_0, BE[3 + column], s_1, BE[6 + column], s_2)) * inverse;
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
  ChainGroup& root = k.groups[k.root / kGroup];
  Quad t[3];
  for (int d = 0; d < 3; ++d) {
    k.root_twist[d] += x_w[d];
    k.root_twist[3 + d] += x_v[d];
    root.d_w[d][k.root % kGroup] = x_w[d];
    root.d_v[d][k.root % kGroup] = x_v[d];
    t[d] = join(Two{x_w[d], x_w[d]}, Two{x_v[d], x_v[d]});
  }
  for (int pair = k.pairs - 1; pair >= 0; --pair) {
    ChainGroup& g = k.groups[2 * pair / kGroup];
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

bool sweep(ChainArrays& k) {
  if (k.axes == 2) return k.rolling ? sweep_chain<2, true>(k) : sweep_chain<2, false>(k);
  return k.rolling ? sweep_chain<1, true>(k) : sweep_chain<1, false>(k);
}

/// By how much the linearised servos differ from the clamped ones (N s).
double servo_defect(const ChainArrays& k) {
  Two worst = {};
  for (int axis = 0; axis < k.axes; ++axis) {
    for (int pair = 0; pair < k.pairs; ++pair) {
      const ChainGroup& g = k.groups[2 * pair / kGroup];
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
inline Lanes disc_gap(const ChainDisc& k, int h, Lanes N, Lanes c_t) {
  const Lanes E_1 = c_t * (load<Lanes>(k.T_1 + h) - load<Lanes>(k.A_1 + h));
  const Lanes E_2 = c_t * (load<Lanes>(k.T_2 + h) - load<Lanes>(k.A_2 + h));
  return N > 0.0 ? E_1 * E_1 + E_2 * E_2 : Lanes{};
}

double gap(const ChainArrays& k) {
  Lanes slide = {};
  Lanes roll = {};
  for (int i = 0; i < k.slots; i += kLanes) {
    const ChainGroup& g = k.groups[i / kGroup];
    const int h = place_of(i);
    for (int q = 0; q < 2; ++q) {
      const Lanes N = load<Lanes>(g.point[q].N + h);
      if (k.sliding) {
        const Lanes c_t = k.share_T * load<Lanes>(g.c + h);
        slide = larger(slide, disc_gap(g.point[q].sliding, h, N, c_t));
      }
      if (k.rolling) {
        roll = larger(roll, disc_gap(g.rolling[q], h, N, load<Lanes>(g.c_V + h)) /
                                load<Lanes>(g.mu_V + h));
      }
    }
  }
  double worst = k.sliding ? kProxR / mu_max(k) * square_root(largest(slide)) : 0.0;
  if (k.rolling) worst = largest_of(worst, kProxR * square_root(largest(roll)));
  for (int n = 0; n < k.contact_count; ++n) {
    const ChainContact& at = k.contacts[n];
    if (!(at.mu > 0.0) || !(at.N > 0.0)) continue;
    const double E_1 = at.c_t * (at.T_1 - at.A_1);
    const double E_2 = at.c_t * (at.T_2 - at.A_2);
    worst = largest_of(worst, kProxR / at.mu * square_root(E_1 * E_1 + E_2 * E_2));
  }
  return worst;
}

void move_anchors(ChainArrays& k) {
  for (int i = 0; i < k.slots; i += kGroup) {
    ChainGroup& g = k.groups[i / kGroup];
    for (int q = 0; q < 2; ++q) {
      ChainDisc* const discs[] = {&g.point[q].sliding, &g.rolling[q]};
      for (ChainDisc* disc : discs) {
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
inline void apply_to_disc(ChainDisc& k, int h, Lanes dN, Lanes d_1, Lanes d_2) {
  const Lanes k_12 = load<Lanes>(k.k_12 + h);
  const Lanes T_1 = sub_mul(load<Lanes>(k.q_1 + h), load<Lanes>(k.n_1 + h), dN);
  const Lanes T_2 = sub_mul(load<Lanes>(k.q_2 + h), load<Lanes>(k.n_2 + h), dN);
  store(k.T_1 + h, sub_mul(sub_mul(T_1, load<Lanes>(k.k_11 + h), d_1), k_12, d_2));
  store(k.T_2 + h, sub_mul(sub_mul(T_2, k_12, d_1), load<Lanes>(k.k_22 + h), d_2));
}

/// P+ = q - K dgamma of the ground points of the links from slot `i` on.
inline void apply_to_ground(const ChainArrays& k, int i) {
  ChainGroup& g = k.groups[i / kGroup];
  const int h = place_of(i);
  const Vector dw = load_vector(g.d_w, h);
  const GroundSpeed change =
      ground_speed(dw, load_vector(g.d_v, h), load_vector(g.r, h), load_vector(g.e, h),
                   load<Lanes>(g.L_SC + h), load<Lanes>(g.f_c + h), load<Lanes>(g.f_s + h));
  for (int q = 0; q < 2; ++q) {
    ChainPoint& point = g.point[q];
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
inline Defects disc_defects(const ChainDisc& k, int h, Lanes gamma_1, Lanes gamma_2, Lanes R,
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
inline double obstacle_defect(const ChainContact& at, ContactSpeed gamma, double R, double c_t) {
  const double r = kProxR / (at.mu * at.mu);
  const double s_1 = at.T_1 - r * (gamma.t_1 + c_t * (at.T_1 - at.A_1));
  const double s_2 = at.T_2 - r * (gamma.t_2 + c_t * (at.T_2 - at.A_2));
  const double square = s_1 * s_1 + s_2 * s_2;
  const double scale = square <= R * R ? 1.0 : R / square_root(square);
  const double F_1 = at.T_1 - scale * s_1;
  const double F_2 = at.T_2 - scale * s_2;
  return at.mu * square_root(F_1 * F_1 + F_2 * F_2);
}

/// Impulse of the ground at a point, world axes.
inline Vector ground_impulse(const ChainArrays& k, const ChainGroup& g, const ChainPoint& point,
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
inline Impulse obstacle_impulse(const ChainContact& at) {
  const double t = at.mu * at.T_1;
  return {at.n_x * at.N - at.n_y * t, at.n_y * at.N + at.n_x * t, at.mu * at.T_2};
}

/// The impulses after a sweep, and how well laws and momentum hold with them and with the
/// velocities that root and rates make: nothing else of the sweep counts.
ChainResidual judge(ChainArrays& k) {
  ChainResidual result = {};
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
    ChainGroup& g = k.groups[i / kGroup];
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
    Vector torque = add_scaled(load<Lanes>(g.Theta_psi + h) * w,
                               load<Lanes>(g.Theta_d + h) * dot(e, w), e) -
                    load_vector(g.u_l, h);
    const Lanes compliance = load<Lanes>(g.c + h);
    for (int q = 0; q < 2; ++q) {
      const ChainPoint& point = g.point[q];
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
    const ChainContact& at = k.contacts[n];
    const ContactSpeed gamma = contact_speed(at, k.groups[at.slot / kGroup].w, k.groups[at.slot / kGroup].v);
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
    ChainGroup& g = k.groups[at.slot / kGroup];
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
    const ChainGroup& g = k.groups[2 * pair / kGroup];
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
  const ChainGroup& root = k.groups[k.root / kGroup];
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

ChainSolve solve(ChainArrays& k, double tolerance, double good, int max_sweeps) {
  ChainSolve result = {{__builtin_inf(), __builtin_inf(), __builtin_inf()}, 0, false};
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

/// Numbers of links, three each, between the arrays and where the state has them: slots 2 j and 2 j
/// + 1 are the links pairs - j ahead of the middle one and behind it. With an even number of links
/// the first slot of the rear half stands for none.
inline bool has_stand_in(const ChainArrays& k) { return k.base < k.pairs; }

/// `field` picks the three numbers of a group.
template <typename Field>
inline void load_links(const ChainArrays& k, const double* from, Field field) {
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
inline void store_links(const ChainArrays& k, Field field, double* to) {
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
inline V load_servos(const ChainState& state, double dt, int a, double* const to[4]) {
  const V k_P = load<V>(state.k_P + a);
  const V k_D = load<V>(state.k_D + a);
  const V sd = dt * k_D + 0.5 * dt * dt * k_P;
  const V limit = dt * load<V>(state.tau_max + a);
  const V sr = dt * (load<V>(state.tau + a) +
                     k_P * (load<V>(state.phi_d + a) - load<V>(state.phi + a)) +
                     k_D * load<V>(state.phidot_d + a));
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
void load_joints(ChainArrays& k, const ChainState& state) {
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
      ChainGroup& g = k.groups[2 * pair / kGroup];
      const int h = place_of_pair(pair);
      const Angles at = angles_of<axes>(k, pair, axis);
      store(g.sd[axis] + h, load_both(to[0], at));
      store(g.sr[axis] + h, load_both(to[1], at));
      store(g.limit[axis] + h, load_both(to[2], at));
      store(g.rate[axis] + h, load_both(to[3], at));
    }
    if (has_stand_in(k)) {
      ChainGroup& g = k.groups[0];
      g.sd[axis][1] = 1.0;
      g.sr[axis][1] = g.rate[axis][1] = 0.0;
      g.limit[axis][1] = __builtin_inf();
    }
  }
}

void load_motion(ChainArrays& k, const ChainState& state) {
  load_links(k, state.v, [](ChainGroup& g) { return g.u_v; });
  load_links(k, state.omega, [](ChainGroup& g) { return g.u_w; });
  load_links(k, state.l, [](ChainGroup& g) { return g.u_l; });
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
  __builtin_memcpy(&value, history + ChainMemory::closed, sizeof value);
  return value;
}

/// Impulses (N, T_1, T_2, …) of the last step, and a second-order guess from the last three where
/// they are all there.
struct Recalled {
  Quad newest, guess;
};
inline Recalled recall_one(const unsigned char* history) {
  constexpr int kStep = ChainMemory::impulse;
  const Quad x_1 = quad_at(history);
  if (closed_at(history) < 3) return {x_1, x_1};
  const Quad three = join(Two{3.0, 3.0}, Two{3.0, 3.0});
  // what follows x_3 is no double, and as one it would be denormal, which is slow
  const Quad x_3 = first_three(quad_at(history + 2 * kStep));
  return {x_1, mul_add(three, x_1 - quad_at(history + kStep), x_3)};
}
/// Of the four slots of a group; `N` may be none.
inline void recall_four(unsigned char* const memory[4], int offset, int h, double* N,
                        ChainDisc& disc) {
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
inline void clear_point(ChainGroup& g, int key, int i) {
  g.point[key].N[i] = 0.0;
  ChainDisc* const discs[] = {&g.point[key].sliding, &g.rolling[key]};
  for (ChainDisc* disc : discs) {
    disc->T_1[i] = disc->T_2[i] = disc->A_1[i] = disc->A_2[i] = 0.0;
  }
}

void recall(ChainArrays& k, const ChainState& state) {
  for (int slot = 0; slot < k.slots; slot += 4) {
    ChainGroup& g = k.groups[slot / kGroup];
    const int h = slot % kGroup;
    unsigned char* memory[4];
    for (int i = 0; i < 4; ++i) {
      const int at = k.memory_at[slot + i];
      memory[i] = state.memory + (at < 0 ? 0 : at);
    }
    for (int key = 0; key < 2; ++key) {
      const int at = key * ChainMemory::size;
      recall_four(memory, at + ChainMemory::sliding, h, g.point[key].N, g.point[key].sliding);
      if (k.rolling) recall_four(memory, at + ChainMemory::rolling, h, nullptr, g.rolling[key]);
    }
  }
  for (int key = 0; key < 2; ++key) {  // what stands for no link
    for (int slot = k.root + 1; slot < k.slots; ++slot) {
      clear_point(k.groups[slot / kGroup], key, slot % kGroup);
    }
    if (has_stand_in(k)) clear_point(k.groups[0], key, 1);
  }
}

/// Newest impulse first; as nonsmooth::remember().
inline void remember_one(unsigned char* history, Quad P, bool closed) {
  constexpr int kStep = ChainMemory::impulse;
  unsigned char older[2 * kStep];
  __builtin_memcpy(older, history, sizeof older);
  __builtin_memcpy(history, &P, sizeof P);  // the fourth number is overwritten next
  __builtin_memcpy(history + kStep, older, sizeof older);
  const int before = closed_at(history);
  const int now = closed ? (before < 3 ? before + 1 : 3) : 0;
  __builtin_memcpy(history + ChainMemory::closed, &now, sizeof now);
}

template <bool rolling>
int remember_all(const ChainArrays& k, const ChainState& state) {
  int count = 0;
  for (int slot = 0; slot < k.slots; slot += 4) {
    const ChainGroup& g = k.groups[slot / kGroup];
    const int h = slot % kGroup;
    for (int key = 0; key < 2; ++key) {
      const double* N = g.point[key].N + h;
      const auto rows = [&](const ChainDisc& disc) {
        return transpose({load<Quad>(N), load<Quad>(disc.T_1 + h), load<Quad>(disc.T_2 + h), Quad{}});
      };
      const Rows slide = rows(g.point[key].sliding);
      const Rows roll = rolling ? rows(g.rolling[key]) : Rows{};
      const auto keep = [&](int i, Quad slides, Quad rolls) {
        const int at = k.memory_at[slot + i];
        if (at < 0) return;
        unsigned char* memory = state.memory + at + key * ChainMemory::size;
        const bool closed = N[i] > 0.0;
        remember_one(memory + ChainMemory::sliding, slides, closed);
        if (rolling) remember_one(memory + ChainMemory::rolling, rolls, closed);
        __builtin_memcpy(memory + ChainMemory::last_active, N + i, sizeof *N);
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

int remember(const ChainArrays& k, const ChainState& state) {
  return k.rolling ? remember_all<true>(k, state) : remember_all<false>(k, state);
}

/// Torques at E from rates in the order of the angles; the older rates move down. Returns torque
/// times the rates at both ends.
template <typename V>
inline V finish_servos(const ChainState& state, double inverse_dt, int a, double* const from[4]) {
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
void unload_rates(const ChainArrays& k) {
  double* to = k.by_angle[3];
  for (int axis = 0; axis < axes; ++axis) {
    for (int pair = 0; pair < k.pairs; ++pair) {
      const ChainGroup& g = k.groups[2 * pair / kGroup];
      const Angles at = angles_of<axes>(k, pair, axis);
      const Two rate = load<Two>(g.rate[axis] + place_of_pair(pair));
      to[at.rear] = rate[1];
      to[at.front] = rate[0];  // last: where there is no rear joint, both are this one
    }
  }
}

/// Rates and torques at E. Returns the servos' work.
double finish_joints(const ChainArrays& k, const ChainState& state) {
  double* const of[4] = {k.by_angle[0], k.by_angle[1], k.by_angle[2], k.by_angle[3]};
  const int count = k.axes * (k.n - 1);
  const double inverse_dt = 1.0 / k.dt;
  Sum work;
  int a = 0;
  for (; a + 8 <= count; a += 8) {
    for (int part = 0; part < 8; part += kLanes) {
      work.add(part, finish_servos<Lanes>(state, inverse_dt, a + part, of));
    }
  }
  double rest = 0.0;
  for (; a < count; ++a) rest += finish_servos<double>(state, inverse_dt, a, of);
  return 0.5 * k.dt * (work.total() + rest);
}

ChainWork finish(ChainArrays& k, const ChainState& state) {
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
    ChainGroup& g = k.groups[i / kGroup];
    const int h = place_of(i);
    const Lanes m = load<Lanes>(g.m + h);
    const Lanes L_SC = load<Lanes>(g.L_SC + h);
    const Vector r = load_vector(g.r, h);
    const Vector e = load_vector(g.e, h);
    const Vector w = load_vector(g.w, h);
    const Vector u = add_cross(load_vector(g.v, h), w, r);
    const Vector l = add_scaled(load<Lanes>(g.Theta_psi + h) * w,
                                load<Lanes>(g.Theta_d + h) * dot(e, w), e);
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
      const ChainPoint& point = g.point[q];
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
  store_links(k, [](const ChainGroup& g) { return g.u_v; }, state.v);
  store_links(k, [](const ChainGroup& g) { return g.w; }, state.omega);
  store_links(k, [](const ChainGroup& g) { return g.u_l; }, state.l);
  store_links(k, [](const ChainGroup& g) { return g.d_w; }, state.ground_impulse);
  return {T_A.total(),     T_E.total(),     friction.total(),
          contact.total(), gravity.total(), finish_joints(k, state)};
}

}  // namespace
}  // namespace COLUBER_PATH

#define COLUBER_JOIN(a, b) a##b
#define COLUBER_NAME(path) COLUBER_JOIN(path, _chain_kernels)
#define COLUBER_QUOTE(a) #a
#define COLUBER_TEXT(a) COLUBER_QUOTE(a)
ChainKernels COLUBER_NAME(COLUBER_PATH)() {
  using namespace COLUBER_PATH;
  return {COLUBER_TEXT(COLUBER_PATH), lanes::COLUBER_PATH::kLanes, place,        find_ground, load_motion, recall,  solve,
          gap,                        move_anchors, finish, remember};
}

}  // namespace coluber::spatial
