#include "coluber/math/group.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace coluber::math {
namespace group_test {

using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector2d;
using Eigen::Vector3d;

// 1e-12 is a thousand rounding errors of what is below about 5.
constexpr double kRounding = 1e-12;
constexpr std::array<double, 9> kAngles{0.0, 1e-160, 1e-9, 1e-5, 0.1, 0.9999, 1.0001, 3.0, 3.14159};

/// exp(A) by its power series, in long double
template <class Matrix>
Matrix power_series(const Matrix& A) {
  using Long = Eigen::Matrix<long double, Matrix::RowsAtCompileTime, Matrix::ColsAtCompileTime>;
  const Long B = A.template cast<long double>();
  Long sum = Long::Identity();
  Long term = Long::Identity();
  for (int k = 1; k < 80; ++k) {
    term = (term * B / static_cast<long double>(k)).eval();
    sum += term;
  }
  return sum.template cast<double>();
}

Matrix4d hat4(const Vector6d& xi) {
  Matrix4d A = Matrix4d::Zero();
  A.topLeftCorner<3, 3>() = hat(xi.tail<3>());
  A.topRightCorner<3, 1>() = xi.head<3>();
  return A;
}

Matrix4d matrix(const Pose& g) {
  Matrix4d G = Matrix4d::Identity();
  G.topLeftCorner<3, 3>() = g.R;
  G.topRightCorner<3, 1>() = g.p;
  return G;
}

struct Random {
  std::mt19937_64 engine{7};
  std::uniform_real_distribution<double> unit{-1.0, 1.0};
  double one() { return unit(engine); }
  Vector3d three() { return {one(), one(), one()}; }
  Vector6d six() {
    Vector6d v;
    v << three(), three();
    return v;
  }
  /// a twist that turns by `angle`
  Vector6d turning(double angle) {
    Vector6d v;
    v << three(), angle * three().normalized();
    return v;
  }
  Pose pose() { return exp(Vector6d{2.0 * six()}); }
  Pose2 pose2() { return {{one(), one()}, 3.0 * one()}; }
};

Pose in_space(const Pose2& g) {
  return {Eigen::AngleAxisd(g.theta, Vector3d::UnitZ()).toRotationMatrix(), {g.p.x(), g.p.y(), 0}};
}
Vector6d in_space(const Vector3d& eta) {
  Vector6d v;
  v << eta.x(), eta.y(), 0.0, 0.0, 0.0, eta.z();
  return v;
}
Vector3d in_plane(const Vector6d& eta) {
  EXPECT_EQ(eta.segment<3>(2).norm(), 0.0) << "out of the plane: " << eta.transpose();
  return {eta(0), eta(1), eta(5)};
}

TEST(Group, HatIsTheCrossProduct) {
  Random random;
  const Vector3d a = random.three();
  const Vector3d b = random.three();
  EXPECT_EQ(hat(a) * b, a.cross(b));
  EXPECT_EQ(hat(a), -hat(a).transpose());
}

TEST(Group, ExpIsThePowerSeriesAtEveryAngle) {
  Random random;
  for (const double angle : kAngles) {
    for (int i = 0; i < 20; ++i) {
      const Vector6d xi = random.turning(angle);
      const Matrix4d G = matrix(exp(xi));
      EXPECT_LE((G - power_series(hat4(xi))).cwiseAbs().maxCoeff(), 3e-15) << angle;
      EXPECT_EQ(exp(Vector3d{xi.tail<3>()}), exp(xi).R);
    }
  }
}

TEST(Group, ExpOfHalfATurnOnACircleIsItsDiameter) {
  Vector6d xi;  // radius 2: pi r = 2 pi m along x while turning left by pi
  xi << 2.0 * std::numbers::pi, 0, 0, 0, 0, std::numbers::pi;
  const Pose g = exp(xi);
  EXPECT_LE((g.p - Vector3d(0, 4, 0)).norm(), 1e-14);
  EXPECT_LE((g.R.diagonal() - Vector3d(-1, -1, 1)).norm(), 1e-15);
}

TEST(Group, LogUndoesExpBelowAHalfTurn) {
  Random random;
  for (const double angle : kAngles) {
    for (int i = 0; i < 50; ++i) {
      const Vector6d xi = random.turning(angle);
      const Vector6d back = log(exp(xi));
      // the linear part is as good as p; the angular one to a relative error, near no turn too
      EXPECT_LE((back - xi).head<3>().norm(), kRounding) << angle;
      EXPECT_LE((back - xi).tail<3>().norm(), 4e-15 * angle) << angle;
      EXPECT_EQ(log(exp(xi).R), back.tail<3>());
    }
  }
}

TEST(Group, ExpUndoesLogOfEveryPoseHalfTurnsIncluded) {
  Random random;
  std::vector<Pose> poses{{Vector3d(1, -1, -1).asDiagonal(), {1, 2, 3}},
                          {Vector3d(-1, 1, -1).asDiagonal(), {1, 2, 3}},
                          {Vector3d(-1, -1, 1).asDiagonal(), {1, 2, 3}}};
  for (int i = 0; i < 200; ++i) poses.push_back(exp(random.turning(std::numbers::pi - 1e-9 * i)));
  for (int i = 0; i < 200; ++i) poses.push_back(random.pose() * random.pose());
  for (const Pose& g : poses) {
    const Vector6d xi = log(g);
    EXPECT_LE(xi.tail<3>().norm(), std::numbers::pi + 1e-15);
    EXPECT_LE((matrix(exp(xi)) - matrix(g)).norm(), 1e-14);
  }
}

TEST(Group, PosesActOnPointsAndHaveInverses) {
  Random random;
  for (int i = 0; i < 20; ++i) {
    const Pose g = random.pose();
    const Pose h = random.pose();
    EXPECT_LE((matrix(g * h) - matrix(g) * matrix(h)).norm(), 1e-14);
    EXPECT_LE((matrix(inverse(g) * g) - Matrix4d::Identity()).norm(), 1e-14);
    EXPECT_LE((matrix(inverse(g)) - matrix(g).inverse()).norm(), 1e-14);
  }
}

TEST(Group, AdOfAProductIsTheProduct) {
  Random random;
  for (int i = 0; i < 20; ++i) {
    const Pose g = random.pose();
    const Pose h = random.pose();
    EXPECT_LE((Ad(g * h) - Ad(g) * Ad(h)).norm(), 1e-13);
    // by definition: (Ad_g eta)^ = g eta^ g^-1
    const Vector6d eta = random.six();
    EXPECT_LE((hat4(Ad(g) * eta) - matrix(g) * hat4(eta) * matrix(inverse(g))).norm(), 1e-13);
  }
}

TEST(Group, AdOfExpIsTheExponentialOfAd) {
  Random random;
  for (const double angle : kAngles) {
    const Vector6d xi = random.turning(angle);
    EXPECT_LE((Ad(exp(xi)) - power_series(ad(xi))).norm(), 1e-14) << angle;
  }
}

TEST(Group, AdIsTheDerivativeOfAdAndTheBracketOfMatrices) {
  Random random;
  const Vector6d a = random.six();
  const Vector6d b = random.six();
  const double h = 1e-5;  // h² of cutting, 1e-16/h of rounding
  const Matrix6d slope = (Ad(exp(Vector6d{h * a})) - Ad(exp(Vector6d{-h * a}))) / (2.0 * h);
  EXPECT_LE((slope - ad(a)).norm(), 1e-9);
  EXPECT_LE((hat4(ad(a) * b) - (hat4(a) * hat4(b) - hat4(b) * hat4(a))).norm(), 1e-14);
  EXPECT_LE((ad(a) * a).norm(), 1e-15);
  // Jacobi
  const Vector6d c = random.six();
  EXPECT_LE((ad(ad(a) * b) * c - (ad(a) * ad(b) * c - ad(b) * ad(a) * c)).norm(), 1e-14);
}

TEST(Group, TwistsAndWrenchesMoveBetweenFramesAsTheMatricesSay) {
  Random random;
  for (int i = 0; i < 20; ++i) {
    const Pose g = random.pose();
    const Vector6d eta = random.six();
    const Vector6d F = random.six();
    EXPECT_LE((to_child(g, eta) - Ad(inverse(g)) * eta).norm(), 1e-14);
    EXPECT_LE((to_parent(g, F) - Ad(inverse(g)).transpose() * F).norm(), 1e-14);
    EXPECT_NEAR(to_parent(g, F).dot(eta), F.dot(to_child(g, eta)), 1e-14) << "power";
  }
}

TEST(Group, ATurningParentMovesItsChildSideways) {
  // child 2 m ahead, turned left by 90 degrees; the parent turns about z with 3 rad/s
  const Pose g{exp(Vector3d(0, 0, 0.5 * std::numbers::pi)), {2, 0, 0}};
  Vector6d eta;
  eta << 0, 0, 0, 0, 0, 3;
  Vector6d expected;
  expected << 6, 0, 0, 0, 0, 3;  // 6 m/s to the parent's left, which is ahead for the child
  EXPECT_LE((to_child(g, eta) - expected).norm(), 6e-15);
  // 5 N ahead on the child: to the left on the parent, with an arm of 2 m
  Vector6d F;
  F << 5, 0, 0, 0, 0, 0;
  Vector6d carried;
  carried << 0, 5, 0, 0, 0, 10;
  EXPECT_LE((to_parent(g, F) - carried).norm(), 1e-14);
}

/// Bernoulli's series ad/(1 - exp(-ad)), by solving (1 - exp(-ad))/ad x = eta in long double
template <class Matrix, class Vector>
Vector solve_dexp(const Matrix& A, const Vector& eta) {
  using Long = Eigen::Matrix<long double, Matrix::RowsAtCompileTime, Matrix::ColsAtCompileTime>;
  const Long B = -A.template cast<long double>();
  Long sum = Long::Identity();
  Long term = Long::Identity();
  for (int k = 2; k < 80; ++k) {
    term = (term * B / static_cast<long double>(k)).eval();
    sum += term;
  }
  const auto x = sum.fullPivLu().solve(eta.template cast<long double>()).eval();
  return x.template cast<double>();
}

TEST(Group, DexpInverseSolvesTheSeriesOfDexpAtEveryAngle) {
  Random random;
  for (const double angle : {0.0, 1e-160, 1e-9, 1e-5, 0.1, 0.9999, 1.0001, 3.0, 3.2, 5.0}) {
    for (int i = 0; i < 20; ++i) {
      const Vector6d sigma = random.turning(angle);
      const Vector6d eta = random.six();
      // towards 2 pi the answer itself goes to infinity, and errors with it
      const double tolerance = angle < 4.0 ? 6e-15 : 1e-13;
      EXPECT_LE((dexp_inverse(sigma, eta) - solve_dexp(ad(sigma), eta)).norm(), tolerance) << angle;
      const Vector3d w = sigma.tail<3>();
      const Vector3d Omega = eta.tail<3>();
      EXPECT_LE((dexp_inverse(w, Omega) - solve_dexp(hat(w), Omega)).norm(), tolerance) << angle;
      const Vector3d plane(sigma(0), sigma(1), angle);
      const Vector3d planar = dexp_inverse_se2(plane, Omega);
      EXPECT_LE((planar - solve_dexp(ad_se2(plane), Omega)).norm(), tolerance) << angle;
    }
  }
}

TEST(Group, DexpInverseIsTheRateOfTheChart) {
  Random random;
  for (const double angle : {1e-9, 1e-5, 0.1, 3.0}) {
    const Vector6d sigma = random.turning(angle);
    const Vector6d eta = random.six();
    const double h = 1e-5;  // h² of cutting, 1e-16/h of rounding
    const Pose g = exp(sigma);
    const auto moved = [&](double t) { return log(g * exp(Vector6d{t * eta})); };
    const Vector6d rate = (moved(h) - moved(-h)) / (2.0 * h);
    EXPECT_LE((dexp_inverse(sigma, eta) - rate).norm(), 1e-8) << angle;
    // along sigma itself the rate is eta's
    EXPECT_LE((dexp_inverse(sigma, sigma) - sigma).norm(), 1e-15) << angle;

    const Vector3d sigma2(0.3, -0.2, angle);
    const Vector3d eta2 = random.three();
    const auto moved2 = [&](double t) {
      return log(exp_se2(sigma2) * exp_se2(Vector3d{t * eta2}));
    };
    const Vector3d rate2 = (moved2(h) - moved2(-h)) / (2.0 * h);
    EXPECT_LE((dexp_inverse_se2(sigma2, eta2) - rate2).norm(), 1e-8) << angle;
  }
}

TEST(Group, CoefficientsHaveNoStepWhereSeriesAndClosedFormMeet) {
  Vector6d below;
  Vector6d above;
  Vector6d eta;
  below << 0.3, -0.7, 0.2, 0.0, 0.6, 0.8;
  above = below;
  below.tail<3>() *= 1.0 - 1e-15;
  above.tail<3>() *= 1.0 + 1e-15;
  eta << 0.1, 0.5, -0.4, 0.9, -0.2, 0.3;
  EXPECT_LE((matrix(exp(below)) - matrix(exp(above))).norm(), 1e-14);
  EXPECT_LE((dexp_inverse(below, eta) - dexp_inverse(above, eta)).norm(), 1e-14);
}

TEST(Group, QuaternionsTurnAsTheirMatrices) {
  Random random;
  std::vector<Matrix3d> rotations{Matrix3d::Identity(), Vector3d(1, -1, -1).asDiagonal(),
                                  Vector3d(-1, 1, -1).asDiagonal(),
                                  Vector3d(-1, -1, 1).asDiagonal()};
  for (int i = 0; i < 200; ++i) rotations.push_back(random.pose().R * random.pose().R);
  for (const Matrix3d& R : rotations) {
    const Eigen::Quaterniond q = to_quaternion(R);
    EXPECT_NEAR(q.norm(), 1.0, 4e-16);
    EXPECT_GE(q.w(), 0.0);
    EXPECT_LE((q.toRotationMatrix() - R).norm(), 1e-14);
  }
}

TEST(Group, AQuaternionTakesTheDriftOutOfALongProduct) {
  Matrix3d R = Matrix3d::Identity();
  const Matrix3d turn = exp(Vector3d(1e-3, 2e-3, -1e-3));
  for (int i = 0; i < 100000; ++i) R = (R * turn).eval();
  const Matrix3d mended = to_quaternion(R).toRotationMatrix();
  EXPECT_LE((mended * mended.transpose() - Matrix3d::Identity()).norm(), 1e-15);
  EXPECT_LE((mended - R).norm(), 1e-10);
}

TEST(GroupOfThePlane, IsThatOfSpaceInThePlane) {
  Random random;
  for (const double angle : {-3.0, 0.0, 1e-9, 1e-5, 0.1, 3.0}) {
    const Vector3d xi(random.one(), random.one(), angle);
    const Vector3d eta = random.three();
    const Pose2 g = exp_se2(xi);
    const Pose2 h = random.pose2();
    EXPECT_LE((matrix(in_space(g)) - matrix(exp(in_space(xi)))).norm(), 3e-15);
    EXPECT_LE((matrix(in_space(g * h)) - matrix(in_space(g) * in_space(h))).norm(), 1e-14);
    EXPECT_LE((matrix(in_space(inverse(g))) - matrix(inverse(in_space(g)))).norm(), 1e-14);
    EXPECT_LE((log(g) - in_plane(log(in_space(g)))).norm(), 1e-14);
    EXPECT_LE((Ad(g) * eta - in_plane(Ad(in_space(g)) * in_space(eta))).norm(), 1e-14);
    EXPECT_LE((ad_se2(xi) * eta - in_plane(ad(in_space(xi)) * in_space(eta))).norm(), 1e-15);
    EXPECT_LE((to_child(g, eta) - in_plane(to_child(in_space(g), in_space(eta)))).norm(), 1e-14);
    EXPECT_LE((to_parent(g, eta) - in_plane(to_parent(in_space(g), in_space(eta)))).norm(), 1e-14);
    const Vector3d rate = in_plane(dexp_inverse(in_space(xi), in_space(eta)));
    EXPECT_LE((dexp_inverse_se2(xi, eta) - rate).norm(), 1e-14);
  }
}

TEST(GroupOfThePlane, KeepsTheLawsOfAGroup) {
  Random random;
  for (int i = 0; i < 20; ++i) {
    const Pose2 g = random.pose2();
    const Pose2 h = random.pose2();
    const Vector3d eta = random.three();
    const Vector3d F = random.three();
    EXPECT_LE((Ad(g * h) - Ad(g) * Ad(h)).norm(), 1e-14);
    EXPECT_LE((to_child(g, eta) - Ad(inverse(g)) * eta).norm(), 1e-14);
    EXPECT_LE((to_parent(g, F) - Ad(inverse(g)).transpose() * F).norm(), 1e-14);
    EXPECT_NEAR(to_parent(g, F).dot(eta), F.dot(to_child(g, eta)), 1e-14) << "power";
    EXPECT_LE((log(exp_se2(eta)) - eta).norm(), 1e-15);
    EXPECT_LE((Ad(exp_se2(eta)) - power_series(ad_se2(eta))).norm(), 1e-14);
  }
}

TEST(GroupOfThePlane, CountsTurns) {
  const Pose2 turn{{1.0, 0.0}, 3.0};
  Pose2 g;
  for (int i = 0; i < 5; ++i) g = g * turn;
  EXPECT_EQ(g.theta, 15.0);
  const Vector3d xi = log(g);
  EXPECT_LE((exp_se2(xi).p - g.p).norm(), 1e-14);
}

}  // namespace group_test
}  // namespace coluber::math
