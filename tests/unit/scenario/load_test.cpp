#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/chain/robot.hpp"
#include "coluber/control/servo.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/gait/keys.hpp"
#include "coluber/nonsmooth/keys.hpp"
#include "coluber/planar/keys.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/world/keys.hpp"

#include "unit/scenario/sample.hpp"

namespace coluber::scenario {
namespace load_test {

using sample::aiko;
using sample::fault_of;
using sample::faults_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Load, TheShippedScenariosHoldTheThesisValues) {
  const std::filesystem::path folder = std::filesystem::path(COLUBER_SOURCE_DIR) / "scenarios";
  const Scenario course = load(folder / "aiko_course.toml");  // Table 7.3
  EXPECT_EQ(course.duration, 15.0);
  ASSERT_EQ(course.get<world::Obstacles>().obstacle.size(), 9U);
  EXPECT_EQ(course.get<world::Obstacles>().obstacle[4].x, 1.671);
  EXPECT_EQ(course.get<world::Obstacles>().obstacle[4].y, 0.178);
  EXPECT_EQ(course.get<world::Obstacles>().obstacle[4].radius, 0.03);
  double x = 0.0, y = 0.0, r = 0.0;
  for (const world::ObstacleKeys& o : course.get<world::Obstacles>().obstacle) {
    x += o.x;
    y += o.y;
    r += o.radius;
  }
  // sums of the columns of Table 7.3
  EXPECT_NEAR(x, 14.460, 1e-12);
  EXPECT_NEAR(y, 0.987, 1e-12);
  EXPECT_NEAR(r, 0.18, 1e-12);
  EXPECT_EQ(course.get<chain::Start>().link, 11);
  EXPECT_EQ(course.get<chain::Start>().heading_deg, 180.0);
  EXPECT_TRUE(course.get<chain::Start>().as_gait());

  const Scenario pegs = load(folder / "aiko_pegs.toml");  // Table 7.5
  EXPECT_EQ(pegs.duration, 13.0);
  ASSERT_EQ(pegs.get<world::Obstacles>().obstacle.size(), 7U);
  x = y = 0.0;
  for (const world::ObstacleKeys& o : pegs.get<world::Obstacles>().obstacle) {
    x += o.x;
    y += o.y;
    EXPECT_EQ(o.radius, 0.125);
  }
  EXPECT_NEAR(x, 8.107, 1e-12);
  EXPECT_NEAR(y, 0.722, 1e-12);

  const Scenario floor = load(folder / "aiko_floor.toml");
  EXPECT_EQ(floor.duration, 18.0);
  EXPECT_TRUE(floor.get<world::Obstacles>().obstacle.empty());

  const Scenario slope = load(folder / "aiko_slope.toml");
  EXPECT_EQ(slope.get<world::GroundKeys>().tilt_deg, 10.0);
  EXPECT_EQ(slope.get<world::GroundKeys>().friction, Eigen::Vector2d(0.3, 0.3));
  EXPECT_EQ(slope.gait, "") << "the robot holds its start shape";

  for (const Scenario* s : {&course, &pegs, &floor}) {
    EXPECT_EQ(s->gait, "lateral_undulation");
    EXPECT_EQ(s->get<gait::HarmonicKeys>().amplitude_deg, 40.0);
    EXPECT_EQ(s->get<gait::HarmonicKeys>().omega_deg, 80.0);
    EXPECT_EQ(s->get<gait::HarmonicKeys>().phase_deg, -50.0);
    EXPECT_EQ(s->get<world::GroundKeys>().friction, Eigen::Vector2d(0.2, 0.2));
  }
}

TEST(Load, TheShippedScenariosOfTheMinimalHoldTable72) {
  const std::filesystem::path folder = std::filesystem::path(COLUBER_SOURCE_DIR) / "scenarios";
  const Scenario pd = load(folder / "aiko_minimal.toml");
  const Scenario io = load(folder / "aiko_linearised.toml");
  const Scenario smooth = load(folder / "aiko_smooth_friction.toml");
  for (const Scenario* s : {&pd, &io, &smooth}) {
    EXPECT_EQ(s->model, "minimal");
    EXPECT_EQ(s->get<planar::Keys>().friction_points, 2);
    EXPECT_EQ(s->get<world::GroundKeys>().friction, Eigen::Vector2d(0.2, 0.5));
    EXPECT_EQ(s->get<planar::Keys>().viscous_friction, Eigen::Vector2d(0.1, 0.2));
    EXPECT_EQ(s->get<planar::Keys>().friction_smoothing, 1e-3);
    EXPECT_EQ(s->get<chain::Start>().shape, keys::WordOrNumbers{"straight"});
    EXPECT_TRUE(s->get<gait::HarmonicKeys>().soft_start);
    EXPECT_EQ(s->get<gait::HarmonicKeys>().amplitude_deg, 40.0);
    EXPECT_EQ(s->get<gait::HarmonicKeys>().omega_deg, 80.0);
    EXPECT_EQ(s->get<gait::HarmonicKeys>().phase_deg, -50.0);
    EXPECT_EQ(s->get<drive::Stepping>().dt, 2.5e-4);
    EXPECT_EQ(s->controller, s == &io ? "input_output_linearisation" : "pd");
    EXPECT_EQ(s->get<control::ServoKeys>().kp(4), s == &io ? 4e5 : 200.0);
    EXPECT_EQ(s->get<control::ServoKeys>().kd(4), s == &io ? 2400.0 : 1.2);
    EXPECT_EQ(s->get<planar::MinimalKeys>().friction_law,
              s == &smooth ? planar::FrictionLaw::smooth : planar::FrictionLaw::set_valued);
  }
}

TEST(Load, TheCataloguesAikoHasElevenLinksOfTogether7Point5Kilograms) {
  const Scenario s = parse(aiko);
  ASSERT_EQ(s.get<chain::Robot>().link.size(), 11U);
  double mass = 0.0;
  for (const chain::Link& link : s.get<chain::Robot>().link) {
    mass += link.mass;
    EXPECT_EQ(link.mass, 7.5 / 11.0);
    EXPECT_EQ(link.inertia, 1.32e-3);
    EXPECT_EQ(link.length, 0.122);
    EXPECT_EQ(link.half_core, 0.0393);
    EXPECT_EQ(link.radius, 0.0525);
    EXPECT_EQ(link.cg_offset, 0.0);
  }
  EXPECT_NEAR(mass, 7.5, 1e-14);
}

TEST(Load, DefaultsOfTheKeysAreTheDefaultsOfTheStructs) {
  const Scenario s = parse(aiko + "[gait]\n");
  const Scenario d;
  EXPECT_EQ(s.duration, d.duration);
  EXPECT_EQ(s.seed, d.seed);
  EXPECT_EQ(s.model, "planar");
  EXPECT_EQ(s.get<planar::Keys>().friction_points, planar::Keys{}.friction_points);
  EXPECT_EQ(s.get<chain::Start>().link, chain::Start{}.link);
  EXPECT_EQ(s.get<chain::Start>().position, chain::Start{}.position);
  EXPECT_EQ(s.get<chain::Start>().heading_deg, chain::Start{}.heading_deg);
  EXPECT_EQ(s.get<world::GroundKeys>().gravity, world::GroundKeys{}.gravity);
  EXPECT_EQ(s.get<world::GroundKeys>().tilt_deg, world::GroundKeys{}.tilt_deg);
  EXPECT_EQ(s.get<world::GroundKeys>().tilt_direction_deg, world::GroundKeys{}.tilt_direction_deg);
  EXPECT_EQ(s.get<world::GroundKeys>().friction, world::GroundKeys{}.friction);
  EXPECT_EQ(s.gait, "lateral_undulation");
  EXPECT_EQ(s.get<gait::HarmonicKeys>().amplitude_deg, gait::HarmonicKeys{}.amplitude_deg);
  EXPECT_EQ(s.get<gait::HarmonicKeys>().omega_deg, gait::HarmonicKeys{}.omega_deg);
  EXPECT_EQ(s.get<gait::HarmonicKeys>().phase_deg, gait::HarmonicKeys{}.phase_deg);
  EXPECT_EQ(s.get<gait::HarmonicKeys>().offset_deg, gait::HarmonicKeys{}.offset_deg);
  EXPECT_EQ(s.get<gait::HarmonicKeys>().soft_start, gait::HarmonicKeys{}.soft_start);
  EXPECT_EQ(s.controller, "pd");
  EXPECT_EQ(s.get<control::ServoKeys>().kp, control::ServoKeys{}.kp);
  EXPECT_EQ(s.get<control::ServoKeys>().kd, control::ServoKeys{}.kd);
  EXPECT_EQ(s.get<control::ServoKeys>().servo, control::ServoKeys{}.servo);
  EXPECT_EQ(s.get<control::ServoKeys>().torque_limit, control::ServoKeys{}.torque_limit);
  EXPECT_EQ(s.get<control::ServoKeys>().start_time, control::ServoKeys{}.start_time);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().name, nonsmooth::SolverKeys{}.name);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().law, nonsmooth::SolverKeys{}.law);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().activation, nonsmooth::SolverKeys{}.activation);
  EXPECT_EQ(s.get<drive::Stepping>().dt, drive::Stepping{}.dt);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().tolerance, nonsmooth::SolverKeys{}.tolerance);
  EXPECT_EQ(s.get<drive::Stepping>().on_failure, drive::Stepping{}.on_failure);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().thesis.r_T, nonsmooth::SolverKeys{}.thesis.r_T);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().thesis.r_H, nonsmooth::SolverKeys{}.thesis.r_H);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().thesis.epsilon, nonsmooth::SolverKeys{}.thesis.epsilon);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().thesis.max_iterations,
            nonsmooth::SolverKeys{}.thesis.max_iterations);
  EXPECT_EQ(s.get<drive::Stop>().past_x, drive::Stop{}.past_x);
  EXPECT_EQ(s.get<drive::Stop>().stuck_s, drive::Stop{}.stuck_s);
  EXPECT_EQ(s.record.rate_hz, d.record.rate_hz);
  EXPECT_EQ(s.record.csv, d.record.csv);
  EXPECT_EQ(s.record.checkpoint_s, d.record.checkpoint_s);
}

