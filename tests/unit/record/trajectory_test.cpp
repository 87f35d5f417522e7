#include "coluber/record/trajectory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/record/csv.hpp"

namespace coluber::record {
namespace trajectory_test {

using testing::ElementsAre;
using testing::IsEmpty;

Trajectory make_sample() {
  Trajectory trajectory;
  trajectory.observables = {{"energy", "J", "", {}, {}},
                            {"link_position", "m", "", {3, 2}, {"x", "y"}}};
  for (int k = 0; k < 5; ++k) {
    trajectory.time.push_back(0.1 * k);
    trajectory.values.push_back(100.0 + k);
    for (int j = 0; j < 6; ++j) trajectory.values.push_back(10.0 * k + j);
  }
  return trajectory;
}

TEST(Trajectory, FindsAValueByNameLinkAndAxis) {
  const Trajectory trajectory = make_sample();
  EXPECT_TRUE(trajectory.has("energy"));
  EXPECT_FALSE(trajectory.has("time"));
  EXPECT_EQ(trajectory.at("energy", 3), 103.0);
  EXPECT_EQ(trajectory.at("link_position", 2, 1, 0), 22.0);
  EXPECT_EQ(trajectory.at("link_position", 4, 2, 1), 45.0);
  EXPECT_EQ(trajectory.column("link_position", 0, 1), (std::vector<double>{1, 11, 21, 31, 41}));
}

TEST(ColumnNames, HaveOneBasedIndicesAndTheLabelsOfTheLastAxis) {
  const auto names = [](std::vector<int> shape, std::vector<std::string> components) {
    return column_names({"a", "", "", std::move(shape), std::move(components)});
  };
  EXPECT_THAT(names({}, {}), ElementsAre("a"));
  EXPECT_THAT(names({3}, {}), ElementsAre("a.1", "a.2", "a.3"));
  EXPECT_THAT(names({2, 2}, {"x", "y"}), ElementsAre("a.1.x", "a.1.y", "a.2.x", "a.2.y"));
  EXPECT_THAT(names({0}, {}), IsEmpty()) << "the joints of one link";
}

// A damaged file may say so: names of every axis but the empty one would fill the memory.
TEST(ColumnNames, OfAnObservableWithoutNumbersAreNoneHoweverLongItsOtherAxes) {
  EXPECT_THAT(column_names({"a", "", "", {1 << 24, 100, 0}, {}}), IsEmpty());
}

TEST(Trajectory, InterpolatesBetweenFramesAndIsExactOnThem) {
  const Trajectory trajectory = make_sample();
  EXPECT_NEAR(trajectory.at_time("link_position", 0.15, 0, 0), 15.0, 1e-12);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(trajectory.at_time("energy", trajectory.time[k]), trajectory.at("energy", k));
  }
  EXPECT_EQ(trajectory.at_time("energy", 0.4 + 1e-12), 104.0) << "a rounding of the end time";
}

TEST(Trajectory, RefusesWhatItDoesNotHold) {
  const Trajectory trajectory = make_sample();
  EXPECT_THROW((void)trajectory.at("speed", 0), Error);
  EXPECT_THROW((void)trajectory.at("energy", 5), Error);
  EXPECT_THROW((void)trajectory.at("energy", 0, 1), Error);
  EXPECT_THROW((void)trajectory.at("link_position", 0, 3, 0), Error);
  EXPECT_THROW((void)trajectory.at("link_position", 0, 0, 2), Error);
  EXPECT_THROW((void)trajectory.at("link_position", 0, -1, 0), Error);
  EXPECT_THROW((void)trajectory.at_time("energy", 0.5), Error);
  EXPECT_THROW((void)Trajectory{}.at_time("energy", 0.0), Error);
}

}  // namespace trajectory_test
}  // namespace coluber::record
