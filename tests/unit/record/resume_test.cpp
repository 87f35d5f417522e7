// Run folders whose run is cut off in every way a process can end, and resumed.

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "coluber/control/pd.hpp"
#include "coluber/core/error.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/record/checkpoint.hpp"
#include "coluber/record/csv.hpp"
#include "coluber/record/frames.hpp"
#include "coluber/record/marks.hpp"
#include "coluber/record/replay_pack.hpp"
#include "coluber/record/run_folder.hpp"
#include "coluber/record/run_state.hpp"
#include "coluber/record/trajectory.hpp"

#include "record/output_file.hpp"
#include "support/one_joint.hpp"

namespace coluber::record {
namespace resume_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The process is gone: nothing more is written.
struct Killed {};

/// Passes a run on to its folder; checkpoints are taken where they are due, whatever the clock
/// says, and the process "dies" after the given frame.
class Killer final : public simulation::FrameSink, public simulation::CheckpointSink {
 public:
  Killer(RunFolder& out, std::size_t frames) : out_(out), left_(frames) {}
  void frame(double t, const Shown& shown, std::span<const double> values) override {
    out_.frame(t, shown, values);
    if (left_-- == 0) throw Killed{};
  }
  bool wants_checkpoint() override { return true; }
  void checkpoint(std::string_view bytes) override {
    out_.checkpoint(bytes);
    // as where the disk has been waited for; not in so short a run
    if (++checkpoints_ == 10) {
      fs::copy_file(out_.path() / "checkpoint.bin", out_.path() / "checkpoint.old",
                    fs::copy_options::overwrite_existing);
    }
  }

 private:
  int checkpoints_ = 0;
  RunFolder& out_;
  std::size_t left_;
};

class ResumeTest : public testing::Test {
 protected:
  ResumeTest() {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~ResumeTest() override { fs::remove_all(root_); }

  static simulation::Simulation make_wheel() {
    simulation::Simulation simulation;
    simulation.scenario.title = "a wheel";
    simulation.scenario.resolved =
        R"({"title": "a wheel", "solver": {"dt": 0.001}, "world": {"obstacle": [{"x": 1.0}]}})";
    simulation.scenario.duration = 1.0;
    simulation.scenario.hash = 0x1234;
    simulation.scenario.record.csv = true;
    simulation.scenario.record.checkpoint_s = 0.037;
    simulation.system = std::make_unique<test::OneJoint>(1e-3);
    simulation.gait = std::make_unique<gait::Held>(Eigen::VectorXd::Constant(1, 0.5));
    simulation.controller = std::make_unique<control::Pd>(control::PdOptions{.kp = 90, .kd = 1});
    return simulation;
  }

  /// Runs, or goes on with, the wheel in `name` until it dies after `frames` more frames.
  void run_and_kill(const std::string& name, std::size_t frames, bool resume = false) {
    simulation::Simulation simulation = make_wheel();
    RunFolder out(root_ / name, simulation, {.resume = resume});
    Killer killer(out, frames);
    simulation::FrameSink* const sinks[] = {&killer};
    EXPECT_THROW((void)simulation::run(simulation, sinks,
                                       {.checkpoints = &killer, .resume = out.resume_from()}),
                 Killed);
  }

  struct Resumed {
    std::size_t frames = 0;
    std::vector<std::string> notes;
  };
  /// Goes on to the end.
  Resumed run_to_end(const std::string& name, const std::atomic<bool>* interrupt = nullptr) {
    simulation::Simulation simulation = make_wheel();
    RunFolder out(root_ / name, simulation, {.resume = true});
    simulation::FrameSink* const sinks[] = {&out};
    out.finish(simulation::run(
        simulation, sinks,
        {.interrupt = interrupt, .checkpoints = &out, .resume = out.resume_from()}));
    return {out.resumed_frames(), out.notes()};
  }

  [[nodiscard]] std::vector<std::string> names(const std::string& name) const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(root_ / name)) {
      out.push_back(entry.path().filename().string());
    }
    return out;
  }
  [[nodiscard]] json run_json(const std::string& name) const {
    return json::parse(read_bytes(root_ / name / "run.json"));
  }

