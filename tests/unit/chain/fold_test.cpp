#include "chain/fold.hpp"

#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace coluber::chain {
namespace fold_test {

using Found = std::optional<std::pair<int, int>>;
constexpr double deg = std::numbers::pi / 180.0;

/// Aiko's links in the plane, with these joint angles (deg).
std::vector<PlacedCapsule> make_chain(const std::vector<double>& angles, double length = 0.122,
                                      double half_core = 0.0393, double radius = 0.0525) {
  std::vector<PlacedCapsule> links;
  double theta = 0.3;
  Eigen::Vector3d joint(1.0, -2.0, 0.5);
  for (std::size_t i = 0; i <= angles.size(); ++i) {
    const Eigen::Vector3d axis(std::cos(theta), std::sin(theta), 0.0);
    links.push_back({joint + 0.5 * length * axis, axis, length, half_core, radius});
    joint += length * axis;
    if (i < angles.size()) theta += angles[i] * deg;
  }
  return links;
}

TEST(ChainFold, DistanceOfCoresIsThatOfSegments) {
  const PlacedCapsule a{{0, 0, 0}, {1, 0, 0}, 2.0, 1.0, 0.1};
  const auto to = [&a](Eigen::Vector3d middle, Eigen::Vector3d axis) {
    return compute_core_distance(a, {std::move(middle), axis.normalized(), 2.0, 1.0, 0.1});
  };
  EXPECT_DOUBLE_EQ(to({0, 0, 3}, {0, 1, 0}), 3.0) << "crossing, one above the other";
  EXPECT_DOUBLE_EQ(to({0.5, 2, 0}, {1, 0, 0}), 2.0) << "side by side";
  EXPECT_DOUBLE_EQ(to({5, 0, 0}, {1, 0, 0}), 3.0) << "one behind the other";
  EXPECT_DOUBLE_EQ(to({4, 4, 0}, {0, 1, 0}), std::hypot(3.0, 3.0)) << "end to end, at an angle";
  EXPECT_NEAR(to({0.2, 0, 0}, {1, 1, 0}), 0.0, 1e-15) << "through each other";
}

TEST(ChainFold, IsFoundWhereOneLinkLiesWithinAnother) {
  EXPECT_EQ(find_fold(make_chain({180})), (Found{{0, 1}}));
  EXPECT_EQ(find_fold(make_chain({0, -175})), (Found{{0, 2}})) << "the first that it lies within";
  EXPECT_EQ(find_fold(make_chain({0, -135})), (Found{{1, 2}}));
  EXPECT_EQ(find_fold(make_chain({60, 60, 60, 60, 60, 60})), (Found{{0, 5}})) << "a full ring";
  EXPECT_EQ(find_fold(make_chain({120, 120})), (Found{{0, 2}})) << "a triangle";
}

TEST(ChainFold, IsNoneInBentRobots) {
  for (const auto& angles :
       {std::vector<double>{}, {0, 0, 0}, {90, 90}, {60, 60, 60, 60}, {40, -40, 40, -40, 40}}) {
    EXPECT_EQ(find_fold(make_chain(angles)), std::nullopt);
  }
}

TEST(ChainFold, IsNoneWhereStraightLinksOverlapAnyway) {
  EXPECT_EQ(find_fold(make_chain(std::vector<double>(99, 0.0), 0.01, 0.004, 0.05)), std::nullopt);
  EXPECT_EQ(find_fold(make_chain({10, 10, 10}, 0.1, 30.0, 0.05)), std::nullopt);
}

TEST(ChainFold, IsFoundInLongRobotsWithoutLookingAtEveryPair) {
  std::vector<double> ring(20000, 0.0);
  EXPECT_EQ(find_fold(make_chain(ring)), std::nullopt);
  ring[10000] = 178.0;  // folded in half; all neighbours of the fold lie on each other
  EXPECT_TRUE(find_fold(make_chain(ring)).has_value());
}

}  // namespace fold_test
}  // namespace coluber::chain