TEST(Load, ReadsEveryBuiltKeyIntoItsField) {
  const sample::Folder folder;
  (void)folder.write("angles.csv", "t,phi_1\n0,0\n1,10\n");
  const Scenario s = parse(R"(
schema = 1
title = "all"
duration = 3
seed = 9
[robot]
model = "planar"
links = 2
link = { mass = 1, inertia = 2, length = 3, half_core = 0.5, radius = 0.25, cg_offset = -0.45 }
friction_points = 2
[start]
shape = [30]
link = 2
position = [1, -2]
heading_deg = 90
[world]
gravity = 1.62
tilt_deg = 20
tilt_direction_deg = 45
friction = [0.1, 0.7]
[[world.obstacle]]
x = 5
y = 6
radius = 0.5
friction = 0.4
[gait]
name = "table"
table = "angles.csv"
[controller]
name = "pd"
kp = 3
kd = 0.5
servo = "explicit"
torque_limit = 7.5
start_time = 0.25
[solver]
name = "thesis"
law = "anchored"
activation = "gap"
dt = 5e-4
tolerance = 1e-8
on_failure = "warn"
[solver.thesis]
r_T = 0.9
r_H = 0.05
epsilon = 1e-6
max_iterations = 77
[stop]
past_x = -3
stuck_s = 4.5
[record]
rate_hz = 20
csv = true
checkpoint_s = 1
)",
                           folder.path());
  EXPECT_EQ(s.title, "all");
  EXPECT_EQ(s.duration, 3.0);
  EXPECT_EQ(s.seed, 9U);
  ASSERT_EQ(s.get<chain::Robot>().link.size(), 2U);
  EXPECT_EQ(s.get<chain::Robot>().link[1].mass, 1.0);
  EXPECT_EQ(s.get<chain::Robot>().link[1].inertia, 2.0);
  EXPECT_EQ(s.get<chain::Robot>().link[1].length, 3.0);
  EXPECT_EQ(s.get<chain::Robot>().link[1].half_core, 0.5);
  EXPECT_EQ(s.get<chain::Robot>().link[1].radius, 0.25);
  EXPECT_EQ(s.get<chain::Robot>().link[1].cg_offset, -0.45);
  EXPECT_EQ(s.get<planar::Keys>().friction_points, 2);
  EXPECT_EQ(s.get<chain::Start>().shape, (keys::WordOrNumbers{"", {30.0}}));
  EXPECT_EQ(s.get<chain::Start>().link, 2);
  EXPECT_EQ(s.get<chain::Start>().position, Eigen::Vector2d(1.0, -2.0));
  EXPECT_EQ(s.get<chain::Start>().heading_deg, 90.0);
  EXPECT_EQ(s.get<world::GroundKeys>().gravity, 1.62);
  EXPECT_EQ(s.get<world::GroundKeys>().tilt_deg, 20.0);
  EXPECT_EQ(s.get<world::GroundKeys>().tilt_direction_deg, 45.0);
  EXPECT_EQ(s.get<world::GroundKeys>().friction, Eigen::Vector2d(0.1, 0.7));
  ASSERT_EQ(s.get<world::Obstacles>().obstacle.size(), 1U);
  EXPECT_EQ(s.get<world::Obstacles>().obstacle[0].x, 5.0);
  EXPECT_EQ(s.get<world::Obstacles>().obstacle[0].y, 6.0);
  EXPECT_EQ(s.get<world::Obstacles>().obstacle[0].radius, 0.5);
  EXPECT_EQ(s.get<world::Obstacles>().obstacle[0].friction, 0.4);
  EXPECT_EQ(s.gait, "table");
  EXPECT_EQ(s.get<gait::TableKeys>().table, folder.path() / "angles.csv");
  const Scenario wave =
      parse(aiko + "[gait]\namplitude_deg = 10\nomega_deg = 20\nphase_deg = 30\noffset_deg = 5\n");
  EXPECT_EQ(wave.get<gait::HarmonicKeys>().amplitude_deg, 10.0);
  EXPECT_EQ(wave.get<gait::HarmonicKeys>().omega_deg, 20.0);
  EXPECT_EQ(wave.get<gait::HarmonicKeys>().phase_deg, 30.0);
  EXPECT_EQ(wave.get<gait::HarmonicKeys>().offset_deg, 5.0);
  EXPECT_EQ(s.get<control::ServoKeys>().kp, control::Gains(3.0));
  EXPECT_EQ(s.get<control::ServoKeys>().kd, control::Gains(0.5));
  EXPECT_EQ(s.get<control::ServoKeys>().servo, control::ServoTime::held);
  EXPECT_EQ(s.get<control::ServoKeys>().torque_limit, 7.5);
  EXPECT_EQ(s.get<control::ServoKeys>().start_time, 0.25);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().name, nonsmooth::Solver::thesis);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().activation, nonsmooth::Activation::gap);
  EXPECT_EQ(s.get<drive::Stepping>().dt, 5e-4);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().tolerance, 1e-8);
  EXPECT_EQ(s.get<drive::Stepping>().on_failure, drive::OnFailure::warn);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().thesis.r_T, 0.9);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().thesis.r_H, 0.05);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().thesis.epsilon, 1e-6);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().thesis.max_iterations, 77);
  EXPECT_EQ(s.get<drive::Stop>().past_x, -3.0);
  EXPECT_EQ(s.get<drive::Stop>().stuck_s, 4.5);
  EXPECT_EQ(s.record.rate_hz, 20.0);
  EXPECT_TRUE(s.record.csv);
}