  /// The same bits: datasets by value, CSV and replay byte for byte, the final state.
  void expect_same(const std::string& a, const std::string& b) const {
    const Trajectory one = load_trajectory(root_ / a);
    const Trajectory two = load_trajectory(root_ / b);
    EXPECT_EQ(one.time, two.time);
    EXPECT_EQ(one.values, two.values);
    for (const char* file : {"trajectory.csv", "replay.bin", "replay.json"}) {
      EXPECT_EQ(read_bytes(root_ / a / file), read_bytes(root_ / b / file)) << file;
    }
    json first = run_json(a)["summary"];
    json second = run_json(b)["summary"];
    for (const char* name : {"real_time_factor", "real_time_factor_total"}) {
      first.erase(name);
      second.erase(name);
    }
    EXPECT_EQ(first, second);
    EXPECT_THAT(names(b), UnorderedElementsAre("run.json", "trajectory.h5", "trajectory.csv",
                                               "replay.json", "replay.bin"));
  }

  fs::path root_ = fs::temp_directory_path() / ("coluber_resume_" + std::to_string(::getpid()));
};

TEST_F(ResumeTest, ARunCutOffAfterAnyFrameEndsWithTheSameBits) {
  run_to_end("whole");
  for (const std::size_t frames : {0U, 1U, 3U, 4U, 40U, 99U}) {
    const std::string name = "cut" + std::to_string(frames);
    run_and_kill(name, frames);
    EXPECT_EQ(run_json(name)["status"], "running");
    const Resumed resumed = run_to_end(name);
    EXPECT_LE(resumed.frames, frames + 1);
    if (frames >= 4) {
      EXPECT_GT(resumed.frames + 5, frames) << "the last checkpoint is taken, not the first";
      EXPECT_THAT(resumed.notes, IsEmpty());
    }
    expect_same("whole", name);
    EXPECT_EQ(run_json(name)["status"], "completed");
    EXPECT_EQ(run_json(name)["wall"]["resumed"].size(), 1U);
  }
}

TEST_F(ResumeTest, ARunCutOffTwiceEndsWithTheSameBits) {
  run_to_end("whole");
  run_and_kill("cut", 30);
  run_and_kill("cut", 20, true);
  run_and_kill("cut", 1, true);
  run_to_end("cut");
  expect_same("whole", "cut");
  EXPECT_EQ(run_json("cut")["wall"]["resumed"].size(), 3U);
}

TEST_F(ResumeTest, TheFramesOfARunThatWasCutOffCanBeRead) {
  run_to_end("whole");
  run_and_kill("cut", 30);
  EXPECT_TRUE(is_partial(root_ / "cut"));
  EXPECT_FALSE(is_partial(root_ / "whole"));
  const Trajectory part = load_trajectory(root_ / "cut");
  const Trajectory all = load_trajectory(root_ / "whole");
  ASSERT_EQ(part.frames(), 31U);
  const auto stride = static_cast<std::size_t>(frame_size(all.observables));
  EXPECT_EQ(part.values,
            std::vector<double>(all.values.begin(),
                                all.values.begin() + static_cast<std::ptrdiff_t>(31 * stride)));
  const Replay replay = load_replay(root_ / "cut");
  EXPECT_EQ(replay.data, read_bytes(root_ / "whole" / "replay.bin").substr(0, replay.data.size()));
  EXPECT_EQ(json::parse(replay.header)["frames"], 31);
  EXPECT_GT(pack_run(root_ / "cut").raw_bytes, 0U);
}

TEST_F(ResumeTest, AnInterruptedRunHasValidResultsAndGoesOn) {
  run_to_end("whole");
  run_and_kill("cut", 30);
  const std::atomic<bool> stop{true};
  run_to_end("cut", &stop);
  EXPECT_EQ(run_json("cut")["status"], "interrupted");
  EXPECT_FALSE(is_partial(root_ / "cut"));
  const std::size_t before = load_trajectory(root_ / "cut").frames();
  EXPECT_LE(before, 31U);
  EXPECT_GT(before, 26U);
  const Resumed resumed = run_to_end("cut");
  EXPECT_EQ(resumed.frames, before);
  expect_same("whole", "cut");
}

