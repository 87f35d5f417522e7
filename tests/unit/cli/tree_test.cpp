// A model that is no chain, with the whole command line: boxes with parents, wheels that roll, a
// robot without robot.link, a word in its summary, an integrator and a residual of its own.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "coluber/cli/cli.hpp"
#include "coluber/core/hash.hpp"
#include "coluber/drive/placed.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/record/drawing.hpp"
#include "coluber/record/trajectory.hpp"
#include "coluber/simulation/registry.hpp"

#include "unit/scenario/sample.hpp"

namespace coluber::cli {
namespace tree_test {

using nlohmann::json;
using testing::HasSubstr;

struct CraneTruck {
  std::string integrator = "rk4";
  int axles = 2;
  bool motor = false;
};

const keys::Section& truck_keys() {
  static const keys::Section section =
      keys::Table<CraneTruck>("")
          .row({.name = "solver.integrator",
                .choices = {{"rk4", ""}, {"dopri5", ""}},
                .doc = "how it is integrated",
                .example = "\"rk4\""},
               &CraneTruck::integrator)
          .row({.name = "robot.axles", .min = 1, .max = 100, .doc = "how many", .example = "2"},
               &CraneTruck::axles)
          .row({.name = "robot.motor", .doc = "drives its wheels", .example = "true"},
               &CraneTruck::motor);
  return section;
}

/// A box that drives along x, an arm on it, two wheels per axle.
class Truck final : public System, public Placed {
 public:
  Truck(const CraneTruck& keys, double dt) : keys_(keys), dt_(dt), wheels_(2 * keys.axles) {
    const auto each = [](auto value) {
      return [value](std::span<double> out) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = value(static_cast<double>(i + 1));
      };
    };
    table_.add({"link_position", "m", "origins", {2, 3}, {"x", "y", "z"}},
               [this](std::span<double> out) {
                 const double all[] = {x(), 0.0, 0.2, x(), 0.0, 0.4};
                 std::ranges::copy(all, out.begin());
               });
    table_.add({"joint_angle", "rad", "of the arm", {1}, {}, Plotted::angle},
               each([this](double) { return time(); }));
    table_.add({"joint_torque", "N m", "of the arm", {1}, {}, Plotted::torque},
               each([this](double) { return std::sin(time()); }));
    table_.add({"wheel_force", "N", "across each wheel", {wheels_}},
               each([this](double i) { return i * std::sin(3.0 * time()); }));
    table_.add({"wheel_slip", "m/s", "of each wheel", {wheels_}},
               each([](double i) { return 0.01 * i; }));
    table_.add({"wheel_torque", "N m", "of each wheel", {wheels_}},
               each([this](double i) { return keys_.motor ? 0.2 * i : 0.0; }));
    table_.add({"energy", "J", "kinetic", {}}, [](std::span<double> out) { out[0] = 1.0; });
    table_.add({"end_residual", "N", "what is left over", {}},
               [this](std::span<double> out) { out[0] = -1e-9 * time(); });
    bodies_ = {{.name = "ground", .shape = ShapeKind::plane, .size = {}, .colour = "#e8e8e8"},
               {.name = "link_1",
                .shape = ShapeKind::box,
                .size = {0.8, 0.4, 0.1},
                .colour = "#0072b2",
                .moving = true},
               {.name = "link_2",
                .shape = ShapeKind::cylinder,
                .size = {0.05, 0.4},
                .colour = "#d55e00",
                .moving = true}};
    bodies_.back().parent = "link_1";
    bodies_.back().joint = Eigen::Vector3d(0.0, 0.0, -0.2);
    bodies_.back().coordinates = {1};
    for (int i = 1; i <= wheels_; ++i) {
      bodies_.push_back({.name = "wheel_" + std::to_string(i),
                         .shape = ShapeKind::wheel,
                         .size = {0.1, 0.05},
                         .colour = "#56b4e9",
                         .moving = true});
      bodies_.back().parent = "link_1";
    }
  }
  [[nodiscard]] double dt() const override { return dt_; }
  [[nodiscard]] std::int64_t step_count() const override { return k_; }
  StepInfo step() override {
    ++k_;
    return {};
  }
  [[nodiscard]] Eigen::Vector3d place() const override { return {x(), 0.0, 0.2}; }
  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return table_.list();
  }
  void observe(std::span<double> frame) const override { table_.write(frame); }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override {
    auto at = values.begin();
    const auto put = [&](double px, double py, double pz, const Eigen::Quaterniond& q) {
      for (const double v : {px, py, pz, q.w(), q.x(), q.y(), q.z()}) *at++ = v;
    };
    const Eigen::Quaterniond level = Eigen::Quaterniond::Identity();
    put(x(), 0.0, 0.2, level);
    put(x(), 0.0, 0.45, Eigen::Quaterniond(Eigen::AngleAxisd(time(), Eigen::Vector3d::UnitZ())));
    for (int i = 0; i < wheels_; ++i) {
      put(x() + 0.3 * (i / 2), i % 2 == 0 ? 0.25 : -0.25, 0.1,
          Eigen::Quaterniond(Eigen::AngleAxisd(x() / 0.1, Eigen::Vector3d::UnitY())));
    }
  }
  [[nodiscard]] std::vector<SummaryItem> summary() const override {
    return {{"case", std::string("over_constrained")}, {"rank", 3.0, "", true}};
  }
  [[nodiscard]] std::uint64_t state_hash() const override { return Hasher().update(k_).finish(); }

