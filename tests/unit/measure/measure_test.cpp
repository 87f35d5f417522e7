#include "coluber/measure/measure.hpp"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/core/error.hpp"

namespace coluber::measure {
namespace measure_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Five frames of 0.5 s with a scalar t², a vector by link (10 link + axis) + t, and a table of
/// three axes whose entry [a, b, c] is 100 a + 10 b + c, all counted from 1.
MeasuredRun make_run() {
  MeasuredRun run;
  run.trajectory.observables = {{"square", "s2", "t squared", {}, {}},
                                {"place", "m", "by link and axis", {2, 2}, {"x", "y"}},
                                {"table", "", "by three axes", {2, 3, 2}, {"low", "high"}},
                                {"twist", "m/s", "six numbers 1 … 6, times t", {6}, {}}};
  for (int k = 0; k < 5; ++k) {
    const double t = 0.5 * k;
    run.trajectory.time.push_back(t);
    auto& values = run.trajectory.values;
    values.push_back(t * t);
    for (int link = 1; link <= 2; ++link)
      for (int axis = 1; axis <= 2; ++axis) values.push_back(10 * link + axis + t);
    for (int a = 1; a <= 2; ++a)
      for (int b = 1; b <= 3; ++b)
        for (int c = 1; c <= 2; ++c) values.push_back(100 * a + 10 * b + c);
    for (int i = 1; i <= 6; ++i) values.push_back(i * t);
  }
  run.summary = {{"speed", 0.25, "m/s"}, {"case", std::string("bound")}};
  return run;
}

double measured(const std::string& spec) {
  EXPECT_THAT(check_measure(spec), IsEmpty()) << spec;
  static const MeasuredRun run = make_run();
  return std::get<double>(
      compute_measure(spec, "any", [](const std::string&) -> const MeasuredRun& { return run; }));
}

std::string failure_of(const std::string& spec) {
  try {
    return "gave " + std::to_string(measured(spec));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Value, TakesAComponentByItsNumberAndAnEntryByItsLinkOrJoint) {
  EXPECT_EQ(measured(R"({"name": "value", "dataset": "twist", "component": 4, "at": 1.5})"), 6.0);
  EXPECT_EQ(
      measured(R"({"name": "value", "dataset": "place", "link": 2, "component": 1, "at": 1})"),
      22.0);
  EXPECT_EQ(measured(R"({"name": "value", "dataset": "place", "joint": 1, "component": "y",
                         "from": 0.5, "to": 1.5, "reduce": "max"})"),
            13.5);
  EXPECT_EQ(measured(R"({"name": "value", "dataset": "table", "index": [2, 3], "component": 2,
                         "at": 0})"),
            232.0);
  EXPECT_THAT(failure_of(R"({"name": "value", "dataset": "twist", "component": 7, "at": 1})"),
              HasSubstr("twist has 6 entries, not 7"));
  EXPECT_THAT(failure_of(R"({"name": "value", "dataset": "place", "link": 1, "component": 3,
                             "at": 1})"),
              HasSubstr("place has 2 entries along its axis 2, not 3"));
  EXPECT_THAT(failure_of(R"({"name": "value", "dataset": "square", "component": 1, "at": 1})"),
              HasSubstr("square is one number per frame"));
  EXPECT_THAT(failure_of(R"({"name": "value", "dataset": "twist", "component": "x", "at": 1})"),
              HasSubstr("twist has no named components: give its number"));
  EXPECT_THAT(check_measure(R"({"name": "value", "dataset": "twist", "component": 0, "at": 1})"),
              SizeIs(1));
}

