#include "coluber/sweep/sweep.hpp"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/sweep/row.hpp"

namespace coluber::sweep {
namespace sweep_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string on_floor(const std::string& rest, const std::string& set = "duration = 0.05") {
  return "sweep = 1\nbase = \"aiko_floor\"\nset = { " + set + " }\n" + rest;
}

Sweep parse(const std::string& text) { return Sweep::parse(text, ".", "test.toml"); }

std::string faults_of(const std::string& text) {
  try {
    static_cast<void>(parse(text));
    return "no fault";
  } catch (const InputError& error) {
    return error.what();
  }
}

const std::string amplitude =
    "[[axis]]\nkey = \"gait.amplitude_deg\"\nfrom = 10.0\nto = 50.0\ncount = 5\n";
const std::string phase =
    "[[axis]]\nkey = \"gait.phase_deg\"\nfrom = -60.0\nto = -20.0\nstep = 20.0\n";

TEST(Points, CrossTheAxesWithTheLastOneFastest) {
  const Sweep sweep = parse(on_floor(amplitude + phase));
  ASSERT_EQ(sweep.size(), 15);
  EXPECT_THAT(sweep.axis_columns(), ElementsAre("gait.amplitude_deg", "gait.phase_deg"));
  EXPECT_THAT(sweep.cells(sweep.point(1)), ElementsAre("10", "-60"));
  EXPECT_THAT(sweep.cells(sweep.point(2)), ElementsAre("10", "-40"));
  EXPECT_THAT(sweep.cells(sweep.point(4)), ElementsAre("20", "-60"));
  EXPECT_THAT(sweep.cells(sweep.point(15)), ElementsAre("50", "-20"));
  EXPECT_THROW(static_cast<void>(sweep.point(0)), Error);
  EXPECT_THROW(static_cast<void>(sweep.point(16)), Error);
}

TEST(Points, KeepTheirHashWhenAnAxisGrowsAndLoseItWithAnotherMeasureOrBase) {
  const auto hashes = [](const std::string& text) {
    const Sweep sweep = parse(text);
    std::set<std::uint64_t> all;
    for (std::int64_t k = 1; k <= sweep.size(); ++k) all.insert(sweep.point(k).hash);
    return all;
  };
  const std::string grown =
      "[[axis]]\nkey = \"gait.amplitude_deg\"\nfrom = 10.0\nto = 50.0\ncount = 9\n";
  const auto few = hashes(on_floor(amplitude));
  const auto many = hashes(on_floor(grown));
  EXPECT_EQ(few.size(), 5U);
  EXPECT_EQ(many.size(), 9U);
  for (const auto hash : few) EXPECT_TRUE(many.contains(hash));
  const std::string measure = "[[measure]]\nname = \"e\"\nof = { name = \"end_time\" }\n";
  for (const auto hash : hashes(on_floor(amplitude + measure))) EXPECT_FALSE(few.contains(hash));
  for (const auto hash : hashes(on_floor(amplitude, "duration = 0.06")))
    EXPECT_FALSE(few.contains(hash));
}

TEST(Points, KeepTheirHashWhenSobolAndUniformSamplesAreAdded) {
  for (const std::string kind : {"sobol", "uniform"}) {
    const auto text = [&](int samples) {
      return on_floor("samples = " + std::to_string(samples) +
                      "\nseed = 4\n[[axis]]\nkey = \"gait.amplitude_deg\"\nfrom = 10.0\nto = "
                      "50.0\nsample = \"" +
                      kind + "\"\n");
    };
    const Sweep few = parse(text(8));
    const Sweep many = parse(text(32));
    for (std::int64_t k = 1; k <= few.size(); ++k) EXPECT_EQ(few.point(k).hash, many.point(k).hash);
  }
}

TEST(Points, SetAPairByItsTwoColumnsAndOneComponentOfIt) {
  const Sweep pairs =
      parse(on_floor("[[axis]]\nkey = \"world.friction\"\nvalues = [[0.1, 0.2], [0.3, 0.4]]\n"));
  EXPECT_THAT(pairs.axis_columns(), ElementsAre("world.friction.1", "world.friction.2"));
  EXPECT_THAT(pairs.cells(pairs.point(2)), ElementsAre("0.3", "0.4"));
  const Sweep one = parse(on_floor("[[axis]]\nkey = \"world.friction.2\"\nvalues = [0.7]\n"));
  EXPECT_THAT(one.scenario(one.point(1)).resolved, HasSubstr("\"friction\":[0.2,0.7]"));
}

TEST(Points, SetSeveralKeysToOneValueOrToOneEach) {
  const Sweep both = parse(on_floor(
      "[[axis]]\nkey = [\"gait.amplitude_deg\", \"gait.omega_deg\"]\nvalues = [30.0, 40.0]\n"));
  EXPECT_THAT(both.cells(both.point(2)), ElementsAre("40", "40"));
  const Sweep each =
      parse(on_floor("[[axis]]\nkey = [\"gait.amplitude_deg\", \"gait.omega_deg\"]\nvalues = "
                     "[[30.0, 60.0], [40.0, 90.0]]\n"));
  EXPECT_EQ(each.size(), 2);
  EXPECT_THAT(each.cells(each.point(2)), ElementsAre("40", "90"));
}

TEST(Points, TakeWordsSeedsAndBooleans) {
  const Sweep sweep =
      parse(on_floor("[[axis]]\nkey = \"solver.law\"\nvalues = [\"anchored\", "
                     "\"rigid\"]\n[[axis]]\nkey = \"seed\"\nfrom = 1\nto = 3\nstep = "
                     "1\n[[axis]]\nkey = \"gait.soft_start\"\nvalues = [true, false]\n"));
  EXPECT_EQ(sweep.size(), 12);
  EXPECT_THAT(sweep.cells(sweep.point(12)), ElementsAre("rigid", "3", "false"));
}

TEST(Points, SurviveTheWayThroughText) {
  const Sweep sweep = parse(on_floor(
      "samples = 4\nseed = 3\n" + amplitude +
      "[[axis]]\nkey = \"world.friction.2\"\nfrom = 0.1\nto = 1.0\nsample = \"latin\"\nscale = "
      "\"log\"\n[[measure]]\nname = \"e\"\nof = { name = \"end_time\" }\n"));
  const Sweep again = Sweep::from_text(sweep.to_text());
  EXPECT_EQ(again.size(), sweep.size());
  EXPECT_EQ(again.hash(), sweep.hash());
  for (std::int64_t k = 1; k <= sweep.size(); ++k)
    EXPECT_EQ(again.point(k).hash, sweep.point(k).hash);
  const auto row = evaluate(sweep, sweep.point(3));
  const auto other = evaluate(again, again.point(3));
  ASSERT_TRUE(row && other);
  EXPECT_EQ(row->final_state, other->final_state);
  EXPECT_EQ(row->status, Status::completed) << row->reason;
}

TEST(Base, MakesTheScenarioThatAFileWithTheValuesWouldGive) {
  const Sweep sweep = parse(on_floor(amplitude + phase));
  const auto scenario = sweep.scenario(sweep.point(7));
  const auto direct =
      scenario::load(std::filesystem::path(COLUBER_SOURCE_DIR) / "scenarios" / "aiko_floor.toml",
                     {"duration=0.05", "gait.amplitude_deg=30.0", "gait.phase_deg=-60.0"});
  EXPECT_EQ(scenario.hash, direct.hash);
  EXPECT_EQ(scenario.resolved, direct.resolved);
}

TEST(Base, TakesSetFromTheFileAndThenFromTheCommandLine) {
  const std::string text = on_floor(amplitude, "duration = 0.05, \"world.friction\" = [0.2, 0.5]");
  EXPECT_EQ(parse(text).base().duration, 0.05);
  const Sweep set = Sweep::parse(text, ".", "test.toml", {.overrides = {"duration=0.07"}});
  EXPECT_EQ(set.base().duration, 0.07);
  EXPECT_THAT(set.base().resolved, HasSubstr("\"friction\":[0.2,0.5]"));
  EXPECT_EQ(set.scenario(set.point(1)).duration, 0.07);
  EXPECT_NE(set.point(1).hash, parse(text).point(1).hash);
}

TEST(Evaluate, MakesARowOfARefusedPointWithKeyAndMessageAndWithoutAFile) {
  const Sweep sweep = parse(
      "sweep = 1\nbase = \"aiko_course\"\nset = { duration = 0.02 }\n[[axis]]\nkey = "
      "\"gait.amplitude_deg\"\nvalues = [30.0, 40.0]\n");
  const auto refused = evaluate(sweep, sweep.point(1));
  const auto good = evaluate(sweep, sweep.point(2));
  ASSERT_TRUE(refused && good);
  EXPECT_EQ(refused->status, Status::refused);
  EXPECT_THAT(refused->reason, HasSubstr("obstacle"));
  EXPECT_THAT(refused->reason, HasSubstr("link"));
  EXPECT_EQ(refused->reason.find(".toml"), std::string::npos) << refused->reason;
  EXPECT_EQ(refused->steps, -1);
  EXPECT_EQ(good->status, Status::completed) << good->reason;
  EXPECT_EQ(good->steps, 20);
}

TEST(Evaluate, RefusesMoreStepsThanTheLimitAndGivesUpWhenInterrupted) {
  const Sweep sweep = parse(on_floor(amplitude + "[limits]\nsteps = 49\n"));
  const auto row = evaluate(sweep, sweep.point(1));
  ASSERT_TRUE(row);
  EXPECT_EQ(row->status, Status::refused);
  EXPECT_THAT(row->reason, HasSubstr("limits.steps"));
  const std::atomic<bool> interrupt = true;
  const Sweep free = parse(on_floor(amplitude));
  EXPECT_FALSE(evaluate(free, free.point(1), {.interrupt = &interrupt}));
}

TEST(Evaluate, KeepsTheNumbersOfTheSummaryWhereNoMeasureIsNamed) {
  const Sweep sweep = parse(on_floor(amplitude));
  std::vector<std::string> names;
  for (const Column& column : sweep.columns()) names.push_back(column.name);
  EXPECT_THAT(names, ::testing::Contains("net_speed"));
  EXPECT_THAT(names, ::testing::Contains("max_torque"));
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("real_time_factor")));
  const auto row = evaluate(sweep, sweep.point(1));
  ASSERT_TRUE(row);
  ASSERT_EQ(row->values.size(), names.size());
  for (std::size_t k = 0; k < names.size(); ++k)
    EXPECT_TRUE(std::isfinite(row->values[k])) << names[k];
}