// ---- robots ----

TEST(LoadRobot, EveryKeyOverridesTheCatalogue) {
  const Scenario s = parse("[robot]\nname = \"aiko\"\nlinks = 20\nlink = { mass = 2.0 }\n");
  ASSERT_EQ(s.get<chain::Robot>().link.size(), 20U);
  for (const chain::Link& link : s.get<chain::Robot>().link) {
    EXPECT_EQ(link.mass, 2.0);
    EXPECT_EQ(link.length, 0.122);
  }
}

TEST(LoadRobot, WithoutANameSaysWhichKeysAreMissing) {
  EXPECT_THAT(fault_of("schema = 1\n[robot]\nlink = { mass = 1.0, radius = 0.1 }\n"),
              StartsWith("error: s.toml:2:1: robot: the robot is not fully described, missing: "
                         "robot.links, robot.link.inertia, robot.link.length, "
                         "robot.link.half_core\n  hint: "));
  EXPECT_THAT(fault_of("schema = 1\n"), HasSubstr("missing: robot.links, robot.link.mass"));
}

TEST(LoadRobot, LinksMayDifferOneByOne) {
  const std::string link = "inertia = 1e-3\nlength = 0.1\nhalf_core = 0.03\nradius = 0.05\n";
  const Scenario s = parse("[[robot.link]]\nmass = 1.0\n" + link + "[[robot.link]]\nmass = 2.0\n" +
                           link + "cg_offset = 0.01\n");
  ASSERT_EQ(s.get<chain::Robot>().link.size(), 2U);
  EXPECT_EQ(s.get<chain::Robot>().link[0].mass, 1.0);
  EXPECT_EQ(s.get<chain::Robot>().link[1].mass, 2.0);
  EXPECT_EQ(s.get<chain::Robot>().link[1].cg_offset, 0.01);
}

