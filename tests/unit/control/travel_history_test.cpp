// A value by the distance travelled, Murugendran (28).

#include "coluber/control/travel_history.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace coluber::control {
namespace travel_history_test {

TEST(TravelHistory, RepeatsWhatWasSoFarBack) {
  TravelHistory history(0.5, 1e-4);
  for (int k = 0; k <= 400; ++k) history.add(0.0125 * k, std::sin(0.0125 * k));
  for (const double back : {0.0, 0.01, 0.122, 0.488}) {
    EXPECT_NEAR(history.at(back), std::sin(5.0 - back), 0.0125 * 0.0125 / 8.0) << back;
  }
}

TEST(TravelHistory, IsZeroBeforeAnyTravel) {
  TravelHistory history(0.5, 1e-4);
  EXPECT_EQ(history.at(0.1), 0.0);
  history.add(0.0, 0.3);
  EXPECT_EQ(history.at(0.0), 0.3);
  EXPECT_EQ(history.at(0.1), 0.0);
  history.add(0.05, 0.4);
  EXPECT_EQ(history.at(0.1), 0.0);
  EXPECT_NEAR(history.at(0.025), 0.35, 1e-16);
}

TEST(TravelHistory, StandingStillAndSlippingBackKeepTheNewestValue) {
  TravelHistory history(0.5, 1e-4);
  history.add(0.0, 0.0);
  history.add(0.2, 1.0);
  for (int k = 0; k < 100000; ++k) history.add(0.2, 2.0);
  history.add(0.19, 3.0);
  EXPECT_EQ(history.at(0.0), 3.0);
  EXPECT_NEAR(history.at(0.1), 1.5, 1e-15);
}

TEST(TravelHistory, HoldsItsLengthHoweverSlowTheTravel) {
  TravelHistory history(0.5, 1e-3);
  const double step = 1.3e-5;
  for (int k = 0; k <= 200000; ++k) history.add(step * k, step * k);
  for (const double back : {0.0, 0.1, 0.4999}) {
    EXPECT_NEAR(history.at(back), step * 200000 - back, 1e-12) << back;
  }
}

}  // namespace travel_history_test
}  // namespace coluber::control
