// Rods that move by forces alone.  Ali 5.4

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "coluber/math/ode.hpp"
#include "coluber/rod/contact.hpp"

namespace coluber::rod {
namespace dynamic_test {

constexpr double pi = std::numbers::pi;

/// (σ, η_o) of g = g_0 exp(σ), g_0 at the start of each step.
class Motion final : public math::Ode {
 public:
  Motion(const Model& model, const StrainLaw& strain)
      : model_(model), strain_(strain), data_(model) {}

  bool compute_rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                    Eigen::Ref<Eigen::VectorXd> ydot) override {
    const Vector6d sigma = y.head<6>();
    const Vector6d now = y.tail<6>();
    if (evaluate_dynamic(model_, strain_, t, g * math::exp(sigma), now, false, data_) !=
        Fault::none) {
      return false;
    }
    ydot.head<6>() = math::dexp_inverse(sigma, now);
    ydot.tail<6>() = data_.etadot_o;
    return true;
  }
  void run(double t_end, double dt) {
    math::Rk4 rk4(12);
    Eigen::VectorXd y(12);
    const int steps = static_cast<int>(std::lround(t_end / dt));
    for (int k = 0; k < steps; ++k) {
      y << Vector6d::Zero(), eta;
      ASSERT_TRUE(rk4.step(*this, k * dt, dt, y));
      g = g * math::exp(Vector6d(y.head<6>()));
      eta = y.tail<6>();
      heading += y(5);
    }
    ASSERT_EQ(evaluate_dynamic(model_, strain_, steps * dt, g, eta, true, data_), Fault::none);
  }
  /// Momentum in the world's frame, about its origin.
  [[nodiscard]] Vector6d momentum() const { return math::to_parent(g, data_.momentum); }
  [[nodiscard]] const Data& data() const { return data_; }

  Pose g{};
  Vector6d eta = Vector6d::Zero();
  double heading = 0.0;

