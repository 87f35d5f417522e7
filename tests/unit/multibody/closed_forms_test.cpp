// Systems whose equations can be written down: Ali, chapter 4, and textbook vehicles.

#include <random>

#include <gtest/gtest.h>

#include "coluber/math/ode.hpp"
#include "coluber/multibody/evaluate.hpp"

#include "sample/trees.hpp"

namespace coluber::multibody {
namespace closed_forms_test {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Ali (4.4)-(4.6)
TEST(Satellite, ObeysItsEquationsAtRandomStates) {
  const Model model(sample::satellite());
  Data data(model);
  std::mt19937_64 random(1);
  const double I_w = 0.05;
  Matrix3d I = Vector3d(2.0, 3.0, 4.0).asDiagonal();
  I += Matrix3d::Identity() * (0.05 + 2 * 0.03);  // three rotors, one along each axis
  for (int k = 0; k < 1000; ++k) {
    const Vector3d rdot = sample::random_vector(random, 3, 20.0);
    const Vector3d rddot = sample::random_vector(random, 3, 20.0);
    Configuration at = sample::at_origin(model);
    at.eta.tail<3>() = sample::random_vector(random, 3, 1.0);
    const Program program = sample::frozen(sample::random_vector(random, 3, 3.0), rdot, rddot);
    ASSERT_TRUE(evaluate(model, Classification{}, program, 0.0, at, {}, data).ok());
    const Vector3d Omega = at.eta.tail<3>();
    const Vector3d Omegadot =
        I.inverse() * (-I_w * rddot - Omega.cross(Vector3d(I * Omega + I_w * rdot)));
    const double scale = 1.0 + Omegadot.norm();
    EXPECT_LE((data.etadot_o.tail<3>() - Omegadot).norm(), 1e-12 * scale);
    EXPECT_LE(data.etadot_o.head<3>().norm(), 1e-12 * scale);
    EXPECT_LE((data.tau - I_w * (Omegadot + rddot)).norm(), 1e-12 * (1.0 + data.tau.norm()));
  }
}

// Ali (4.17)-(4.20), with m l² for the moment of inertia about the centre
TEST(Snakeboard, ObeysItsEquationsAtRandomStates) {
  const Model model(sample::snakeboard());
  Data data(model);
  const Configuration start = sample::at_origin(model);
  const Classification as =
      classify(model, sample::snakeboard_gait(0.7, 1.0, 0.3, 1.0), start, 6.0, {}, data);
  EXPECT_EQ(as.which, Case::under_constrained);
  EXPECT_EQ(as.rank, 2);
  const double l = 0.2;
  const double ml2 = 4.0 * l * l;
  const double I_r = 0.072;
  const double I_w = 0.0013;
  ASSERT_NEAR(0.0454 + I_r + 2 * (I_w + 0.5 * l * l), ml2, 1e-15);
  std::mt19937_64 random(2);
  for (int k = 0; k < 1000; ++k) {
    const double phi = sample::uniform(random, -1.4, 1.4);
    const double phidot = sample::uniform(random, -2.0, 2.0);
    const double phidd = sample::uniform(random, -2.0, 2.0);
    const double psidd = sample::uniform(random, -2.0, 2.0);
    const double xi = sample::uniform(random, -1.0, 1.0);
    const double s = std::sin(phi);
    const double c = std::cos(phi);
    Configuration at = start;
    at.eta(0) = -2.0 * l * c * c * xi;
    at.eta(5) = 2.0 * s * c * xi;
    const Program program = sample::frozen(
        Vector3d(sample::uniform(random, -3, 3), -phi, phi),
        Vector3d(sample::uniform(random, -3, 3), -phidot, phidot), Vector3d(psidd, -phidd, phidd));
    ASSERT_TRUE(evaluate(model, as, program, 0.0, at, {}, data).ok());
    const double a = I_r / (2.0 * ml2);
    const Vector3d expected =  // (4.19)
        a * psidd * Vector3d(2.0 * l * s * c, 0.0, -2.0 * s * s) +
        phidot * xi * Vector3d(2.0 * l * s * c, 0.0, 2.0 * c * c);
    const Vector3d found{data.etadot_o(0), data.etadot_o(1), data.etadot_o(5)};
    EXPECT_LE((found - expected).norm(), 1e-12 * (1.0 + expected.norm())) << "phi " << phi;
    const double common = -I_w * I_r / ml2 * s * s * psidd + 2.0 * c * c * I_w * phidot * xi;
    const Vector3d tau{I_r * ((1.0 - I_r / ml2 * s * s) * psidd + 2.0 * c * c * phidot * xi),
                       common - I_w * phidd, common + I_w * phidd};
    EXPECT_LE((data.tau - tau).norm(), 1e-12 * (1.0 + tau.norm())) << "phi " << phi;
    EXPECT_LE(data.root_residual, 1e-12 * data.wrench_scale);
    EXPECT_LE(data.constraint_residual, 1e-14);
  }
}

TEST(Snakeboard, ACrosswiseAxlePairEndsIt) {
  const Model model(sample::snakeboard());
  Data data(model);
  const Program program = sample::snakeboard_gait(0.7, 1.0, 1.6, 1.0);
  Configuration at = sample::at_origin(model);
  const Classification as = classify(model, program, at, 6.0, {}, data);
  const double t = std::asin(0.5 * sample::pi / 1.6);  // φ = π/2
  EXPECT_LT(compute_singular_value(model, as, program, t, data), 1e-9);
  EXPECT_GT(compute_singular_value(model, as, program, t - 0.1, data), 1e-2);
}

// V̇ = a Ω², Ω̇ = -a V Ω/(a² + I/m): Chaplygin's sleigh, its blade a behind the centre of mass
TEST(Sleigh, TurnsAndGainsSpeedAsChaplyginSays) {
  const double a = 0.3;
  const double m = 2.0;
  const double I = 0.1;
  Tree tree;
  tree.bodies.push_back(sample::body_at(-1, Vector3d::Zero(), m, {I, I, I}));
  tree.bodies.back().c = {a, 0.0, 0.0};
  tree.wheels.push_back(sample::wheel_on(0));
  const Model model(tree);
  Data data(model);
  const Program program = [](double, Input&) {};
  const Classification as = classify(model, program, sample::at_origin(model), 1.0, {}, data);
  EXPECT_EQ(as.which, Case::under_constrained);
  Configuration at = sample::at_origin(model);
  at.eta(0) = 0.7;
  at.eta(5) = 1.3;
  ASSERT_TRUE(evaluate(model, as, program, 0.0, at, {}, data).ok());
  EXPECT_NEAR(data.etadot_o(0), a * 1.3 * 1.3, 1e-14);
  EXPECT_NEAR(data.etadot_o(5), -a * 0.7 * 1.3 / (a * a + I / m), 1e-14);
  EXPECT_NEAR(data.power_energy, 0.0, 1e-14);
}

// One driven and one free wheel on an axle: Ω̇ = -m b η̇_ra/(m b² + I), the driven wheel at +b
TEST(Unicycle, WithOneDrivenWheelSwingsAboutIt) {
  const double b = 0.15;
  const double m = 3.0;
  const double I = 0.2;
  const double rho = 0.05;
  Tree tree;
  tree.bodies.push_back(sample::body_at(-1, Vector3d::Zero(), m, {I, I, I}));
  tree.wheels = {sample::wheel_on(0, 0.0, b), sample::wheel_on(0, 0.0, -b)};
  tree.wheels[0].driven = true;
  for (Wheel& wheel : tree.wheels) wheel.radius = rho;
  const Model model(tree);
  Data data(model);
  const Program program = [](double t, Input& input) {
    input.thetadot(0) = 2.0 * std::sin(t);
    input.thetaddot(0) = 2.0 * std::cos(t);
  };
  Configuration at = sample::at_origin(model);
  const Classification as = classify(model, program, at, 6.0, {}, data);
  EXPECT_EQ(as.which, Case::partially_actuated);
  EXPECT_EQ(as.sliding_rank, 1) << "two wheels on one axle are one constraint";
  const double t = 0.8;
  const double Omega = 0.4;
  at.eta(5) = Omega;
  at.eta(0) = rho * 2.0 * std::sin(t) + b * Omega;
  ASSERT_TRUE(evaluate(model, as, program, t, at, {}, data).ok());
  const double forward = rho * 2.0 * std::cos(t);
  EXPECT_NEAR(data.etadot_o(5), -m * b * forward / (m * b * b + I), 1e-13);
  EXPECT_NEAR(data.thetadot(0), 2.0 * std::sin(t), 1e-13);
  // the motor's torque delivers the power; the printed sign (3.86) would take it
  EXPECT_NEAR(data.Gamma(0) * data.thetadot(0), data.power_energy, 1e-13);
  EXPECT_GT(std::abs(data.power_energy), 1e-3);
  EXPECT_GT(std::abs(-data.Gamma(0) * data.thetadot(0) - data.power_energy), 2e-3);
}

// R_(i+1)² = R_i² - L²: trailers behind a car on a circle, hitched at the axle before
TEST(Trailers, SettleOnCirclesInsideOneAnother) {
  const double L = 0.5;
  const double R = 3.0;
  Tree tree;
  tree.bodies.push_back(sample::body_at(-1, Vector3d::Zero(), 1.0, {0.1, 0.1, 0.1}));
  for (int i = 0; i < 3; ++i) {
    tree.bodies.push_back(
        sample::body_at(i, {i == 0 ? 0.0 : -L, 0.0, 0.0}, 0.5, {0.05, 0.05, 0.05}));
    tree.wheels.push_back(sample::wheel_on(i + 1, -L));
  }
  tree.wheels.push_back(sample::wheel_on(0));            // rear axle
  tree.wheels.push_back(sample::wheel_on(0, 1.0, 0.0));  // front wheel
  tree.wheels.back().kind = WheelKind::steered;
  tree.wheels[3].driven = true;
  tree.drive = true;
  tree.roles.assign(3, Role::follower);
  const Model model(tree);
  Data data(model);
  const Program program = [&](double, Input& input) {
    input.beta(4) = std::atan2(1.0, R);
    input.speed = 1.0;
  };
  Configuration at = sample::at_origin(model);
  const Classification as = classify(model, program, at, 60.0, {}, data);
  EXPECT_EQ(as.which, Case::fully_actuated);
  class Follow final : public math::Ode {
   public:
    std::function<bool(double, const VectorXd&, VectorXd&)> f;
    bool compute_rate(double t, const Eigen::Ref<const VectorXd>& y,
                      Eigen::Ref<VectorXd> ydot) override {
      VectorXd out(y.size());
      const bool good = f(t, y, out);
      ydot = out;
      return good;
    }
  } ode;
  ode.f = [&](double t, const VectorXd& y, VectorXd& ydot) {
    at.follower = y;
    const bool good = evaluate(model, as, program, t, at, {}, data).ok();
    ydot = data.rdot;
    return good;
  };
  math::Rk4 integrator(3);
  VectorXd y = VectorXd::Zero(3);
  for (int k = 0; k < 3000; ++k) ASSERT_TRUE(integrator.step(ode, 0.02 * k, 0.02, y));
  at.follower = y;
  ASSERT_TRUE(evaluate(model, as, program, 60.0, at, {}, data).ok());
  double radius = R;
  for (int i = 1; i <= 3; ++i) {
    radius = std::sqrt(radius * radius - L * L);
    const Vector6d& eta = data.body[static_cast<std::size_t>(i)].eta;
    EXPECT_NEAR(eta(0) / eta(5), radius, 1e-9) << "trailer " << i;
  }
  EXPECT_LE(data.constraint_residual, 1e-14);
}

// dE/dt = τ_a ṙ_a: a passive joint of a loop gives nothing  Ali (A.4)
TEST(FourBar, ItsOneMotorSuppliesAllPower) {
  Tree tree;
  tree.base_imposed = true;
  tree.gravity = 9.81;
  tree.bodies.push_back(sample::body_at(-1, Vector3d::Zero(), 1.0));
  const auto link = [&](int parent, double x, double length) {
    tree.bodies.push_back(sample::body_at(parent, {x, 0.0, 0.0}, 1.0 + length,
                                          Vector3d(0.0, 1.0, 1.0) * length * length / 12.0));
    tree.bodies.back().c = {0.5 * length, 0.0, 0.0};
  };
  link(0, 0.0, 0.3);
  link(1, 0.3, 0.7);
  link(0, 0.8, 0.6);
  tree.loops.push_back({2, 3, {0.7, 0.0, 0.0}, {0.6, 0.0, 0.0}});
  tree.roles = {Role::imposed, Role::loop, Role::loop};
  const Model model(tree);
  Data data(model);
  const Program program = [](double t, Input& input) {
    input.r(0) = 1.0 + 2.0 * t;
    input.rdot(0) = 2.0;
    input.rddot(0) = 0.0;
  };
  Configuration at = sample::at_origin(model);
  at.g.R = Eigen::AngleAxisd(0.5 * sample::pi, Vector3d::UnitX()).toRotationMatrix();  // upright
  at.passive << -0.48, 1.62;
  double largest = 0.0;
  for (int k = 0; k <= 30; ++k) {
    const double t = 0.1 * k;  // a whole turn
    ASSERT_TRUE(close_loops(model, program, t, at, data).ok());
    ASSERT_TRUE(evaluate(model, {Case::imposed, 0, 0, true}, program, t, at, {}, data).ok());
    const double power = data.tau(0) * data.rdot(0);
    EXPECT_NEAR(data.power_energy - data.power_gravity, power, 1e-12);
    EXPECT_EQ(data.tau(1), 0.0);
    largest = std::max(largest, std::abs(power));
    // both points of the loop move alike: the closure is kept to second order
    const double h = 1e-4;
    const VectorXd passive = at.passive;
    const VectorXd rate = Eigen::Vector2d(data.rdot(1), data.rdot(2));
    const VectorXd acceleration = Eigen::Vector2d(data.rddot(1), data.rddot(2));
    Configuration later = at;
    ASSERT_TRUE(close_loops(model, program, t + h, later, data).ok());
    EXPECT_LE((later.passive - passive - h * rate - 0.5 * h * h * acceleration).norm(), 1e-9);
  }
  EXPECT_GT(largest, 1.0);
}

}  // namespace closed_forms_test
}  // namespace coluber::multibody