TEST(ValueApart, IsTheLargestDifferenceOfTwoRunsOverTheWindow) {
  const MeasuredRun one = make_run();
  MeasuredRun other = make_run();
  // the same run, every second frame of it, and its square is 1 more at 1 s
  other.trajectory.time = {0.0, 1.0, 2.0};
  const std::size_t stride = one.trajectory.values.size() / 5;
  other.trajectory.values.clear();
  for (const std::size_t k : {0U, 2U, 4U})
    for (std::size_t i = 0; i < stride; ++i)
      other.trajectory.values.push_back(one.trajectory.values[k * stride + i] +
                                        (k == 2 && i == 0 ? 1.0 : 0.0));
  const RunLookup lookup = [&](const std::string& name) -> const MeasuredRun& {
    return name == "other" ? other : one;
  };
  const auto apart = [&](const std::string& spec) {
    EXPECT_THAT(check_measure(spec), IsEmpty()) << spec;
    return std::get<double>(compute_measure(spec, "one", lookup));
  };
  // at 0.5 s the other has (0 + 2)/2 = 1, this one 0.25; at 1.5 s 3 and 2.25; at 1 s 2 and 1
  EXPECT_EQ(apart(R"({"name": "value_apart", "dataset": "square", "other": "other"})"), 1.0);
  EXPECT_EQ(apart(R"({"name": "value_apart", "dataset": "square", "other": "other", "from": 0,
                      "to": 0.5})"),
            0.75);
  EXPECT_EQ(apart(R"({"name": "value_apart", "dataset": "square", "other": "other",
                      "reduce": "min"})"),
            -1.0);
  EXPECT_NEAR(apart(R"({"name": "value_apart", "dataset": "twist", "other": "other"})"), 0.0,
              1e-15);
  EXPECT_EQ(apart(R"({"name": "difference", "against": ["other"],
                      "of": {"name": "value", "dataset": "square", "at": 1.0}})"),
            -1.0);
  EXPECT_THAT(runs_of_measure(R"({"name": "value_apart", "dataset": "square", "other": "b"})"),
              ElementsAre("b"));
}

TEST(EndTime, IsThatOfTheLastFrame) { EXPECT_EQ(measured(R"({"name": "end_time"})"), 2.0); }

TEST(SummaryIs, AsksForAWord) {
  EXPECT_EQ(measured(R"({"name": "summary_is", "item": "case", "word": "bound"})"), 1.0);
  EXPECT_EQ(measured(R"({"name": "summary_is", "item": "case", "word": "free"})"), 0.0);
  EXPECT_THAT(failure_of(R"({"name": "summary_is", "item": "speed", "word": "free"})"),
              HasSubstr("speed is a number, not a word"));
  EXPECT_THAT(failure_of(R"({"name": "summary", "item": "case"})"),
              HasSubstr("case is the word \"bound\": summary_is asks for it"));
}

TEST(Value, ReadsOneEntryOfADatasetOfAnyShape) {
  EXPECT_EQ(measured(R"({"name": "value", "dataset": "square", "at": 1.5})"), 2.25);
  EXPECT_EQ(measured(R"({"name": "value", "dataset": "place", "index": 2, "component": "y",
                         "at": 0.5})"),
            22.5);
  EXPECT_EQ(measured(R"({"name": "value", "dataset": "table", "index": [2, 3], "component": "high",
                         "at": 1.0})"),
            232.0);
  EXPECT_EQ(measured(R"({"name": "value", "dataset": "table", "index": [1, 2, 1], "at": 0.0})"),
            121.0);
}

TEST(Value, IsLinearBetweenFrames) {
  // halfway between 1 and 2.25
  EXPECT_DOUBLE_EQ(measured(R"({"name": "value", "dataset": "square", "at": 1.25})"), 1.625);
}

