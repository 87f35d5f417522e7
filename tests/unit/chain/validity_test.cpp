#include "chain/validity.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coluber::chain {
namespace validity_test {

struct Link {
  double L = 0.1, L_GS = 0.03, L_SC = 0.05, offset = 0.0;
};

template <typename Check>
std::string complaint(const Check& check) {
  try {
    check(Demand("test"));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ChainValidity, NamesTheQuantityItsNumberAndItsValue) {
  EXPECT_EQ(complaint([](const Demand& demand) { demand.is_positive("link mass", -2.5, 3); }),
            "test model: link mass of number 4 is -2.5");
  EXPECT_EQ(complaint([](const Demand& demand) { demand.is_positive("link mass", 2.5, 3); }), "");
  EXPECT_NE(complaint([](const Demand& demand) { demand.is_positive("x", 0.0); }), "");
  EXPECT_EQ(complaint([](const Demand& demand) { demand.is_not_negative("x", 0.0); }), "");
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {inf, -inf, std::nan("")}) {
    EXPECT_NE(complaint([&](const Demand& demand) { demand.is_positive("x", bad); }), "");
    EXPECT_NE(complaint([&](const Demand& demand) { demand.is_not_negative("x", bad); }), "");
    EXPECT_NE(complaint([&](const Demand& demand) { demand.is_finite("x", bad); }), "");
  }
}

TEST(ChainValidity, LooksAtLinksObstaclesGroundAndSlope) {
  const auto of_link = [](Link link) {
    return complaint([&](const Demand& demand) { demand.shape(link, 0); });
  };
  EXPECT_EQ(of_link({}), "");
  EXPECT_EQ(of_link({.L_GS = 0.0}), "") << "a link may be a disc";
  EXPECT_THAT(of_link({.L = 0.0}), testing::HasSubstr("length"));
  EXPECT_THAT(of_link({.L_GS = -0.1}), testing::HasSubstr("half_core"));
  EXPECT_THAT(of_link({.L_SC = 0.0}), testing::HasSubstr("radius"));
  EXPECT_THAT(of_link({.offset = std::nan("")}), testing::HasSubstr("cg_offset"));

  std::vector<world::Obstacle> obstacles(2);
  obstacles[0].L_H = obstacles[1].L_H = 0.1;
  const auto of_obstacles = [&] {
    return complaint([&](const Demand& demand) { demand.obstacles(obstacles); });
  };
  EXPECT_EQ(of_obstacles(), "");
  obstacles[1].mu = -0.1;
  EXPECT_THAT(of_obstacles(), testing::HasSubstr("obstacle friction of number 2 is -0.1"));
  obstacles[0].L_H = 0.0;
  EXPECT_THAT(of_obstacles(), testing::HasSubstr("obstacle radius of number 1"));

  EXPECT_EQ(complaint([](const Demand& demand) { demand.ground(9.81, {0.2, 0.0}); }), "");
  EXPECT_NE(complaint([](const Demand& demand) { demand.ground(9.81, {0.2, -0.1}); }), "");
  EXPECT_NE(complaint([](const Demand& demand) { demand.ground(-1.0, {0.2, 0.1}); }), "");
  EXPECT_EQ(complaint([](const Demand& demand) { demand.slope(1.5, 100.0); }), "");
  EXPECT_NE(complaint([](const Demand& demand) { demand.slope(1.6, 0.0); }), "")
      << "steeper than a wall";
}

}  // namespace validity_test
}  // namespace coluber::chain