TEST(LoadRobot, EachListedLinkOfAnUnnamedRobotMustBeComplete) {
  EXPECT_THAT(
      fault_of("[[robot.link]]\nmass = 1\ninertia = 1\nlength = 1\nhalf_core = 0\n"
               "radius = 1\n[[robot.link]]\nmass = 1\n"),
      StartsWith("error: s.toml:7:1: robot.link.2: the link is not fully described, missing: "
                 "inertia, length, half_core, radius\n"));
}

TEST(LoadRobot, TheNumberOfListedLinksMustMatch) {
  EXPECT_THAT(
      fault_of("[robot]\nname = \"aiko\"\n[[robot.link]]\nmass = 1\n"),
      StartsWith(
          "error: s.toml:3:1: robot.link: 1 entries, the robot has 11 links (\"aiko\" of the "
          "catalogue)\n  hint: write  [[robot.link]]  once per link, or set  robot.links = 1"));
  EXPECT_THAT(fault_of("[robot]\nname = \"aiko\"\nlinks = 2\n[[robot.link]]\nmass = 1\n"),
              HasSubstr("robot.link: 1 entries, the robot has 2 links\n"));
  EXPECT_EQ(parse("[robot]\nname = \"aiko\"\nlinks = 1\n[[robot.link]]\nmass = 3\n")
                .get<chain::Robot>()
                .link.at(0)
                .mass,
            3.0);
}

