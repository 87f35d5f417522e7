#include "coluber/world/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/core/random.hpp"

namespace coluber::world {
namespace candidates_test {

std::vector<Obstacle> forest(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Obstacle> obstacles(count);
  for (Obstacle& obstacle : obstacles) {
    obstacle.H = {random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0)};
    obstacle.L_H = random.uniform(0.02, 0.1);
  }
  return obstacles;
}

std::vector<int> of_body(const Candidates& candidates, std::size_t k) {
  return {candidates.obstacle.begin() + candidates.first[k],
          candidates.obstacle.begin() + candidates.first[k + 1]};
}

TEST(Candidates, HoldEveryObstacleThatABodyCanReachUntilTheyAreBuiltAnew) {
  const std::vector<Obstacle> obstacles = forest(200, 3);
  const ObstacleGrid grid(obstacles);
  constexpr double around = 0.15;
  std::vector<Eigen::Vector2d> bodies{{0.0, 0.0}, {1.0, -1.0}, {-1.5, 0.5}};
  const auto centre = [&](std::size_t k) { return bodies[k]; };
  const auto reach = [&](std::size_t) { return around; };
  Candidates candidates;
  Random random(4);
  int built = 0;
  for (int step = 0; step < 500; ++step) {
    for (Eigen::Vector2d& body : bodies) {
      body += Eigen::Vector2d(random.uniform(-0.03, 0.03), random.uniform(-0.03, 0.03));
    }
    const Eigen::Matrix2Xd before = candidates.built_at;
    candidates.update(grid, bodies.size(), centre, reach);
    if (before.size() == 0 || !(before == candidates.built_at)) ++built;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const std::vector<int> list = of_body(candidates, k);
      EXPECT_TRUE(std::ranges::is_sorted(list));
      for (std::size_t j = 0; j < obstacles.size(); ++j) {
        const double gap = (obstacles[j].H - bodies[k]).norm() - obstacles[j].L_H;
        if (gap <= around) {
          EXPECT_THAT(list, testing::Contains(static_cast<int>(j))) << "body " << k;
        }
      }
    }
  }
  EXPECT_GT(built, 3);
  EXPECT_LT(built, 400) << "the list holds while nobody has moved far";
}

TEST(Candidates, AreKeptWhileNoBodyHasMovedFurtherThanTheReach) {
  std::vector<Obstacle> obstacles(1);
  obstacles[0].H = {0.5, 0.0};
  obstacles[0].L_H = 0.1;
  const ObstacleGrid grid(obstacles);
  Eigen::Vector2d body(0.0, 0.0);
  const auto centre = [&](std::size_t) { return body; };
  const auto reach = [](std::size_t) { return 0.2; };
  Candidates candidates;
  candidates.update(grid, 1, centre, reach);
  EXPECT_TRUE(candidates.valid);
  EXPECT_TRUE(candidates.obstacle.empty()) << "its surface is 0.4 m away";
  body.x() = Candidates::kReach;
  candidates.update(grid, 1, centre, reach);
  EXPECT_EQ(candidates.built_at(0, 0), 0.0) << "not built anew";
  EXPECT_TRUE(candidates.obstacle.empty()) << "0.3 m away, still not near";
  body.x() = 1.001 * Candidates::kReach;
  candidates.update(grid, 1, centre, reach);
  EXPECT_EQ(candidates.built_at(0, 0), body.x());
  EXPECT_EQ(of_body(candidates, 0), std::vector<int>{0});
}

TEST(Candidates, AreBuiltAnewWhenInvalidWhenBodiesAreAddedAndForAPlaceThatIsNone) {
  const std::vector<Obstacle> obstacles = forest(5, 1);
  const ObstacleGrid grid(obstacles);
  Eigen::Vector2d body(0.0, 0.0);
  const auto centre = [&](std::size_t) { return body; };
  const auto reach = [](std::size_t) { return 5.0; };
  Candidates candidates;
  candidates.update(grid, 1, centre, reach);
  candidates.obstacle.clear();
  candidates.valid = false;
  candidates.update(grid, 1, centre, reach);
  EXPECT_EQ(candidates.obstacle.size(), 5U);
  candidates.update(grid, 2, centre, reach);
  EXPECT_EQ(candidates.obstacle.size(), 10U);
  ASSERT_EQ(candidates.first.size(), 3U);
  body.x() = std::numeric_limits<double>::quiet_NaN();
  candidates.update(grid, 2, centre, reach);
  EXPECT_TRUE(std::isnan(candidates.built_at(0, 0))) << "NaN is never near enough";
}

}  // namespace candidates_test
}  // namespace coluber::world