 private:
  [[nodiscard]] double x() const { return 0.5 * time(); }

  CraneTruck keys_;
  double dt_;
  int wheels_;
  std::int64_t k_ = 0;
  ObservableTable table_;
  std::vector<Body> bodies_;
};

struct Called {
  int code = 0;
  std::string out, err;
};

Called call(std::vector<std::string> words) {
  words.insert(words.begin(), "coluber");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Called called;
  called.code = main(static_cast<int>(words.size()), pointers.data());
  std::fflush(nullptr);
  called.out = testing::internal::GetCapturedStdout();
  called.err = testing::internal::GetCapturedStderr();
  return called;
}

class TreeCommands : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool done = [] {
      simulation::add_model({{{.name = "truck",
                               .doc = "boxes and wheels",
                               .sections = {&truck_keys()},
                               .defaults = {{"solver.dt", 0.01}}},
                              false,
                              false},
                             [](const drive::Build& build) {
                               return std::make_unique<Truck>(build.get<CraneTruck>(),
                                                              build.get<drive::Stepping>().dt);
                             }});
      simulation::add_robot(
          {.name = "lorry", .doc = "a truck", .toml = "[robot]\naxles = 3\n", .models = {"truck"}});
      return true;
    }();
    ASSERT_TRUE(done);
  }
  void SetUp() override {
    scenario_ = folder_.write("truck.toml", "duration = 1\n[robot]\nname = \"lorry\"\n").string();
    out_ = (folder_.path() / "run").string();
  }
  std::string text_of(const std::string& name) const {
    std::ifstream in(folder_.path() / name);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }

  /// A picture has these words.
  bool shows(const std::string& name, const std::string& words) const {
    return text_of(name).find("<text>" + words + "</text>") != std::string::npos;
  }

  scenario::sample::Folder folder_;
  std::string scenario_, out_;
};

TEST_F(TreeCommands, AWordOfTheSummaryIsPrintedAndRecorded) {
  const Called run = call({"run", scenario_, "--out", out_});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("case +over_constrained"));
  EXPECT_THAT(run.out, testing::ContainsRegex("rank +3"));
  const json recorded = json::parse(text_of("run/run.json"));
  EXPECT_EQ(recorded["summary"]["case"], "over_constrained");
  EXPECT_EQ(recorded["summary"]["rank"], 3);
  const Called as_json = call({"run", scenario_, "--out", out_ + "2", "--json"});
  EXPECT_EQ(json::parse(as_json.out)["summary"]["case"], "over_constrained");
  EXPECT_EQ(call({"check", scenario_}).code, 0);
  EXPECT_EQ(call({"check", scenario_, "--set", "stop.stuck_s=1"}).code, 3);
}

TEST_F(TreeCommands, TheReplayNamesParentsJointsAndCoordinates) {
  ASSERT_EQ(call({"run", scenario_, "--out", out_, "-q"}).code, 0);
  const json replay = json::parse(text_of("run/replay.json"));
  const auto found = std::ranges::find_if(
      replay["bodies"], [](const json& body) { return body["name"] == "link_2"; });
  ASSERT_NE(found, replay["bodies"].end());
  EXPECT_EQ((*found)["parent"], "link_1");
  EXPECT_EQ((*found)["joint"], json::parse("[0.0, 0.0, -0.2]"));
  EXPECT_EQ((*found)["coordinates"], json::parse("[1]"));
  EXPECT_FALSE(replay["bodies"][1].contains("joint"));
}