TEST(LoadRobot, ARobotThatIsNoTableIsOneFault) {
  EXPECT_THAT(fault_of("robot = 3\n"),
              StartsWith("error: s.toml:1:9: robot: expected a table, got 3\n"));
}

TEST(LoadRobot, AnEmptyListOfLinksIsNotToldToHaveNone) {
  EXPECT_THAT(fault_of(aiko + "link = []\n"), AllOf(HasSubstr("0 entries, the robot has 11 links"),
                                                    Not(HasSubstr("robot.links = 0"))));
}

TEST(LoadRobot, OneLinkIsARobotAndABillionAreNot) {
  EXPECT_EQ(parse(aiko + "links = 1\n").get<chain::Robot>().link.size(), 1U);
  EXPECT_EQ(parse("duration = 1\n" + aiko + "links = 100000\n").get<chain::Robot>().link.size(),
            100000U);
  for (const char* count : {"0", "-1", "100001", "1000000000"}) {
    EXPECT_THAT(
        fault_of(aiko + "links = " + count + "\n"),
        HasSubstr(std::string("robot.links: expected an integer from 1 to 100000, got ") + count));
  }
  EXPECT_THAT(fault_of(aiko + "links = 11.0\n"),
              HasSubstr("expected an integer from 1 to 100000, got 11.0"));
}

TEST(LoadRobot, TheCentreOfGravityLiesBetweenTheJoints) {
  EXPECT_EQ(parse(aiko + "link = { cg_offset = 0.061 }\n").get<chain::Robot>().link.at(0).cg_offset,
            0.061);
  EXPECT_THAT(
      fault_of(aiko + "link = { cg_offset = -0.062 }\n"),
      HasSubstr("3:22: robot.link.cg_offset: expected a number from -0.061 to 0.061 (half the "
                "link's length), got -0.062"));
}

// ---- start and gait ----