TEST_F(ResumeTest, ATornFrameAndADamagedCheckpointAreGotOver) {
  run_to_end("whole");
  const auto damage = [&](const fs::path& file) {
    std::string bytes = read_bytes(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    std::ofstream(file, std::ios::binary) << bytes;
  };
  run_and_kill("torn", 50);
  fs::resize_file(root_ / "torn" / "frames.bin", fs::file_size(root_ / "torn" / "frames.bin") - 7);
  EXPECT_THAT(run_to_end("torn").notes, IsEmpty());
  expect_same("whole", "torn");

  run_and_kill("bad", 50);
  damage(root_ / "bad" / "checkpoint.bin");
  const Resumed older = run_to_end("bad");
  EXPECT_THAT(older.notes, ElementsAre(HasSubstr("checksum")));
  EXPECT_EQ(older.frames, 38U) << "370 steps were on the disk";
  expect_same("whole", "bad");

  run_and_kill("worse", 50);
  damage(root_ / "worse" / "checkpoint.bin");
  fs::remove(root_ / "worse" / "checkpoint.old");
  const Resumed anew = run_to_end("worse");
  EXPECT_EQ(anew.frames, 0U);
  EXPECT_THAT(anew.notes, ElementsAre(HasSubstr("checksum"), HasSubstr("starts at its beginning")));
  expect_same("whole", "worse");

  run_and_kill("lost", 50);  // frames that a checkpoint speaks of are gone
  fs::resize_file(root_ / "lost" / "frames.bin", fs::file_size(root_ / "lost" / "frames.bin") / 2);
  const Resumed lost = run_to_end("lost");
  EXPECT_EQ(lost.frames, 0U);
  EXPECT_THAT(lost.notes[0], HasSubstr("frames, of which"));
  expect_same("whole", "lost");
}

TEST_F(ResumeTest, AFolderWithoutARunStartsOne) {
  run_to_end("whole");  // --resume into nothing
  fs::create_directories(root_ / "early");
  std::ofstream(root_ / "early" / "run.json.part") << "{";  // killed before there was a run.json
  run_to_end("early");
  expect_same("whole", "early");
  run_and_kill("begun", 5);
  std::ofstream(root_ / "begun" / "frames.bin") << "CLBR";  // … before the frames had a header
  fs::remove(root_ / "begun" / "checkpoint.bin");
  run_to_end("begun");
  expect_same("whole", "begun");
  fs::create_directories(root_ / "mine");
  std::ofstream(root_ / "mine" / "notes.txt") << "mine";
  EXPECT_THROW(run_to_end("mine"), FolderExists);
}

TEST_F(ResumeTest, ARunThatHasEndedIsLeftAsItIs) {
  run_to_end("whole");
  const std::string before = read_bytes(root_ / "whole" / "run.json");
  try {
    run_to_end("whole");
    ADD_FAILURE() << "resumed";
  } catch (const RunEnded& ended) {
    EXPECT_TRUE(ended.completed());
  }
  EXPECT_EQ(read_bytes(root_ / "whole" / "run.json"), before);
  std::ofstream(root_ / "whole" / "frames.bin") << "x";  // killed before they were taken away
  EXPECT_GT(load_trajectory(root_ / "whole").frames(), 0U);
  EXPECT_THROW(run_to_end("whole"), RunEnded);
  EXPECT_FALSE(fs::exists(root_ / "whole" / "frames.bin"));

  simulation::Simulation simulation = make_wheel();
  {
    RunFolder out(root_ / "failed", simulation, {});
    out.finish({.status = simulation::RunStatus::failed, .message = "a runaway"});
  }
  try {
    run_to_end("failed");
    ADD_FAILURE() << "resumed";
  } catch (const RunEnded& ended) {
    EXPECT_FALSE(ended.completed());
    EXPECT_THAT(ended.what(), HasSubstr("a runaway"));
  }
}

TEST_F(ResumeTest, AnAbandonedRunCanGoOn) {
  run_to_end("whole");
  {
    simulation::Simulation simulation = make_wheel();
    RunFolder out(root_ / "full", simulation, {});
    Killer killer(out, 20);
    simulation::FrameSink* const sinks[] = {&killer};
    EXPECT_THROW((void)simulation::run(simulation, sinks, {.checkpoints = &killer}), Killed);
    out.abandon("the disk is full");
  }
  EXPECT_EQ(run_json("full")["status"], "failed");
  EXPECT_EQ(run_json("full")["frames"], 21);
  EXPECT_EQ(load_trajectory(root_ / "full").frames(), 21U);
  run_to_end("full");
  expect_same("whole", "full");
}

TEST_F(ResumeTest, AnotherScenarioIsRefusedAndWhatDiffersIsNamed) {
  run_and_kill("cut", 20);
  const std::string before = read_bytes(root_ / "cut" / "frames.bin");
  simulation::Simulation simulation = make_wheel();
  simulation.scenario.resolved =
      R"({"title": "a wheel", "solver": {"dt": 0.002}, "world": {"obstacle": [{"x": 1.5}]}, "seed": 3})";
  try {
    RunFolder out(root_ / "cut", simulation, {.resume = true});
    ADD_FAILURE() << "taken";
  } catch (const InputError& error) {
    EXPECT_EQ(error.faults().size(), 3U);
    EXPECT_THAT(error.what(), HasSubstr("solver.dt: was 0.001 when the run was begun, is 0.002"));
    EXPECT_THAT(error.what(), HasSubstr("world.obstacle.1.x: was 1.0"));
    EXPECT_THAT(error.what(), HasSubstr("seed: was not there"));
    EXPECT_THAT(error.what(), HasSubstr("--force"));
  }
  EXPECT_EQ(read_bytes(root_ / "cut" / "frames.bin"), before);
  EXPECT_EQ(run_json("cut")["status"], "running");
}

TEST_F(ResumeTest, AnotherProgramIsRefused) {
  for (const char* key : {"/version", "/build/revision", "/build/code_path"}) {
    run_and_kill("cut", 20, fs::exists(root_ / "cut"));
    json run = run_json("cut");
    const json original = run;
    run[json::json_pointer(key)] = "other";
    std::ofstream(root_ / "cut" / "run.json") << run;
    try {
      run_to_end("cut");
      ADD_FAILURE() << "taken " << key;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("begun by coluber")) << key;
      EXPECT_THAT(error.what(), HasSubstr("other")) << key;
    }
    std::ofstream(root_ / "cut" / "run.json") << original;
  }
}

