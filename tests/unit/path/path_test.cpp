// The shapes of paths: closed forms, and arc length, direction and curvature against differences.

#include "coluber/path/path.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace coluber::path {
namespace path_test {

constexpr double pi = std::numbers::pi;

Vector2d tangent(const PathPoint& point) { return {std::cos(point.theta), std::sin(point.theta)}; }

/// Position, direction and curvature fit each other between two arc lengths.
void expect_consistent(const Path& path, double from, double to, const std::string& what) {
  constexpr double h = 1e-5;
  for (double s = from; s < to; s += 0.0137) {
    const PathPoint before = path.at(s - h);
    const PathPoint here = path.at(s);
    const PathPoint after = path.at(s + h);
    // central differences: rounding 1e-16/h, and kappa² h²/6
    ASSERT_LE(((after.r - before.r) / (2.0 * h) - tangent(here)).norm(), 1e-8) << what << s;
    if (before.kappa == after.kappa || std::abs(after.kappa - before.kappa) < 1e-2) {
      ASSERT_NEAR((after.theta - before.theta) / (2.0 * h), here.kappa, 1e-6) << what << s;
    }
    ASSERT_LE(std::abs(here.kappa), path.max_curvature() * (1.0 + 1e-6)) << what << s;
  }
}

const PathPoint kStart{{0.3, -0.2}, 0.7, 0.0};

TEST(Pieces, ALineIsStraightAlsoBeforeItsStart) {
  const auto path = make_pieces(kStart, {{1.0, 0.0, 0.0}});
  for (const double s : {-3.0, 0.0, 0.4, 12.0}) {
    EXPECT_LE((path->at(s).r - kStart.r - s * tangent(kStart)).norm(), 1e-15 * (1.0 + std::abs(s)));
    EXPECT_EQ(path->at(s).theta, 0.7);
    EXPECT_EQ(path->at(s).kappa, 0.0);
  }
}

TEST(Pieces, ATurnIsTwoLinesAndAnArc) {
  const double r = 0.75;
  const auto path =
      make_pieces({}, {{1.0, 0.0, 0.0}, {0.5 * pi * r, 1.0 / r, 1.0 / r}, {1.0, 0.0, 0.0}});
  EXPECT_LE((path->at(1.0 + 0.25 * pi * r).r -
             Vector2d{1.0 + r * std::sin(0.25 * pi), r - r * std::cos(0.25 * pi)})
                .norm(),
            1e-15);
  EXPECT_LE((path->at(5.0 + 0.5 * pi * r).r - Vector2d{1.0 + r, r + 4.0}).norm(), 1e-14);
  EXPECT_NEAR(path->at(9.0).theta, 0.5 * pi, 1e-15);
  EXPECT_EQ(path->max_curvature(), 1.0 / r);
  expect_consistent(*path, -0.5, 4.0, "turn ");
}

TEST(Pieces, ASmallCurvatureIsAsExactAsALargeOne) {
  for (const double kappa : {1e-12, 1e-7, 1.9e-3, 2.1e-3, 0.1, 5.0}) {
    const PathPoint end = make_pieces({}, {{1.0, kappa, kappa}})->at(1.0);
    // chord and sagitta by double-angle forms that do not cancel
    const double half = std::sin(0.5 * kappa);
    EXPECT_NEAR(end.r.x(), std::sin(kappa) / kappa, 3e-16) << kappa;
    EXPECT_NEAR(end.r.y(), 2.0 * half * half / kappa, 3e-16) << kappa;
  }
}

TEST(Pieces, AClothoidIsTheFresnelIntegral) {
  // theta = s²/2: x(s) = Σ (-1)^k s^(4k+1)/((2k)! 4^k (4k+1)), y likewise
  const auto path = make_pieces({}, {{3.0, 0.0, 3.0}});
  for (const double s : {0.1, 1.0, 2.2, 3.0}) {
    double x = 0.0;
    double y = 0.0;
    double term = s;  // s (s²/2)^m / m!
    for (int m = 0; m < 60; ++m) {
      const double sign = (m / 2) % 2 == 0 ? 1.0 : -1.0;
      (m % 2 == 0 ? x : y) += sign * term / (2 * m + 1);
      term *= 0.5 * s * s / (m + 1);
    }
    EXPECT_LE((path->at(s).r - Vector2d{x, y}).norm(), 1e-13) << s;
    EXPECT_NEAR(path->at(s).theta, 0.5 * s * s, 1e-15);
  }
  expect_consistent(*path, 0.1, 4.0, "clothoid ");
  EXPECT_EQ(path->at(7.0).kappa, 3.0) << "the last piece continues";
}

TEST(Eight, ComesBackToItsCrossingAfterEveryCircle) {
  const double r = 0.75;
  const auto path = make_eight(kStart, 0.5, r);
  const Vector2d crossing = kStart.r + 0.5 * tangent(kStart);
  for (int circle = 0; circle < 5; ++circle) {
    const double s = 0.5 + 2.0 * pi * r * circle;
    EXPECT_LE((path->at(s + 1e-12).r - crossing).norm(), 1e-11) << circle;
    EXPECT_EQ(path->at(s + 0.3).kappa, circle % 2 == 0 ? 1.0 / r : -1.0 / r);
  }
  expect_consistent(*path, -0.4, 0.49, "lead-in ");
  expect_consistent(*path, 0.51, 0.5 + 2.0 * pi * r - 0.01, "left ");
  expect_consistent(*path, 0.51 + 2.0 * pi * r, 0.5 + 4.0 * pi * r - 0.01, "right ");
}

TEST(Serpenoid, IsTheSameInEveryWave) {
  const auto path = make_serpenoid(kStart, 0.99, 0.765);
  expect_consistent(*path, -1.0, 2.0, "serpenoid ");
  EXPECT_LE((path->at(0.0).r - kStart.r).norm(), 1e-16);
  const Vector2d wave = path->at(0.765).r - kStart.r;
  // one wave is wavelength J_0(amplitude) long, along the axis
  EXPECT_NEAR(wave.norm(), 0.765 * std::cyl_bessel_j(0.0, 0.99), 1e-14);
  EXPECT_LE((path->at(-3.0 * 0.765 + 0.2).r - path->at(0.2).r + 3.0 * wave).norm(), 1e-13);
}

TEST(Spline, GoesThroughItsPointsAndEndsStraight) {
  const std::vector<Vector2d> points{{0.0, 0.0}, {1.0, 0.2}, {1.5, 1.4}, {0.2, 1.9}, {0.1, 0.9}};
  const auto path = make_spline(points, false);
  double s = 0.0;
  for (const Vector2d& point : points) {  // the next place nearest to it
    double best = 1e9;
    double at = s;
    for (double look = s; look < s + 3.0; look += 1e-3) {
      const double off = (path->at(look).r - point).norm();
      if (off < best) {
        best = off;
        at = look;
      }
    }
    s = at;
    EXPECT_LE(best, 1e-3);
  }
  expect_consistent(*path, -0.5, s + 0.5, "spline ");
  EXPECT_EQ(path->at(-1.0).kappa, 0.0);
  EXPECT_NEAR(path->at(0.0).kappa, 0.0, 1e-12);
  EXPECT_NEAR(path->at(s + 3.0).kappa, 0.0, 1e-12);
}

TEST(Spline, ThroughTwoPointsIsALine) {
  const auto path = make_spline({{1.0, 1.0}, {4.0, 5.0}}, false);
  EXPECT_LE((path->at(2.5).r - Vector2d{2.5, 3.0}).norm(), 1e-14);
  EXPECT_LE((path->at(10.0).r - Vector2d{7.0, 9.0}).norm(), 1e-14);
  EXPECT_LE(path->max_curvature(), 1e-14);
}

// Of a circle by n points the spline's radius is off by O(n^-4): 16 times less for twice as many.
TEST(Spline, ClosedThroughPointsOfACircleIsNearlyOneAndGoesRoundForEver) {
  double error_before = 0.0;
  for (const int count : {8, 16, 32}) {
    std::vector<Vector2d> points;
    for (int i = 0; i < count; ++i) {
      points.emplace_back(std::cos(2.0 * pi * i / count), std::sin(2.0 * pi * i / count));
    }
    const auto path = make_spline(points, true);
    expect_consistent(*path, -1.0, 7.0, "circle ");
    double error = 0.0;
    for (double s = 0.0; s < 2.0 * pi; s += 0.01) {
      error = std::max(error, std::abs(path->at(s).r.norm() - 1.0));
    }
    if (count > 8) {
      EXPECT_NEAR(error_before / error, 16.0, 2.0) << count;
    }
    error_before = error;
    const double lap = 6.0 * pi;  // three laps, but for the error of the length
    EXPECT_NEAR(path->at(lap).theta - path->at(0.0).theta, lap, 30.0 * error + 1e-9);
  }
}

TEST(Spline, ThatTurnsBackSaysAtWhichPoint) {
  EXPECT_EQ(find_turning_back({{0, 0}, {1, 0}, {0, 0}}, false), 1U);
  EXPECT_EQ(find_turning_back({{0, 0}, {3, 0}, {2, 0}, {5, 0}}, false), 1U);
  EXPECT_EQ(find_turning_back({{0, 0}, {1, 1}, {3, 3}, {2.5, 2.5}}, false), 2U);
  EXPECT_TRUE(find_turning_back({{0, 0}, {1, 0}, {3, 0}}, true)) << "round a line";
  EXPECT_FALSE(find_turning_back({{0, 0}, {1, 0}}, false));
  EXPECT_FALSE(find_turning_back({{0, 0}, {1, 0}, {4, 0}, {4.2, 0}}, false));
  EXPECT_FALSE(find_turning_back({{0, 0}, {1, 0}, {0, 0.2}}, false)) << "a narrow curve";
  EXPECT_FALSE(find_turning_back({{0, 0}, {1, 0}, {1, 1}, {0, 1}}, true));
}

TEST(Spline, ArcLengthIsTrueToRounding) {
  const auto path =
      make_spline({{0.0, 0.0}, {1.0, 0.0}, {1.1, 0.3}, {-0.5, 0.4}, {3.0, 2.0}}, false);
  // the chord of a short way is shorter by kappa² h³/24
  for (double s = 0.0; s < 5.0; s += 0.01) {
    const double h = 1e-4;
    const double chord = (path->at(s + h).r - path->at(s).r).norm();
    const double kappa = path->max_curvature();
    ASSERT_NEAR(chord, h, kappa * kappa * h * h * h / 20.0 + 1e-14) << s;
  }
}

}  // namespace path_test
}  // namespace coluber::path
