#include "reproduce/claims.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"

#include "reproduce/judge.hpp"

namespace coluber::app {
namespace claims_test {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Two ways, a run `slow` and a run `fast` over three dampings each, and one alone.
const std::string runs = R"(
source = "mine"
[[way]]
name = "first"
set = ["solver.dt=0.01"]
[[way]]
name = "second"
[[run]]
name = "slow"
scenario = "slow.toml"
set = ["world.tilt_deg=5"]
each = { key = "controller.kd", values = [0.5, 1, 2.0] }
ways = ["first"]
[[run]]
name = "fast"
scenario = "slow.toml"
each = { key = "controller.kd", values = [0.5, 1, 2.0] }
ways = ["first"]
[[run]]
name = "alone"
scenario = "slow.toml"
)";

std::string claim(const std::string& measure, const std::string& more = "judged = \"first\"") {
  return R"(
[[claim]]
id = "mine.one"
where = "here"
statement = "so"
kind = "number"
basis = "own"
expected = 1.0
band = 0.1
status = "reproduced"
measure = )" +
         measure + "\n" + more + "\n";
}

class Claims : public ::testing::Test {
 protected:
  Claims() {
    folder_ =
        fs::path(::testing::TempDir()) /
        (std::string("claims_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Claims() override { fs::remove_all(folder_); }

  ClaimFile load(const std::string& text) {
    std::ofstream(folder_ / "mine.toml") << text;
    return load_claims(folder_).front();
  }

  std::string faults_of(const std::string& text) {
    try {
      load(text);
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  }

 private:
  fs::path folder_;
};

const std::string pairs = R"({ name = "reduction", of = { name = "summary", item = "x" },
  runs = ["slow"], against = ["fast"], reduce = "mean"@ })";

std::string with(const std::string& more) {
  auto text = pairs;
  text.erase(std::remove(text.begin(), text.end(), '\n'), text.end());
  return text.replace(text.find('@'), 1, more);
}

TEST_F(Claims, ARunWithEachStandsForOneRunPerValue) {
  const auto file = load(runs + claim(with("")));
  ASSERT_TRUE(file.runs.contains("slow, controller.kd 0.5"));
  ASSERT_TRUE(file.runs.contains("slow, controller.kd 1"));
  ASSERT_TRUE(file.runs.contains("slow, controller.kd 2"));
  EXPECT_FALSE(file.runs.contains("slow"));
  EXPECT_THAT(file.runs.at("slow, controller.kd 2").set,
              ElementsAre("world.tilt_deg=5", "controller.kd=2"));
  EXPECT_THAT(measure::runs_of_measure(file.claims.front().measure),
              UnorderedElementsAre("slow, controller.kd 0.5", "slow, controller.kd 1",
                                   "slow, controller.kd 2", "fast, controller.kd 0.5",
                                   "fast, controller.kd 1", "fast, controller.kd 2"));
}

TEST_F(Claims, EachTakesWordsToo) {
  const auto file = load(R"(
source = "mine"
[[run]]
name = "slope"
scenario = "slope.toml"
each = { key = "controller.servo", values = ["explicit", "implicit"] }
)" + claim(R"({ name = "mean", of = { name = "summary", item = "x" }, runs = ["slope"] })", ""));
  EXPECT_THAT(file.runs.at("slope, controller.servo explicit").set,
              ElementsAre("controller.servo=\"explicit\""));
}

TEST_F(Claims, PairsCanBeRestrictedToSomeValues) {
  const auto spec =
      nlohmann::json::parse(load(runs + claim(with(", values = [1, 2.0]"))).claims.front().measure);
  EXPECT_EQ(spec["runs"],
            (std::vector<std::string>{"slow, controller.kd 1", "slow, controller.kd 2"}));
  EXPECT_EQ(spec["against"],
            (std::vector<std::string>{"fast, controller.kd 1", "fast, controller.kd 2"}));
}

TEST_F(Claims, ARunIsDoneInItsOwnWaysOnly) {
  const auto file = load(runs + claim(with("")));
  const auto& one = file.runs.at("slow, controller.kd 1");
  EXPECT_TRUE(done_in(one, file.ways[0]));
  EXPECT_FALSE(done_in(one, file.ways[1]));
  EXPECT_TRUE(done_in(file.runs.at("alone"), file.ways[1]));
}

TEST_F(Claims, AClaimMustBeJudgedByAWayThatItsRunsAreDoneIn) {
  EXPECT_THAT(faults_of(runs + claim(with(""), "")),
              HasSubstr("claim.judged: the run \"fast, controller.kd 0.5\" is not done in the way "
                        "\"second\""));
  EXPECT_THAT(faults_of(runs + claim(with(""), "judged = \"second\"")),
              HasSubstr("is not done in the way \"second\""));
  EXPECT_THAT(faults_of(runs + claim(with(""))), IsEmpty());
}

TEST_F(Claims, FaultsOfEachAreToldWhereTheyAre) {
  const auto fault = [&](const std::string& old, const std::string& now) {
    auto text = runs + claim(with(""));
    const auto at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return faults_of(text.replace(at, old.size(), now));
  };
  const std::string each = R"(each = { key = "controller.kd", values = [0.5, 1, 2.0] })";
  EXPECT_THAT(fault(each, "each = 3"), HasSubstr("run.each: expected { key = …, values = … }"));
  EXPECT_THAT(fault(each, R"(each = { key = "controller.kd" })"),
              HasSubstr("run.each.values: expected numbers or words"));
  EXPECT_THAT(fault(each, R"(each = { key = "controller.kd", values = [] })"),
              HasSubstr("run.each.values: expected numbers or words"));
  EXPECT_THAT(fault(each, R"(each = { key = "controller.kd", values = [[1]] })"),
              HasSubstr("run.each.values: expected numbers or words"));
  EXPECT_THAT(fault(each, R"(each = { values = [1] })"), HasSubstr("run.each.key: is missing"));
  EXPECT_THAT(fault(each, R"(each = { key = "controller.kd", values = [1, 1.0] })"),
              HasSubstr("there are two runs \"slow, controller.kd 1\""));
  EXPECT_THAT(fault(each, each + "\nseeds = [1, 2]"), HasSubstr("run.each: goes without seeds"));
  EXPECT_THAT(fault(R"(ways = ["first"])", R"(ways = ["third"])"),
              HasSubstr("run.ways: there is no way \"third\" in this file"));
}

TEST_F(Claims, APairHasOneValue) {
  auto text = runs + claim(with(""));
  const std::string values = "[0.5, 1, 2.0]";
  text.replace(text.find(values), values.size(), "[0.5, 1, 3.0]");
  EXPECT_THAT(faults_of(text),
              HasSubstr("claim.measure: \"slow, controller.kd 3\" and \"fast, controller.kd 2\" "
                        "are no pair: their values differ"));
}

TEST_F(Claims, ARunWithEachIsNoSingleRun) {
  EXPECT_THAT(faults_of(runs + claim(R"({ name = "summary", item = "x" })",
                                     "judged = \"first\"\nrun = \"slow\"")),
              HasSubstr("it has several values of controller.kd: \"slow, controller.kd 0.5\", …"));
  EXPECT_THAT(faults_of(runs + claim(R"({ name = "summary", item = "x" })")),
              HasSubstr("claim.run: is missing"));
}

const std::string reductions = R"(
[[figure]]
title = "what is saved"
plot = "reductions"
x = "kd"
labels = ["x", "both"]
measures = [{ name = "summary", item = "x" }, { name = "summary", items = ["x", "y"] }]
panels = [{ title = "slope", runs = ["slow"], against = ["fast"] }]
)";

TEST_F(Claims, TheReductionsOfAFigureAreThoseOfItsPairs) {
  const auto file = load(runs + claim(with("")) + reductions);
  const auto& figure = file.figures.front();
  ASSERT_EQ(figure.panels.size(), 1U);
  EXPECT_THAT(figure.panels.front().runs, ::testing::SizeIs(3));
  EXPECT_THAT(figure.panels.front().against, ::testing::SizeIs(3));
  EXPECT_THAT(figure.measures, ::testing::SizeIs(2));
  EXPECT_THAT(figure.runs, IsEmpty()) << "nothing of it is drawn from above, nor played";
  EXPECT_EQ(way_of(file, figure).name, "first") << "the last that its runs are done in";
}

TEST_F(Claims, FaultsOfReductionsAreTold) {
  const auto fault = [&](const std::string& old, const std::string& now) {
    auto text = reductions;
    const auto at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return faults_of(runs + claim(with("")) + text.replace(at, old.size(), now));
  };
  EXPECT_THAT(fault("against = [\"fast\"]", "against = [\"alone\"]"),
              HasSubstr("figure.panels: there are 3 runs and 1 against them"));
  EXPECT_THAT(
      fault("runs = [\"slow\"], against = [\"fast\"]", "runs = [\"alone\"], against = [\"alone\"]"),
      HasSubstr("figure.panels.runs: expected runs with numbers in `each`"));
  EXPECT_THAT(fault("labels = [\"x\", \"both\"]", "labels = [\"x\"]"),
              HasSubstr("figure.measures: expected one per label of the figure"));
  EXPECT_THAT(fault("items = [\"x\", \"y\"]", "item = \"y\", thing = 1"),
              HasSubstr("figure.measures: summary has no parameter thing"));
  EXPECT_THAT(
      fault("panels = [{ title = \"slope\", runs = [\"slow\"], against = [\"fast\"] }]", ""),
      HasSubstr("figure.panels: is missing"));
  EXPECT_THAT(fault("plot = \"reductions\"", "plot = \"path\"\nruns = [\"alone\"]"),
              HasSubstr("figure.measures: goes with plot = \"reductions\""));
}

}  // namespace claims_test
}  // namespace coluber::app