TEST_F(ResumeTest, ADamagedRunJsonIsAFileError) {
  run_and_kill("cut", 20);
  for (const char* text :
       {"", "{", "[]", "{\"format\": 3}", "{\"format\": \"coluber-run\", \"scenario\": 7}"}) {
    std::ofstream(root_ / "cut" / "run.json") << text;
    EXPECT_THROW(run_to_end("cut"), Error) << text;
  }
}

TEST_F(ResumeTest, TwoProcessesNeverWriteTheSameFolder) {
  simulation::Simulation simulation = make_wheel();
  {
    const RunFolder first(root_ / "run", simulation, {});
    for (const RunFolderOptions& options :
         {RunFolderOptions{}, RunFolderOptions{.force = true}, RunFolderOptions{.resume = true}}) {
      EXPECT_THROW(RunFolder(root_ / "run", simulation, options), FolderBusy);
    }
  }
  EXPECT_NO_THROW(RunFolder(root_ / "run", simulation, {.force = true}));
}

TEST_F(ResumeTest, ForceTakesAwayWhatARunLeftToBeResumed) {
  run_to_end("whole");
  run_and_kill("cut", 50);
  simulation::Simulation simulation = make_wheel();
  RunFolder out(root_ / "cut", simulation, {.force = true});
  EXPECT_TRUE(out.resume_from().empty());
  simulation::FrameSink* const sinks[] = {&out};
  out.finish(simulation::run(simulation, sinks));
  expect_same("whole", "cut");
}

