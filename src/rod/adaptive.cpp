#include "rod/adaptive.hpp"

#include <algorithm>
#include <cmath>

#include "rod/parts.hpp"

// The operators as the source integrates them, with a step that adapts from section to section.
// Entries: R by columns, p, y; f2 adds z, the inertia, the wrench, momentum, energies and powers;
// f3 adds Λ in the head's axes, and the actuators' power.

namespace coluber::rod {

namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr Index kShape = 18, kZ = 18, kP = 24, kS = 33, kI = 42, kF = 51, kMomentum = 57,
                kScalars = 63, kMotion = 67, kLambda = 24, kPower = 30, kInternal = 31;

/// A quadratic force has a kink where its velocity changes sign. There a step's error is larger
/// than its estimate.
math::Dopri5Options tolerances(const Model& model) {
  const bool kinks = std::ranges::any_of(
      model.forces, [](const Force& force) { return force.law == ForceLaw::quadratic; });
  const double rtol = std::max(1e-14, kinks ? 1e-2 * model.space_rtol : model.space_rtol);
  return {.rtol = rtol, .atol = rtol * 1e-2};
}

void read_shape(const Eigen::Ref<const Eigen::VectorXd>& state, Pose& h, Vector6d& y) {
  h.R = Eigen::Map<const Matrix3d>(state.data());
  h.p = state.segment<3>(9);
  y = state.segment<6>(12);
}

void start_shape(Eigen::VectorXd& state) {
  state.setZero();
  state(0) = state(4) = state(8) = 1.0;
}

void write_shape(const Eigen::VectorXd& state, Point& point) {
  read_shape(state, point.h, point.y);
  point.h.R = math::to_quaternion(point.h.R).toRotationMatrix();
}

/// Integrates over all points of the mesh; `visit(e)` at each of them, before the next.
template <typename Visit>
Fault march_adaptive(Data& data, math::Dopri5& dopri5, Eigen::VectorXd& state, Visit visit) {
  Data::Marching& marching = *data.marching;
  dopri5.next_step() = 0.0;
  for (std::size_t e = 0;; ++e) {
    visit(e);
    if (e + 1 == data.points.size()) return Fault::none;
    const double a = data.points[e].X;
    const double b = data.points[e + 1].X;
    if (!(b > a)) continue;
    const math::Advance outcome = dopri5.advance(marching, a, b, state);
    if (outcome == math::Advance::ok) continue;
    data.bad_X = marching.bad_X >= 0.0 ? marching.bad_X : b;
    return marching.bad_X >= 0.0 ? Fault::strain : Fault::space;
  }
}

Data::Marching& prepare(const Model& model, const StrainLaw& strain, double t, Data& data,
                        Operator which) {
  Data::Marching& marching = *data.marching;
  marching.model = &model;
  marching.strain = &strain;
  marching.data = &data;
  marching.t = t;
  marching.bad_X = -1.0;
  marching.which = which;
  marching.gravity = data.g_o.R.transpose() * model.gravity;
  return marching;
}

}  // namespace

Data::Marching::Marching(const Model& of)
    : f1(kShape, tolerances(of)),
      f2(kMotion, tolerances(of)),
      f3(kInternal, tolerances(of)),
      y1(kShape),
      y2(kMotion),
      y3(kInternal) {}

