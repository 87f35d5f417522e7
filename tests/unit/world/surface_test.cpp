// Where links come near the ground and vertical cylinders: gaps, normals and points against the
// thesis' own cases and against a search along the link.

#include "coluber/world/surface.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

namespace coluber::world {
namespace surface_test {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kRadius = 0.0525;
constexpr double kHalf = 0.0393;
constexpr double kFar = 1e3;

PlacedLink make_link(const Vector3d& centre, const Vector3d& axis, double offset = 0.0) {
  PlacedLink link;
  link.centre = centre;
  link.axis = axis.normalized();
  link.rear = -kHalf - offset;
  link.front = kHalf - offset;
  link.radius = kRadius;
  return link;
}

std::vector<SurfacePoint> find(Surface& surface, const PlacedLink& link, double near = kFar) {
  SurfacePoints found;
  surface.find(std::span(&link, 1), near, found);
  EXPECT_EQ(found.first, (std::vector<int>{0, static_cast<int>(found.points.size())}));
  return found.points;
}

/// Distance of the point `s` of a link's axis from a cylinder, less both radii.
double gap_at(const PlacedLink& link, double s, const Obstacle& obstacle) {
  return (Vector2d{link.centre.head<2>() + s * link.axis.head<2>()} - obstacle.H).norm() -
         obstacle.L_H - link.radius;
}

TEST(Plane, MeetsTheLowestPointsOfBothEndSpheres) {
  Plane plane;
  const PlacedLink link = make_link({0.3, -0.2, 0.1}, {1.0, 2.0, -0.5}, 0.01);
  const auto points = find(plane, link);
  ASSERT_EQ(points.size(), 2U);
  for (const int key : {0, 1}) {  // rear, front
    const SurfacePoint& point = points[static_cast<std::size_t>(key)];
    const double s = (key == 0 ? -kHalf : kHalf) - 0.01;
    EXPECT_EQ(point.key, key);
    EXPECT_DOUBLE_EQ(point.s, s);
    EXPECT_NEAR(point.g, 0.1 + s * link.axis.z() - kRadius, 1e-16);
    EXPECT_EQ(point.normal, Vector3d::UnitZ());
  }
  EXPECT_LT(points[1].g, points[0].g) << "it points downwards";
}

TEST(Plane, LeavesOutWhatIsNotNearAndKeepsWhatIsInside) {
  Plane plane;
  std::vector<PlacedLink> links{make_link({0.0, 0.0, 1.0}, Vector3d::UnitX()),
                                make_link({0.0, 0.0, kRadius + 0.01}, {1.0, 0.0, 0.5}),
                                make_link({0.0, 0.0, 0.01}, Vector3d::UnitX())};
  SurfacePoints found;
  plane.find(links, 0.02, found);
  EXPECT_EQ(found.first, (std::vector<int>{0, 0, 1, 3}));
  EXPECT_EQ(found.points[0].link, 1);
  EXPECT_EQ(found.points[0].key, 0) << "the link points up: its rear is near";
  EXPECT_EQ(found.points[1].link, 2);
  EXPECT_NEAR(found.points[2].g, 0.01 - kRadius, 1e-17);
}

TEST(Cylinders, AnInclinedLinksSideIsTheThesisCylinderOnCylinder) {
  // Transeth (4.10)-(4.12): n = e_z^I x e_z^B / |.|, d = (r_G - r_H) . n, g = |d| - L_H - L_SC
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  int sides = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const PlacedLink link =
        make_link({unit(random), unit(random), unit(random)},
                  {unit(random), unit(random), 1.5 * unit(random)}, 0.01 * unit(random));
    const Obstacle obstacle{link.centre.head<2>() + 0.1 * Vector2d{unit(random), unit(random)},
                            0.02};
    const Vector2d e = link.axis.head<2>();
    const double s = (obstacle.H - link.centre.head<2>()).dot(e) / e.squaredNorm();
    if (s < link.rear || s > link.front) continue;
    ++sides;
    Cylinders cylinders({obstacle});
    const auto points = find(cylinders, link);
    ASSERT_EQ(points.size(), 1U);
    const Vector3d n = Vector3d::UnitZ().cross(link.axis).normalized();
    const Vector3d from{obstacle.H.x(), obstacle.H.y(), 0.0};
    const double d = (link.centre - from).dot(n);
    EXPECT_NEAR(points[0].g, std::abs(d) - obstacle.L_H - kRadius, 1e-12);
    EXPECT_LE((points[0].normal - (d < 0.0 ? -1.0 : 1.0) * n).norm(), 1e-9);
    EXPECT_NEAR(points[0].s, s, 1e-12);
  }
  EXPECT_GT(sides, 300);
}

TEST(Cylinders, BeyondTheCoresEndTheSphereIsMet) {
  // Transeth (4.13), (4.14): c = xy(r_G ± L_GS e_z^B) - H, g = |c| - L_H - L_SC
  const PlacedLink link = make_link({0.2, 0.1, 0.3}, {1.0, 1.0, 0.7}, 0.005);
  const Vector2d along = link.axis.head<2>().normalized();
  for (const double end : {link.rear, link.front}) {
    const Vector2d sphere = link.centre.head<2>() + end * link.axis.head<2>();
    const Vector2d out = (end > 0.0 ? along : Vector2d{-along});
    const Vector2d aside{-along.y(), along.x()};
    for (const double angle : {-1.4, -0.5, 0.0, 0.8, 1.4}) {
      const Vector2d way = std::cos(angle) * out + std::sin(angle) * aside;
      Cylinders cylinders({{sphere + 0.2 * way, 0.03, 0.0}});
      const auto points = find(cylinders, link);
      ASSERT_EQ(points.size(), 1U);
      EXPECT_DOUBLE_EQ(points[0].s, end);
      EXPECT_NEAR(points[0].g, 0.2 - 0.03 - kRadius, 1e-15);
      EXPECT_LE((points[0].normal + Vector3d{way.x(), way.y(), 0.0}).norm(), 1e-14);
    }
  }
}

TEST(Cylinders, ThePointIsTheNearestOfTheWholeCore) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int trial = 0; trial < 300; ++trial) {
    const PlacedLink link = make_link({unit(random), unit(random), unit(random)},
                                      {unit(random), unit(random), 3.0 * unit(random)}, 0.01);
    const Obstacle obstacle{link.centre.head<2>() + 0.2 * Vector2d{unit(random), unit(random)},
                            0.01 + 0.03 * std::abs(unit(random))};
    Cylinders cylinders({obstacle});
    const auto points = find(cylinders, link);
    ASSERT_EQ(points.size(), 1U);
    EXPECT_NEAR(points[0].g, gap_at(link, points[0].s, obstacle), 1e-15);
    for (int k = 0; k <= 1000; ++k) {
      const double s = link.rear + 1e-3 * k * (link.front - link.rear);
      ASSERT_LE(points[0].g, gap_at(link, s, obstacle) + 1e-12);
    }
  }
}