TEST_F(ResumeTest, ResultsGivenUpWhileTheyAreWrittenLeaveFramesThatAreResumedToTheSameBits) {
  run_to_end("whole");
  for (const int patience : {0, 1, 50, 101}) {  // frames that are passed on before
    const std::string name = "given up after " + std::to_string(patience);
    {
      simulation::Simulation simulation = make_wheel();
      RunFolder out(root_ / name, simulation, {});
      Killer checkpoints(out, 1000);
      simulation::FrameSink* const sinks[] = {&checkpoints};
      const simulation::RunOutcome outcome =
          simulation::run(simulation, sinks, {.checkpoints = &checkpoints});
      int asked = 0;
      const FinishInfo info = out.finish(outcome, [&] { return asked++ >= patience; });
      if (patience == 101) {  // asked once a frame, and not for files that take no time
        EXPECT_TRUE(info.whole);
        continue;
      }
      EXPECT_FALSE(info.whole);
      EXPECT_EQ(asked, patience + 1) << "asked no more once the answer was yes";
    }
    EXPECT_TRUE(load_run_state(root_ / name).partial());
    EXPECT_EQ(run_json(name)["status"], "interrupted");
    EXPECT_FALSE(run_json(name).contains("files"));
    EXPECT_THAT(names(name),
                UnorderedElementsAre("run.json", "frames.bin", "checkpoint.bin", "checkpoint.old"));
    EXPECT_EQ(load_trajectory(root_ / name).frames(), 101U);
    run_to_end(name);
    expect_same("whole", name);
  }
}

TEST_F(ResumeTest, WhatShowedTheRunBeforeIsTakenAwayAndNamed) {
  run_to_end("whole");
  const std::atomic<bool> at_once{true};
  run_to_end("run", &at_once);
  fs::create_directories(root_ / "run" / "plots");
  for (const char* name : {"plots/course.svg", "plots/tracking.svg", "plots/mine.svg", "mine.svg",
                           "replay-and-mine.html"}) {
    std::ofstream(root_ / "run" / name) << "old";
  }
  std::ofstream(root_ / "run/replay.html") << "<script " << page_mark << ">";
  std::ofstream(root_ / "run/replay.png") << png_begin << png_mark;
  // a list leads to no file outside plots/, and may name what is gone
  std::ofstream(root_ / "run/plots/plots.json")
      << R"({"plots": [{"file": "course.svg"}, {"file": "tracking.svg"}, {"file": "energy.svg"},
             {"file": "../mine.svg"}, {"file": ".."}, {"file": 1}, 2]})";
  {
    simulation::Simulation simulation = make_wheel();
    const RunFolder out(root_ / "run", simulation, {.resume = true});
    EXPECT_THAT(out.removed(),
                UnorderedElementsAre("trajectory.h5", "trajectory.csv", "replay.json", "replay.bin",
                                     "replay.html", "replay.png", "plots/course.svg",
                                     "plots/tracking.svg"));
  }
  EXPECT_THAT(names("run/plots"), UnorderedElementsAre("mine.svg")) << "only what the list names";
  for (const char* mine : {"run/mine.svg", "run/replay-and-mine.html"}) {
    EXPECT_TRUE(fs::remove(root_ / mine)) << mine;
  }
  fs::remove_all(root_ / "run/plots");
  run_to_end("run");
  expect_same("whole", "run");
}

TEST_F(ResumeTest, FilesOfTheUsersAreNotReplaced) {
  const std::atomic<bool> at_once{true};
  run_to_end("run", &at_once);
  for (const char* name : {"trajectory.csv", "replay.html", "replay.png"}) {
    const fs::path file = root_ / "run" / name;
    std::ofstream(file) << "time,mine\n";
    const bool in_the_way = file.extension() != ".png";  // a run writes no picture
    for (const bool force : {true, false}) {
      simulation::Simulation simulation = make_wheel();
      const auto open = [&] {
        const RunFolder out(root_ / "run", simulation, {.force = force, .resume = !force});
      };
      if (in_the_way) {
        EXPECT_THROW(open(), FolderExists) << name;
      } else {
        EXPECT_NO_THROW(open()) << name;
      }
      EXPECT_EQ(read_bytes(file), "time,mine\n") << name;
    }
    fs::remove(file);
  }
}

