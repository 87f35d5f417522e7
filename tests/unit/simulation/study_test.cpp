// A study of a few lines: one registration, and it is made from a scenario, gone through frame by
// frame, recorded and drawn.

#include "coluber/simulation/study.hpp"

#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/chain/robot.hpp"
#include "coluber/core/error.hpp"
#include "coluber/record/drawing.hpp"
#include "coluber/record/drawing_sink.hpp"
#include "coluber/record/run_folder.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/simulation/registry.hpp"

#include "unit/scenario/sample.hpp"

namespace coluber::simulation {
namespace study_test {

using testing::HasSubstr;

/// How far a straight robot reaches, link by link.
struct ReachKeys {
  double scale = 1.0;
  std::vector<double> loads{1.0};  ///< N
};

const keys::Section& reach_keys() {
  static const keys::Section section =
      keys::Table<ReachKeys>("reach")
          .row({.name = "scale", .min = 0, .doc = "of every length", .example = "1.0"},
               &ReachKeys::scale)
          .row({.name = "loads", .unit = "N", .doc = "at the tip", .example = "[1.0, 2.0]"},
               &ReachKeys::loads);
  return section;
}

class Reach final : public Study {
 public:
  explicit Reach(const drive::Build& build)
      : options_(build.get<ReachKeys>()), links_(build.get<chain::Robot>().link) {
    table_.add({"reach", "m", "of the links so far", {}, {}, Plotted::scalar},
               [this](std::span<double> out) { out[0] = reach_; });
    table_.add({"moment",
                "N m",
                "of every load about the base",
                {static_cast<int>(options_.loads.size())}},
               [this](std::span<double> out) {
                 for (std::size_t i = 0; i < out.size(); ++i) out[i] = reach_ * options_.loads[i];
               });
    if (options_.scale > 10.0) build.warnings.push_back({"reach.scale", "that is a long robot"});
  }
  [[nodiscard]] std::size_t frame_count() const override { return links_.size() + 1; }
  void go_to(std::size_t k) override {
    reach_ = 0.0;
    for (std::size_t i = 0; i < k; ++i) reach_ += options_.scale * links_[i].length;
  }
  [[nodiscard]] const std::vector<Observable>& observables() const override {
    return table_.list();
  }
  void observe(std::span<double> frame) const override { table_.write(frame); }
  [[nodiscard]] const std::vector<Body>& bodies() const override { return bodies_; }
  void poses(std::span<double> values) const override {
    const double pose[7] = {reach_, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    std::ranges::copy(pose, values.begin());
  }
  [[nodiscard]] std::vector<SummaryItem> summary() const override {
    return {{"reach", reach_, "m"}, {"verdict", std::string("long enough")}};
  }
  [[nodiscard]] std::string report() const override { return fmt::format("reach {} m\n", reach_); }
  [[nodiscard]] std::string json() const override {
    return fmt::format("{{\"reach\": {}}}", reach_);
  }

 private:
  ReachKeys options_;
  std::vector<chain::Link> links_;
  double reach_ = 0.0;
  ObservableTable table_;
  std::vector<Body> bodies_{{.name = "tip",
                             .shape = ShapeKind::sphere,
                             .size = {0.05},
                             .colour = "#336699",
                             .moving = true}};
};

/// Registered once per process.
void add_reach() {
  static const bool done = [] {
    add_study({{.name = "reach", .doc = "how far the robot reaches", .sections = {&reach_keys()}},
               [](const drive::Build& build) { return std::make_unique<Reach>(build); }});
    return true;
  }();
  EXPECT_TRUE(done);
}

constexpr const char* kScenario =
    "[robot]\nname = \"aiko\"\nlinks = 4\n[reach]\nscale = 2.0\nloads = [1, 10]\n";

TEST(Study, IsMadeFromTheScenariosOptionsAndGoneThroughInAnyOrder) {
  add_reach();
  const StudyJob job = make_study("reach", scenario::parse(kScenario));
  ASSERT_EQ(job.study->frame_count(), 5U);
  EXPECT_TRUE(job.warnings.empty());
  std::vector<double> frame(static_cast<std::size_t>(frame_size(job.study->observables())));
  for (const std::size_t k : {4U, 0U, 3U}) {
    job.study->go_to(k);
    job.study->observe(frame);
    const double reach = 2.0 * 0.122 * static_cast<double>(k);
    EXPECT_NEAR(frame[0], reach, 1e-15);
    EXPECT_NEAR(frame[2], 10.0 * reach, 1e-14);
  }
  EXPECT_EQ(job.study->failure(), "");
  EXPECT_EQ(job.study->time(), 0.0);
  EXPECT_GT(job.study->rate_hz(), 0.0);
  EXPECT_THAT(
      make_study("reach", scenario::parse(kScenario, ".", {"reach.scale=11"})).warnings.at(0).text,
      HasSubstr("a long robot"));
}

TEST(Study, IsInterruptedBetweenTwoFrames) {
  add_reach();
  StudyJob job = make_study("reach", scenario::parse(kScenario));
  const std::atomic<bool> interrupt{true};
  const RunOutcome outcome = run(job, {}, &interrupt);
  EXPECT_EQ(outcome.status, RunStatus::interrupted);
  EXPECT_EQ(outcome.message, "interrupted after 0 of 5 frames");
}

TEST(Study, GetsTheScenariosSystemAtItsStart) {
  struct Start final : Study {
    explicit Start(const drive::Build& build) : system(build.make_system()) {}
    [[nodiscard]] std::size_t frame_count() const override { return 1; }
    void go_to(std::size_t /*k*/) override {}
    [[nodiscard]] std::string report() const override { return ""; }
    [[nodiscard]] std::string json() const override { return "{}"; }
    std::unique_ptr<System> system;
  };
  add_study({{.name = "start", .doc = "where the robot starts"},
             [](const drive::Build& build) { return std::make_unique<Start>(build); }});
  const scenario::Scenario scenario = scenario::parse(scenario::sample::aiko);
  const StudyJob job = make_study("start", scenario);
  EXPECT_EQ(static_cast<const Start&>(*job.study).system->state_hash(),
            make_simulation(scenario).system->state_hash());
}

TEST(Study, ThatNobodyRegisteredIsAnError) {
  const scenario::Scenario scenario = scenario::parse(scenario::sample::aiko);
  EXPECT_THROW((void)make_study("no_such_study", scenario), Error);
}

TEST(Study, ItsKeysAreCheckedAndNoFaultInAScenarioThatIsOnlyRun) {
  add_reach();
  using scenario::sample::fault_of;
  EXPECT_THAT(fault_of(std::string(kScenario) + "[world]\ngravity = 9\n"), "no fault");
  EXPECT_THAT(fault_of("[robot]\nname = \"aiko\"\n[reach]\nscale = -1\n"),
              HasSubstr("s.toml:4:9: reach.scale: expected a number >= 0, got -1"));
  EXPECT_THAT(fault_of("[robot]\nname = \"aiko\"\n[reach]\nscales = 1\n"),
              HasSubstr("did you mean scale?"));
  EXPECT_NO_THROW((void)make_simulation(scenario::parse(kScenario)));
}

TEST(Study, ItsFramesAreRecordedAndDrawnAsThoseOfARun) {
  add_reach();
  const scenario::sample::Folder folder;
  StudyJob job = make_study("reach", scenario::parse(kScenario));
  record::TrajectorySink memory;
  record::DrawingSink drawn;
  {
    record::RunFolder out(folder.path() / "study", job);
    FrameSink* const sinks[] = {&out, &memory, &drawn};
    const RunOutcome outcome = run(job, sinks);
    EXPECT_EQ(outcome.status, RunStatus::completed);
    EXPECT_EQ(outcome.summary.size(), 2U);
    EXPECT_TRUE(out.finish(outcome).whole);
  }
  EXPECT_EQ(memory.trajectory().frames(), 5U);
  EXPECT_NEAR(memory.trajectory().at("moment", 4, 1), 10.0 * 4 * 0.244, 1e-14);
  const record::Trajectory loaded = record::load_trajectory(folder.path() / "study");
  EXPECT_EQ(loaded.values, memory.trajectory().values);
  const record::Drawing drawing = record::load_drawing(folder.path() / "study");
  EXPECT_EQ(drawing.frames, 5U);
  ASSERT_EQ(drawing.bodies.size(), 1U);
  EXPECT_NEAR(drawing.pose(drawing.bodies[0], 2)[0], 2 * 0.244, 1e-7);
  EXPECT_EQ(drawing.values, drawn.take().values);
}

}  // namespace study_test
}  // namespace coluber::simulation
