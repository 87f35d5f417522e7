// Obstacles from a CSV file.

#include "world/obstacle_table.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/world/keys.hpp"

#include "unit/scenario/sample.hpp"

namespace coluber::world {
namespace obstacle_table_test {

namespace sample = scenario::sample;
using sample::aiko;
using scenario::locate;
using scenario::parse;
using scenario::Scenario;
using testing::HasSubstr;

class ObstacleTableTest : public testing::Test {
 protected:
  Scenario load_with(const std::string& csv, const std::string& more = "") {
    (void)folder.write("pegs.csv", csv);
    return parse(aiko + more + "[world]\nobstacle_table = \"pegs.csv\"\n", folder.path());
  }
  std::string fault_of(const std::string& csv) {
    try {
      (void)load_with(csv);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no fault";
  }
  sample::Folder folder;
};

TEST_F(ObstacleTableTest, IsReadWithOrWithoutFriction) {
  Scenario s = load_with("# pegs\nx,y,radius\n1,2.5,0.1\n\n-1e-1, +3 ,0.2\r\n");
  ASSERT_EQ(s.get<Obstacles>().obstacle.size(), 2U);
  EXPECT_EQ(s.get<Obstacles>().obstacle[0].y, 2.5);
  EXPECT_EQ(s.get<Obstacles>().obstacle[1].x, -0.1);
  EXPECT_EQ(s.get<Obstacles>().obstacle[1].y, 3.0);
  EXPECT_EQ(s.get<Obstacles>().obstacle[1].radius, 0.2);
  EXPECT_EQ(s.get<Obstacles>().obstacle[1].friction, 0.0);
  s = load_with("x,y,radius,friction\n1,2,0.1,0.3\n");
  EXPECT_EQ(s.get<Obstacles>().obstacle[0].friction, 0.3);
}

TEST_F(ObstacleTableTest, FollowsTheObstaclesOfTheFileAndIsLocatedByItsLines) {
  (void)folder.write("pegs.csv", "x,y,radius\n1,2,0.1\n# a gap\n3,4,0.2\n");
  const Scenario s = parse(aiko +
                               "[world]\nobstacle_table = \"pegs.csv\"\n"
                               "[[world.obstacle]]\nx = 9\ny = 8\nradius = 1\n",
                           folder.path());
  ASSERT_EQ(s.get<Obstacles>().obstacle.size(), 3U);
  EXPECT_EQ(s.get<Obstacles>().obstacle[0].x, 9.0);
  EXPECT_EQ(s.get<Obstacles>().obstacle[2].x, 3.0);
  const SourceLocation where = locate(s, "world.obstacle.3");
  EXPECT_EQ(where.line, 4);
  EXPECT_THAT(where.file, HasSubstr("pegs.csv"));
}

TEST_F(ObstacleTableTest, ItsContentIsPartOfTheScenariosHash) {
  const auto hash = load_with("x,y,radius\n1,2,0.1\n").hash;
  EXPECT_EQ(load_with("x,y,radius\n1.0,2,0.1\n").hash, hash);
  EXPECT_NE(load_with("x,y,radius\n1,2,0.2\n").hash, hash);
}

TEST_F(ObstacleTableTest, TenThousandAreTakenAndOneMoreIsNot) {
  std::string csv = "x,y,radius\n";
  for (int j = 0; j < 10000; ++j) csv += std::to_string(j) + ",5,0.1\n";
  EXPECT_EQ(load_with(csv).get<Obstacles>().obstacle.size(), 10000U);
  EXPECT_THAT(fault_of(csv + "1,1,1\n"), HasSubstr("pegs.csv:10002:1: world.obstacle_table: more "
                                                   "than 10000 obstacles, with the 0 of the"));
}

TEST_F(ObstacleTableTest, SaysEveryFaultWithItsPlace) {
  EXPECT_THAT(fault_of(""), HasSubstr("is empty"));
  EXPECT_THAT(fault_of("x,z,radius\n"),
              HasSubstr("pegs.csv:1:3: world.obstacle_table: expected the "
                        "column name \"y\", got \"z\""));
  EXPECT_THAT(fault_of("x,y\n"), HasSubstr("pegs.csv:1:4: world.obstacle_table: the header has 2 "
                                           "columns, 3 or 4 are needed"));
  EXPECT_THAT(fault_of("x,y,radius,friction,z\n"), HasSubstr("the header has 5 columns"));
  EXPECT_THAT(fault_of("x,y,radius\n1,2\n"),
              HasSubstr("pegs.csv:2:4: world.obstacle_table: expected "
                        "3 numbers, got 2"));
  const std::string both = fault_of("x,y,radius\n1,two,0.1\n1,2,0\n1,2,nan\n");
  EXPECT_THAT(both, HasSubstr("pegs.csv:2:3: world.obstacle_table: y: expected a number"));
  EXPECT_THAT(both,
              HasSubstr("pegs.csv:3:5: world.obstacle_table: radius: expected a number > 0, at "
                        "most 10000, got \"0\""));
  EXPECT_THAT(both, HasSubstr("pegs.csv:4:5: "));
  EXPECT_THAT(fault_of("x,y,radius,friction\n1,2,1,-0.1\n"),
              HasSubstr("friction: expected a number "
                        "from 0 to 1000"));
}

TEST_F(ObstacleTableTest, AFileThatIsNotThereIsTheKeysFault) {
  try {
    (void)parse(aiko + "[world]\nobstacle_table = \"nowhere.csv\"\nfriction = [1, -1]\n",
                folder.path(), {}, "s.toml");
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.faults().size(), 2U) << "both faults at once";
    EXPECT_EQ(error.faults()[0].key, "world.obstacle_table");
    EXPECT_EQ(error.faults()[0].where.line, 4);
    EXPECT_THAT(error.faults()[0].message, HasSubstr("no such file"));
  }
  EXPECT_THAT(fault_of("x,y,radius\n1,2,x\n"), testing::Not(HasSubstr("gait")));
}

}  // namespace obstacle_table_test
}  // namespace coluber::world
