// The nearest point of a path, followed as a point moves.

#include "coluber/path/tracker.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace coluber::path {
namespace tracker_test {

constexpr double pi = std::numbers::pi;

Vector2d normal(double theta) { return {-std::sin(theta), std::cos(theta)}; }

/// A point that goes along the path, `z` to its left, is found there all the way.
void expect_followed(const Path& path, double length, double z, double step) {
  double s = 0.0;
  Vector2d before = Vector2d::Zero();
  double z_before = 0.0;
  for (double truth = 0.0; truth < length; truth += step) {
    const PathPoint at = path.at(truth);
    const Vector2d point = at.r + z * normal(at.theta);
    const Deviation seen = track(path, s, point);
    ASSERT_NEAR(seen.s, truth, 1e-9);
    ASSERT_NEAR(seen.z, z, 1e-12);
    if (truth > 0.0) {
      ASSERT_LE(std::abs(seen.z - z_before), (point - before).norm() + 1e-12);
    }
    s = seen.s;
    before = point;
    z_before = seen.z;
  }
}

TEST(Tracker, KeepsItsBranchTwiceRoundTheEight) {
  for (const double r : {0.6, 0.75, 2.0}) {
    const auto path = make_eight({}, 0.5, r);
    for (const double z : {0.0, 0.02, -0.02, 0.5, -0.5}) {
      expect_followed(*path, 0.5 + 8.0 * pi * r, z, 0.0125);
    }
  }
}

TEST(Tracker, KeepsItsBranchWhereASplineCrossesItselfAtASmallAngle) {
  // two long arms that cross at 20 degrees, joined by a wide loop
  const double a = 10.0 * pi / 180.0;
  std::vector<Vector2d> points;
  for (const double x : {-4.0, -2.0, 0.0, 2.0, 4.0}) points.emplace_back(x, x * std::tan(a));
  points.emplace_back(5.6, 1.2);
  points.emplace_back(6.4, 0.0);
  points.emplace_back(5.6, -1.2);
  for (const double x : {4.0, 2.0, 0.0, -2.0, -4.0}) points.emplace_back(x, -x * std::tan(a));
  const auto path = make_spline(points, false);
  ASSERT_LT(path->max_curvature(), 1.0 / 0.6);
  for (const double z : {0.0, 0.1, -0.1, 0.5, -0.5}) expect_followed(*path, 21.0, z, 0.0125);
}

TEST(Tracker, FindsTheNearestPointOfAPathHalfAMetreAway) {
  const auto path = make_pieces({}, {{1.0, 0.0, 0.0}, {10.0, 1.0 / 0.6, 1.0 / 0.6}});
  const Deviation left = track(*path, 0.0, {0.3, 0.5});
  EXPECT_NEAR(left.s, 0.3, 1e-15);
  EXPECT_NEAR(left.z, 0.5, 1e-15);
  const Deviation behind = track(*path, 0.0, {-2.0, -0.5});
  EXPECT_NEAR(behind.s, -2.0, 1e-15);
  EXPECT_NEAR(behind.z, -0.5, 1e-15);
  const Deviation inside =
      track(*path, 1.0, {1.0 + 0.1 * std::sin(1.0), 0.6 - 0.1 * std::cos(1.0)});
  EXPECT_NEAR(inside.s, 1.6, 1e-13);
  EXPECT_NEAR(inside.z, 0.5, 1e-13);
  EXPECT_EQ(inside.kappa, 1.0 / 0.6);
}

TEST(Tracker, MovesByNoMoreThanThePoint) {
  const auto path = make_eight({}, 0.5, 0.6);
  double s = 0.0;
  Vector2d point{0.0, 0.3};
  double z = track(*path, s, point).z;
  for (int k = 0; k < 4000; ++k) {  // wanders across the path
    const Deviation here = track(*path, s, point);
    s = here.s;
    const Vector2d step = 0.005 * Vector2d{std::cos(here.theta), std::sin(here.theta)} +
                          0.004 * std::sin(0.05 * k) * normal(here.theta);
    point += step;
    const Deviation next = track(*path, s, point);
    ASSERT_LE(std::abs(next.z - here.z), step.norm() + 1e-12) << k;
    ASSERT_LT(std::abs(next.z), 0.5);
    z = next.z;
  }
  EXPECT_TRUE(std::isfinite(z));
}

TEST(Tracker, AHeadingErrorIsWithinHalfATurn) {
  const Deviation at{0.0, 0.0, 5.0 * pi, 0.0};
  EXPECT_NEAR(heading_error(5.0 * pi + 0.1, at), 0.1, 1e-14);
  EXPECT_NEAR(heading_error(pi - 0.1, at), -0.1, 1e-14);
  EXPECT_EQ(heading_error(0.0, {0.0, 0.0, pi, 0.0}), pi);
}

}  // namespace tracker_test
}  // namespace coluber::path
