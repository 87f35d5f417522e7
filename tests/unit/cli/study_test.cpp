// A registered study is a subcommand: exit codes, what it prints, the folder it writes.

#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "coluber/cli/cli.hpp"
#include "coluber/record/drawing.hpp"
#include "coluber/record/trajectory.hpp"
#include "coluber/simulation/registry.hpp"

#include "unit/scenario/sample.hpp"

namespace coluber::cli {
namespace study_test {

using testing::HasSubstr;

struct SquaresKeys {
  int count = 3;
};

const keys::Section& squares_keys() {
  static const keys::Section section = keys::Table<SquaresKeys>("squares").row(
      {.name = "count", .min = 0, .max = 100, .doc = "how many squares", .example = "3"},
      &SquaresKeys::count);
  return section;
}

/// The squares of the first whole numbers, a frame each.
class Squares final : public simulation::Study {
 public:
  explicit Squares(int count) : count_(count) {
    table_.add({"square", "", "of the frame's number", {}, {}, Plotted::scalar},
               [this](std::span<double> out) { out[0] = value_; });
  }
  [[nodiscard]] std::size_t frame_count() const override {
    return static_cast<std::size_t>(count_);
  }
  void go_to(std::size_t k) override {
    time_ = static_cast<double>(k);
    value_ = time_ * time_;
  }
  [[nodiscard]] double time() const override { return time_; }
  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return table_.list();
  }
  void observe(std::span<double> frame) const override { table_.write(frame); }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override {
    const double pose[7] = {value_, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    std::ranges::copy(pose, values.begin());
  }
  [[nodiscard]] std::vector<SummaryItem> summary() const override { return {{"largest", value_}}; }
  [[nodiscard]] std::string report() const override {
    return "largest " + std::to_string(static_cast<int>(value_)) + "\n";
  }
  [[nodiscard]] std::string json() const override {
    return "{\"largest\": " + std::to_string(static_cast<int>(value_)) + "}";
  }
  [[nodiscard]] std::string failure() const override {
    return count_ == 0 ? "there are no squares" : "";
  }

 private:
  int count_;
  double time_ = 0.0;
  double value_ = 0.0;
  ObservableTable table_;
  std::vector<Body> bodies_{{.name = "ball",
                             .shape = ShapeKind::sphere,
                             .size = {0.1},
                             .colour = "#336699",
                             .moving = true}};
};

struct Called {
  int code = 0;
  std::string out, error;
};

Called call(std::vector<std::string> words) {
  static const bool registered = [] {
    simulation::add_study(
        {{.name = "squares", .doc = "squares of numbers", .sections = {&squares_keys()}},
         [](const drive::Build& build) {
           return std::make_unique<Squares>(build.get<SquaresKeys>().count);
         }});
    return true;
  }();
  EXPECT_TRUE(registered);
  words.insert(words.begin(), "coluber");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Called called;
  called.code = main(static_cast<int>(arguments.size()), arguments.data());
  std::fflush(stdout);
  called.out = testing::internal::GetCapturedStdout();
  called.error = testing::internal::GetCapturedStderr();
  return called;
}

class StudyCommand : public testing::Test {
 protected:
  StudyCommand() { std::ofstream(scenario_) << "[robot]\nname = \"aiko\"\n[squares]\ncount = 4\n"; }
  scenario::sample::Folder folder_;
  std::string scenario_ = (folder_.path() / "s.toml").string();
  std::string out_ = (folder_.path() / "out").string();
};

TEST_F(StudyCommand, PrintsItsReportOrJsonAndWritesNothingUnasked) {
  const Called plain = call({"squares", scenario_});
  EXPECT_EQ(plain.code, 0) << plain.error;
  EXPECT_EQ(plain.out, "largest 9\n");
  EXPECT_EQ(call({"squares", scenario_, "--json", "--set", "squares.count=6"}).out,
            "{\"largest\": 25}\n");
  EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(StudyCommand, WritesAFolderThatIsPlottedAndExportedAsARunIs) {
  ASSERT_EQ(call({"squares", scenario_, "--out", out_, "-q"}).code, 0);
  const record::Trajectory loaded = record::load_trajectory(out_);
  EXPECT_EQ(loaded.time, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(loaded.at("square", 3, 0), 9.0);
  EXPECT_EQ(record::load_drawing(out_).frames, 4U);
  std::ifstream in(std::filesystem::path(out_) / "run.json");
  const nlohmann::json run = nlohmann::json::parse(in);
  EXPECT_EQ(run["status"], "completed");
  EXPECT_EQ(run["summary"]["largest"], 9.0);
  EXPECT_EQ(run["options"]["study"][0], "squares");
  EXPECT_EQ(call({"export", out_, "--to", "csv"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(out_) / "trajectory.csv"));

  const Called again = call({"squares", scenario_, "--out", out_});
  EXPECT_EQ(again.code, 2) << "a folder that exists is not overwritten";
  EXPECT_THAT(again.error, HasSubstr("--force"));
  EXPECT_EQ(call({"squares", scenario_, "--out", out_, "--force", "-q"}).code, 0);
}

TEST_F(StudyCommand, WithoutAnAnswerExitsWithOne) {
  const Called none = call({"squares", scenario_, "--set", "squares.count=0", "--out", out_});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.error, HasSubstr("there are no squares"));
}

TEST_F(StudyCommand, RefusesWhatEveryCommandRefuses) {
  const Called wrong = call({"squares", scenario_, "--set", "squares.counts=1"});
  EXPECT_EQ(wrong.code, 3);
  EXPECT_THAT(wrong.error, HasSubstr("did you mean count?"));
  EXPECT_EQ(call({"squares"}).code, 2);
  EXPECT_EQ(call({"check", scenario_}).code, 0) << "its keys are no fault in other commands";
}

}  // namespace study_test
}  // namespace coluber::cli