TEST(Rows, SurviveTheWayThroughALine) {
  Row row;
  row.point = 17;
  row.hash = 0xfedcba9876543210U;
  row.status = Status::failed;
  row.reason = "a \"quoted\" word, \"hash\":\"0\" and a tab";
  row.values = {0.1, std::nan(""), 1e300, -1.0 / 3.0, std::numeric_limits<double>::infinity()};
  row.steps = 9000;
  row.final_state = "00ff";
  row.host = "here";
  row.attempt = 2;
  row.generation = 3;
  row.candidate = 4;
  row.searched = {0.25, 1.0 / 3.0};
  const Row again = from_line(to_line(row));
  EXPECT_EQ(again.hash, row.hash);
  EXPECT_EQ(again.status, row.status);
  EXPECT_EQ(again.reason, row.reason);
  EXPECT_EQ(again.values[0], 0.1);
  EXPECT_TRUE(std::isnan(again.values[1]));
  EXPECT_EQ(again.values[3], row.values[3]);
  EXPECT_EQ(again.values[4], row.values[4]);
  EXPECT_EQ(again.searched, row.searched);
  EXPECT_EQ(again.candidate, 4);
  EXPECT_THROW(static_cast<void>(from_line("{}")), Error);
  EXPECT_THROW(static_cast<void>(from_line("nonsense")), Error);
}

