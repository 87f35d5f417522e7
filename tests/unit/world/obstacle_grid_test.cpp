// The broad phase finds what a search through all obstacles finds, and costs a run no bit.

#include "coluber/world/obstacle_grid.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/planar/system.hpp"

#include "sample/forest.hpp"

namespace coluber::planar {
namespace obstacle_grid_test {

std::vector<int> search_all(const std::vector<Obstacle>& obstacles, const Vector2d& centre,
                            double around) {
  std::vector<int> found;
  for (std::size_t j = 0; j < obstacles.size(); ++j) {
    if ((obstacles[j].H - centre).norm() <= around + obstacles[j].L_H) {
      found.push_back(static_cast<int>(j));
    }
  }
  return found;
}

TEST(ObstacleGrid, FindsWhatASearchThroughAllFindsWhateverTheSizes) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::size_t found_in_all = 0;
  for (int scene = 0; scene < 40; ++scene) {
    const double size = std::pow(10.0, 1.0 + 1.5 * unit(random));  // 0.3 m to 300 m
    std::vector<Obstacle> obstacles;
    for (int j = 0; j < 500; ++j) {
      obstacles.push_back({{size * unit(random), size * unit(random)},
                           std::pow(10.0, -1.5 + 1.5 * unit(random))});  // 1 mm to 1 m
    }
    if (scene % 4 == 0) obstacles[77].L_H = 3.0 * size;  // a wall that covers everything
    const ObstacleGrid grid(obstacles);
    std::vector<int> found;
    for (int search = 0; search < 100; ++search) {
      const Vector2d centre{1.2 * size * unit(random), 1.2 * size * unit(random)};
      const double around = 0.2 + 0.2 * unit(random);
      found.clear();
      grid.find(centre, around, found);
      EXPECT_EQ(found, search_all(obstacles, centre, around)) << "ascending, none twice";
      found_in_all += found.size();
    }
  }
  EXPECT_GT(found_in_all, 4000U);
}

TEST(ObstacleGrid, FindsObstaclesOnTheBordersOfCellsAndOfTheSearch) {
  std::vector<Obstacle> obstacles;
  for (int ix = -8; ix <= 8; ++ix) {
    for (int iy = -8; iy <= 8; ++iy) obstacles.push_back({{0.25 * ix, 0.25 * iy}, 0.125});
  }
  const ObstacleGrid grid(obstacles);
  std::vector<int> found;
  for (int ix = -16; ix <= 16; ++ix) {
    const Vector2d centre{0.125 * ix, 0.25};
    found.clear();
    grid.find(centre, 0.375, found);  // 0.5 m between centres: whole cells, exact in binary
    EXPECT_EQ(found, search_all(obstacles, centre, 0.375));
  }
}

TEST(ObstacleGrid, AppendsAndLeavesWhatWasThereAlone) {
  const std::vector<Obstacle> obstacles{{{5.0, 0.0}, 0.1}, {{0.1, 0.0}, 0.1}, {{0.0, 0.0}, 0.1}};
  const ObstacleGrid grid(obstacles);
  std::vector<int> found{9, 8};
  grid.find({0.0, 0.0}, 0.1, found);
  EXPECT_EQ(found, (std::vector<int>{9, 8, 1, 2}));
  ObstacleGrid().find({0.0, 0.0}, 0.1, found);
  EXPECT_EQ(found.size(), 4U) << "an empty grid holds nothing";
}

TEST(ObstacleGrid, PlacesBeyondAllNumberedCellsAreSearchedToo) {
  const std::vector<Obstacle> obstacles{
      {{1e15, 0.0}, 1.0}, {{-1e15, 0.0}, 1.0}, {{0.0, 0.0}, 1e100}};
  const ObstacleGrid grid(obstacles);
  std::vector<int> found;
  grid.find({1e15, 0.5}, 0.1, found);
  EXPECT_EQ(found, (std::vector<int>{0, 2}));
  found.clear();
  grid.find({-1e15, 0.5}, 0.1, found);
  EXPECT_EQ(found, (std::vector<int>{1, 2}));
  for (const double x : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    found.clear();
    grid.find({x, 0.0}, 0.1, found);
    EXPECT_TRUE(found.empty()) << "nowhere";
  }
}

TEST(ObstacleGrid, TenThousandObstaclesOutOfReachChangeNoBitOfARun) {
  Model near = sample::aiko(10);
  near.obstacles = sample::circles(10);
  Model forest = near;
  const double seconds = 3.0;
  sample::plant_forest(forest, 9980, seconds);
  ASSERT_EQ(forest.obstacles.size(), 10000U);
  const StepOptions options;
  PlanarSystem a(near, sample::peers_start(near), options);
  PlanarSystem b(forest, sample::peers_start(forest), options);
  JointCommand command(9);
  // Pegs that a link could come near: the robot is 1.22 m long and stays within 1.5 m of where its
  // middle was.
  const Vector2d start = a.state().base.head<2>();
  std::vector<Obstacle> planted;
  for (std::size_t j = near.obstacles.size(); j < forest.obstacles.size(); ++j) {
    if ((forest.obstacles[j].H - start).norm() < 2.0) planted.push_back(forest.obstacles[j]);
  }
  EXPECT_GT(planted.size(), 50U);
  double clear = 1.0;
  double touched = 0.0;
  std::size_t candidates = 0;
  for (int k = 0; k < 3000; ++k) {
    sample::follow({}, (k + 1) * options.dt, command);
    ASSERT_EQ(a.step(command).status, Status::ok);
    ASSERT_EQ(b.step(command).status, Status::ok);
    ASSERT_EQ(a.state_hash(), b.state_hash()) << "step " << k;
    touched += a.data().obstacle_impulse.norm();
    candidates = std::max(
        candidates, b.data().candidates.obstacle.size() - a.data().candidates.obstacle.size());
    const Pose& pose = b.data().pose;
    for (int i = 0; i < 10; ++i) {
      const Vector2d centre = pose.r.col(i) + pose.origin;
      ASSERT_LT((centre - start).norm(), 1.5) << "step " << k;
      for (const Obstacle& peg : planted) {
        const double gap = compute_gap(forest.links[0], centre, pose.cos(i), pose.sin(i), peg).g;
        clear = std::min(clear, gap);
      }
    }
  }
  EXPECT_GE(clear, 0.05) << "none within 5 cm of a link at any time";
  EXPECT_LT(clear, 0.12) << "… but not far off either";
  EXPECT_GT(touched, 0.1) << "the near pegs were meant to be touched";
  EXPECT_GT(candidates, 0U) << "the forest was meant to stand close enough to be looked at";
}

TEST(ObstacleGrid, EveryPairCloserThanTwoCentimetresIsInTheProblemAsTheRobotMovesOn) {
  // Two links fly between two rows of pegs, 1 cm clear of them, faster than one search reaches.
  Model model = sample::aiko(2);
  model.g = 0.0;
  for (int j = 0; j < 60; ++j) {
    const double side = j % 2 == 0 ? 1.0 : -1.0;
    model.obstacles.push_back({{0.15 * j, side * (0.0525 + 0.02 + 0.01)}, 0.02});
  }
  State state = make_state(model, Eigen::VectorXd::Zero(1), 0, {-0.5, 0.0}, 0.0);
  for (int i = 0; i < 2; ++i) state.u.segment<3>(3 * i) << 4.0, 0.0, 0.0;
  state.twist << 0.0, 4.0, 0.0;
  Data data(model);
  std::size_t pairs = 0;
  for (int k = 0; k < 2000; ++k) {
    ASSERT_EQ(step(model, state, data, JointCommand(1), {}).status, Status::ok);
    std::size_t next = 0;
    for (int node = 0; node < 2; ++node) {
      const int i = data.link_of_node[static_cast<std::size_t>(node)];
      for (int j = 0; j < 60; ++j) {
        const Gap gap =
            compute_gap(model.links[0], data.pose.r.col(i) + data.pose.origin, data.pose.cos(i),
                        data.pose.sin(i), model.obstacles[static_cast<std::size_t>(j)]);
        if (gap.g >= 0.02) continue;
        ASSERT_LT(next, state.near.size()) << "step " << k;
        EXPECT_EQ(state.near[next].node, node) << "step " << k;
        EXPECT_EQ(state.near[next].obstacle, j) << "step " << k;
        ++next;
      }
    }
    EXPECT_EQ(next, state.near.size()) << "step " << k;
    pairs += next;
  }
  EXPECT_GT(pairs, 2000U);
}

}  // namespace obstacle_grid_test
}  // namespace coluber::planar