TEST(Value, IsReducedOverTheWindowAndAllEntriesThatAreNotChosen) {
  const auto square = [](const std::string& rest) {
    return measured(R"({"name": "value", "dataset": "square", )" + rest + "}");
  };
  EXPECT_EQ(square(R"("reduce": "max")"), 4.0);
  EXPECT_EQ(square(R"("reduce": "min", "from": 1.0)"), 1.0);
  EXPECT_EQ(square(R"("reduce": "range", "to": 1.0)"), 1.0);
  EXPECT_EQ(square(R"("reduce": "first", "from": 0.5)"), 0.25);
  EXPECT_EQ(square(R"("reduce": "last", "to": 1.5)"), 2.25);
  EXPECT_EQ(square(R"("reduce": "change", "from": 0.5, "to": 1.5)"), 2.0);
  EXPECT_EQ(square(R"("reduce": "sum")"), 0.25 + 1.0 + 2.25 + 4.0);
  EXPECT_EQ(square(R"("reduce": "mean")"), 7.5 / 5.0);
  EXPECT_DOUBLE_EQ(square(R"("reduce": "rms", "from": 1.5)"),
                   std::sqrt((2.25 * 2.25 + 16.0) / 2.0));
  EXPECT_EQ(square(R"("reduce": "step")"), 1.75) << "from 2.25 to 4";
  EXPECT_EQ(square(R"("reduce": "median_size")"), 1.0);
  EXPECT_EQ(square(R"("reduce": "median_size", "from": 0.5)"), 0.5 * (1.0 + 2.25));
  // both links at one time: 12 and 22
  EXPECT_EQ(measured(R"({"name": "value", "dataset": "place", "component": "y", "at": 0.0,
                         "reduce": "mean"})"),
            17.0);
  // all entries of all frames: from 111 to 232
  EXPECT_EQ(measured(R"({"name": "value", "dataset": "table", "reduce": "range"})"), 121.0);
}

TEST(Value, SaysWhatTheRunHasInsteadAndHowToChoose) {
  EXPECT_THAT(failure_of(R"({"name": "value", "dataset": "places", "at": 0.0})"),
              HasSubstr("the run has no places; it has square, place, table"));
  EXPECT_THAT(failure_of(R"({"name": "value", "dataset": "place", "component": "z", "at": 0.0})"),
              HasSubstr("place has no component \"z\"; it has x, y"));
  EXPECT_THAT(failure_of(R"({"name": "value", "dataset": "place", "index": 3, "at": 0.0})"),
              HasSubstr("place has 2 entries, not 3"));
  EXPECT_THAT(failure_of(R"({"name": "value", "dataset": "square", "index": 1, "at": 0.0})"),
              HasSubstr("square has 0 axes"));
  EXPECT_THAT(failure_of(R"({"name": "value", "dataset": "place", "index": 1, "at": 0.0})"),
              HasSubstr("choose one by index and component"));
  EXPECT_THAT(failure_of(R"({"name": "value", "dataset": "square", "at": 2.5})"),
              HasSubstr("nothing at 2.5 s"));
  EXPECT_THAT(failure_of(R"({"name": "value", "dataset": "square", "at": 1.0, "from": 0.0})"),
              HasSubstr("at is one time"));
}

TEST(Series, AMeasureOfPlacesFollowsAnyDataset) {
  EXPECT_EQ(measured(R"({"name": "displacement", "dataset": "square", "from": 0.5, "to": 2.0})"),
            3.75);
  EXPECT_EQ(measured(R"({"name": "mean_velocity", "dataset": "place", "component": "y",
                         "from": 0.0, "to": 2.0})"),
            1.0)
      << "the mean of both links moves as they do";
  EXPECT_EQ(measured(R"({"name": "first_time", "dataset": "square", "at_least": 2.0})"), 1.5);
  EXPECT_THAT(failure_of(R"({"name": "displacement", "dataset": "place", "from": 0, "to": 1})"),
              HasSubstr("place has several components: choose one"));
  EXPECT_THAT(failure_of(R"({"name": "displacement", "dataset": "place", "link": 1, "index": 1,
                             "component": "x", "from": 0, "to": 1})"),
              HasSubstr("index and link are the same: give one"));
}

TEST(MeasureRun, IsPassedOnToThePartsOfAMeasureOfMeasures) {
  MeasuredRun slow = make_run();
  MeasuredRun fast = make_run();
  fast.summary = {{"speed", 0.5, "m/s"}};
  const RunLookup lookup = [&](const std::string& name) -> const MeasuredRun& {
    return name == "fast" ? fast : slow;
  };
  const std::string spec = R"({"name": "ratio", "run": "fast",
      "numerator": {"name": "summary", "item": "speed"},
      "denominator": {"name": "summary", "item": "speed", "run": "slow"}})";
  EXPECT_EQ(std::get<double>(compute_measure(spec, "slow", lookup)), 2.0);
  EXPECT_THAT(runs_of_measure(spec), ::testing::UnorderedElementsAre("fast", "slow"));
}

