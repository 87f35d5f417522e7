#include "coluber/world/capsules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/random.hpp"

namespace coluber::world {
namespace capsules_test {

using Eigen::Vector3d;

Vector3d random_point(Random& random, double reach) {
  return {random.uniform(-reach, reach), random.uniform(-reach, reach),
          random.uniform(-reach, reach)};
}

Capsule random_capsule(Random& random) {
  return {.start = random_point(random, 1.0),
          .end = random_point(random, 1.0),
          .radius = random.uniform(0.0, 0.3)};
}

std::vector<Capsule> random_chain(Random& random, int links) {
  std::vector<Capsule> chain;
  Vector3d joint = Vector3d::Zero();
  for (int i = 0; i < links; ++i) {
    const Vector3d next = joint + random_point(random, 1.0);
    chain.push_back({.start = joint, .end = next, .radius = 0.05});
    joint = next;
  }
  return chain;
}

// Which way the square of the distance falls where `nearest` says it is least: along s and t, less
// what would leave the segments. Zero means least, since the square is convex.
double way_down(const Capsule& a, const Capsule& b, const SegmentsNearest& nearest) {
  const Vector3d d = a.end - a.start;
  const Vector3d e = b.end - b.start;
  const Vector3d between = a.start + nearest.s * d - b.start - nearest.t * e;
  const auto inside = [](double share, double slope) {
    if (share <= 0.0) return std::max(-slope, 0.0);
    if (share >= 1.0) return std::max(slope, 0.0);
    return std::abs(slope);
  };
  return std::max(inside(nearest.s, d.dot(between)), inside(nearest.t, -e.dot(between)));
}

TEST(Capsules, HaveTheDistancesOfTheirClosedForms) {
  const Capsule along_x{.start = {0.0, 0.0, 0.0}, .end = {1.0, 0.0, 0.0}, .radius = 0.1};
  const Capsule above{.start = {0.25, -1.0, 0.5}, .end = {0.25, 1.0, 0.5}, .radius = 0.2};
  EXPECT_DOUBLE_EQ(find_nearest(along_x, above).distance, 0.5);
  EXPECT_DOUBLE_EQ(find_nearest(along_x, above).s, 0.25);
  EXPECT_DOUBLE_EQ(find_nearest(along_x, above).t, 0.5);
  EXPECT_DOUBLE_EQ(compute_distance(along_x, above), 0.2);

  const Capsule beside{.start = {1.5, 0.0, 0.4}, .end = {0.5, 0.0, 0.4}, .radius = 0.1};
  EXPECT_DOUBLE_EQ(compute_distance(along_x, beside), 0.2) << "parallel, half facing";
  const Capsule behind{.start = {3.0, 0.0, 0.0}, .end = {4.0, 0.0, 0.0}, .radius = 0.1};
  EXPECT_DOUBLE_EQ(compute_distance(along_x, behind), 1.8) << "on one line";
  const Capsule off{.start = {4.0, 4.0, 0.0}, .end = {4.0, 8.0, 0.0}, .radius = 0.0};
  EXPECT_DOUBLE_EQ(find_nearest(along_x, off).distance, 5.0) << "end to end: 3, 4, 5";
  const Capsule through{.start = {0.5, -1.0, 0.0}, .end = {0.5, 1.0, 0.0}, .radius = 0.1};
  EXPECT_DOUBLE_EQ(compute_distance(along_x, through), -0.2) << "axes that cross";
}

TEST(Capsules, WithoutLengthAreSpheres) {
  const Capsule sphere{.start = {0.5, 0.7, 0.0}, .end = {0.5, 0.7, 0.0}, .radius = 0.2};
  const Capsule link{.start = {0.0, 0.0, 0.0}, .end = {1.0, 0.0, 0.0}, .radius = 0.1};
  EXPECT_NEAR(compute_distance(sphere, link), 0.4, 1e-15);
  EXPECT_NEAR(compute_distance(link, sphere), 0.4, 1e-15);
  EXPECT_NEAR(compute_distance(sphere, sphere), -0.4, 1e-15);
}

TEST(Capsules, AreNearestWhereNoWayLeadsCloser) {
  Random random(11);
  int inside = 0;
  for (int k = 0; k < 5000; ++k) {
    const Capsule a = random_capsule(random);
    const Capsule b = random_capsule(random);
    const SegmentsNearest nearest = find_nearest(a, b);
    ASSERT_GE(nearest.s, 0.0);
    ASSERT_LE(nearest.s, 1.0);
    ASSERT_GE(nearest.t, 0.0);
    ASSERT_LE(nearest.t, 1.0);
    // the slope is rounded to 1e-15 times what the shares are divided by
    ASSERT_LT(way_down(a, b, nearest), 1e-11) << k;
    const Vector3d between =
        a.start + nearest.s * (a.end - a.start) - b.start - nearest.t * (b.end - b.start);
    ASSERT_DOUBLE_EQ(nearest.distance, between.norm());
    ASSERT_NEAR(find_nearest(b, a).distance, nearest.distance, 1e-12);
    inside += nearest.s > 0.0 && nearest.s < 1.0 && nearest.t > 0.0 && nearest.t < 1.0 ? 1 : 0;
  }
  EXPECT_GT(inside, 200) << "some meet between their ends";
}

TEST(Capsules, ThatAreNearlyParallelKeepTheirDistance) {
  Random random(12);
  for (int k = 0; k < 2000; ++k) {
    const double tilt = std::pow(10.0, random.uniform(-17.0, -3.0));
    const Vector3d d = random_point(random, 1.0);
    const Vector3d shift = random_point(random, 1.0);
    const Capsule a{.start = Vector3d::Zero(), .end = d, .radius = 0.0};
    const Capsule b{.start = shift, .end = shift + d + tilt * random_point(random, 1.0)};
    double least = std::numeric_limits<double>::infinity();  // over 1001 points of a
    for (int i = 0; i <= 1000; ++i) {
      const Vector3d x = 1e-3 * i * d;
      const Capsule point{.start = x, .end = x, .radius = 0.0};
      least = std::min(least, find_nearest(point, b).distance);
    }
    const double distance = find_nearest(a, b).distance;
    EXPECT_LE(distance, least + 1e-14);
    EXPECT_GE(distance, least - 1e-3 * d.norm());
  }
}

TEST(SelfDistance, IsTheLeastOfAllPairs) {
  Random random(13);
  for (int k = 0; k < 500; ++k) {
    const std::vector<Capsule> chain = random_chain(random, 15);
    for (const int skip : {0, 1, 3}) {
      SelfDistance least;
      for (int i = 0; i < 15; ++i) {
        for (int j = i + skip + 1; j < 15; ++j) {
          const double distance = compute_distance(chain[static_cast<std::size_t>(i)],
                                                   chain[static_cast<std::size_t>(j)]);
          if (distance < least.distance) least = {.distance = distance, .first = i, .second = j};
        }
      }
      const SelfDistance found = compute_self_distance(chain, skip);
      ASSERT_EQ(found.distance, least.distance) << "chain " << k << ", skip " << skip;
      ASSERT_EQ(found.first, least.first);
      ASSERT_EQ(found.second, least.second);
    }
  }
}

TEST(SelfDistance, OfAStraightChainIsALinkLessTheRadii) {
  std::vector<Capsule> chain;
  for (int i = 0; i < 6; ++i) {
    chain.push_back(
        {.start = {1.0 * i, 0.0, 0.0}, .end = {1.0 * i + 1.0, 0.0, 0.0}, .radius = 0.05});
  }
  const SelfDistance found = compute_self_distance(chain);
  EXPECT_NEAR(found.distance, 0.9, 1e-15);
  EXPECT_EQ(found.first, 0) << "of equal pairs the first";
  EXPECT_EQ(found.second, 2);
}

TEST(SelfDistance, OfAZigZagIsBetweenParallelLinks) {
  // to and fro between x = 0 and 1, each link 0.2 m higher: links two apart are parallel
  std::vector<Capsule> chain;
  const auto joint = [](int i) { return Vector3d{i % 2 == 0 ? 0.0 : 1.0, 0.0, 0.2 * i}; };
  for (int i = 0; i < 9; ++i) {
    chain.push_back({.start = joint(i), .end = joint(i + 1), .radius = 0.05});
  }
  const double slope = std::atan(0.2);
  EXPECT_NEAR(compute_self_distance(chain).distance, 0.4 * std::cos(slope) - 0.1, 1e-14);
  EXPECT_EQ(compute_self_distance(chain).second - compute_self_distance(chain).first, 2);
  // three apart: the upper end of one meets the start of the other across two links' rise
  EXPECT_NEAR(compute_self_distance(chain, 2).distance, 0.4 - 0.1, 1e-14);
}

TEST(SelfDistance, IsNegativeWhereAChainMeetsItselfAndInfiniteForShortOnes) {
  std::vector<Capsule> ring;
  for (int i = 0; i < 6; ++i) {
    const auto joint = [](int k) {
      const double angle = std::numbers::pi / 3.0 * k;
      return Vector3d{std::cos(angle), std::sin(angle), 0.0};
    };
    ring.push_back({.start = joint(i), .end = joint(i + 1), .radius = 0.05});
  }
  const SelfDistance found = compute_self_distance(ring);
  EXPECT_NEAR(found.distance, -0.1, 1e-14);
  EXPECT_EQ(found.first, 0);
  EXPECT_EQ(found.second, 5);
  const SelfDistance none = compute_self_distance(std::span(ring).first(2));
  EXPECT_EQ(none.distance, std::numeric_limits<double>::infinity());
  EXPECT_EQ(none.first, -1);
}

}  // namespace capsules_test
}  // namespace coluber::world
