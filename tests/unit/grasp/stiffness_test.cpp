// Stiffness of contacts and of grasps: the printed blocks, what follows from work, figures.

#include "coluber/grasp/stiffness.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace coluber::grasp {
namespace stiffness_test {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// Three contacts at rho = 0.8 m, 64.01 degrees apart, at the height of the centre of mass.
Matrix6d three_contacts(double weight, const Vector2d& F_t) {
  Matrix6d kappa = compute_weight_stiffness(weight, Vector3d::Zero());
  for (int c = 0; c < 3; ++c) {
    const double angle = 64.01 * c * 0.017453292519943295;
    ContactFrame frame;
    const Vector3d out(std::cos(angle), std::sin(angle), 0.0);
    frame.p = 0.8 * out;
    frame.R.row(0) = Vector3d::UnitZ().cross(out);  // along the link, the object on its left
    frame.R.row(1) = Vector3d::UnitZ();
    frame.R.row(2) = out;
    EXPECT_NEAR(frame.R.determinant(), 1.0, 1e-12);
    kappa += move_stiffness(compute_contact_stiffness(50.0, 50.0, F_t), frame);
  }
  return kappa;
}

TEST(ContactStiffness, HasTheCrossMatrixOfItsLoadBelow) {
  const Matrix6d kappa = compute_contact_stiffness(3.0, 5.0, {20.0, -10.0});
  const Matrix3d below = kappa.bottomLeftCorner<3, 3>();
  EXPECT_EQ(below, cross_matrix({20.0, -10.0, 0.0}));
  const Vector3d v(0.1, -0.2, 0.3);
  EXPECT_LE((below * v - Vector3d(20.0, -10.0, 0.0).cross(v)).norm(), 1e-15);
  EXPECT_EQ(kappa.diagonal().head<3>(), Vector3d(3.0, 3.0, 5.0));
  EXPECT_TRUE((kappa.rightCols<3>().isZero(0.0)));
}

TEST(ContactStiffness, IsMovedAsPrintedWhereAxesAgree) {
  // the printed T has [d] without R: the same for R = 1
  const Matrix6d kappa = compute_contact_stiffness(2.0, 5.0, {1.0, 2.0});
  ContactFrame frame;
  frame.p = {0.3, -0.4, 0.2};
  Matrix6d T = Matrix6d::Identity();
  T.topRightCorner<3, 3>() = cross_matrix(-frame.p);
  EXPECT_LE((move_stiffness(kappa, frame) - T.transpose() * kappa * T).norm(), 1e-14);
}

TEST(ContactStiffness, GivesTheForceAtThePointWhateverTheFrame) {
  // A small motion of the object moves the contact's point by v + ω × p; the spring pulls there.
  ContactFrame frame;
  frame.p = {0.3, -0.4, 0.2};
  frame.R = Eigen::AngleAxisd(0.7, Vector3d(1.0, 2.0, -1.0).normalized()).toRotationMatrix();
  const Matrix6d kappa =
      move_stiffness(compute_contact_stiffness(2.0, 5.0, Vector2d::Zero()), frame);
  Vector6d motion;
  motion << 0.1, -0.3, 0.2, 0.4, 0.1, -0.2;
  const Vector3d v = motion.head<3>();
  const Vector3d omega = motion.tail<3>();
  const Vector3d point = v + omega.cross(frame.p);
  const Vector3d force =
      frame.R.transpose() * Vector3d(2.0, 2.0, 5.0).asDiagonal() * frame.R * point;
  Vector6d wrench;
  wrench << force, frame.p.cross(force);
  EXPECT_LE((kappa * motion - wrench).norm(), 1e-14);
}

TEST(GraspStiffness, OfThreeContactsIsDefiniteUntilTheWeightTakesIt) {
  EXPECT_NEAR(compute_least_definite(three_contacts(0.0, Vector2d::Zero())), 5.345, 5e-4);
  double below = 0.0;
  double above = 200.0;
  for (int i = 0; i < 60; ++i) {
    const double weight = 0.5 * (below + above);
    (compute_least_definite(three_contacts(weight, Vector2d::Zero())) > 0.0 ? below : above) =
        weight;
  }
  EXPECT_NEAR(below, 63.56, 63.56e-3);
}

TEST(GraspStiffness, HasEigenvaluesThatDoNotDependOnTheWeight) {
  // Differs from R13 and R14: the weight's block is nilpotent, and so is its product with others
  const auto least = compute_least_eigenvalue(three_contacts(0.0, Vector2d::Zero()));
  EXPECT_TRUE(least.real);
  for (double weight : {4.0, 9.0, 1000.0}) {
    const auto loaded = compute_least_eigenvalue(three_contacts(weight, Vector2d::Zero()));
    EXPECT_TRUE(loaded.real);
    EXPECT_NEAR(loaded.value, least.value, 1e-6 * least.value) << weight;
  }
}

TEST(GraspStiffness, SaysHowFarAPushMovesTheObject) {
  const Vector6d d =
      compute_displacement(three_contacts(4.0, {2.0, -1.0}), Vector3d(1.5, 2.0, 0.0));
  const std::array<double, 3> expected{0.0122899, 0.0122170, -0.0011639};
  for (int i = 0; i < 3; ++i) {
    const double value = expected[static_cast<std::size_t>(i)];
    EXPECT_NEAR(d(i), value, 1e-4 * std::abs(value));
  }
}

TEST(RollingStiffness, IsThatOfAPointWithoutNormalLoad) {
  Curvatures c;
  c.K_uA = c.K_vA = 20.0;
  c.K_uB = 1.0 / 0.75;
  c.k_t = 3.0;
  c.k_n = 5.0;
  c.F_t = {2.0, -1.0};
  Matrix6d kappa;
  ASSERT_TRUE(compute_rolling_stiffness(c, kappa));
  Matrix6d plain = compute_contact_stiffness(3.0, 5.0, c.F_t);
  EXPECT_LE((kappa - plain).norm(), 1e-12);
}

TEST(RollingStiffness, OfASphereOnAPlaneTurnsTheNormalForceWithIt) {
  // A = sphere of curvature K on a flat B: L_B = 0, so the sphere's centre moves freely (no
  // stiffness from F_n) and only turning rolls it: −F_n Λ and its like.
  Curvatures c;
  c.K_uA = c.K_vA = 4.0;
  c.F_n = 7.0;
  c.k_n = 5.0;
  Matrix6d kappa;
  ASSERT_TRUE(compute_rolling_stiffness(c, kappa));
  EXPECT_TRUE((kappa.topLeftCorner<2, 2>().isZero(1e-14)));
  Eigen::Matrix2d Lambda;
  Lambda << 0.0, 1.0, -1.0, 0.0;
  EXPECT_LE((kappa.block<2, 2>(0, 3) + 7.0 * Lambda).norm(), 1e-13);
  // F_n Λ (L_A)⁻¹ Λ = F_n/K times the identity
  EXPECT_LE((kappa.block<2, 2>(3, 3) - 7.0 / 4.0 * Eigen::Matrix2d::Identity()).norm(), 1e-13);
}

TEST(RollingStiffness, IsRefusedWhereBothAreFlat) {
  Curvatures c;  // a link lies along the flat face of a prism: neither is curved along the link
  c.K_vA = 20.0;
  Matrix6d kappa;
  EXPECT_FALSE(compute_rolling_stiffness(c, kappa));
}

}  // namespace stiffness_test
}  // namespace coluber::grasp