TEST(Cylinders, AnUprightLinkTouchesWithItsMiddle) {
  const Obstacle obstacle{{0.2, 0.0}, 0.03};
  Cylinders cylinders({obstacle});
  const double offset = 0.01;
  for (const double tip : {0.0, 1e-14, -1e-14}) {
    const auto points = find(cylinders, make_link({0.0, 0.0, 0.1}, {tip, 0.0, 1.0}, offset));
    ASSERT_EQ(points.size(), 1U);
    EXPECT_DOUBLE_EQ(points[0].s, -offset);
    EXPECT_NEAR(points[0].g, 0.2 - 0.03 - kRadius, 1e-15);
    EXPECT_LE((points[0].normal + Vector3d::UnitX()).norm(), 1e-13);
  }
}

TEST(Cylinders, ALinkOnACylindersAxisIsPushedOutSomewhereHorizontally) {
  Cylinders cylinders({{{0.0, 0.0}, 0.03, 0.0}});
  const auto points = find(cylinders, make_link({0.0, 0.0, 0.1}, Vector3d::UnitZ()));
  ASSERT_EQ(points.size(), 1U);
  EXPECT_NEAR(points[0].g, -0.03 - kRadius, 1e-16);
  EXPECT_NEAR(points[0].normal.norm(), 1.0, 1e-15);
  EXPECT_EQ(points[0].normal.z(), 0.0);
}