TEST_F(ResumeTest, ATableExportedBeforeIsWrittenAgainAtTheEnd) {
  const std::atomic<bool> at_once{true};
  const auto go_on = [&](const std::atomic<bool>* interrupt) {
    simulation::Simulation wheel = make_wheel();
    wheel.scenario.record.csv = false;
    RunFolder out(root_ / "run", wheel, {.resume = true});
    simulation::FrameSink* const sinks[] = {&out};
    out.finish(simulation::run(
        wheel, sinks, {.interrupt = interrupt, .checkpoints = &out, .resume = out.resume_from()}));
  };
  go_on(&at_once);
  EXPECT_FALSE(fs::exists(root_ / "run/trajectory.csv"));
  save_csv(load_trajectory(root_ / "run"), root_ / "run/trajectory.csv");
  {
    simulation::Simulation wheel = make_wheel();
    wheel.scenario.record.csv = false;
    const RunFolder killed(root_ / "run", wheel, {.resume = true});  // before it gets anywhere
    EXPECT_FALSE(fs::exists(root_ / "run/trajectory.csv")) << "it would be out of date";
  }
  go_on(nullptr);
  ASSERT_TRUE(fs::exists(root_ / "run/trajectory.csv"));
  run_to_end("whole");
  EXPECT_EQ(read_bytes(root_ / "run/trajectory.csv"), read_bytes(root_ / "whole/trajectory.csv"));
}

TEST_F(ResumeTest, TheTotalRealTimeFactorCountsTheResultFilesToo) {
  simulation::Simulation simulation = make_wheel();
  RunFolder out(root_ / "run", simulation, {});
  simulation::FrameSink* const sinks[] = {&out};
  const FinishInfo info = out.finish(simulation::run(simulation, sinks));
  const json run = run_json("run");
  const double total = run["summary"]["real_time_factor_total"];
  const double wall = run["wall"]["loop_s"].get<double>() + run["wall"]["results_s"].get<double>();
  EXPECT_NEAR(total * wall, 1.0, 1e-9) << "1 s was simulated";
  EXPECT_LT(total, run["summary"]["real_time_factor"]);
  const auto found = std::ranges::find(info.summary, "real_time_factor_total", &SummaryItem::name);
  ASSERT_NE(found, info.summary.end());
  EXPECT_EQ(found->number(), total);
}

TEST_F(ResumeTest, CheckpointsAreNotTakenOftenerThanAFewTimesASecond) {
  simulation::Simulation simulation = make_wheel();
  RunFolder out(root_ / "run", simulation, {});
  EXPECT_FALSE(out.wants_checkpoint()) << "a short run pays for none";
}

TEST_F(ResumeTest, TheLastNumberedFolderIsFound) {
  EXPECT_EQ(last_run_folder(root_, "aiko"), root_ / "aiko-1");
  for (const char* name : {"aiko-2", "aiko-10", "aiko-x", "aiko-3b", "other-99"}) {
    fs::create_directories(root_ / name);
  }
  EXPECT_EQ(last_run_folder(root_, "aiko"), root_ / "aiko-10");
}

TEST(CheckpointFile, ComesBackAndIsRefusedWhenDamagedOrCutShort) {
  const Checkpoint checkpoint{"0.1.0, portable", 77, 123, std::string("state\0bytes", 11)};
  const std::string bytes = to_bytes(checkpoint);
  EXPECT_EQ(parse_checkpoint(bytes, "c"), checkpoint);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    EXPECT_THROW((void)parse_checkpoint(damaged, "c"), FileError) << at;
    EXPECT_THROW((void)parse_checkpoint(bytes.substr(0, at), "c"), FileError) << at;
  }
}

}  // namespace resume_test
}  // namespace coluber::record
