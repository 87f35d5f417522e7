// A chain laid on a path: closed forms, the chord equation, and rates against differences in time.

#include "coluber/path/train.hpp"

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/random.hpp"

namespace coluber::path {
namespace train_test {

constexpr double pi = std::numbers::pi;

Vector2d tangent(double theta) { return {std::cos(theta), std::sin(theta)}; }
Vector2d normal(double theta) { return {-std::sin(theta), std::cos(theta)}; }

const std::vector<double> kLinks{0.1, 0.15, 0.05, 0.12, 0.1, 0.2};

/// Every point is on the path, at its link's distance from the point behind, and no point of the
/// path between the two is farther away.
void expect_laid(const Path& path, const std::vector<double>& length, double s, const Train& train,
                 const std::string& what) {
  const auto n = static_cast<Eigen::Index>(length.size());
  ASSERT_EQ(train.s.size(), n + 1) << what;
  ASSERT_EQ(train.r.cols(), n + 1) << what;
  ASSERT_EQ(train.theta.size(), n) << what;
  ASSERT_EQ(train.s(0), s) << what;
  double theta = path.at(s).theta;
  for (Eigen::Index k = 0; k <= n; ++k) {
    ASSERT_EQ((path.at(train.s(k)).r - train.r.col(k)).norm(), 0.0) << what << k;
  }
  for (Eigen::Index k = 0; k < n; ++k) {
    const double L = length[static_cast<std::size_t>(k)];
    const Vector2d d = train.r.col(k + 1) - train.r.col(k);
    ASSERT_NEAR(d.norm(), L, 1e-12) << what << k;
    ASSERT_GE(train.s(k + 1) - train.s(k), L * (1.0 - 1e-12)) << what << k;
    ASSERT_LE((d - L * tangent(train.theta(k))).norm(), 1e-12) << what << k;
    ASSERT_LE(std::abs(train.theta(k) - theta), pi) << what << k;
    theta = train.theta(k);
    for (int i = 1; i < 1000; ++i) {
      const double between = train.s(k) + (train.s(k + 1) - train.s(k)) * i / 1000.0;
      ASSERT_LT((path.at(between).r - train.r.col(k)).norm(), L + 1e-12) << what << k;
    }
  }
}

/// Velocities, accelerations and rates are the time derivatives of the places and angles of a train
/// whose rear moves with s + v t + a t²/2.
void expect_rates(const Path& path, const std::vector<double>& length, double s, double speed,
                  double acceleration, const std::string& what) {
  constexpr double h = 1e-5;
  const auto at = [&](double t) {
    Train train;
    EXPECT_TRUE(lay_train(path, length, s + t * (speed + 0.5 * acceleration * t),
                          speed + acceleration * t, acceleration, train))
        << what;
    return train;
  };
  const Train before = at(-h);
  const Train here = at(0.0);
  const Train after = at(h);
  EXPECT_LE(((after.r - before.r) / (2.0 * h) - here.v).norm(), 1e-6) << what;
  EXPECT_LE(((after.v - before.v) / (2.0 * h) - here.a).norm(), 1e-6) << what;
  EXPECT_LE(((after.theta - before.theta) / (2.0 * h) - here.omega).norm(), 1e-6) << what;
  EXPECT_LE(((after.omega - before.omega) / (2.0 * h) - here.alpha).norm(), 1e-6) << what;
}

struct Named {
  std::string name;
  std::unique_ptr<Path> path;
};

/// Paths of every kind, none curled tighter than the longest of kLinks.
std::vector<Named> paths() {
  std::vector<Named> all;
  const PathPoint start{{0.3, -0.2}, 0.7, 0.0};
  all.push_back({"line ", make_pieces(start, {{1.0, 0.0, 0.0}})});
  all.push_back({"turn ", make_pieces(start, {{0.2, 0.0, 0.0}, {0.3, 4.0, 4.0}, {1.0, 0.0, 0.0}})});
  all.push_back(
      {"clothoids ", make_pieces(start, {{0.2, 0.0, 5.0}, {0.4, 5.0, -5.0}, {0.5, -5.0, 2.0}})});
  all.push_back({"eight ", make_eight(start, 0.5, 0.25)});
  all.push_back({"serpenoid ", make_serpenoid(start, 0.99, 0.765)});
  all.push_back({"tight serpenoid ", make_serpenoid(start, 1.9, 0.765)});
  all.push_back({"open spline ",
                 make_spline({{0, 0}, {0.4, 0.3}, {0.8, -0.2}, {0.9, -0.6}, {0.2, -0.5}}, false)});
  all.push_back({"closed spline ", make_spline({{0, 0}, {1, 0.2}, {0.8, 0.9}, {0.1, 0.6}}, true)});
  return all;
}

TEST(Train, OnALineIsStraightAndMovesAsOne) {
  const PathPoint start{{0.3, -0.2}, 0.7, 0.0};
  const auto path = make_pieces(start, {{1.0, 0.0, 0.0}});
  Train train;
  for (const double s : {-2.0, -0.1, 0.0, 3.0}) {
    ASSERT_TRUE(lay_train(*path, kLinks, s, 0.4, -0.3, train));
    double at = s;
    for (std::size_t k = 0; k <= kLinks.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      EXPECT_NEAR(train.s(i), at, 1e-15 * (4.0 + std::abs(at)));
      EXPECT_LE((train.r.col(i) - start.r - at * tangent(0.7)).norm(), 4e-15);
      EXPECT_LE((train.v.col(i) - 0.4 * tangent(0.7)).norm(), 1e-14);
      EXPECT_LE((train.a.col(i) + 0.3 * tangent(0.7)).norm(), 1e-14);
      if (k == kLinks.size()) break;
      EXPECT_NEAR(train.theta(i), 0.7, 2e-14);
      EXPECT_NEAR(train.omega(i), 0.0, 1e-13);
      EXPECT_NEAR(train.alpha(i), 0.0, 1e-13);
      at += kLinks[k];
    }
  }
}

TEST(Train, OnACircleHasEqualAnglesAndTurnsWithTheSpeedOverTheRadius) {
  constexpr double R = 0.4;
  constexpr double L = 0.15;
  constexpr double v = 0.3;
  constexpr double a = 0.7;
  const double angle = 2.0 * std::asin(0.5 * L / R);
  for (const double side : {1.0, -1.0}) {
    const auto path = make_pieces({}, {{1.0, side / R, side / R}});
    const std::vector<double> length(30, L);  // more than once round
    Train train;
    ASSERT_TRUE(lay_train(*path, length, 0.2, v, a, train));
    for (Eigen::Index k = 0; k <= 30; ++k) {
      const double theta = side * (0.2 / R + static_cast<double>(k) * angle);  // of the path
      EXPECT_NEAR(train.s(k), 0.2 + static_cast<double>(k) * angle * R, 1e-13);
      EXPECT_LE((train.v.col(k) - v * tangent(theta)).norm(), 1e-12);
      EXPECT_LE((train.a.col(k) - a * tangent(theta) - side * v * v / R * normal(theta)).norm(),
                1e-12);
      if (k == 30) break;
      EXPECT_NEAR(train.theta(k), theta + side * 0.5 * angle, 1e-12);
      EXPECT_NEAR(train.omega(k), side * v / R, 1e-12);
      EXPECT_NEAR(train.alpha(k), side * a / R, 1e-11);
    }
  }
}

TEST(Train, LiesOnEveryPathAtTheFirstPlaceThatFits) {
  for (const Named& named : paths()) {
    for (double s = -1.0; s < 3.0; s += 0.0931) {
      Train train;
      ASSERT_TRUE(lay_train(*named.path, kLinks, s, 0.1, 0.0, train)) << named.name << s;
      expect_laid(*named.path, kLinks, s, train, named.name);
    }
  }
}

TEST(Train, RatesAreTheDerivativesOfItsPlaces) {
  const auto serpenoid = make_serpenoid({{0.3, -0.2}, 0.7, 0.0}, 0.99, 0.765);
  const auto spline = make_spline({{0, 0}, {1, 0.2}, {0.8, 0.9}, {0.1, 0.6}}, true);
  for (double s = -0.5; s < 1.0; s += 0.0317) {
    expect_rates(*serpenoid, kLinks, s, 0.1, 0.0, "serpenoid, Holden's speed ");
    expect_rates(*serpenoid, kLinks, s, 0.6, -0.8, "serpenoid, braking ");
    expect_rates(*serpenoid, kLinks, s, -0.4, 0.5, "serpenoid, backwards ");
    expect_rates(*spline, kLinks, s, 0.5, 0.4, "closed spline ");
  }
}

TEST(Train, OnTheMirroredPathIsTheMirrorImage) {
  const auto path = make_serpenoid({}, 0.99, 0.765);
  const auto mirrored = make_serpenoid({}, -0.99, 0.765);
  Train one;
  Train other;
  for (double s = -0.5; s < 1.0; s += 0.0731) {
    ASSERT_TRUE(lay_train(*path, kLinks, s, 0.3, 0.2, one));
    ASSERT_TRUE(lay_train(*mirrored, kLinks, s, 0.3, 0.2, other));
    EXPECT_LE((one.s - other.s).norm(), 1e-13);
    EXPECT_LE((one.theta + other.theta).norm(), 1e-12);
    EXPECT_LE((one.omega + other.omega).norm(), 1e-11);
    EXPECT_LE((one.alpha + other.alpha).norm(), 1e-10);
    for (const auto points : {&Train::r, &Train::v, &Train::a}) {
      EXPECT_LE(((one.*points).row(0) - (other.*points).row(0)).norm(), 1e-10);
      EXPECT_LE(((one.*points).row(1) + (other.*points).row(1)).norm(), 1e-10);
    }
  }
}

TEST(Train, RatesGrowWithTheSpeedAndAccelerationsWithItsSquare) {
  const auto path = make_serpenoid({}, 0.99, 0.765);
  Train slow;
  Train fast;
  ASSERT_TRUE(lay_train(*path, kLinks, 0.2, 0.1, 0.0, slow));
  ASSERT_TRUE(lay_train(*path, kLinks, 0.2, 0.3, 0.0, fast));
  EXPECT_LE((3.0 * slow.v - fast.v).norm(), 1e-14);
  EXPECT_LE((9.0 * slow.a - fast.a).norm(), 1e-12);
  EXPECT_LE((9.0 * slow.alpha - fast.alpha).norm(), 1e-11);
}

TEST(Train, APathCurledTighterThanALinkHasNoPlaceForIt) {
  const auto circle = make_pieces({}, {{1.0, 10.0, 10.0}});  // 0.2 m across
  Train train;
  EXPECT_FALSE(lay_train(*circle, std::vector<double>{0.25}, 0.0, 0.1, 0.0, train));
  EXPECT_EQ(train.s.size(), 2);
  EXPECT_TRUE(std::isnan(train.s(1)));
  EXPECT_TRUE(std::isnan(train.theta(0)));
  EXPECT_TRUE(lay_train(*circle, std::vector<double>{0.199}, 0.0, 0.1, 0.0, train));
  EXPECT_FALSE(lay_train(*circle, std::vector<double>{0.2}, 0.0, 0.1, 0.0, train))
      << "square to the path in front: it cannot slide";
  // the third link is the one that does not fit, the others stay where they are
  EXPECT_FALSE(lay_train(*circle, std::vector<double>{0.1, 0.05, 0.3, 0.1}, 0.0, 0.1, 0.0, train));
  EXPECT_EQ(train.s.size(), 5);
  EXPECT_TRUE(std::isfinite(train.s(2)));
  EXPECT_TRUE(std::isfinite(train.theta(1)));
  EXPECT_TRUE(std::isnan(train.s(3)));
  EXPECT_TRUE(std::isnan(train.alpha(2)));
  EXPECT_FALSE(lay_train(*make_eight({}, 0.0, 0.1), std::vector<double>{1.0}, 0.0, 0, 0, train));
}

/// Any of the shapes, some of them curled tighter than links of 0.02 m to 0.22 m.
std::unique_ptr<Path> random_path(int kind, Random& random) {
  if (kind == 0) return make_serpenoid({}, random.uniform(0.0, 2.9), random.uniform(0.1, 1.1));
  if (kind == 1) return make_eight({}, random.uniform(0.0, 0.5), random.uniform(0.02, 0.32));
  if (kind == 2) {
    std::vector<Vector2d> points;
    for (int i = 0; i < 6; ++i) points.emplace_back(random.uniform(), random.uniform());
    return make_spline(points, random.uniform() < 0.5);
  }
  std::vector<Piece> pieces;
  for (int i = 0; i < 5; ++i) {
    pieces.push_back(
        {random.uniform(0.05, 1.0), random.uniform(-10.0, 10.0), random.uniform(-10.0, 10.0)});
  }
  return make_pieces({}, pieces);
}

TEST(Train, FindsTheFirstPlaceOfALinkIfThereIsOneWithin32Lengths) {
  Random random(16);
  int laid = 0;
  int refused = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto path = random_path(trial % 4, random);
    std::vector<double> length(10);
    for (double& each : length) each = random.uniform(0.02, 0.22);
    const double s = random.uniform(-1.0, 3.0);
    Train train;
    const bool fits = lay_train(*path, length, s, 0.1, 0.0, train);
    ++(fits ? laid : refused);
    Eigen::Index k = 0;
    for (; k < 10 && std::isfinite(train.s(k + 1)); ++k) {
      const double L = length[static_cast<std::size_t>(k)];
      ASSERT_NEAR((train.r.col(k + 1) - train.r.col(k)).norm(), L, 1e-12) << trial;
      for (int i = 1; i < 200; ++i) {
        const double between = train.s(k) + (train.s(k + 1) - train.s(k)) * i / 200.0;
        ASSERT_LE((path->at(between).r - train.r.col(k)).norm(), L * (1.0 + 1e-9)) << trial;
      }
    }
    ASSERT_EQ(k == 10, fits) << trial;
    if (fits) continue;
    const double L = length[static_cast<std::size_t>(k)];
    for (int i = 1; i < 4000; ++i) {
      ASSERT_LE((path->at(train.s(k) + 32.0 * L * i / 4000.0).r - train.r.col(k)).norm(), L)
          << trial << ": there was a place";
    }
  }
  EXPECT_GT(laid, 300);
  EXPECT_GT(refused, 10);
}

TEST(Train, WithoutLinksIsAPoint) {
  const auto path = make_serpenoid({}, 0.99, 0.765);
  Train train;
  ASSERT_TRUE(lay_train(*path, {}, 0.1, 0.2, 0.0, train));
  EXPECT_EQ(train.s.size(), 1);
  EXPECT_EQ(train.theta.size(), 0);
  EXPECT_NEAR(train.v.col(0).norm(), 0.2, 1e-15);
}

}  // namespace train_test
}  // namespace coluber::path