TEST(Largest, IsThatOfItsParts) {
  const std::string part = R"({"name": "stated", "value": )";
  EXPECT_EQ(
      measured(R"({"name": "largest", "of": [)" + part + "-3}, " + part + "2}, " + part + "1}]}"),
      2.0);
}

/// Six runs: `a`, `b`, `c` of 1, 2, 6 m/s and `A`, `B`, `C` of 2, 8, 8 m/s; `slip` is 1 in all of
/// them.
double of_pairs(const std::string& spec, const std::string& run = "a") {
  EXPECT_THAT(check_measure(spec), IsEmpty()) << spec;
  static const std::map<std::string, double> speeds{{"a", 1.0}, {"b", 2.0}, {"c", 6.0},
                                                    {"A", 2.0}, {"B", 8.0}, {"C", 8.0}};
  std::map<std::string, MeasuredRun> runs;
  for (const auto& [name, speed] : speeds)
    runs[name].summary = {{"speed", speed, "m/s"}, {"slip", 1.0, "m/s"}};
  return std::get<double>(compute_measure(
      spec, run, [&](const std::string& name) -> const MeasuredRun& { return runs.at(name); }));
}

const std::string three_pairs = R"("of": {"name": "summary", "item": "speed"},
    "runs": ["a", "b", "c"], "against": ["A", "B", "C"])";

TEST(Pairs, AReductionIsWhatARunSavesAgainstAnother) {
  // half as fast
  EXPECT_DOUBLE_EQ(of_pairs(R"({"name": "reduction", "of": {"name": "summary", "item": "speed"},
                                "against": ["A"]})"),
                   50.0);
  EXPECT_DOUBLE_EQ(of_pairs(R"({"name": "reduction", "of": {"name": "summary", "item": "speed"},
                                "runs": ["B"], "against": ["A"]})"),
                   -300.0);
  EXPECT_DOUBLE_EQ(of_pairs(R"({"name": "reduction", "run": "b", "against": ["B"],
                                "of": {"name": "summary", "item": "speed"}})"),
                   75.0);
}

TEST(Pairs, AreTakenOneByOneAndThenReduced) {
  // 50, 75 and 25 %
  const auto reduction = [](const std::string& how) {
    return of_pairs(R"({"name": "reduction", "reduce": ")" + how + "\", " + three_pairs + "}");
  };
  EXPECT_DOUBLE_EQ(reduction("mean"), 50.0);
  EXPECT_DOUBLE_EQ(reduction("min"), 25.0);
  EXPECT_DOUBLE_EQ(reduction("max"), 75.0);
  EXPECT_DOUBLE_EQ(reduction("range"), 50.0);
  // -1, -6 and -2 m/s
  const auto difference = [](const std::string& how) {
    return of_pairs(R"({"name": "difference", "reduce": ")" + how + "\", " + three_pairs + "}");
  };
  EXPECT_DOUBLE_EQ(difference("mean"), -3.0);
  EXPECT_DOUBLE_EQ(difference("min"), -6.0);
  EXPECT_DOUBLE_EQ(difference("max"), -1.0);
}

TEST(Pairs, AZeroToCompareWithGivesNoNumber) {
  const std::string nothing = R"({"name": "stated", "value": 0})";
  EXPECT_TRUE(
      std::isnan(of_pairs(R"({"name": "reduction", "of": )" + nothing + R"(, "against": ["A"]})")));
  EXPECT_TRUE(std::isnan(of_pairs(R"({"name": "reduction", "reduce": "max", "of": )" + nothing +
                                  R"(, "runs": ["a", "b"], "against": ["A", "B"]})")));
}

