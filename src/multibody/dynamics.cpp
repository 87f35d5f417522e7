#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "multibody/parts.hpp"
#include "multibody/spatial.hpp"

namespace coluber::multibody {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// A pivot of the inertia below this share of the largest is none.
constexpr double kLeastInertia = 1e-13;

/// Force at a body's centre of mass, per kg, and moment about it, per kg m² on `spin`.
struct PerMass {
  Vector3d force = Vector3d::Zero();
  Vector3d spin = Vector3d::Zero();
};

PerMass apply(const Force& law, const Vector3d& v, const Vector3d& Omega) {
  const Vector3d c{law.c_along, law.c_across, law.c_across};
  switch (law.law) {
    case ForceLaw::viscous:
      return {-c.cwiseProduct(v), -law.c_turn * Omega};
    case ForceLaw::quadratic:
      return {-c.cwiseProduct(v.cwiseAbs()).cwiseProduct(v),
              -law.c_turn * Omega.cwiseAbs().cwiseProduct(Omega)};
    case ForceLaw::coulomb_smooth:
      break;
  }
  const double speed = std::sqrt(v.x() * v.x() + v.y() * v.y() + law.v_smooth * law.v_smooth);
  return {-law.load / speed * Vector3d{law.mu_along * v.x(), law.mu_across * v.y(), 0.0},
          Vector3d::Zero()};
}

/// Adds a law's wrench on body j; its power (W).
double add_force(const Model& model, int j, const Force& law, Data::Body& body) {
  const Body& what = model.body(j);
  const Vector3d Omega = body.eta.tail<3>();
  const Vector3d v = body.eta.head<3>() + Omega.cross(what.c);
  const PerMass each = apply(law, v, Omega);
  const Vector3d force = what.m * each.force;
  const Vector3d moment = what.I_c * each.spin;
  body.F_in.head<3>() += force;
  body.F_in.tail<3>() += moment + what.c.cross(force);
  return force.dot(v) + moment.dot(Omega);
}

/// Ad^T M Ad of a child, added to the parent's.
[[gnu::noinline]] void add_to_parent(const Pose& g, const Matrix6d& M, Matrix6d& parent) {
  const Matrix6d Ad = math::Ad(math::inverse(g));
  parent += Ad.transpose() * M * Ad;
}

/// Weights at the centres of mass.
void add_weights(const Model& model, const Matrix3d& R, Data& data) {
  data.body[0].gravity = R.transpose() * Vector3d{0.0, 0.0, -model.gravity};
  for (int j = 0; j < model.size(); ++j) {
    Data::Body& body = data.body[static_cast<std::size_t>(j)];
    const Node& node = model.node(j);
    if (j > 0) {
      body.gravity.noalias() =
          body.g.R.transpose() * data.body[static_cast<std::size_t>(node.parent)].gravity;
    }
    const Three g = three(body.gravity);
    const Six weight{node.M.m * g, cross(three(node.M.h), g)};
    data.power_gravity += dot(weight, six(body.eta));
    add(weight, body.F_in);
  }
}

}  // namespace

[[gnu::noinline]] void add_product(const Matrix6d& M, const Six& x, Six& out) {
  Vector6d all;
  put(x, all);
  out = out + six(M * all);
}

Vector6d times(const RigidInertia& M, const Vector6d& x) {
  Vector6d out;
  put(times(M, six(x)), out);
  return out;
}

// F_gyr,j + F_ext,j  Ali (3.13), (3.17). Gravity hangs on the centres of mass; wheels that slide
// rub with -c (w · η) w.
void update_forces(const Model& model, const Matrix3d& R, Data& data, bool loads) {
  data.power_friction = 0.0;
  data.power_gravity = 0.0;
  double twice_energy = 0.0;
  for (int j = 0; j < model.size(); ++j) {
    Data::Body& body = data.body[static_cast<std::size_t>(j)];
    const Six eta = six(body.eta);
    const Six momentum = inertia_times(model, j, body.eta);
    put(momentum, body.momentum);
    twice_energy += dot(eta, momentum);
    const Six F = gyroscopic(eta, momentum);
    put(F, body.F_in);
  }
  data.energy = 0.5 * twice_energy;
  if (!loads) return;
  if (model.gravity != 0.0) add_weights(model, R, data);
  for (const Force& law : model.forces) {
    if (law.bodies.empty()) {
      for (int j = 0; j < model.size(); ++j) {
        data.power_friction += add_force(model, j, law, data.body[static_cast<std::size_t>(j)]);
      }
    }
    for (int j : law.bodies) {
      data.power_friction += add_force(model, j, law, data.body[static_cast<std::size_t>(j)]);
    }
  }
  for (int w = 0; w < static_cast<int>(model.wheels.size()); ++w) {
    const Wheel& wheel = model.wheel(w);
    if (!wheel.rubs()) continue;
    Data::Body& body = data.body[static_cast<std::size_t>(wheel.body)];
    const Vector6d across = from_plane(data.wheel[static_cast<std::size_t>(w)].across);
    const double slip = across.dot(body.eta);
    data.lambda(w) = -wheel.side_friction * slip;
    body.F_in += data.lambda(w) * across;
    data.power_friction += data.lambda(w) * slip;
  }
}