TEST(LoadStart, TheLinkMustExist) {
  EXPECT_THAT(fault_of(aiko + "[start]\nlink = 12\n"),
              StartsWith("error: s.toml:4:8: start.link: expected an integer from 1 to 11 (the "
                         "number of links), got 12"));
  EXPECT_EQ(fault_of(aiko + "links = 12\n[start]\nlink = 12\n"), "no fault");
}

TEST(LoadStart, AListHasOneAngleAJoint) {
  EXPECT_THAT(fault_of(aiko + "[start]\nshape = [1, 2, 3]\n"),
              HasSubstr("start.shape: has 3 angles, the robot needs 10 (one a joint, 11 links)"));
  EXPECT_THAT(
      fault_of(aiko + "links = 3\n[start]\nshape = [1, nan]\n"),
      HasSubstr("5:13: start.shape: expected \"straight\" or \"gait\", or a list of numbers "
                "from -180 to 180, got nan as number 2"));
  EXPECT_EQ(fault_of(aiko + "links = 1\n[start]\nshape = []\n"), "no fault");
}

TEST(LoadStart, WithoutAGaitTheRobotStartsStraightAndCannotStartAsTheGait) {
  EXPECT_FALSE(parse(aiko).get<chain::Start>().as_gait());
  EXPECT_EQ(parse(aiko).gait, "");
  EXPECT_TRUE(parse(aiko + "[gait]\n").get<chain::Start>().as_gait());
  EXPECT_THAT(
      fault_of(aiko + "[start]\nshape = \"gait\"\n"),
      HasSubstr("4:9: start.shape: \"gait\" needs a [gait], and there is none\n  hint: add"));
}

TEST(LoadGait, ATableMustBeNamedAndExist) {
  const sample::Folder folder;
  (void)folder.write("sub/a.csv", "t,phi_1\n");
  EXPECT_THAT(fault_of(aiko + "[gait]\nname = \"table\"\n"),
              HasSubstr("4:8: gait.name: \"table\" needs the key gait.table"));
  EXPECT_THAT(fault_of(aiko + "[gait]\nname = \"table\"\ntable = \"no.csv\"\n", {}, folder.path()),
              HasSubstr("5:9: gait.table: no such file: "));
  EXPECT_THAT(fault_of(aiko + "[gait]\nname = \"table\"\ntable = \"sub\"\n", {}, folder.path()),
              HasSubstr("5:9: gait.table: not a regular file: "));
  EXPECT_EQ(parse(aiko + "[gait]\nname = \"table\"\ntable = \"sub/a.csv\"\n", folder.path())
                .get<gait::TableKeys>()
                .table,
            folder.path() / "sub/a.csv");
}

TEST(LoadGait, ATablesPathIsRelativeToTheFileThatHoldsTheKey) {
  const sample::Folder folder;
  (void)folder.write("parts/a.csv", "t,phi_1\n");
  (void)folder.write("parts/gait.toml", "[gait]\nname = \"table\"\ntable = \"a.csv\"\n");
  const auto file = folder.write("main.toml", "include = \"parts/gait.toml\"\n" + aiko);
  EXPECT_EQ(load(file).get<gait::TableKeys>().table, folder.path() / "parts/a.csv");
}

TEST(LoadGait, SoftStartGoesWithAHarmonicGaitOnly) {
  const sample::Folder folder;
  (void)folder.write("a.csv", "t,phi_1\n");
  EXPECT_THAT(fault_of(aiko + "[gait]\nname = \"table\"\ntable = \"a.csv\"\nsoft_start = true\n",
                       {}, folder.path()),
              HasSubstr("6:14: gait.soft_start: goes with gait.name = \"lateral_undulation\""));
}

// ---- world and sizes ----

TEST(LoadWorld, AnObstacleNeedsItsCentreAndRadius) {
  EXPECT_THAT(
      faults_of(aiko + "[[world.obstacle]]\nx = 1\n[[world.obstacle]]\ny = 2\nradius = 0.1\n"),
      ElementsAre(HasSubstr("3:1: world.obstacle.1: missing: y, radius"),
                  HasSubstr("5:1: world.obstacle.2: missing: x")));
}

