#include "coluber/core/profile.hpp"

#include <algorithm>
#include <chrono>

#include <gtest/gtest.h>

namespace coluber {
namespace profile_test {

using Clock = std::chrono::steady_clock;

void spend(std::chrono::microseconds time) {
  const Clock::time_point end = Clock::now() + time;
  while (Clock::now() < end) {
  }
}

double seconds_of(const Profile& profile, Phase phase) {
  return profile.shares()[static_cast<std::size_t>(phase)].seconds;
}

TEST(Profile, GivesTheTimeSinceTheLastLapToThePhaseNamed) {
  Profile profile;
  const Clock::time_point begin = Clock::now();
  profile.start();
  spend(std::chrono::microseconds(3000));
  profile.lap(Phase::solve);
  const Clock::time_point between = Clock::now();
  spend(std::chrono::microseconds(1000));
  profile.lap(Phase::recording);
  const Clock::time_point end = Clock::now();
  const auto elapsed = [](auto from, auto to) {
    return std::chrono::duration<double>(to - from).count();
  };
  // What was spent for certain, and all that passed; 2 % for the rate, which is taken over 2 ms
  // from clocks read within some 50 ns of each other.
  constexpr double slack = 0.02;
  EXPECT_GE(seconds_of(profile, Phase::solve), 3e-3 * (1.0 - slack));
  EXPECT_LE(seconds_of(profile, Phase::solve), elapsed(begin, between) * (1.0 + slack));
  EXPECT_GE(seconds_of(profile, Phase::recording), 1e-3 * (1.0 - slack));
  // a pause between the first lap and the reading of `between` belongs to this phase
  EXPECT_LE(seconds_of(profile, Phase::solve) + seconds_of(profile, Phase::recording),
            elapsed(begin, end) * (1.0 + slack));
  EXPECT_EQ(seconds_of(profile, Phase::problem), 0.0);
}

TEST(Profile, SharesAddUpToOne) {
  Profile profile;
  for (std::size_t k = 0; k < phase_count; ++k) {
    spend(std::chrono::microseconds(50));
    profile.lap(static_cast<Phase>(k));
  }
  double sum = 0.0;
  for (const Profile::Share& part : profile.shares()) {
    EXPECT_GT(part.share, 0.0) << phase_name(part.phase);
    sum += part.share;
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
}

TEST(Profile, StartForgetsWhatWasBefore) {
  Profile profile;
  spend(std::chrono::microseconds(100));
  profile.lap(Phase::solve);
  profile.start();
  for (const Profile::Share& part : profile.shares()) EXPECT_EQ(part.seconds, 0.0);
}

TEST(Profile, TakesItsOwnReadingsOff) {
  Profile profile;
  double least = 1.0;  // share of the time that is left; interruptions only add to it
  for (int k = 0; k < 50; ++k) {
    const Clock::time_point begin = Clock::now();
    profile.start();
    for (int j = 0; j < 1000; ++j) profile.lap(Phase::solve);
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    least = std::min(least, seconds_of(profile, Phase::solve) / elapsed);
  }
  EXPECT_LT(least, 0.5) << "all that was done was reading the clock";
}

TEST(Profile, EveryPhaseHasANameOfItsOwn) {
  for (std::size_t k = 0; k < phase_count; ++k) {
    EXPECT_FALSE(phase_name(static_cast<Phase>(k)).empty());
    for (std::size_t j = 0; j < k; ++j) {
      EXPECT_NE(phase_name(static_cast<Phase>(k)), phase_name(static_cast<Phase>(j)));
    }
  }
}

TEST(Profile, NoneTakesNoLap) { lap(nullptr, Phase::solve); }

}  // namespace profile_test
}  // namespace coluber