// M_i⁺ += Ad^T M_j⁺ Ad, F_i⁺ += Ad^T (F_j⁺ - M_j⁺ ζ_j), with ζ_j without η̇_o.
//
// Differs: Ali (3.28) prints a minus before F_j⁺, which contradicts (3.24).
void update_composite(const Model& model, Data& data) {
  const bool added = !model.added.empty();
  for (int j = 0; j < model.size(); ++j) {
    Data::Body& body = data.body[static_cast<std::size_t>(j)];
    body.F_plus = body.F_in;
    body.composite = model.node(j).M;
  }
  if (added) data.composite_added = model.added;
  for (int j = model.size() - 1; j >= 1; --j) {
    Data::Body& body = data.body[static_cast<std::size_t>(j)];
    const Node& node = model.node(j);
    const auto i = static_cast<std::size_t>(node.parent);
    const JointRate acceleration = joint_rate(node, data.rddot);
    Six zeta = six(body.zeta);
    zeta.linear.z += acceleration.along;
    zeta.angular.z += acceleration.about;
    Six wrench = six(body.F_plus) - times(body.composite, zeta);
    if (added) {
      const Matrix6d& own = data.composite_added[static_cast<std::size_t>(j)];
      Six fluid{};
      add_product(own, zeta, fluid);
      wrench = wrench - fluid;
      add_to_parent(body.g, own, data.composite_added[i]);
    }
    add(carry_in(body.g, wrench), data.body[i].F_plus);
    add_to_parent(body.g, body.composite, data.body[i].composite);
  }
  const RigidInertia& M = data.body[0].composite;
  data.M_o.setZero();
  data.M_o.topLeftCorner<3, 3>().diagonal().setConstant(M.m);
  data.M_o.topRightCorner<3, 3>() = -math::hat(M.h);
  data.M_o.bottomLeftCorner<3, 3>() = math::hat(M.h);
  data.M_o.bottomRightCorner<3, 3>() = M.I.matrix();
  if (added) data.M_o += data.composite_added[0];
}

// Unconstrained: M_o⁺ η̇_o = F_o⁺ (3.29). On wheels, with the rows at acceleration level,
//   a_p = -A^†(B r̈ + γ),  ẋ = a_p + H (H^T M H)^{-1} H^T (F - M a_p),
// which needs no derivative of a basis of the free directions.  Ali (3.66), (3.67)
Outcome solve_dynamics(const Model& model, Data& data) {
  if (!model.planar) {
    const Eigen::LDLT<Matrix6d> factor(data.M_o);
    data.singular_value = factor.vectorD().cwiseAbs().minCoeff();
    if (!(data.singular_value > kLeastInertia * data.M_o.diagonal().maxCoeff())) {
      return {Outcome::Kind::inertia, 0, data.singular_value, Vector3d::Zero()};
    }
    data.etadot_o = factor.solve(data.body[0].F_plus);
    return {};
  }
  const RowBasis& basis = data.base.basis;
  static constexpr int at[3] = {0, 1, 5};
  Matrix3d M;
  Vector3d F;
  for (int i = 0; i < 3; ++i) {
    F(i) = data.body[0].F_plus(at[i]);
    for (int k = 0; k < 3; ++k) M(i, k) = data.M_o(at[i], at[k]);
  }
  const Vector3d a_p = solve_rows(basis, data.base.rows.gamma);
  const int free = 3 - basis.rank;
  // The bound directions get a unit matrix: their part is zero.
  Matrix3d H = Matrix3d::Zero();
  H.rightCols(free) = basis.q.bottomRows(free).transpose();
  Matrix3d reduced = H.transpose() * M * H;
  for (int k = 0; k < basis.rank; ++k) reduced(k, k) = 1.0;
  const Eigen::LDLT<Matrix3d> factor(reduced);
  const double pivot = factor.vectorD().minCoeff();
  if (!(pivot > kLeastInertia * std::min(1.0, M.diagonal().maxCoeff()))) {
    return {Outcome::Kind::inertia, 0, pivot, basis.q.row(2).transpose()};
  }
  const Vector3d y = factor.solve(Vector3d{H.transpose() * (F - M * a_p)});
  data.etadot_o = from_plane(a_p + H * y);
  return {};
}

}  // namespace coluber::multibody