TEST(Pairs, MustBeAsManyAsTheRunsAndSayWhatIsMadeOfThem) {
  const std::string of = R"("of": {"name": "summary", "item": "speed"})";
  EXPECT_THAT(check_measure(R"({"name": "reduction", "runs": ["a", "b"], "against": ["A"],
                                "reduce": "max", )" +
                            of + "}"),
              ElementsAre("reduction: there are 2 runs and 1 against them"));
  EXPECT_THAT(check_measure(R"({"name": "difference", "reduce": "max", "against": ["A", "B"], )" +
                            of + "}"),
              ElementsAre("difference: there are 1 runs and 2 against them"));
  EXPECT_THAT(check_measure(R"({"name": "reduction", )" + three_pairs + "}"),
              ElementsAre("reduction of 3 pairs needs reduce"));
  EXPECT_THAT(check_measure(R"({"name": "reduction", "against": [], )" + of + "}"),
              ElementsAre("reduction: against is not what the measure takes"));
  EXPECT_THAT(runs_of_measure(R"({"name": "reduction", )" + three_pairs + "}"),
              ::testing::UnorderedElementsAre("a", "b", "c", "A", "B", "C"));
}

TEST(Summary, AddsUpSeveralItems) {
  EXPECT_EQ(of_pairs(R"({"name": "summary", "items": ["speed", "slip"]})"), 2.0);
  EXPECT_THAT(failure_of(R"({"name": "summary", "items": ["speed", "slope"]})"),
              HasSubstr("the run's summary has no slope"));
  EXPECT_THAT(check_measure(R"({"name": "summary"})"), ElementsAre("summary needs item"));
  EXPECT_THAT(check_measure(R"({"name": "summary", "item": "speed", "items": ["slip"]})"),
              ElementsAre("summary: item and items are the same: give one"));
  EXPECT_THAT(check_measure(R"({"name": "summary", "items": [1]})"),
              ElementsAre("summary: items is not what the measure takes"));
}

TEST(MeasureTable, EveryRowSaysWhatItIsAndItsNamesAreDistinct) {
  std::map<std::string, int> seen;
  for (const Measure& row : measures()) {
    EXPECT_EQ(++seen[row.name], 1) << row.name;
    EXPECT_FALSE(row.doc.empty()) << row.name;
    EXPECT_TRUE(row.compute) << row.name;
    for (const auto& parameter : row.parameters)
      EXPECT_EQ(parameter.kind == ParameterKind::word, !parameter.words.empty())
          << row.name << ", " << parameter.name;
  }
}

TEST(MeasureTable, TakesMeasuresOfAModelsOwn) {
  add_measure({"test.twice",
               "m",
               "twice a number of the summary",
               {{"item", ParameterKind::text}, {"more", ParameterKind::number, false}},
               [](const MeasureCall& call) -> MeasureValue {
                 for (const auto& item : call.run().summary)
                   if (item.name == call.text("item"))
                     return 2.0 * item.number() + call.number("more", 0.0);
                 throw Error("no such item");
               }});
  EXPECT_EQ(measured(R"({"name": "test.twice", "item": "speed"})"), 0.5);
  EXPECT_EQ(measured(R"({"name": "test.twice", "item": "speed", "more": 1})"), 1.5);
  EXPECT_THAT(check_measure(R"({"name": "test.twice", "more": "much", "less": 1})"),
              ElementsAre(HasSubstr("test.twice has no parameter less"),
                          HasSubstr("test.twice: more is not what the measure takes"),
                          HasSubstr("test.twice needs item")));
  EXPECT_THROW(add_measure(measures().back()), Error) << "the name is taken";
  EXPECT_THROW(add_measure({"test.nothing", "", "", {}, {}}), Error);
}

TEST(MeasureCheck, RefusesWordsAndListsThatAParameterDoesNotTake) {
  EXPECT_THAT(check_measure(R"({"name": "value", "dataset": "square", "reduce": "median"})"),
              ElementsAre("value: reduce is not what the measure takes"));
  EXPECT_THAT(check_measure(R"({"name": "value", "dataset": "square"})"),
              ElementsAre("value needs reduce"));
  for (const std::string index : {"0", "1.5", "[]", "[1, 0]", "\"x\""})
    EXPECT_THAT(
        check_measure(R"({"name": "value", "dataset": "d", "at": 0, "index": )" + index + "}"),
        SizeIs(1))
        << index;
  EXPECT_THAT(check_measure(R"({"name": "mean_velocity", "from": 0, "to": 1})"),
              ElementsAre("mean_velocity needs axis"));
}

}  // namespace measure_test
}  // namespace coluber::measure