TEST(Requirements, AreHeldByNoNanAndNoFailure) {
  const Sweep sweep = parse(
      on_floor(amplitude + "[[measure]]\nname = \"t\"\nof = { name = \"summary\", item = "
                           "\"max_torque\" }\n[[require]]\nmeasure = \"t\"\nat_most = 1.5\n"));
  Row row;
  row.values = {1.0};
  EXPECT_TRUE(is_feasible(sweep, row));
  row.values = {1.6};
  EXPECT_FALSE(is_feasible(sweep, row));
  row.values = {std::nan("")};
  EXPECT_FALSE(is_feasible(sweep, row));
  row.values = {1.0};
  row.status = Status::failed;
  EXPECT_FALSE(is_feasible(sweep, row));
}

TEST(Searched, AxesTakeTheirValuesFromTheCaller) {
  const Sweep sweep =
      parse(on_floor("[[axis]]\nkey = \"gait.amplitude_deg\"\nfrom = 10.0\nto = "
                     "50.0\n[[axis]]\nkey = \"robot.links\"\nfrom = 5\nto = 8\n" +
                         phase +
                         "[[measure]]\nname = \"e\"\nof = { name = \"end_time\" }\n[goal]\nmeasure "
                         "= \"e\"\ntowards = \"max\"\n[optimise]\nevaluations = 10\n",
                     "duration = 0.05, \"start.link\" = 1"));
  EXPECT_EQ(sweep.searched(), 2U);
  EXPECT_EQ(sweep.size(), 3);
  const std::vector<double> middle{0.5, 0.99};
  EXPECT_THAT(sweep.cells(sweep.point(1, middle)), ElementsAre("30", "8", "-60"));
  EXPECT_THROW(static_cast<void>(sweep.point(1)), Error);
}

