// Steering the head to its path, Murugendran (13)-(17).

#include "coluber/control/heading.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace coluber::control {
namespace heading_test {

constexpr double v = 0.5;
constexpr double L_PJ = 0.079;
constexpr double period = 0.025;

TEST(Heading, OnThePathItSteersAsThePathBends) {
  Heading heading({});
  for (const double kappa : {-5.0, 0.0, 1.0 / 0.75}) {
    EXPECT_NEAR(heading.steer({0.0, 0.0, 0.3, kappa}, 0.0, v, L_PJ, period),
                std::atan(kappa * L_PJ), 1e-15);
    EXPECT_FALSE(heading.clamped());
  }
}

TEST(Heading, FarFromThePathItComesInAtRightAngles) {
  Heading heading({});
  EXPECT_NEAR(heading.steer({0.0, 7.0, 0.0, 0.0}, -0.5 * std::numbers::pi, v, L_PJ, period), 0.0,
              1e-15);
  EXPECT_EQ(heading.integral(), 0.0) << "no windup";
  EXPECT_EQ(heading.steer({0.0, 7.0, 0.0, 0.0}, 0.0, v, L_PJ, period), -1.2);
  EXPECT_TRUE(heading.clamped());
  Heading winding({.anti_windup = false});
  winding.steer({0.0, 7.0, 0.0, 0.0}, 0.0, v, L_PJ, period);
  EXPECT_EQ(winding.integral(), 7.0 * period);
}

// z' = v sin(theta~), theta~' = v tan(delta_1)/L_PJ, small: poles -0.53 and -8.96 1/s, with the
// integral a third that is slow. Simulated in steps of a hundredth of a tick.
TEST(Heading, BringsASmallErrorDownAtTheLoopsOwnRate) {
  Heading heading({.K_i = 0.0});
  double z = 1e-3;
  double theta = 0.0;
  double before = 0.0;
  for (int tick = 0; tick < 200; ++tick) {
    const double delta = heading.steer({0.0, z, 0.0, 0.0}, theta, v, L_PJ, period);
    for (int k = 0; k < 100; ++k) {
      theta += period / 100.0 * v * std::tan(delta) / L_PJ;
      z += period / 100.0 * v * std::sin(theta);
    }
    if (tick == 159) before = z;
  }
  // one second, 40 ticks: exp(-0.53); the hold moves the slow pole by less than a hundredth
  EXPECT_NEAR(std::log(before / z), 0.531, 0.01);
}

TEST(Heading, TheIntegralTakesAwayAConstantPush) {
  const auto settle = [](double K_i) {
    Heading heading({.K_i = K_i});
    double z = 0.0;
    double theta = 0.0;
    for (int tick = 0; tick < 40000; ++tick) {
      const double delta = heading.steer({0.0, z, 0.0, 0.0}, theta, v, L_PJ, period) + 0.02;
      theta += period * v * std::tan(delta) / L_PJ;
      z += period * v * std::sin(theta);
    }
    return z;
  };
  EXPECT_NEAR(settle(0.0), 0.02 / 1.5, 1e-6) << "K z balances the push";
  EXPECT_NEAR(settle(0.04), 0.0, 1e-6);
}

}  // namespace heading_test
}  // namespace coluber::control
