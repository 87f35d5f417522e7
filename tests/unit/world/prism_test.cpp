#include "coluber/world/prism.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/random.hpp"

namespace coluber::world {
namespace prism_test {

using Eigen::Matrix2Xd;
using Eigen::Vector2d;

const Matrix2Xd& square() {
  static const Matrix2Xd corners =
      (Matrix2Xd(2, 4) << -1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0, 1.0).finished();
  return corners;
}

// Corners on a circle, at random angles in order: convex.
Matrix2Xd random_polygon(Random& random) {
  const int n = 3 + static_cast<int>(random.uniform(0.0, 5.0));
  std::vector<double> angles;
  for (int i = 0; i < n; ++i) angles.push_back(random.uniform(0.0, 2.0 * std::numbers::pi));
  std::ranges::sort(angles);
  Matrix2Xd corners(2, n);
  for (int i = 0; i < n; ++i) {
    const double angle = angles[static_cast<std::size_t>(i)];
    corners.col(i) << std::cos(angle), std::sin(angle);
  }
  return corners;
}

TEST(Prism, HasTheDistancesOfItsClosedForms) {
  const auto side = locate_on_prism(square(), {1.5, -0.5}, {2.0, 3.0});
  EXPECT_DOUBLE_EQ(side.g, 0.5);
  EXPECT_TRUE(side.normal.isApprox(Vector2d(1.0, 0.0)));
  const auto corner = locate_on_prism(square(), {4.0, 5.0}, {9.0, 5.0});
  EXPECT_DOUBLE_EQ(corner.g, 5.0) << "from (1, 1): 3, 4, 5";
  EXPECT_TRUE(corner.normal.isApprox(Vector2d(0.6, 0.8)));
  const auto across = locate_on_prism(square(), {2.0, 1.0}, {1.0, 2.0});
  EXPECT_NEAR(across.g, std::sqrt(0.5), 1e-15) << "the corner before the middle of the segment";
  const auto point = locate_on_prism(square(), {0.0, -3.0}, {0.0, -3.0});
  EXPECT_DOUBLE_EQ(point.g, 2.0);
  const auto touching = locate_on_prism(square(), {1.0, -0.5}, {1.0, 0.5});
  EXPECT_DOUBLE_EQ(touching.g, 0.0);
}

TEST(Prism, SaysHowDeepASegmentIs) {
  const auto side = locate_on_prism(square(), {0.9, -0.5}, {0.9, 0.5});
  EXPECT_NEAR(side.g, -0.1, 1e-15);
  EXPECT_TRUE(side.normal.isApprox(Vector2d(1.0, 0.0)));
  const auto cut = locate_on_prism(square(), {1.4, 0.4}, {0.4, 1.4});
  EXPECT_NEAR(cut.g, -0.1 * std::sqrt(2.0), 1e-12) << "both ends outside, the corner cut off";
  EXPECT_TRUE(cut.normal.isApprox(Vector2d(1.0, 1.0).normalized()));
  const auto inside = locate_on_prism(square(), {0.0, 0.2}, {0.1, 0.3});
  EXPECT_NEAR(inside.g, -0.8, 1e-15) << "out by the nearest side, with all of it";
}

TEST(Prism, IsLeftByTheShortestWay) {
  Random random(5);
  int inside = 0;
  for (int k = 0; k < 2000; ++k) {
    const Matrix2Xd corners = random_polygon(random);
    const Vector2d a(random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0));
    const Vector2d b(random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0));
    const PrismPoint found = locate_on_prism(corners, a, b);
    ASSERT_NEAR(found.normal.norm(), 1.0, 1e-12);
    const Vector2d way = -found.g * found.normal;
    // a way of exactly the distance brings the two to touch
    ASSERT_NEAR(locate_on_prism(corners, a + way, b + way).g, 0.0, 1e-9) << k;
    for (int i = 0; i < 24; ++i) {  // no other way of 99 % of it does
      const double angle = std::numbers::pi / 12.0 * i;
      const Vector2d other = 0.99 * std::abs(found.g) * Vector2d(std::cos(angle), std::sin(angle));
      const double g = locate_on_prism(corners, a + other, b + other).g;
      ASSERT_GT(g * found.g, 0.0) << k << ", towards " << angle;
    }
    inside += found.g < 0.0 ? 1 : 0;
  }
  EXPECT_GT(inside, 200);
}

TEST(Prism, IsAsFarAsTheNearestOfManyPoints) {
  Random random(6);
  for (int k = 0; k < 300; ++k) {
    const Matrix2Xd corners = random_polygon(random);
    const Vector2d a(random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0));
    const Vector2d b(random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0));
    const PrismPoint found = locate_on_prism(corners, a, b);
    if (found.g <= 0.0) continue;
    double least = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < corners.cols(); ++i) {
      const Vector2d p = corners.col(i);
      const Vector2d q = corners.col((i + 1) % corners.cols());
      for (int u = 0; u <= 100; ++u) {
        for (int v = 0; v <= 100; ++v) {
          const Vector2d x = p + 0.01 * u * (q - p);
          const Vector2d y = a + 0.01 * v * (b - a);
          least = std::min(least, (x - y).norm());
        }
      }
    }
    EXPECT_LE(found.g, least + 1e-12);
    EXPECT_GE(found.g, least - 0.05) << "a hundredth of the longest edge and segment";
  }
}

}  // namespace prism_test
}  // namespace coluber::world