 private:
  const Model& model_;
  const StrainLaw& strain_;
  Data data_;
};

/// K_Z = 6 (1 − e^(−t²)) cos(2πX − 4t)
std::unique_ptr<StrainLaw> planar_wave() {
  return make_strain(std::vector<Wave>{{5, 6.0, 1.0, 4.0, 0.5 * pi, 0.0, 1.0}});
}

TEST(FreeRod, KeepsItsMomentumAndTurnsInThePlane) {
  const auto strain = planar_wave();
  Model model;
  model.group = Group::SE2;
  model.space = Space::collocation6;
  model.elements = 40;
  for (const auto& [dt, tolerance] : {std::pair{0.01, 1e-6}, {0.005, 7e-8}}) {
    Motion motion(model, *strain);
    motion.run(4.0, dt);
    EXPECT_LE(motion.momentum().norm(), tolerance);
    EXPECT_NEAR(motion.heading, 0.364972, 1e-6);
    EXPECT_LE(motion.data().end_residual, 1e-12);
  }
}

TEST(FreeRod, MovesInSpaceAsInThePlaneWhenItsStrainsAreThose) {
  const auto strain = planar_wave();
  Model model;
  model.elements = 40;
  Motion space(model, *strain);
  space.eta << 0.1, -0.2, 0.0, 0.0, 0.0, 0.3;
  space.run(1.0, 0.01);
  Model flat = model;
  flat.group = Group::SE2;
  Motion plane(flat, *strain);
  plane.eta << 0.1, -0.2, 0.0, 0.0, 0.0, 0.3;
  plane.run(1.0, 0.01);
  EXPECT_LE((space.eta - plane.eta).norm(), 1e-12);
  EXPECT_LE((space.g.p - plane.g.p).norm(), 1e-12);
  for (int i = 0; i <= 40; ++i) {
    EXPECT_LE((space.data().section(i).Lambda - plane.data().section(i).Lambda).norm(), 1e-12);
  }
}

TEST(FreeRod, KeepsItsMomentumInSpaceToTheOrderOfBothSchemes) {
  const auto strain = make_strain(std::vector<Wave>{{0, 0.15, 1.0, 3.0, 0.3},
                                                    {1, 0.10, 0.8, 2.0, 1.1},
                                                    {2, 0.12, 1.3, 2.5, 0.7},
                                                    {3, 1.5, 1.1, 2.2, 0.2},
                                                    {4, 2.5, 0.9, 3.1, 0.9},
                                                    {5, 3.0, 1.0, 2.7, 1.9}});
  const auto drift = [&](int elements, double dt) {
    Model model;
    model.elements = elements;
    Motion motion(model, *strain);
    motion.eta << 0.2, -0.1, 0.3, 0.5, -0.4, 0.6;
    Motion start(model, *strain);
    start.eta = motion.eta;
    start.run(0.0, dt);
    motion.run(1.2, dt);
    return (motion.momentum() - start.momentum()).norm();
  };
  const double coarse = drift(16, 0.04);
  const double fine = drift(32, 0.02);
  EXPECT_GE(coarse, 12.0 * fine) << coarse << " " << fine;
  EXPECT_LE(fine, 1e-3);
}

// Momentum decays, so from rest it stays zero, and the mechanical connection gives the motion.
TEST(FreeRod, IsNotDisturbedByDragInProportionToItsInertia) {
  const auto strain = planar_wave();
  Model model;
  model.group = Group::SE2;
  model.elements = 80;
  model.space = Space::collocation6;
  Motion free(model, *strain);
  free.run(4.0, 0.002);
  const double k = 0.7;
  model.forces.push_back({.c_along = k * model.M(0), .c_across = k * model.M(0)});
  model.forces.push_back({.c_turn = k * model.M(5)});
  Motion dragged(model, *strain);
  dragged.run(4.0, 0.002);
  EXPECT_LE((free.g.p - dragged.g.p).norm(), 1e-9);
  EXPECT_NEAR(free.heading, dragged.heading, 1e-9);
}

// Side friction alone: first order in 1/c_across towards the annular contacts' motion.
TEST(SideFriction, TendsToTheKinematicSnake) {
  const Undulation law{.amplitude = 6.0};
  const auto strain = make_strain(law);
  Model model;
  model.group = Group::SE2;
  model.elements = 40;
  // head of the kinematic one: ẋ = V cos θ, …, by fine steps of its own ODE
  class Track final : public math::Ode {
   public:
    bool compute_rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y,
                      Eigen::Ref<Eigen::VectorXd> ydot) override {
      const double K = 6.0 * std::cos(2.0 * pi * (-0.5 * t));
      ydot << -0.5 * std::cos(y(2)), -0.5 * std::sin(y(2)), -0.5 * K;
      return true;
    }
  } track;
  math::Rk4 rk4(3);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(3);
  for (int k = 0; k < 400; ++k) ASSERT_TRUE(rk4.step(track, k * 0.005, 0.005, y));
  const double printed[3][2] = {{20.0, 8.39e-2}, {80.0, 2.03e-2}, {320.0, 4.98e-3}};
  for (const auto& [c, distance] : printed) {
    model.forces = {{.c_across = c}};
    Motion motion(model, *strain);
    motion.eta << -0.5, 0.0, 0.0, 0.0, 0.0, -3.0;
    motion.run(2.0, 0.005);
    EXPECT_NEAR((motion.g.p.head<2>() - y.head<2>()).norm(), distance, 0.02 * distance) << c;
  }
}

// A straight rod under a constant force along it, and one that falls.
TEST(FreeRod, FallsAndIsPulledAsARigidBar) {
  const auto strain = make_strain(std::vector<Wave>{});
  Model model;
  model.l = 2.0;
  model.m = 3.0;
  model.M = Model::uniform_section(3.0, 0.05);
  model.gravity = {0.0, 0.0, -9.81};
  Data data(model);
  data.loads.F_minus << -4.0, 0.0, 0.0, 0.0, 0.0, 0.0;
  ASSERT_EQ(evaluate_dynamic(model, *strain, 0.0, {}, Vector6d::Zero(), true, data), Fault::none);
  EXPECT_NEAR(data.etadot_o(0), -4.0 / 6.0, 1e-14);
  EXPECT_NEAR(data.etadot_o(2), -9.81, 1e-12);
  for (int i = 0; i <= model.elements; ++i) {  // tension falls from 4 N to none
    EXPECT_NEAR(data.section(i).Lambda(0), 4.0 * (1.0 - i / 160.0), 1e-12);
  }
}

}  // namespace dynamic_test
}  // namespace coluber::rod
