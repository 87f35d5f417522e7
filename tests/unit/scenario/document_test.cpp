#include "scenario/document.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/chain/robot.hpp"
#include "coluber/control/servo.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/nonsmooth/keys.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/world/keys.hpp"

#include "unit/scenario/sample.hpp"

namespace coluber::scenario {
namespace document_test {

using sample::aiko;
using sample::fault_of;
using sample::faults_of;
using sample::Folder;
using sample::load_fault;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// ---- files ----

TEST(ScenarioFile, MissingNamesItsNearestNeighbour) {
  const Folder folder;
  (void)folder.write("course.toml", aiko);
  EXPECT_EQ(load_fault(folder.path() / "coarse.toml", folder),
            "error: coarse.toml: no such file\n  hint: did you mean course.toml?");
  EXPECT_THAT(load_fault(folder.path() / "zzzzzzz.toml", folder),
              HasSubstr("coluber list scenarios"));
  EXPECT_THAT(load_fault(folder.path() / "no/such/folder.toml", folder), HasSubstr("no such file"));
  EXPECT_THAT(load_fault(folder.path() / "course.toml/below.toml", folder),
              HasSubstr("no such file"));
}

TEST(ScenarioFile, FoldersDevicesEmptyAndBinaryFilesAreRefused) {
  const Folder folder;
  EXPECT_THAT(load_fault(folder.path(), folder), HasSubstr("is a folder, not a scenario file"));
  EXPECT_THAT(load_fault("/dev/zero", folder), HasSubstr("is not a regular file"));
  EXPECT_THAT(load_fault(folder.write("empty.toml", ""), folder),
              StartsWith("error: empty.toml: is empty"));
  EXPECT_THAT(load_fault(folder.write("blank.toml", " \n\t\r\n"), folder), HasSubstr("is empty"));
  EXPECT_THAT(load_fault(folder.write("nul.toml", std::string("a = 1\nb = \0", 11)), folder),
              StartsWith("error: nul.toml:2:5: is not a text file: byte 0x00 at offset 10"));
  EXPECT_THAT(load_fault(folder.write("latin.toml", "title = \"caf\xe9\"\n"), folder),
              StartsWith("error: latin.toml:1:13: is not a text file: byte 0xe9"));
}

TEST(ScenarioFile, IsAtMost16Megabytes) {
  const Folder folder;
  const std::string comment(1 << 20, '#');
  std::string text = aiko;
  while (text.size() < (std::size_t{16} << 20)) text += comment + "\n";
  EXPECT_THAT(load_fault(folder.write("big.toml", text), folder),
              HasSubstr("the limit is 16777216"));
}

TEST(ScenarioFile, KeepsItsText) {
  const Folder folder;
  const std::string text = "# a comment\n" + aiko;
  const Scenario s = load(folder.write("a.toml", text));
  EXPECT_EQ(s.text, text);
  EXPECT_EQ(s.path, folder.path() / "a.toml");
}

TEST(ScenarioFile, MayCarryTitlesInAnyScript) {
  EXPECT_EQ(parse("title = \"Schlange 蛇 🐍\"\n" + aiko).title, "Schlange 蛇 🐍");
}

TEST(ScenarioFile, BadUtf8IsRefusedWithItsPlaceBeforeTheParserSeesIt) {
  // cut off, continued by nothing, overlong in two, three and four bytes, half of a UTF-16 pair,
  // beyond the last character, never a first byte
  for (const char* bad : {"\xe2\x82", "\xe2\x28\xa1", "\xc0\xaf", "\xe0\x9f\xbf",
                          "\xf0\x8f\xbf\xbf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
    const std::string fault = fault_of("title = \"" + std::string(bad) + "\"\n" + aiko);
    EXPECT_THAT(fault, StartsWith("error: s.toml:1:10: is not a text file: byte 0x")) << bad;
    EXPECT_THAT(fault, Not(HasSubstr(bad))) << "raw bytes do not belong on a terminal";
  }
  EXPECT_THAT(fault_of("title = \"\\\xff\"\n"),
              StartsWith("error: s.toml:1:11: is not a text file: byte 0xff"));
  // the ends of what is allowed
  for (const char* good : {"\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(fault_of("title = \"" + std::string(good) + "\"\n" + aiko), "no fault");
  }
}

TEST(ScenarioFile, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(fault_of("\xef\xbb\xbf" + aiko), "no fault");
}

// ---- syntax ----

TEST(Syntax, OnlyTheFirstErrorIsReportedWithItsPlace) {
  EXPECT_THAT(faults_of("unknown = 1\n[robot]\nname = aiko\n[also wrong\n"),
              ElementsAre(AllOf(StartsWith("error: s.toml:3:8: syntax: "),
                                HasSubstr("  hint: the line is  name = aiko"))));
  EXPECT_THAT(fault_of("a = 1\na = 2\n"), StartsWith("error: s.toml:2:"));
}

TEST(Syntax, KeysOfAbsurdDepthAreRefusedBeforeTheParserSeesThem) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "a.";
  EXPECT_THAT(fault_of(deep + "a = 1\n"),
              StartsWith("error: s.toml:1:34: a key with more than 16 dots"));
  EXPECT_THAT(fault_of("[" + deep + "a]\n"), HasSubstr("more than 16 dots"));
  // behind a closed multi-line string that ends in five quotes, and behind quoted keys
  EXPECT_THAT(fault_of("x = [\"\"\"\n\"\"\"\"\", {" + deep + "a = 1}]\n"),
              HasSubstr("more than 16 dots"));
  EXPECT_THAT(fault_of("x = ['''\n''', {" + deep + "a = 1}]\n"), HasSubstr("more than 16 dots"));
  std::string quoted;
  for (int i = 0; i < 100000; ++i) quoted += "\",=\\\"\".";
  EXPECT_THAT(fault_of(quoted + "a = 1\n"), HasSubstr("more than 16 dots"));
}

TEST(Syntax, DotsInNumbersTextAndCommentsAreFree) {
  std::string angles = "0.5";
  for (int i = 1; i < 10; ++i) angles += ", 0.5";
  const std::string dots(500, '.');
  EXPECT_EQ(fault_of("# " + dots + "\ntitle = \"" + dots + "\" # " + dots + "\n" + aiko +
                     "[start]\nshape = [" + angles + ", ]\n"),
            "no fault");
  EXPECT_EQ(fault_of("title = '" + dots + "'\n" + aiko), "no fault");
  EXPECT_EQ(fault_of("title = \"\"\"" + dots + "\"\"\"\n" + aiko), "no fault");
}

// ---- includes ----

TEST(Include, IsRelativeAndTheIncludingFileWins) {
  const Folder folder;
  (void)folder.write("parts/robot.toml",
                     "[robot]\nname = \"aiko\"\nlinks = 5\n[solver]\ndt = 2e-3\n");
  const Scenario s = load(folder.write(
      "main.toml", "include = [\"parts/robot.toml\"]\n[robot]\nlinks = 7\nlink = { mass = 2 }\n"));
  EXPECT_EQ(s.get<chain::Robot>().link.size(), 7U);
  EXPECT_EQ(s.get<chain::Robot>().link[0].mass, 2.0);
  EXPECT_EQ(s.get<chain::Robot>().link[0].length, 0.122);
  EXPECT_EQ(s.get<drive::Stepping>().dt, 2e-3);
}

TEST(Include, LaterOnesWinOverEarlierOnes) {
  const Folder folder;
  (void)folder.write("a.toml", aiko + "[solver]\ndt = 1e-3\ntolerance = 1e-9\n");
  (void)folder.write("b.toml", "[solver]\ndt = 2e-3\n");
  const Scenario s = load(folder.write("main.toml", "include = [\"a.toml\", \"b.toml\"]\n"));
  EXPECT_EQ(s.get<drive::Stepping>().dt, 2e-3);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().tolerance, 1e-9);
}