struct BadFile {
  const char* what;
  std::string text;
  const char* told;  // in the message
};

// each with its place, and what to do where one can say it
TEST(BadInput, NamesThePlaceAndTheRemedy) {
  const std::string speed =
      "[[measure]]\nname = \"speed\"\nof = { name = \"mean_velocity\", axis = \"x\", from = 0.0, "
      "to = 0.04 }\n";
  const auto axis = [](const std::string& rest) {
    return on_floor("[[axis]]\nkey = \"gait.amplitude_deg\"\n" + rest);
  };
  const std::vector<BadFile> cases{
      {"unknown key at the top", on_floor("sampels = 3\n" + amplitude), "did you mean samples?"},
      {"unknown key of an axis", axis("form = 1.0\nto = 2.0\ncount = 2\n"), "did you mean from?"},
      {"unknown scenario key",
       on_floor("[[axis]]\nkey = \"gait.amplitude\"\nfrom = 1.0\nto = 2.0\ncount = 2\n"),
       "did you mean \"gait.amplitude_deg\"?"},
      {"key of another model",
       on_floor("[[axis]]\nkey = \"start.z\"\nfrom = 0.1\nto = 0.2\ncount = 2\n"),
       "goes with robot.model"},
      {"a value its key never allows",
       on_floor("[[axis]]\nkey = \"solver.dt\"\nvalues = [1e-3, -1.0, 2e-3]\n"),
       "value 2 of the axis: solver.dt"},
      {"a word its key never allows",
       on_floor("[[axis]]\nkey = \"solver.law\"\nvalues = [\"anchored\", \"rigit\"]\n"),
       "did you mean \"rigid\"?"},
      {"from beyond the range",
       on_floor("[[axis]]\nkey = \"solver.dt\"\nfrom = -1.0\nto = 1e-3\ncount = 3\n"),
       "value 1 of the axis"},
      {"half seeds", on_floor("[[axis]]\nkey = \"seed\"\nfrom = 1\nto = 2\ncount = 3\n"),
       "value 2 of the axis: seed"},
      {"from after to", axis("from = 3.0\nto = 2.0\ncount = 2\n"), "expected more than from = 3"},
      {"from equals to", axis("from = 2.0\nto = 2.0\ncount = 2\n"), "expected more than from = 2"},
      {"log through 0",
       on_floor("[[axis]]\nkey = \"gait.phase_deg\"\nfrom = -1.0\nto = 2.0\ncount = 2\nscale = "
                "\"log\"\n"),
       "through 0"},
      {"count 0", axis("from = 1.0\nto = 2.0\ncount = 0\n"), "expected a whole number from 2"},
      {"count with a fraction", axis("from = 1.0\nto = 2.0\ncount = 2.5\n"),
       "expected a whole number"},
      {"step that does not fit", axis("from = 1.0\nto = 2.0\nstep = 0.3\n"), "3.33333 steps"},
      {"step < 0", axis("from = 1.0\nto = 2.0\nstep = -0.5\n"), "expected a number > 0"},
      {"count and step", axis("from = 1.0\nto = 2.0\nstep = 0.5\ncount = 3\n"),
       "count and step are both given"},
      {"step of a log axis", axis("from = 1.0\nto = 2.0\nstep = 0.5\nscale = \"log\"\n"),
       "a log axis has no even step"},
      {"no count", axis("from = 1.0\nto = 2.0\n"), "has no count, step or sample"},
      {"no to", axis("from = 1.0\ncount = 3\n"), "axis.1.to: is missing"},
      {"NaN", axis("values = [1.0, nan]\n"), "value 2 of the axis"},
      {"infinite end", axis("from = 1.0\nto = inf\ncount = 3\n"), "expected a finite number"},
      {"values and count", axis("values = [1.0]\ncount = 3\n"), "goes with from and to"},
      {"no values", axis("values = []\n"), "expected a list of values"},
      {"key twice", on_floor(amplitude + amplitude), "is an axis twice"},
      {"key and its component",
       on_floor("[[axis]]\nkey = \"world.friction\"\nvalues = [[0.1, 0.1]]\n[[axis]]\nkey = "
                "\"world.friction.2\"\nvalues = [0.1]\n"),
       "is part of world.friction"},
      {"no such component", on_floor("[[axis]]\nkey = \"world.friction.3\"\nvalues = [0.1]\n"),
       "world.friction is a list of 2"},
      {"unequal lists",
       on_floor("[[axis]]\nkey = [\"gait.amplitude_deg\", \"gait.omega_deg\"]\nvalues = [[1.0, "
                "2.0], [1.0, 2.0, 3.0]]\n"),
       "value 2 of the axis has 3 entries, there are 2 keys"},
      {"no axis", on_floor(""), "there is no axis"},
      {"no samples", axis("from = 1.0\nto = 2.0\nsample = \"sobol\"\n"), "samples: is missing"},
      {"samples of nothing", on_floor("samples = 3\n" + amplitude), "no axis is sampled"},
      {"unknown sampling",
       on_floor("samples = 3\n[[axis]]\nkey = \"gait.amplitude_deg\"\nfrom = 1.0\nto = 2.0\nsample "
                "= \"sobel\"\n"),
       "did you mean \"sobol\"?"},
      {"too many points",
       on_floor("[[axis]]\nkey = \"gait.amplitude_deg\"\nfrom = 1.0\nto = 2.0\ncount = "
                "10000\n[[axis]]\nkey = \"gait.phase_deg\"\nfrom = 1.0\nto = 2.0\ncount = 10000\n"),
       "1e+08 points, the limit is 10000000"},
      {"unknown measure",
       on_floor(amplitude + "[[measure]]\nname = \"v\"\nof = { name = \"mean_velocty\", axis = "
                            "\"x\", from = 0.0, to = 0.01 }\n"),
       "did you mean \"mean_velocity\"?"},
      {"measure without a parameter",
       on_floor(
           amplitude +
           "[[measure]]\nname = \"v\"\nof = { name = \"mean_velocity\", from = 0.0, to = 0.01 }\n"),
       "mean_velocity needs axis"},
      {"window beyond the end",
       on_floor(amplitude + "[[measure]]\nname = \"v\"\nof = { name = \"mean_velocity\", axis = "
                            "\"x\", from = 0.0, to = 9.0 }\n"),
       "9 s is after the end of the run, 0.05 s"},
      {"measure that compares runs",
       on_floor(amplitude + "[[measure]]\nname = \"v\"\nof = { name = \"apart\", link = 1, other = "
                            "\"b\", from = 0.0, to = 0.01 }\n"),
       "compares runs"},
      {"measure that gives links",
       on_floor(amplitude + "[[measure]]\nname = \"v\"\nof = { name = \"touching_links\", from = "
                            "0.0, to = 0.01 }\n"),
       "gives a set of links"},
      {"name twice", on_floor(amplitude + speed + speed), "there are two measures \"speed\""},
      {"a name of the table's",
       on_floor(amplitude + "[[measure]]\nname = \"status\"\nof = { name = \"end_time\" }\n"),
       "of its own"},
      {"a name with a blank",
       on_floor(amplitude + "[[measure]]\nname = \"my speed\"\nof = { name = \"end_time\" }\n"),
       "letters, digits and _"},
      {"goal on no column",
       on_floor(amplitude + speed + "[goal]\nmeasure = \"sped\"\ntowards = \"max\"\n"),
       "did you mean \"speed\"?"},
      {"goal towards nothing",
       on_floor(amplitude + speed + "[goal]\nmeasure = \"speed\"\ntowards = \"up\"\n"),
       "expected \"max\" or \"min\""},
      {"requirement on no column",
       on_floor(amplitude + speed + "[[require]]\nmeasure = \"torque\"\nat_most = 1.0\n"),
       "there is no column \"torque\""},
      {"requirement of nothing", on_floor(amplitude + speed + "[[require]]\nmeasure = \"speed\"\n"),
       "no at_least and no at_most"},
      {"base missing", "sweep = 1\n" + amplitude, "base: is missing"},
      {"base that is no file", "sweep = 1\nbase = \"aiko_flor\"\n" + amplitude,
       "did you mean \"aiko_floor\"?"},
      {"base with a fault", on_floor(amplitude, "\"solver.dtt\" = 1e-3"),
       "solver.dtt: unknown key"},
      {"base made faulty by its value", on_floor(amplitude, "duration = -1.0"),
       "duration: expected"},
      {"no version", "base = \"aiko_floor\"\n" + amplitude, "sweep: is missing"},
      {"another version", "sweep = 2\nbase = \"aiko_floor\"\n" + amplitude, "expected 1, got 2"},
      {"table that is not there", on_floor("[points]\ntable = \"no_such.csv\"\n"), "points.table"},
      {"optimise without a goal",
       on_floor("[[axis]]\nkey = \"gait.amplitude_deg\"\nfrom = 1.0\nto = 2.0\n[optimise]\n"),
       "there is no [goal]"},
      {"optimise without an axis",
       on_floor(amplitude + speed + "[goal]\nmeasure = \"speed\"\ntowards = \"max\"\n[optimise]\n"),
       "there is no axis to search"},
      {"limit of 0 steps", on_floor(amplitude + "[limits]\nsteps = 0\n"),
       "limits.steps: expected a number > 0"},
      {"syntax", "sweep = 1\nbase = \n", "syntax"},
  };
  EXPECT_GE(cases.size(), 40U);
  for (const BadFile& each : cases) {
    const std::string told = faults_of(each.text);
    EXPECT_THAT(told, HasSubstr(each.told)) << each.what;
    EXPECT_THAT(told, HasSubstr("test.toml:")) << each.what;
  }
  std::string many = on_floor("");
  for (int k = 1; k <= 33; ++k)
    many += "[[axis]]\nkey = \"world.obstacle." + std::to_string(k) + ".x\"\nvalues = [1.0]\n";
  EXPECT_THAT(faults_of(many), HasSubstr("there are 33 axes, the limit is 32"));
}

TEST(BadInput, TellsAllFaultsAtOnceInTheOrderOfTheFile) {
  const std::string told = faults_of(
      "sweep = 1\nbase = \"aiko_floor\"\n[[axis]]\nkey = \"gait.amplitude\"\nfrom = 2.0\nto = "
      "1.0\ncount = 0\n[goal]\nmeasure = \"x\"\n");
  EXPECT_THAT(told, HasSubstr("test.toml:4:7"));
  EXPECT_THAT(told, HasSubstr("test.toml:6:6"));
  EXPECT_THAT(told, HasSubstr("goal.towards: is missing"));
}

}  // namespace sweep_test
}  // namespace coluber::sweep