TEST(Cylinders, ALinkOfTwoSpheresHasAPointForEachAndNoneBetween) {
  PlacedLink link = make_link({0.0, 0.0, 0.1}, Vector3d::UnitX());
  link.spheres = true;
  Cylinders cylinders({{{5.0, 0.0}, 0.02, 0.0}, {{0.0, 0.2}, 0.02, 0.0}});
  const auto points = find(cylinders, link, 1.0);
  ASSERT_EQ(points.size(), 2U);
  for (const int end : {0, 1}) {
    const SurfacePoint& point = points[static_cast<std::size_t>(end)];
    EXPECT_EQ(point.body, 1);
    EXPECT_EQ(point.key, 2 + end) << "a key of its own";
    EXPECT_DOUBLE_EQ(point.s, end == 0 ? link.rear : link.front);
    EXPECT_NEAR(point.g, std::hypot(0.2, kHalf) - 0.02 - kRadius, 1e-15);
  }
}

TEST(Cylinders, EveryPairThatIsNearIsFoundHoweverTheLinksMove) {
  // Links wander and turn among 200 cylinders, sometimes a little, sometimes far, so that the list
  // of candidates is kept now and built anew then.
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::vector<Obstacle> obstacles;
  for (int j = 0; j < 200; ++j) {
    obstacles.push_back(
        {{2.0 * unit(random), 2.0 * unit(random)}, 0.02 + 0.1 * std::abs(unit(random))});
  }
  Cylinders cylinders(obstacles);
  std::vector<PlacedLink> links;
  for (int i = 0; i < 7; ++i) {
    links.push_back(make_link({unit(random), unit(random), 0.1},
                              {unit(random), unit(random), unit(random)}, 0.01 * unit(random)));
    links.back().spheres = i % 3 == 0;
  }
  const double near = 0.02;
  std::size_t pairs = 0;
  SurfacePoints found;
  for (int step = 0; step < 3000; ++step) {
    for (PlacedLink& link : links) {
      const double way = step % 97 == 0 ? 0.5 : 0.004;
      link.centre += way * Vector3d{unit(random), unit(random), 0.0};
      link.axis =
          (link.axis + 0.1 * Vector3d{unit(random), unit(random), unit(random)}).normalized();
    }
    cylinders.find(links, near, found);
    std::size_t next = 0;
    for (std::size_t i = 0; i < links.size(); ++i) {
      ASSERT_EQ(found.first[i], static_cast<int>(next));
      for (std::size_t j = 0; j < obstacles.size(); ++j) {
        const auto expect = [&](double s, int end) {
          const double g = gap_at(links[i], s, obstacles[j]);
          if (g >= near) return;
          ASSERT_LT(next, found.points.size()) << "step " << step;
          const SurfacePoint& point = found.points[next++];
          EXPECT_EQ(point.link, static_cast<int>(i));
          EXPECT_EQ(point.body, static_cast<int>(j));
          EXPECT_EQ(point.key, static_cast<int>(2 * j) + end);
          EXPECT_EQ(point.g, g);
        };
        if (links[i].spheres) {
          expect(links[i].rear, 0);
          expect(links[i].front, 1);
        } else {
          const Vector2d e = links[i].axis.head<2>();
          const double s = (obstacles[j].H - links[i].centre.head<2>()).dot(e) / e.squaredNorm();
          expect(std::clamp(s, links[i].rear, links[i].front), 0);
        }
      }
    }
    ASSERT_EQ(next, found.points.size()) << "step " << step;
    pairs += next;
  }
  EXPECT_GT(pairs, 10000U);
}

TEST(Cylinders, NoneAreNoneAnywhere) {
  Cylinders cylinders({});
  EXPECT_TRUE(find(cylinders, make_link(Vector3d::Zero(), Vector3d::UnitX())).empty());
}

}  // namespace surface_test
}  // namespace coluber::world