TEST(Include, ListsAreReplacedAsAWhole) {
  const Folder folder;
  (void)folder.write("pegs.toml",
                     aiko +
                         "[world]\ngravity = 5\n[[world.obstacle]]\nx=0\ny=9\nradius=1\n"
                         "[[world.obstacle]]\nx=1\ny=9\nradius=1\n");
  const Scenario kept = load(folder.write("keep.toml", "include = \"pegs.toml\"\n"));
  EXPECT_EQ(kept.get<world::Obstacles>().obstacle.size(), 2U);
  const Scenario own = load(folder.write(
      "own.toml", "include = \"pegs.toml\"\n[[world.obstacle]]\nx=3\ny=9\nradius=1\n"));
  ASSERT_EQ(own.get<world::Obstacles>().obstacle.size(), 1U);
  EXPECT_EQ(own.get<world::Obstacles>().obstacle[0].x, 3.0);
  EXPECT_EQ(own.get<world::GroundKeys>().gravity, 5.0);
}

TEST(Include, CyclesAreErrors) {
  const Folder folder;
  (void)folder.write("a.toml", "include = \"b.toml\"\n");
  (void)folder.write("b.toml", "\ninclude = \"./a.toml\"\n");
  EXPECT_EQ(load_fault(folder.path() / "a.toml", folder),
            "error: b.toml:2:11: include: \"./a.toml\" includes itself, by way of b.toml\n"
            "  hint: break the circle: leave one of the includes out");
  EXPECT_THAT(load_fault(folder.write("self.toml", "include = \"self.toml\"\n"), folder),
              HasSubstr("self.toml:1:11: include: "));
}

