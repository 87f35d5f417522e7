#pragma once

#include "coluber/multibody/data.hpp"

// Products of twists, wrenches and rigid inertias for the recursions: the same as those of
// math/group.hpp and times(), with both halves of a six-vector in registers. Written into a
// six-vector by halves and read back as a whole, they would wait for memory at every body.

namespace coluber::multibody {

/// Three components.
struct Three {
  double x, y, z;

  friend Three operator+(const Three& a, const Three& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend Three operator-(const Three& a, const Three& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend Three operator*(double s, const Three& a) { return {s * a.x, s * a.y, s * a.z}; }
};

inline Three cross(const Three& a, const Three& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double dot(const Three& a, const Three& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Three three(const Eigen::Vector3d& a) { return {a.x(), a.y(), a.z()}; }

/// R a.
inline Three turn(const Eigen::Matrix3d& R, const Three& a) {
  const double* r = R.data();
  return {r[0] * a.x + r[3] * a.y + r[6] * a.z, r[1] * a.x + r[4] * a.y + r[7] * a.z,
          r[2] * a.x + r[5] * a.y + r[8] * a.z};
}
/// R^T a.
inline Three turn_back(const Eigen::Matrix3d& R, const Three& a) {
  const double* r = R.data();
  return {r[0] * a.x + r[1] * a.y + r[2] * a.z, r[3] * a.x + r[4] * a.y + r[5] * a.z,
          r[6] * a.x + r[7] * a.y + r[8] * a.z};
}

/// A twist (V, Omega) or a wrench (N, C).
struct Six {
  Three linear, angular;

  friend Six operator+(const Six& a, const Six& b) {
    return {a.linear + b.linear, a.angular + b.angular};
  }
  friend Six operator-(const Six& a, const Six& b) {
    return {a.linear - b.linear, a.angular - b.angular};
  }
};

inline Six six(const Vector6d& x) {
  const double* v = x.data();
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}
inline void put(const Six& x, Vector6d& to) {
  double* v = to.data();
  v[0] = x.linear.x;
  v[1] = x.linear.y;
  v[2] = x.linear.z;
  v[3] = x.angular.x;
  v[4] = x.angular.y;
  v[5] = x.angular.z;
}
inline void add(const Six& x, Vector6d& to) { put(six(to) + x, to); }
inline double dot(const Six& a, const Six& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}

/// Ad_(g^-1) eta: a parent's twist at the child, in the child's components.
inline Six carry_out(const Pose& g, const Six& eta) {
  return {turn_back(g.R, eta.linear + cross(eta.angular, three(g.p))), turn_back(g.R, eta.angular)};
}
/// Ad_(g^-1)^T F: a child's wrench at the parent, in the parent's components.
inline Six carry_in(const Pose& g, const Six& F) {
  const Three N = turn(g.R, F.linear);
  return {N, turn(g.R, F.angular) + cross(three(g.p), N)};
}

/// I w of a symmetric matrix.
inline Three times(const SymmetricInertia& I, const Three& w) {
  return {I.xx * w.x + I.xy * w.y + I.xz * w.z, I.xy * w.x + I.yy * w.y + I.yz * w.z,
          I.xz * w.x + I.yz * w.y + I.zz * w.z};
}
/// [[m 1, -h^], [h^, I]] x.  Ali (3.5)
inline Six times(const RigidInertia& M, const Six& x) {
  const Three h = three(M.h);
  return {M.m * x.linear - cross(h, x.angular), times(M.I, x.angular) + cross(h, x.linear)};
}

/// Adds M x of a full matrix. Not inlined: bodies in a fluid alone have one, and six columns in the
/// middle of a recursion leave no registers to the rest of it.
void add_product(const Matrix6d& M, const Six& x, Six& out);

/// M_j x of one body, with what a fluid adds.
inline Six inertia_times(const Model& model, int j, const Vector6d& x) {
  Six out = times(model.node(j).M, six(x));
  if (!model.added.empty()) add_product(model.added[static_cast<std::size_t>(j)], six(x), out);
  return out;
}

/// ad_eta^T p: gyroscopic wrench of a momentum.  Ali (3.13)
inline Six gyroscopic(const Six& eta, const Six& p) {
  return {cross(p.linear, eta.angular),
          cross(p.linear, eta.linear) + cross(p.angular, eta.angular)};
}

/// The inertia of a child, seen at its parent's origin and in its axes, added to the parent's:
/// R I R^T by its six entries, and the shift by p.
inline void add_to_parent(const Pose& g, const RigidInertia& M, RigidInertia& parent) {
  const double* r = g.R.data();
  const Three x{r[0], r[3], r[6]};  // rows of R
  const Three y{r[1], r[4], r[7]};
  const Three z{r[2], r[5], r[8]};
  const Three p = three(g.p);
  const Three own = three(M.h);
  const Three h{dot(x, own), dot(y, own), dot(z, own)};
  const Three q = h + (0.5 * M.m) * p;
  const Three shift{2.0 * p.x * q.x, 2.0 * p.y * q.y, 2.0 * p.z * q.z};
  const Three I_x = times(M.I, x);
  const Three I_y = times(M.I, y);
  const Three I_z = times(M.I, z);
  const double xx = dot(x, I_x) + (shift.y + shift.z);
  const double yy = dot(y, I_y) + (shift.x + shift.z);
  const double zz = dot(z, I_z) + (shift.x + shift.y);
  const double xy = dot(y, I_x) - (p.x * q.y + p.y * q.x);
  const double xz = dot(z, I_x) - (p.x * q.z + p.z * q.x);
  const double yz = dot(z, I_y) - (p.y * q.z + p.z * q.y);
  const Three moved = h + M.m * p;
  parent.m += M.m;
  parent.h.x() += moved.x;
  parent.h.y() += moved.y;
  parent.h.z() += moved.z;
  parent.I.xx += xx;
  parent.I.yy += yy;
  parent.I.zz += zz;
  parent.I.xy += xy;
  parent.I.xz += xz;
  parent.I.yz += yz;
}

}  // namespace coluber::multibody
