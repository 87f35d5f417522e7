// The same numbers by another formulation: a planar rod in the inertial frame.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/rod/data.hpp"

namespace coluber::rod {
namespace second_route_test {

using Eigen::Vector2d;

/// Composite inertia and F_in of a planar rod at a state, from positions and accelerations of its
/// sections in the world: plain sums over fine slices, no groups.
struct Inertial {
  double mass = 0.0;
  Vector2d first = Vector2d::Zero();  ///< ∫ m (p − p_o)
  double second = 0.0;                ///< ∫ (m |p − p_o|² + J)
  Vector2d force = Vector2d::Zero();  ///< −∫ m p̈ where η̇_o = 0
  double torque = 0.0;
};

Inertial sum_up(const StrainLaw& strain, const Model& model, double t, const Vector6d& eta_o) {
  // θ(X) = ∫ K, p' = Γ_X (cos θ, sin θ) + Γ_Y (−sin θ, cos θ), differentiated twice in time. In the
  // frame that coincides with the head now: θ̇_o = Ω, v_o = V, v̇_o = Ω × V (components' rate is 0).
  const int n = 4000;
  const double h = model.l / n;
  const double m = model.M(0);
  const double J = model.M(5);
  struct State {
    double th, om, al;
    Vector2d p, v, a;
  };
  const double Om = eta_o(5);
  const Vector2d V = eta_o.head<2>();
  State s{0.0, Om, 0.0, Vector2d::Zero(), V, Om * Vector2d(-V.y(), V.x())};
  const auto slope = [&](double X, const State& at) {
    Strains now;
    strain.evaluate(t, {&X, 1}, {&now, 1});
    const Vector2d e(std::cos(at.th), std::sin(at.th));
    const Vector2d f(-e.y(), e.x());
    const auto turned = [&](const Vector2d& g) { return Vector2d(g.x() * e + g.y() * f); };
    const auto across = [](const Vector2d& g) { return Vector2d(-g.y(), g.x()); };
    const Vector2d G = now.xi.head<2>();
    const Vector2d Gd = now.xidot.head<2>();
    const Vector2d Gdd = now.xiddot.head<2>();
    State out{};
    out.th = now.xi(5);
    out.om = now.xidot(5);
    out.al = now.xiddot(5);
    out.p = turned(G);
    out.v = turned(Gd) + at.om * across(turned(G));
    out.a = turned(Gdd) + 2.0 * at.om * across(turned(Gd)) + at.al * across(turned(G)) -
            at.om * at.om * turned(G);
    return out;
  };
  const auto plus = [](const State& a, double w, const State& b) {
    return State{a.th + w * b.th,         a.om + w * b.om,         a.al + w * b.al,
                 Vector2d(a.p + w * b.p), Vector2d(a.v + w * b.v), Vector2d(a.a + w * b.a)};
  };
  Inertial out;
  const auto add = [&](double weight, const State& at) {
    out.mass += weight * m;
    out.first += weight * m * at.p;
    out.second += weight * (m * at.p.squaredNorm() + J);
    out.force -= weight * m * at.a;
    out.torque -= weight * (m * (at.p.x() * at.a.y() - at.p.y() * at.a.x()) + J * at.al);
  };
  for (int i = 0; i < n; ++i) {
    const double X = i * h;
    const State k1 = slope(X, s);
    const State k2 = slope(X + 0.5 * h, plus(s, 0.5 * h, k1));
    const State k3 = slope(X + 0.5 * h, plus(s, 0.5 * h, k2));
    const State k4 = slope(X + h, plus(s, h, k3));
    State end = plus(s, h / 6.0, k1);
    end = plus(plus(plus(end, h / 3.0, k2), h / 3.0, k3), h / 6.0, k4);
    // Simpson with the middle from the cubic through values and slopes at both ends
    const State end_slope = slope(X + h, end);
    State middle = plus(plus(plus(plus(s, -0.5, s), 0.5, end), h / 8.0, k1), -h / 8.0, end_slope);
    add(h / 6.0, s);
    add(4.0 * h / 6.0, middle);
    add(h / 6.0, end);
    s = end;
  }
  return out;
}

TEST(SecondRoute, InertiaAndWrenchAreThoseOfTheInertialFrameToTheSchemesOrder) {
  const auto strain = make_strain(std::vector<Wave>{
      {0, 0.2, 1.0, 3.0, 0.3}, {1, 0.15, 0.8, 2.0, 1.1}, {5, 6.0, 1.0, 2.7, 1.9}});
  const double t = 0.73;
  const Vector6d eta_o{{0.4, -0.3, 0.0, 0.0, 0.0, 1.7}};
  Model model;
  model.group = Group::SE2;
  const Inertial other = sum_up(*strain, model, t, eta_o);
  std::vector<double> errors;
  for (const auto& [space, elements] :
       {std::pair{Space::magnus4, 40}, {Space::magnus4, 80}, {Space::collocation6, 80}}) {
    model.space = space;
    model.elements = elements;
    Data data(model);
    ASSERT_EQ(update_shape(model, *strain, t, data), Fault::none);
    ASSERT_EQ(update_motion(model, *strain, t, {}, eta_o, data), Fault::none);
    const double error = std::max(
        {std::abs(data.F_o(0) - other.force.x()), std::abs(data.F_o(1) - other.force.y()),
         std::abs(data.F_o(5) - other.torque), std::abs(data.M_o(0, 0) - other.mass),
         std::abs(data.M_o(5, 1) - other.first.x()), std::abs(data.M_o(5, 0) + other.first.y()),
         std::abs(data.M_o(5, 5) - other.second)});
    errors.push_back(error);
    EXPECT_LE((data.M_o - data.M_o.transpose()).norm(), 1e-14);
  }
  EXPECT_GE(errors[0], 14.0 * errors[1]) << errors[0] << " " << errors[1];
  EXPECT_LE(errors[1], 2e-4);
  EXPECT_LE(errors[2], 1e-9);
}

}  // namespace second_route_test
}  // namespace coluber::rod
