// Stability of the sampled loop of a path follower: closed forms, and limits measured on the robot.

#include "control/steering_loop.hpp"

#include <cmath>
#include <cstddef>

#include <gtest/gtest.h>

namespace coluber::control {
namespace steering_loop_test {

/// PIKo's six links; an axle that is `offset` (m) behind the middle of its link.
SteeringLoop piko(double v, double offset = 0.018, int links = 6) {
  SteeringLoop loop;
  loop.v = v;
  loop.period = 0.025;
  loop.trailer = {0.061 + offset, 0.061 - offset};
  loop.modules.assign(static_cast<std::size_t>(links), {0.122, 0.061 + offset});
  return loop;
}

// z+ = z + v P th + v² P²/(2 L) delta, th+ = th + v P/L delta, delta = -K (z + v T th): an
// eigenvalue is -1 where v² K T P/L = 2.
TEST(SteeringLoop, OfTheHeadAloneIsStableUpToTwo) {
  for (const double period : {0.005, 0.025, 0.1}) {
    SteeringLoop loop = piko(0.0);
    loop.kinematic = true;
    loop.heading.K_i = 0.0;
    loop.period = period;
    const double v =
        std::sqrt(2.0 * loop.trailer.L_PJ / (loop.heading.K * loop.heading.T * period));
    loop.v = 0.99 * v;
    EXPECT_FALSE(is_unstable(loop)) << period;
    loop.v = 1.01 * v;
    EXPECT_TRUE(is_unstable(loop)) << period;
    EXPECT_NEAR(find_stable_period(loop, 1e-4 * period), 0.91 * period, 1e-3 * period);
  }
}

TEST(SteeringLoop, WithoutDampingIsUnstableAtEveryPeriod) {
  SteeringLoop loop = piko(0.5);
  loop.kinematic = true;
  loop.heading.T = 0.0;
  EXPECT_TRUE(is_unstable(loop));
  EXPECT_EQ(find_stable_period(loop, 1e-3), 0.0);
}

TEST(SteeringLoop, OfShippedRobotsIsStable) {
  for (const bool leader : {false, true}) {
    for (const bool ramp : {false, true}) {
      for (const int links : {2, 6, 20, 60}) {
        if (leader && links > 6) continue;  // judged as six
        SteeringLoop loop = piko(0.5, 0.018, links);
        loop.leader = leader;
        loop.ramp = ramp;
        EXPECT_FALSE(is_unstable(loop)) << leader << ramp << links;
      }
    }
  }
}

// Runs of piko_turn at path.radius = 5, six links: n_trailer is stable at 1.3 m/s and no more at
// 1.5; follow_the_leader is at 0.5, and no more at 1.
TEST(SteeringLoop, HasTheLimitsOfTheRobot) {
  for (const bool ramp : {false, true}) {
    SteeringLoop loop = piko(1.3);
    loop.ramp = ramp;
    EXPECT_FALSE(is_unstable(loop)) << ramp;
    loop.v = 1.5;
    EXPECT_TRUE(is_unstable(loop)) << ramp;
    loop.leader = true;
    loop.v = 0.5;
    EXPECT_FALSE(is_unstable(loop)) << ramp;
    loop.v = 1.0;
    EXPECT_TRUE(is_unstable(loop)) << ramp;
  }
}

// With the axle ahead of the middle L_JP/L_PJ is 1.84, and jumps of the steering grow by it from
// link to link. Runs of piko_turn: two to five links are stable at 0.5 m/s, six are not.
TEST(SteeringLoop, OfAxlesFarAheadIsUnstableInLongRobots) {
  for (const int links : {2, 3, 4, 5}) {
    EXPECT_FALSE(is_unstable(piko(0.5, -0.018, links))) << links;
  }
  for (const int links : {6, 8, 10}) EXPECT_TRUE(is_unstable(piko(0.5, -0.018, links))) << links;
  SteeringLoop reckoned = piko(0.5, -0.018);
  reckoned.trailer = {0.079, 0.043};
  EXPECT_FALSE(is_unstable(reckoned)) << "as the print has it: other lengths to reckon with";
}

}  // namespace steering_loop_test
}  // namespace coluber::control
