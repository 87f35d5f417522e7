#include "coluber/record/run_folder.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "coluber/control/pd.hpp"
#include "coluber/core/code_path.hpp"
#include "coluber/core/error.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/record/csv.hpp"
#include "coluber/record/trajectory_sink.hpp"

#include "support/one_joint.hpp"

namespace coluber::record {
namespace run_folder_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

class RunFolderTest : public testing::Test {
 protected:
  RunFolderTest() {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~RunFolderTest() override { fs::remove_all(root_); }

  // A servoed wheel for `duration` seconds.
  static simulation::Simulation make_wheel(double duration) {
    simulation::Simulation simulation;
    simulation.scenario.title = "a wheel";
    simulation.scenario.text = "title = \"a wheel\"\n";
    simulation.scenario.resolved = R"({"title": "a wheel"})";
    simulation.scenario.duration = duration;
    simulation.scenario.seed = 7;
    simulation.scenario.hash = 0x1234;
    simulation.scenario.record.csv = true;
    simulation.system = std::make_unique<test::OneJoint>(1e-3);
    simulation.gait = std::make_unique<gait::Held>(Eigen::VectorXd::Constant(1, 0.5));
    simulation.controller = std::make_unique<control::Pd>(control::PdOptions{.kp = 9, .kd = 1});
    return simulation;
  }

  // Runs the wheel into `folder` and into memory.
  static Trajectory run_wheel(const fs::path& folder, double duration, bool force = false) {
    simulation::Simulation simulation = make_wheel(duration);
    TrajectorySink memory;
    RunFolder out(folder, simulation, {.force = force, .options = {{"set", "a=1"}}});
    simulation::FrameSink* const sinks[] = {&out, &memory};
    out.finish(simulation::run(simulation, sinks));
    return memory.trajectory();
  }

  fs::path root_ = fs::temp_directory_path() / ("coluber_run_folder_" + std::to_string(::getpid()));
};

TEST_F(RunFolderTest, HoldsAllItsFilesAndNothingPartialWhenComplete) {
  run_wheel(root_ / "run", 0.5);
  EXPECT_THAT(names_in(root_ / "run"),
              UnorderedElementsAre("run.json", "trajectory.h5", "trajectory.csv", "replay.json",
                                   "replay.bin"));
}

TEST_F(RunFolderTest, TrajectoryComesBackFromHdf5ToTheBit) {
  // 301 frames: two whole chunks and a part of one
  const Trajectory written = run_wheel(root_ / "run", 3.0);
  ASSERT_EQ(written.frames(), 301U);
  const Trajectory got = load_trajectory(root_ / "run");
  EXPECT_EQ(got.time, written.time);
  EXPECT_EQ(got.values, written.values);
  ASSERT_EQ(got.observables.size(), written.observables.size());
  for (std::size_t j = 0; j < got.observables.size(); ++j) {
    EXPECT_EQ(got.observables[j].name, written.observables[j].name);
    EXPECT_EQ(got.observables[j].unit, written.observables[j].unit);
    EXPECT_EQ(got.observables[j].doc, written.observables[j].doc);
    EXPECT_EQ(got.observables[j].shape, written.observables[j].shape);
    EXPECT_EQ(got.observables[j].components, written.observables[j].components);
  }
}

TEST_F(RunFolderTest, CsvComesBackToTheBitUnderItsColumnNames) {
  const Trajectory written = run_wheel(root_ / "run", 1.0);
  std::istringstream lines(read(root_ / "run" / "trajectory.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "time,joint_angle.1,joint_torque.1,link_position.1.x,link_position.1.y,energy");
  const auto stride = static_cast<std::size_t>(frame_size(written.observables));
  std::size_t frame = 0;
  for (; std::getline(lines, line); ++frame) {
    const char* at = line.data();
    const char* end = at + line.size();
    for (std::size_t j = 0; j <= stride; ++j) {
      double value = 0.0;
      const auto [stop, error] = std::from_chars(at, end, value);
      ASSERT_EQ(error, std::errc{});
      const double expected = j == 0 ? written.time[frame] : written.values[frame * stride + j - 1];
      EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected));
      at = stop + 1;
    }
    EXPECT_EQ(at, end + 1) << "no further columns";
  }
  EXPECT_EQ(frame, written.frames());
  // exporting what was recorded gives the same file
  save_csv(load_trajectory(root_ / "run"), root_ / "again.csv");
  EXPECT_EQ(read(root_ / "again.csv"), read(root_ / "run" / "trajectory.csv"));
}

TEST_F(RunFolderTest, ReplayIsLaidOutAsItsHeaderSays) {
  const Trajectory written = run_wheel(root_ / "run", 0.5);
  const json header = json::parse(read(root_ / "run" / "replay.json"));
  const std::string bytes = read(root_ / "run" / "replay.bin");
  EXPECT_EQ(header["format"], "coluber-replay");
  EXPECT_EQ(header["version"], 1);
  EXPECT_EQ(header["title"], "a wheel");
  EXPECT_EQ(header["rate_hz"], 100.0);
  const auto frames = header["frames"].get<std::size_t>();
  const auto width = header["floats_per_frame"].get<std::size_t>();
  EXPECT_EQ(frames, written.frames());
  ASSERT_EQ(bytes.size(), frames * width * 4);

  ASSERT_EQ(header["bodies"].size(), 2U);
  EXPECT_EQ(header["bodies"][0]["shape"], "capsule");
  EXPECT_EQ(header["bodies"][0]["size"], json({0.1, 0.2}));
  EXPECT_EQ(header["bodies"][1]["name"], "obstacle_1");
  EXPECT_EQ(header["bodies"][1]["pose"], json({3.0, 4.0, 0.0, 1.0, 0.0, 0.0, 0.0}));

  const auto value = [&](std::size_t frame, std::size_t offset) {
    float number = 0;
    std::memcpy(&number, bytes.data() + 4 * (frame * width + offset), 4);
    return number;
  };
  const auto field = [&](const std::string& name) {
    for (const json& item : header["fields"]) {
      if (item["name"] == name) return item;
    }
    ADD_FAILURE() << "no field " << name;
    return json();
  };
  std::size_t next = 0;  // fields lie side by side and fill a frame
  for (const json& item : header["fields"]) {
    EXPECT_EQ(item["offset"].get<std::size_t>(), next);
    next += item["count"].get<std::size_t>();
    for (const char* key : {"label", "kind", "body", "unit"}) EXPECT_TRUE(item.contains(key));
  }
  EXPECT_EQ(next, width);

  const json pose = field("link_1.pose");
  EXPECT_EQ(pose["kind"], "pose");
  EXPECT_EQ(pose["body"], "link_1");
  EXPECT_EQ(pose["count"], 7);
  const json contact = field("link_1.contact");
  EXPECT_EQ(contact["kind"], "contact");
  EXPECT_EQ(contact["count"], 12) << "two slots of point and force";
  const json angle = field("joint_angle.1");
  EXPECT_EQ(angle["kind"], "scalar");
  EXPECT_EQ(angle["unit"], "rad");
  for (std::size_t k = 0; k < frames; ++k) {
    const double phi = written.at("joint_angle", k);
    EXPECT_EQ(value(k, angle["offset"]), static_cast<float>(phi));
    EXPECT_EQ(value(k, pose["offset"]), static_cast<float>(std::cos(phi)));
    EXPECT_EQ(value(k, pose["offset"].get<std::size_t>() + 6),
              static_cast<float>(std::sin(phi / 2)));
    EXPECT_EQ(value(k, contact["offset"].get<std::size_t>() + 3), static_cast<float>(phi));
    EXPECT_TRUE(std::isnan(value(k, contact["offset"].get<std::size_t>() + 6))) << "an open slot";
    EXPECT_EQ(value(k, field("time")["offset"]), static_cast<float>(written.time[k]));
  }
}

TEST_F(RunFolderTest, RunJsonSaysWhatMadeTheResult) {
  run_wheel(root_ / "run", 0.5);
  const json run = json::parse(read(root_ / "run" / "run.json"));
  EXPECT_EQ(run["status"], "completed");
  EXPECT_EQ(run["seed"], 7);
  EXPECT_EQ(run["scenario"]["hash"], "0000000000001234");
  EXPECT_EQ(run["scenario"]["text"], "title = \"a wheel\"\n");
  EXPECT_EQ(run["scenario"]["resolved"]["title"], "a wheel");
  EXPECT_EQ(run["options"]["set"], json({"a=1"}));
  EXPECT_EQ(run["summary"]["steps"], 500);
  EXPECT_EQ(run["summary"]["failed_steps"], 0);
  EXPECT_TRUE(run["summary"].contains("distance"));
  EXPECT_EQ(run["summary"]["final_state"].get<std::string>().size(), 16U);
  EXPECT_EQ(run["units"]["distance"], "rad");
  EXPECT_FALSE(run["version"].get<std::string>().empty());
  EXPECT_FALSE(run["build"]["compiler"].get<std::string>().empty());
  EXPECT_EQ(run["build"]["code_path"], code_path());
}

TEST_F(RunFolderTest, SaysRunningAndHasItsFramesAloneUntilItIsFinished) {
  {
    simulation::Simulation simulation = make_wheel(0.5);
    RunFolder out(root_ / "run", simulation, {});
    simulation::FrameSink* const sinks[] = {&out};
    (void)simulation::run(simulation, sinks);
    EXPECT_EQ(json::parse(read(root_ / "run" / "run.json"))["status"], "running");
  }  // dropped, as by an exception
  EXPECT_EQ(json::parse(read(root_ / "run" / "run.json"))["status"], "running");
  EXPECT_THAT(names_in(root_ / "run"), UnorderedElementsAre("run.json", "frames.bin"));
  EXPECT_EQ(load_trajectory(root_ / "run").frames(), 51U);
}

TEST_F(RunFolderTest, AnAbandonedRunSaysWhy) {
  simulation::Simulation simulation = make_wheel(0.5);
  RunFolder out(root_ / "run", simulation, {});
  out.abandon("the disk is full");
  const json run = json::parse(read(root_ / "run" / "run.json"));
  EXPECT_EQ(run["status"], "failed");
  EXPECT_EQ(run["message"], "the disk is full");
}

TEST_F(RunFolderTest, NeverOverwritesAFolderUnlessForced) {
  run_wheel(root_ / "run", 0.5);
  std::ofstream(root_ / "run" / "notes.txt") << "mine";
  fs::create_directories(root_ / "run" / "plots");
  const std::string before = read(root_ / "run" / "run.json");
  EXPECT_THROW(run_wheel(root_ / "run", 0.2), FolderExists);
  EXPECT_EQ(read(root_ / "run" / "run.json"), before);
  run_wheel(root_ / "run", 0.2, true);
  EXPECT_EQ(json::parse(read(root_ / "run" / "run.json"))["summary"]["steps"], 200);
  EXPECT_EQ(read(root_ / "run" / "notes.txt"), "mine") << "only our own files are replaced";
  EXPECT_FALSE(fs::exists(root_ / "run" / "plots")) << "pictures of another run";
}

TEST_F(RunFolderTest, AcceptsAnEmptyFolderAndRefusesAFile) {
  fs::create_directories(root_ / "empty");
  run_wheel(root_ / "empty", 0.1);
  EXPECT_TRUE(fs::exists(root_ / "empty" / "trajectory.h5"));
  std::ofstream(root_ / "file") << "x";
  EXPECT_THROW(run_wheel(root_ / "file", 0.1, true), FolderExists);
}

TEST_F(RunFolderTest, NextFolderIsTheFirstFreeNumber) {
  EXPECT_EQ(next_run_folder(root_, "aiko"), root_ / "aiko-1");
  fs::create_directories(root_ / "aiko-1");
  fs::create_directories(root_ / "aiko-3");
  EXPECT_EQ(next_run_folder(root_, "aiko"), root_ / "aiko-2");
}

TEST_F(RunFolderTest, ACutOffTrajectoryIsAFileErrorAtAnyLength) {
  run_wheel(root_ / "run", 1.0);
  const std::string whole = read(root_ / "run" / "trajectory.h5");
  for (std::size_t length = 0; length < whole.size(); length += whole.size() / 37 + 1) {
    std::ofstream(root_ / "run" / "trajectory.h5", std::ios::binary) << whole.substr(0, length);
    EXPECT_THROW((void)load_trajectory(root_ / "run"), FileError) << length;
  }
}

TEST_F(RunFolderTest, ADamagedTrajectoryIsRefusedWhereverTheDamageIs) {
  run_wheel(root_ / "run", 1.0);
  const std::string whole = read(root_ / "run" / "trajectory.h5");
  for (std::size_t at = 0; at < whole.size(); at += 211) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    std::ofstream(root_ / "run" / "trajectory.h5", std::ios::binary) << damaged;
    EXPECT_THROW((void)load_trajectory(root_ / "run"), FileError) << at;
  }
}

TEST_F(RunFolderTest, ALoneTrajectoryFileCanBeRead) {
  const Trajectory written = run_wheel(root_ / "run", 0.5);
  fs::remove(root_ / "run" / "run.json");
  EXPECT_EQ(load_trajectory(root_ / "run").values, written.values);
}

TEST_F(RunFolderTest, AForeignFileIsAFileError) {
  fs::create_directories(root_ / "run");
  EXPECT_THROW((void)load_trajectory(root_ / "run"), FileError);
  std::ofstream(root_ / "run" / "trajectory.h5") << "not HDF5 at all";
  EXPECT_THROW((void)load_trajectory(root_ / "run"), FileError);
}

TEST_F(RunFolderTest, AFileThatClaimsMoreThanItsBytesCanHoldAsksForNoMemory) {
  fs::create_directories(root_ / "run");
  const std::string name = (root_ / "run" / "trajectory.h5").string();
  const hid_t file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t frames = 4'000'000'000;  // 32 GB, of which not one chunk is written
  const hsize_t chunk = 128;
  const hid_t space = H5Screate_simple(1, &frames, nullptr);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 1, &chunk);
  const hid_t dataset =
      H5Dcreate2(file, "time", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Dclose(dataset);
  H5Pclose(properties);
  H5Sclose(space);
  H5Fclose(file);
  try {
    (void)load_trajectory(root_ / "run");
    FAIL() << "4e9 frames were read from " << fs::file_size(name) << " bytes";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("impossibly large"));
  }
}

}  // namespace run_folder_test
}  // namespace coluber::record
