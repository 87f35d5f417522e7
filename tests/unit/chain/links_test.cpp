#include "chain/links.hpp"

#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace coluber::chain {
namespace links_test {

struct Link {
  double m = 1.0, L = 1.0, L_GS = 0.25, offset = 0.0;
};

TEST(ChainLinks, ArmsLeadFromTheCentreOfGravityToTheJoints) {
  const Link link{.L = 0.4, .offset = 0.05};
  EXPECT_DOUBLE_EQ(ahead(link), 0.15);
  EXPECT_DOUBLE_EQ(behind(link), 0.25);
  EXPECT_DOUBLE_EQ(ahead(link) + behind(link), link.L);
  EXPECT_EQ(arm_to_root(link, true), -behind(link));
  EXPECT_EQ(arm_to_root(link, false), ahead(link));
}

TEST(ChainLinks, TheLoadsOfTwoPointsBalanceAboutTheCentreOfGravity) {
  for (const double offset : {0.0, 0.1, -0.2, 0.25}) {
    const Link link{.offset = offset};
    const double front = load_share(link, true);
    const double rear = load_share(link, false);
    EXPECT_DOUBLE_EQ(front + rear, 1.0);
    // moments of the points at ± L_GS about the centre of gravity at `offset`
    EXPECT_NEAR(front * (link.L_GS - offset) - rear * (link.L_GS + offset), 0.0, 1e-16) << offset;
  }
  EXPECT_EQ(load_share(Link{.L_GS = 0.0, .offset = 0.1}, true), 0.5) << "one point";
}

TEST(ChainLinks, ResidualsAreJudgedByTheLightestLinkOnEarthIfThereIsNoGravity) {
  const std::vector<Link> links{{.m = 3.0, .L = 0.1}, {.m = 2.0, .L = 0.2}, {.m = 5.0, .L = 0.3}};
  EXPECT_DOUBLE_EQ(compute_scales(links, 1.62).weight, 2.0 * 1.62);
  EXPECT_DOUBLE_EQ(compute_scales(links, 0.0).weight, 2.0 * 9.81);
  EXPECT_DOUBLE_EQ(compute_scales(links, 9.81).length, 0.6);
}

TEST(ChainLinks, WeightOnASlopeSplitsIntoTheGroundAndDownhill) {
  const double tilt = 0.3;
  const double direction = 2.0;
  const Weight weight = compute_weight(9.81, tilt, direction);
  EXPECT_NEAR(weight.across, 9.81 * std::cos(tilt), 1e-14);
  EXPECT_NEAR(weight.along.x(), 9.81 * std::sin(tilt) * std::cos(direction), 1e-14);
  EXPECT_NEAR(weight.along.y(), 9.81 * std::sin(tilt) * std::sin(direction), 1e-14);
  EXPECT_EQ(compute_weight(9.81, 0.0, direction).across, 9.81);
  EXPECT_EQ(compute_weight(9.81, 0.0, direction).along.norm(), 0.0);
}

TEST(ChainSlots, EveryLinkHasOneTheTipsFirstAndTheMiddleLinkLast) {
  for (int n = 1; n <= 13; ++n) {
    const Slots slots(n);
    std::set<int> taken;
    for (int i = 0; i < n; ++i) {
      const int slot = slots.of(i);
      EXPECT_GE(slot, 0);
      EXPECT_LE(slot, slots.root) << n;
      EXPECT_TRUE(taken.insert(slot).second) << n << " links, link " << i;
      if (i == slots.base) {
        EXPECT_EQ(slot, slots.root);
        continue;
      }
      // towards the root the slots of a half go up in twos
      const int inner = i > slots.base ? i - 1 : i + 1;
      EXPECT_EQ(slot % 2, i > slots.base ? 0 : 1);
      if (inner != slots.base) {
        EXPECT_EQ(slots.of(inner), slot + 2) << n << " links, link " << i;
      }
    }
  }
}

}  // namespace links_test
}  // namespace coluber::chain
