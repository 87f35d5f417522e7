// The law of friction on a disc, |T| <= R in scaled variables, written once for every step that
// solves it: the plain step includes this file for `double` (contact_law.hpp), the kernels of the
// fast steps include it for the lanes of their instruction set (math/lanes.inl).
//
// To be included inside a namespace that has the arithmetic of the number type V: mul_add(a, b, c)
// = a b + c, sub_mul(c, a, b) = c - a b, square_root, complement(mask), and quotients(a, b, x, c,
// y) = (a/x, b/x, c/y). Whether a product is fused with its sum, and how many divisions there are,
// is theirs to say; the formulas are here. Nothing is included: a kernel must not define inline
// functions with external linkage.

/// The mask of a law that always holds, as on a point with a given load.
struct Always {};
template <typename Mask>
inline Mask operator&(Always /*unused*/, Mask mask) {
  return mask;
}

/// A law on a disc at one velocity, linearised: T+ = q - n dN - K dgamma, where dN = k_N dgamma_N.
/// K = I/c_t (stick) or k t t^T with t across n (slip); all zero for an open contact.
template <typename V>
struct DiscLaw {
  V q_1, q_2;
  V n_1, n_2;  // slip direction; couples the friction to P_N of the same sweep
  V k_11, k_12, k_22;
  V end_1, end_2;  // nearest point of the disc to s: what T is at a solution
};

/// With h = gamma - c_t A and the point that is projected on the disc, s = T - r (gamma + c_t (T -
/// A)). Where `closed` does not hold, R and q_N are zero.
template <typename V, typename Mask>
inline DiscLaw<V> linearise_disc(V s_1, V s_2, V h_1, V h_2, V R, V q_N, V c_t, V inverse_c_t, V r,
                                 Mask closed) {
  const V zero = {};
  const V square = mul_add(s_2, s_2, s_1 * s_1);
  const auto inside = square <= R * R;
  const auto stick = closed & inside;
  const auto slip = closed & complement(inside);
  // Slip; at a solution k = R/|gamma_t| and r has dropped out. Where the point does not slip these
  // divisions may be by zero, and are not used.
  const V norm = square_root(square);
  const V Rr = R * r;
  const auto slide = quotients(s_1, s_2, norm, Rr, mul_add(Rr, c_t, norm - R));
  const V n_1 = slip ? slide.a : zero;
  const V n_2 = slip ? slide.b : zero;
  const V k = slip ? slide.c : zero;
  const V hold = stick ? inverse_c_t : zero;
  const V h_t = k * sub_mul(n_1 * h_2, n_2, h_1);
  const V k_1 = k * n_1;
  return {sub_mul(mul_add(h_t, n_2, q_N * n_1), hold, h_1),
          sub_mul(sub_mul(q_N * n_2, h_t, n_1), hold, h_2),
          n_1,
          n_2,
          mul_add(k * n_2, n_2, hold),
          -k_1 * n_2,
          mul_add(k_1, n_1, hold),
          stick ? s_1 : R * n_1,
          stick ? s_2 : R * n_2};
}

/// Two components.
template <typename V>
struct Tangent {
  V t_1, t_2;
};

/// T - K dgamma
template <typename V>
inline Tangent<V> subtract_compliance(V T_1, V T_2, V k_11, V k_12, V k_22, V d_1, V d_2) {
  return {sub_mul(sub_mul(T_1, k_11, d_1), k_12, d_2), sub_mul(sub_mul(T_2, k_12, d_1), k_22, d_2)};
}

/// |F|² of the law, scaled, F = T - prox_disc(s, R).
template <typename V>
inline V disc_defect(V T_1, V T_2, V s_1, V s_2, V R) {
  const V one = V{} + 1.0;
  const V square = s_1 * s_1 + s_2 * s_2;
  const V scale = square <= R * R ? one : R / square_root(square);
  const V F_1 = T_1 - scale * s_1;
  const V F_2 = T_2 - scale * s_2;
  return F_1 * F_1 + F_2 * F_2;
}
