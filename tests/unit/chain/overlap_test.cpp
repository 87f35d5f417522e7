#include "chain/overlap.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coluber::chain {
namespace overlap_test {

TEST(ChainOverlap, IsOneFaultPerObstacleForTheDeepestLink) {
  const keys::OptionSet options;
  std::vector<drive::Warning> warnings;
  const drive::Build build{
      .options = options,
      .model = "m",
      .controller = "",
      .locate =
          [](std::string_view key) { return SourceLocation{.file = std::string(key), .line = 7}; },
      .gait_start = {},
      .warnings = warnings};
  Overlaps overlaps(4);
  overlaps.note(1, 2, 0.01);
  overlaps.note(1, 5, 0.03);
  overlaps.note(1, 6, 0.02);
  overlaps.note(2, 0, Overlaps::allowed);
  overlaps.note(3, 0, 1e-5);
  const std::vector<Diagnostic> faults = overlaps.faults(build);
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].key, "world.obstacle.2");
  EXPECT_EQ(faults[0].where.file, "world.obstacle.2");
  EXPECT_EQ(faults[0].message, "link 6 starts 0.03 m inside this obstacle");
  EXPECT_EQ(faults[1].key, "world.obstacle.4");
  EXPECT_THROW(overlaps.refuse(build), InputError);
  EXPECT_NO_THROW(Overlaps(3).refuse(build));
}

}  // namespace overlap_test
}  // namespace coluber::chain