TEST(Include, TheSameFileTwiceIsNoCycle) {
  const Folder folder;
  (void)folder.write("base.toml", aiko);
  (void)folder.write("a.toml", "include = \"base.toml\"\n");
  (void)folder.write("b.toml", "include = \"base.toml\"\n");
  EXPECT_EQ(load_fault(folder.write("main.toml", "include = [\"a.toml\", \"b.toml\"]\n"), folder),
            "no fault");
}

TEST(Include, DoublingAtEveryLevelIsStopped) {
  const Folder folder;
  (void)folder.write("0.toml", aiko);
  for (int i = 1; i <= 30; ++i) {
    const std::string before = std::to_string(i - 1) + ".toml";
    (void)folder.write(std::to_string(i) + ".toml",
                       "include = [\"" + before + "\", \"" + before + "\"]\n");
  }
  EXPECT_THAT(load_fault(folder.path() / "30.toml", folder), HasSubstr("more than 256 includes"));
}

TEST(Include, FaultsCarryTheIncludedFilesName) {
  const Folder folder;
  (void)folder.write("parts/bad.toml", "[robot]\nname = \"aiko\"\nlinks = 0\n");
  const auto main = folder.write("main.toml", "include = \"parts/bad.toml\"\n[solver]\ndt = 0\n");
  const std::string faults = load_fault(main, folder);
  EXPECT_THAT(faults, StartsWith("error: main.toml:3:6: solver.dt"));
  EXPECT_THAT(faults, HasSubstr("error: parts/bad.toml:3:9: robot.links"));
  (void)folder.write("parts/bad.toml", "[robot\n");
  EXPECT_THAT(load_fault(main, folder), StartsWith("error: parts/bad.toml:1:7: syntax"));
}

TEST(Include, MissingFilesAndWrongTypesPointAtTheInclude) {
  const Folder folder;
  EXPECT_THAT(load_fault(folder.write("a.toml", "include = [\n  \"no.toml\"]\n"), folder),
              StartsWith("error: a.toml:2:3: include: \"no.toml\" no such file"));
  EXPECT_THAT(
      load_fault(folder.write("b.toml", "include = 3\n"), folder),
      StartsWith(
          "error: b.toml:1:11: include: expected a path in quotes, or a list of them, got 3"));
  EXPECT_THAT(load_fault(folder.write("c.toml", "include = [\"a.toml\", 3]\n"), folder),
              StartsWith("error: c.toml:1:22: include: expected"));
}

// ---- --set ----

TEST(Set, TakesTomlValuesAndBareWords) {
  const Scenario s =
      parse(aiko, ".",
            {"solver.dt=5e-4", "solver.name=thesis", "controller.servo=\"explicit\"",
             "world.friction=[0.1, 0.3]", "record.csv=true", "duration = 3", "title='a = b'",
             "controller.torque_limit=inf", "robot.link={mass = 2.0}"});
  EXPECT_EQ(s.get<drive::Stepping>().dt, 5e-4);
  EXPECT_EQ(s.get<nonsmooth::SolverKeys>().name, nonsmooth::Solver::thesis);
  EXPECT_EQ(s.get<control::ServoKeys>().servo, control::ServoTime::held);
  EXPECT_EQ(s.get<world::GroundKeys>().friction, Eigen::Vector2d(0.1, 0.3));
  EXPECT_TRUE(s.record.csv);
  EXPECT_EQ(s.duration, 3.0);
  EXPECT_EQ(s.title, "a = b");
  EXPECT_EQ(s.get<chain::Robot>().link[10].mass, 2.0);
}

TEST(Set, TakesBareWordsInAnyScriptButNoBadUtf8) {
  EXPECT_EQ(parse(aiko, ".", {"title=蛇"}).title, "蛇");
  EXPECT_THAT(fault_of(aiko, {"title=\xed\xa0\x80"}), HasSubstr("the value is not TOML"));
}

TEST(Set, TheLastOneWins) {
  EXPECT_EQ(parse(aiko, ".", {"duration=3", "duration=4"}).duration, 4.0);
}