TEST_F(TreeCommands, IsPlottedFromItsBodiesAndDatasets) {
  ASSERT_EQ(call({"run", scenario_, "--out", out_, "-q"}).code, 0);
  const Called plot = call({"plot", out_});
  if (plot.err.find("gnuplot") != std::string::npos) GTEST_SKIP() << "no gnuplot here";
  ASSERT_EQ(plot.code, 0) << plot.err;
  for (const char* name : {"course", "path", "postures", "side", "velocities", "angles", "torques",
                           "wheels", "energy"}) {
    EXPECT_NE(text_of(std::string("run/plots/") + name + ".svg"), "") << name;
  }
  EXPECT_TRUE(shows("run/plots/wheels.svg", "wheel force (N)"));
  EXPECT_TRUE(shows("run/plots/wheels.svg", "wheel slip (mm/s)"));
  EXPECT_TRUE(shows("run/plots/wheels.svg", "wheel 6"));
  EXPECT_FALSE(shows("run/plots/wheels.svg", "wheel torque (N m)")) << "it has none";
  for (const char* name : {"forces", "footfall", "tracking", "residual", "path_error"}) {
    const Called refused = call({"plot", out_, "--what", name});
    EXPECT_EQ(refused.code, 1) << name;
    EXPECT_THAT(refused.err, HasSubstr("the run has no ")) << name;
  }
  const std::string driven = out_ + "2";
  ASSERT_EQ(call({"run", scenario_, "--out", driven, "-q", "--set", "robot.motor=true"}).code, 0);
  ASSERT_EQ(call({"plot", driven, "--what", "wheels", "--link", "2"}).code, 0);
  EXPECT_TRUE(shows("run2/plots/wheels.svg", "wheel torque (N m)"));
  const std::string both = (folder_.path() / "both.svg").string();
  const Called compared = call({"plot", out_, driven, "--what", "wheels", "-o", both});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_TRUE(shows("both.svg", "wheel force (N)") && shows("both.svg", "wheel 1"));
}

TEST_F(TreeCommands, IsTimedWithItsIntegratorAndItsOwnResidual) {
  const std::string scene =
      "[[scene]]\nname = \"truck.road\"\nscenario = \"truck.toml\"\nunit = \"axles\"\n"
      "n = [2, 4]\nset = [\"robot.axles={n}\"]\n";
  const auto bench = [&](const std::string& more, std::vector<std::string> words) {
    const std::string file = folder_.write("scenes.toml", scene + more).string();
    words.insert(words.begin(), "bench");
    words.insert(words.end(), {"--scenes", file, "--repeat", "1", "--json"});
    return call(words);
  };
  const Called plain = bench("", {});
  ASSERT_EQ(plain.code, 0) << plain.err;
  const json rows = json::parse(plain.out)["scenes"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1]["n"], 4);
  EXPECT_EQ(rows[0]["solver"], "rk4");
  for (const char* name :
       {"law", "residual_max", "iterations_mean", "iterations_max", "contacts_mean"}) {
    EXPECT_TRUE(rows[0][name].is_null()) << name;
  }
  EXPECT_NEAR(rows[0]["displacement"][0].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(rows[0]["failed_steps"], 0);
  const Called named = bench("residual = \"end_residual\"\n", {"--n", "3"});
  ASSERT_EQ(named.code, 0) << named.err;
  const json row = json::parse(named.out)["scenes"][0];
  EXPECT_EQ(row["n"], 3);
  EXPECT_NEAR(row["residual_max"].get<double>(), 1e-9, 1e-20);
  const Called wrong = bench("residual = \"nothing\"\n", {});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("neither summary, steps nor datasets have a nothing"));
}

TEST_F(TreeCommands, ItsClaimsMayAskForAWord) {
  folder_.write(
      "claims/mine/claims.toml",
      "source = \"mine\"\n[[run]]\nname = \"road\"\nscenario = \"../../truck.toml\"\n"
      "[[claim]]\nid = \"mine.case\"\nwhere = \"here\"\nstatement = \"so\"\n"
      "kind = \"number\"\nbasis = \"own\"\nexpected = 1.0\nband = 1e-9\nrun = \"road\"\n"
      "status = \"reproduced\"\n"
      "measure = { name = \"summary_is\", item = \"case\", word = \"over_constrained\" }\n"
      "[[claim]]\nid = \"mine.x\"\nwhere = \"here\"\nstatement = \"so\"\n"
      "kind = \"number\"\nbasis = \"own\"\nexpected = 0.25\nband = 1e-9\nrun = \"road\"\n"
      "status = \"reproduced\"\n"
      "measure = { name = \"value\", dataset = \"link_position\", link = 2, "
      "component = 1, at = 0.5 }\n");
  const Called done = call({"reproduce", "--all", "--claims", (folder_.path() / "claims").string(),
                            "--out", (folder_.path() / "report").string(), "--json"});
  EXPECT_EQ(done.code, 0) << done.err;
}

}  // namespace tree_test
}  // namespace coluber::cli
