#include "simulation/tally.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/core/bytes.hpp"

namespace coluber::simulation {
namespace tally_test {

using testing::HasSubstr;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const std::vector<StepFigure> kFigures{
    {.name = "error", .unit = "m", .largest_as = "error_max", .in_message = "error {:.3g}"},
    {.name = "sweeps", .sum_as = "all_sweeps", .positive_as = "steps_with_sweeps"},
    {.name = "rare", .largest_as = "rare_max"},
    {.name = "quiet"}};

StepInfo step(const std::array<double, 4>& values, Status status = Status::ok) {
  return {status, "", 0, values};
}

const SummaryItem* find(const std::vector<SummaryItem>& items, const std::string& name) {
  for (const SummaryItem& item : items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

TEST(Tally, TellsTheLargestTheSumAndHowManySteps) {
  Tally tally(kFigures, 0);
  const std::array<std::array<double, 4>, 3> steps{
      {{1e-3, 2.0, kNone, 5.0}, {4e-3, 0.0, kNone, 6.0}, {2e-3, 3.0, kNone, 7.0}}};
  for (const auto& values : steps) tally.add(step(values));
  const std::vector<SummaryItem> summary = tally.summary();
  ASSERT_NE(find(summary, "error_max"), nullptr);
  EXPECT_EQ(find(summary, "error_max")->number(), 4e-3);
  EXPECT_EQ(find(summary, "error_max")->unit, "m");
  EXPECT_EQ(find(summary, "all_sweeps")->number(), 5.0);
  EXPECT_TRUE(find(summary, "all_sweeps")->count);
  EXPECT_EQ(find(summary, "steps_with_sweeps")->number(), 2.0);
  EXPECT_EQ(find(summary, "rare_max"), nullptr) << "no step had one: no zero stands for it";
  EXPECT_EQ(summary.size(), 3U) << "a figure may be in the summary under no name";

  const auto means = tally.means();
  ASSERT_EQ(means.size(), 3U) << "no step had the third";
  EXPECT_EQ(means[1].name, "sweeps");
  EXPECT_NEAR(means[1].mean, 5.0 / 3.0, 1e-15);
  EXPECT_EQ(means[1].largest, 3.0);
  EXPECT_EQ(means[2].mean, 6.0);
}

TEST(Tally, AFigureThatOnlySomeStepsHaveIsToldOfThose) {
  Tally tally(kFigures, 0);
  const std::array<double, 4> without{1e-3, 0.0, kNone, 0.0};
  const std::array<double, 4> with{1e-3, 0.0, -2.0, 0.0};
  tally.add(step(without));
  tally.add(step(with));
  tally.add(step(without));
  tally.add(step(std::array<double, 4>{1e-3, 0.0, -4.0, 0.0}));
  EXPECT_EQ(find(tally.summary(), "rare_max")->number(), -2.0) << "not the zero it began with";
  EXPECT_EQ(tally.means()[2].mean, -3.0) << "over the two steps that had one";
}

TEST(Tally, BeforeTheFirstStepThereIsNothingToTell) {
  const Tally tally(kFigures, 0);
  EXPECT_TRUE(tally.summary().empty());
  EXPECT_TRUE(tally.means().empty());
  EXPECT_EQ(tally.failures(0), "");
}

TEST(Tally, SaysHowManyStepsFailedAndHowBadly) {
  Tally tally(kFigures, 0);
  const std::array<double, 4> good{1e-3, 0.0, kNone, 0.0};
  const std::array<double, 4> bad{0.25, 9.0, kNone, 0.0};
  const std::array<double, 4> worse{0.5, 9.0, kNone, 0.0};
  tally.add(step(good));
  EXPECT_EQ(tally.failures(1), "");
  for (const auto* each : {&bad, &worse, &bad}) {
    tally.add(step(*each, Status::not_converged));
    tally.add_failure(step(*each, Status::not_converged), each == &worse ? 0.02 : 0.01);
  }
  EXPECT_EQ(tally.failed_steps(), 3);
  EXPECT_EQ(tally.failures(4),
            "3 of 4 steps did not converge: first at t = 0.01 s, largest error 0.5");
}

TEST(Tally, ComesBackFromACheckpointAndFitsTheStepsThatWereTaken) {
  Tally first(kFigures, 4);
  const std::array<double, 4> values{1e-3, 2.0, kNone, 5.0};
  for (int k = 0; k < 3; ++k) first.add(step(values));
  first.add_failure(step(values), 0.5);
  first.wall = 2.5;
  ByteWriter bytes;
  Tally::exchange(bytes, first);
  Tally second(kFigures, 0);
  ByteReader reader(bytes.bytes(), "checkpoint");
  Tally::exchange(reader, second);
  reader.finish();
  EXPECT_EQ(second.first(), 4);
  EXPECT_EQ(second.wall, 2.5);
  EXPECT_EQ(second.failures(3), first.failures(3));
  EXPECT_EQ(second.summary().size(), first.summary().size());
  EXPECT_TRUE(second.fits(3));
  EXPECT_FALSE(second.fits(2)) << "three steps had sweeps";
}

}  // namespace tally_test
}  // namespace coluber::simulation