TEST(Set, ARadiusChangesHowLongAPathTakes) {
  const std::string text =
      "schema = 1\n[robot]\nmodel = \"wheeled\"\nname = \"piko\"\n[controller]\nname = "
      "\"n_trailer\"\n[path]\nshape = \"turn\"\n";
  const auto duration = [&](const std::vector<std::string>& sets) {
    return parse(text, ".", sets).duration;
  };
  // two straights of 1 m and a quarter circle at 0.5 m/s, in whole steps
  const auto whole = [](double t) { return std::round(t / 1e-3) * 1e-3; };
  const double quarter = 0.5 * std::numbers::pi;
  EXPECT_DOUBLE_EQ(duration({}), whole((2.0 + 0.75 * quarter) / 0.5));
  EXPECT_DOUBLE_EQ(duration({"path.radius=2"}), whole((2.0 + 2.0 * quarter) / 0.5));
  EXPECT_DOUBLE_EQ(duration({"path.shape=\"slalom\"", "path.straight=3", "path.radius=1"}),
                   whole((6.0 + 4.0 * quarter) / 0.5));
  EXPECT_EQ(duration({"duration=3"}), 3.0);
}

TEST(Set, ReachesIntoListsCountingFromOne) {
  const std::string text =
      aiko + "[[world.obstacle]]\nx=0\ny=9\nradius=1\n[[world.obstacle]]\nx=1\ny=9\nradius=1\n";
  const Scenario s = parse(text, ".", {"world.obstacle.2.y=7"});
  EXPECT_EQ(s.get<world::Obstacles>().obstacle[0].y, 9.0);
  EXPECT_EQ(s.get<world::Obstacles>().obstacle[1].y, 7.0);
  const auto obstacles = [&](const char* set) {
    return parse(text, ".", {set}).get<world::Obstacles>().obstacle;
  };
  EXPECT_TRUE(obstacles("world.obstacle=[]").empty());
  EXPECT_EQ(obstacles("world.obstacle=[{x=1,y=2,radius=0.5}]").at(0).radius, 0.5);
  for (const char* entry : {"3", "0", "x", "-1", "99999999999999999999"}) {
    EXPECT_THAT(
        fault_of(text, {std::string("world.obstacle.") + entry + ".y=7"}),
        HasSubstr(std::string("world.obstacle is a list of 2, it has no entry \"") + entry + "\""));
  }
}

TEST(Set, FaultsNameTheOptionAsTheirPlace) {
  EXPECT_EQ(fault_of(aiko, {"solver.dt=0"}),
            "error: --set solver.dt=0: solver.dt: expected a number from 1e-09 to 0.1, got 0\n"
            "  hint: time step, in s, for example  dt = 1e-3");
  EXPECT_THAT(fault_of(aiko, {"solver.dtt=1"}),
              HasSubstr("--set solver.dtt=1: solver.dtt: unknown key"));
}

TEST(Set, MalformedOptionsAreRefused) {
  EXPECT_THAT(fault_of(aiko, {"solver.dt"}),
              StartsWith("error: --set solver.dt: expected key=value"));
  EXPECT_THAT(fault_of(aiko, {""}), HasSubstr("expected key=value"));
  EXPECT_THAT(fault_of(aiko, {"=3"}), HasSubstr("expected key=value"));
  EXPECT_THAT(fault_of(aiko, {"solver.dt="}), HasSubstr("the value is not TOML"));
  EXPECT_THAT(fault_of(aiko, {"solver.dt=[1"}), HasSubstr("the value is not TOML"));
  EXPECT_THAT(fault_of(aiko, {"title=two words"}), HasSubstr("the value is not TOML"));
  EXPECT_THAT(fault_of(aiko, {"solver.dt=1\nseed=3"}), HasSubstr("the value is not TOML"));
  EXPECT_THAT(fault_of(aiko, {"solver..dt=1"}), HasSubstr("is not a key"));
  EXPECT_THAT(fault_of(aiko, {".dt=1"}), HasSubstr("is not a key"));
  EXPECT_THAT(fault_of(aiko, {"robot.name.x=1"}), HasSubstr("robot.name is \"aiko\", not a table"));
  EXPECT_THAT(fault_of(aiko, {"include=a.toml"}), HasSubstr("cannot be set from the command line"));
  EXPECT_THAT(fault_of(aiko, {"robot.link.3.mass=2"}),
              HasSubstr("robot.link is one table for all"));
}

TEST(Set, EveryFaultIsReportedAfterThoseOfTheFile) {
  EXPECT_THAT(
      faults_of(aiko + "[solver]\ndt = 0\n", {"a=1", "b", "controller.kp=-1"}),
      ElementsAre(StartsWith("error: s.toml:4:6: solver.dt"), StartsWith("error: --set a=1: a: "),
                  StartsWith("error: --set b: "), StartsWith("error: --set controller.kp=-1: ")));
}

TEST(Set, BringsAGaitToAScenarioThatHasNone) {
  EXPECT_EQ(parse(aiko, ".", {"gait.name=lateral_undulation"}).gait, "lateral_undulation");
}

}  // namespace document_test
}  // namespace coluber::scenario