bool Data::Marching::compute_rate(double X, const Eigen::Ref<const Eigen::VectorXd>& state,
                                  Eigen::Ref<Eigen::VectorXd> slope) {
  Strains at;
  strain->evaluate(t, {&X, 1}, {&at, 1});
  if (!at.xi.allFinite() || !(at.xi(0) > 0.0) || !at.xidot.allFinite() || !at.xiddot.allFinite()) {
    bad_X = X;
    return false;
  }
  Pose h;
  Vector6d y;
  read_shape(state, h, y);
  const Matrix3d turn = h.R * math::hat(at.xi.tail<3>());
  slope.head<9>() = Eigen::Map<const Eigen::Matrix<double, 9, 1>>(turn.data());
  slope.segment<3>(9) = h.R * at.xi.head<3>();
  const Vector6d ydot = twist_to_head(h, at.xidot);
  slope.segment<6>(12) = ydot;
  if (which == Operator::f1) return slope.allFinite();

  const SectionInertia inertia(*model);
  const Vector6d eta = data->eta_o + y;
  const Vector6d z = state.segment<6>(kZ);
  slope.segment<6>(kZ) = twist_to_head(h, at.xiddot) - bracket(ydot, eta);
  const Vector6d pi = inertia(h, eta);
  const SectionForce force = compute_section_force(*model, h, eta, gravity);
  const Vector6d F = dual_bracket(eta, pi) - inertia(h, z) + force.wrench;
  if (which == Operator::f3) {  // here z starts from the true η̇_o
    const Vector6d Lambda = state.segment<6>(kLambda);
    slope.segment<6>(kLambda) = -F;
    slope(kPower) = -Lambda.dot(ydot);
    return slope.allFinite();
  }
  Composite M;
  M.add(1.0, model->M, h);
  slope.segment<9>(kP) = Eigen::Map<const Eigen::Matrix<double, 9, 1>>(M.P.data());
  slope.segment<9>(kS) = Eigen::Map<const Eigen::Matrix<double, 9, 1>>(M.S.data());
  slope.segment<9>(kI) = Eigen::Map<const Eigen::Matrix<double, 9, 1>>(M.I.data());
  slope.segment<6>(kF) = F;
  slope.segment<6>(kMomentum) = pi;
  slope.segment<4>(kScalars) << 0.5 * pi.dot(eta), pi.dot(z), force.friction, force.gravity;
  return slope.allFinite();
}

Fault update_shape_adaptive(const Model& model, const StrainLaw& strain, double t, Data& data) {
  Data::Marching& marching = prepare(model, strain, t, data, Operator::f1);
  start_shape(marching.y1);
  return march_adaptive(data, marching.f1, marching.y1,
                        [&](std::size_t e) { write_shape(marching.y1, data.points[e]); });
}

Fault update_motion_adaptive(const Model& model, const StrainLaw& strain, double t, Data& data) {
  Data::Marching& marching = prepare(model, strain, t, data, Operator::f2);
  Eigen::VectorXd& state = marching.y2;
  start_shape(state);
  state.segment<6>(kF) = data.loads.F_minus;
  const Fault fault = march_adaptive(
      data, marching.f2, state, [&](std::size_t e) { data.points[e].z = state.segment<6>(kZ); });
  if (fault != Fault::none) return fault;
  Composite M;
  M.P = Eigen::Map<const Matrix3d>(&state(kP));
  M.S = Eigen::Map<const Matrix3d>(&state(kS));
  M.I = Eigen::Map<const Matrix3d>(&state(kI));
  M.write(data.M_o);
  data.F_o = state.segment<6>(kF);
  data.momentum = state.segment<6>(kMomentum);
  data.energy = state(kScalars);
  data.power_energy = state(kScalars + 1);
  data.power_friction = state(kScalars + 2);
  data.power_gravity = state(kScalars + 3);
  return Fault::none;
}

Fault update_internal_adaptive(const Model& model, const StrainLaw& strain, double t, Data& data) {
  Data::Marching& marching = prepare(model, strain, t, data, Operator::f3);
  Eigen::VectorXd& state = marching.y3;
  start_shape(state);
  state.segment<6>(kZ) = data.etadot_o;
  state.segment<6>(kLambda) = -data.loads.F_minus;
  std::size_t next = 0;
  const Fault fault = march_adaptive(data, marching.f3, state, [&](std::size_t e) {
    Point& point = data.points[e];
    const Vector6d Lambda = state.segment<6>(kLambda);
    point.Lambda = wrench_to_section(point.h, Lambda);
    for (; next < data.contacts.size() && static_cast<std::size_t>(data.contacts[next].point) == e;
         ++next) {
      state.segment<6>(kLambda) -= math::to_parent(point.h, data.contacts[next].wrench);
    }
  });
  if (fault != Fault::none) return fault;
  data.actuator_power = state(kPower);
  data.end_residual =
      (wrench_to_section(data.points.back().h, state.segment<6>(kLambda)) - data.loads.F_plus)
          .norm();
  return Fault::none;
}

}  // namespace coluber::rod
