// Ali 4.3 at random states: the head by the printed matrices and their derivatives; followers,
// torques and wheel forces by the mechanics of the tree in world coordinates.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <Eigen/LU>
#include <Eigen/QR>
#include <gtest/gtest.h>

#include "coluber/multibody/evaluate.hpp"

#include "sample/trees.hpp"
#include "support/planar_tree.hpp"

namespace coluber::multibody {
namespace snake_states_test {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kL = 0.1;

/// Ā and B̄ of 4.3.1 and their rates: Ā η_o + B̄ (ṙ_2, ṙ_4) = 0.
struct Printed {
  Matrix3d A, Adot;
  Eigen::Matrix<double, 3, 2> B, Bdot;

  Printed(const VectorXd& r, const VectorXd& w) {
    const auto s = [](double x) { return std::sin(x); };
    const auto c = [](double x) { return std::cos(x); };
    const double r1 = r(0), r3 = r(2), r5 = r(4);
    const double a = r(1) + r3, adot = w(1) + w(2);
    const double b = r(1) + r(3) + r5, bdot = w(1) + w(3) + w(4);
    const double d = r(3) + r5, ddot = w(3) + w(4);
    const double b31 = kL * (c(r5) + 2.0 * c(d));
    const double b31dot = -kL * (s(r5) * w(4) + 2.0 * s(d) * ddot);
    A << -s(r1), c(r1), 0.0, -s(a), c(a), kL * (c(r3) + c(a)), -s(b), c(b), b31 + kL * c(b);
    Adot << -c(r1) * w(0), -s(r1) * w(0), 0.0,                           //
        -c(a) * adot, -s(a) * adot, -kL * (s(r3) * w(2) + s(a) * adot),  //
        -c(b) * bdot, -s(b) * bdot, b31dot - kL * s(b) * bdot;
    B << 0.0, 0.0, kL * c(r3), 0.0, b31, kL * c(r5);
    Bdot << 0.0, 0.0, -kL * s(r3) * w(2), 0.0, b31dot, -kL * s(r5) * w(4);
  }
};

/// The snake, its axles with mass or without.
Tree snake(bool heavy_axles) {
  Tree tree = sample::wheeled_snake();
  if (!heavy_axles) return tree;
  for (std::size_t j = 0; j < tree.bodies.size(); ++j) {
    const bool axle = j % 2 == 1;
    tree.bodies[j].m = axle ? 0.05 : 0.25;
    const double I = axle ? 1e-4 : 0.25 * 0.04 / 12.0;
    tree.bodies[j].I_c = Vector3d(axle ? I : 0.0, I, I).asDiagonal();
  }
  return tree;
}

void compare(const Tree& tree, std::uint64_t seed) {
  const Model model(tree);
  Data data(model);
  const Classification as =
      classify(model, sample::snake_gait, sample::at_origin(model), 20.0, {}, data);
  ASSERT_EQ(as.which, Case::fully_constrained);
  const Eigen::Index n = model.coordinates;
  std::mt19937_64 random(seed);
  int seen = 0;
  double largest = 0.0;  // N m
  while (seen < 1000) {
    VectorXd r = sample::random_vector(random, n, 0.8);
    const VectorXd w = sample::random_vector(random, n, 1.0);
    const VectorXd a = sample::random_vector(random, n, 1.0);
    const Printed printed(r, w);
    if (std::abs(printed.A.determinant()) < 0.02) continue;
    ++seen;
    Configuration at = sample::at_origin(model);
    for (std::size_t i = 0; i < model.followers.size(); ++i) {
      at.follower(static_cast<Eigen::Index>(i)) = r(model.followers[i].coordinate);
    }
    ASSERT_TRUE(evaluate(model, as, sample::frozen(r, w, a), 0.0, at, {}, data).ok());

    // the head
    const Vector2d rate{w(1), w(3)};
    const Vector2d acceleration{a(1), a(3)};
    const Eigen::PartialPivLU<Matrix3d> lu(printed.A);
    const Vector3d eta = -lu.solve(printed.B * rate);
    const Vector3d etadot =
        -lu.solve(printed.Adot * eta + printed.B * acceleration + printed.Bdot * rate);
    const Vector3d found{data.eta_o(0), data.eta_o(1), data.eta_o(5)};
    const Vector3d founddot{data.etadot_o(0), data.etadot_o(1), data.etadot_o(5)};
    EXPECT_LE((found - eta).norm(), 1e-12 * (1.0 + eta.norm())) << "state " << seen;
    EXPECT_LE((founddot - etadot).norm(), 1e-12 * (1.0 + etadot.norm())) << "state " << seen;

    // followers: no axle slides, C q̇ = 0 and C q̈ + Ċ q̇ = 0
    std::vector<Eigen::Index> unknown{0, 1, 2};
    for (const Follower& follower : model.followers) unknown.push_back(3 + follower.coordinate);
    const auto solve = [&](const MatrixXd& C, const VectorXd& rhs, VectorXd& q) {
      for (Eigen::Index k : unknown) q(k) = 0.0;
      MatrixXd square(C.rows(), static_cast<Eigen::Index>(unknown.size()));
      for (std::size_t k = 0; k < unknown.size(); ++k) {
        square.col(static_cast<Eigen::Index>(k)) = C.col(unknown[k]);
      }
      const VectorXd x = square.fullPivLu().solve(VectorXd(rhs - C * q));
      for (std::size_t k = 0; k < unknown.size(); ++k) {
        q(unknown[k]) = x(static_cast<Eigen::Index>(k));
      }
    };
    VectorXd qdot(3 + n), qddot(3 + n);
    qdot << Vector3d::Zero(), w;
    qddot << Vector3d::Zero(), a;
    const support::PlanarTree shape(tree, 0.0, Vector3d::Zero(), r, VectorXd::Zero(n));
    solve(shape.C, VectorXd::Zero(shape.C.rows()), qdot);
    EXPECT_LE((data.rdot - qdot.tail(n)).norm(), 1e-12 * (1.0 + qdot.norm())) << "state " << seen;
    const support::PlanarTree moving(tree, 0.0, qdot.head<3>(), r, qdot.tail(n));
    solve(moving.C, -moving.bias, qddot);
    EXPECT_LE((data.rddot - qddot.tail(n)).norm(), 1e-12 * (1.0 + qddot.norm()))
        << "state " << seen;

    // M q̈ + h = (0, τ) + C^T λ, λ of least norm
    const VectorXd f = moving.M * qddot + moving.h;
    const MatrixXd base = moving.C.leftCols<3>().transpose();
    const VectorXd lambda = base.completeOrthogonalDecomposition().solve(f.head<3>());
    const VectorXd tau = f.tail(n) - moving.C.rightCols(n).transpose() * lambda;
    const double scale = 1.0 + f.norm();
    EXPECT_LE((data.lambda - lambda).norm(), 1e-12 * scale) << "state " << seen;
    EXPECT_LE((data.tau - tau).norm(), 1e-12 * scale) << "state " << seen;
    largest = std::max(largest, tau.cwiseAbs().maxCoeff());
  }
  EXPECT_GT(largest, 1e-2) << "it takes torques";
}

TEST(WheeledSnake, ObeysItsEquationsAtRandomStates) { compare(snake(false), 21); }

TEST(WheeledSnake, WithHeavyAxlesObeysItsEquationsAtRandomStates) { compare(snake(true), 22); }

}  // namespace snake_states_test
}  // namespace coluber::multibody