TEST(LoadWorld, AnObstacleWrittenAsATableIsToldToBeAList) {
  EXPECT_THAT(fault_of(aiko + "[world.obstacle]\nx = 1\ny = 0\nradius = 0.1\n"),
              HasSubstr("3:1: world.obstacle: expected a list of tables, got a table\n"
                        "  hint: write  [[world.obstacle]]  once per obstacle"));
}

TEST(LoadRecord, TheRateIsAtMostOneFrameAStep) {
  EXPECT_EQ(parse(aiko + "[record]\nrate_hz = 1000\n").record.rate_hz, 1000.0);
  EXPECT_THAT(
      fault_of(aiko + "[record]\nrate_hz = 1001\n"),
      HasSubstr("4:11: record.rate_hz: expected at most one frame a step, 1000 Hz, got 1001"));
  EXPECT_EQ(parse(aiko + "[solver]\ndt = 0.05\n").record.rate_hz, 20.0)
      << "the default gives way to a long step";
}

TEST(Load, RefusesRunsThatWouldNeverEndOrNeverBegin) {
  EXPECT_THAT(fault_of("duration = 1e6\n" + aiko + "[record]\nrate_hz = 1\n[solver]\ndt = 1e-9\n"),
              HasSubstr("solver.dt: 1000000 s in steps of 1e-09 s are 1e+15 steps"));
  EXPECT_THAT(fault_of("duration = 1e-4\n" + aiko),
              HasSubstr("1:12: duration: 0.0001 s is less than one step of 0.001 s"));
}

TEST(Load, ReportsEveryFaultAtOnceInFileOrder) {
  EXPECT_THAT(
      faults_of(R"(durration = 3
[world]
gravity = nan
[robot]
name = "aiko"
link = { mass = -1 }
[solver]
dt = 0
[[world.obstacle]]
y = 1
x = 0
)"),
      ElementsAre(HasSubstr("s.toml:1:1: durration"), HasSubstr("s.toml:3:11: world.gravity"),
                  HasSubstr("s.toml:6:17: robot.link.mass"), HasSubstr("s.toml:8:6: solver.dt"),
                  HasSubstr("s.toml:9:1: world.obstacle.1")));
}

TEST(Load, ManyFaultsAreCutShortWithTheirNumber) {
  std::string text = aiko;
  for (int i = 0; i < 1500; ++i) text += "key_" + std::to_string(i) + " = 1\n";
  const auto faults = faults_of(text);
  ASSERT_EQ(faults.size(), 1001U);
  EXPECT_THAT(faults.back(), HasSubstr("and 500 more faults"));
}

TEST(Load, TakesTheFilesNameAsTitleIfItHasNone) {
  const sample::Folder folder;
  EXPECT_EQ(load(folder.write("my_run.toml", aiko)).title, "my_run");
  EXPECT_EQ(load(folder.write("my_run.toml", "title = \"A run\"\n" + aiko)).title, "A run");
}

// ---- places after loading ----

TEST(Locate, FindsKeysListEntriesAndTheNearestTable) {
  const Scenario s = parse(aiko +
                               "[[world.obstacle]]\nx = 1\ny = 2\nradius = 0.1\n"
                               "[[world.obstacle]]\nx = 3\ny = 4\nradius = 0.1\n",
                           ".", {"world.obstacle.2.y=5"}, "s.toml");
  const auto at = [&s](std::string_view key) {
    const SourceLocation where = locate(s, key);
    return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
  };
  EXPECT_EQ(at("robot.name"), "s.toml:2:8");
  EXPECT_EQ(at("world.obstacle.2"), "s.toml:7:1");
  EXPECT_EQ(at("world.obstacle.2.x"), "s.toml:8:5");
  EXPECT_EQ(at("world.obstacle.2.y"), "--set world.obstacle.2.y=5:0:0");
  EXPECT_EQ(at("robot.link.mass"), "s.toml:1:1") << "not given: the table around it";
  EXPECT_EQ(at("solver.dt"), ":0:0") << "no such table, and no file";
}

TEST(Locate, FallsBackToTheFile) {
  const sample::Folder folder;
  const auto file = folder.write("a.toml", aiko);
  const SourceLocation where = locate(load(file), "solver.dt");
  EXPECT_EQ(where.file, file.string());
  EXPECT_EQ(where.line, 0);
}

}  // namespace load_test
}  // namespace coluber::scenario
