#include "coluber/record/drawing.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "coluber/control/pd.hpp"
#include "coluber/core/error.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/record/drawing_sink.hpp"
#include "coluber/record/run_folder.hpp"
#include "coluber/record/trajectory.hpp"

#include "record/hdf5_writer.hpp"
#include "support/one_joint.hpp"

namespace coluber::record {
namespace drawing_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void write(const fs::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

// NaN marks an open contact, so floats are compared bit by bit.
std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

class DrawingTest : public testing::Test {
 protected:
  DrawingTest() {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~DrawingTest() override { fs::remove_all(root_); }

  static simulation::Simulation make_wheel() {
    simulation::Simulation simulation;
    simulation.scenario.title = "a wheel";
    simulation.scenario.resolved = R"({"title": "a wheel"})";
    simulation.scenario.duration = 0.5;
    simulation.system = std::make_unique<test::OneJoint>(1e-3);
    simulation.gait = std::make_unique<gait::Held>(Eigen::VectorXd::Constant(1, 0.5));
    simulation.controller = std::make_unique<control::Pd>(control::PdOptions{.kp = 9, .kd = 1});
    return simulation;
  }

  // A servoed wheel of 51 frames in `folder`; what is drawn of it, kept in memory.
  static Drawing run_wheel(const fs::path& folder) {
    simulation::Simulation simulation = make_wheel();
    DrawingSink memory;
    RunFolder out(folder, simulation);
    simulation::FrameSink* const sinks[] = {&out, &memory};
    out.finish(simulation::run(simulation, sinks));
    return memory.take();
  }

  static void expect_same(const Drawing& a, const Drawing& b) {
    ASSERT_EQ(a.bodies.size(), b.bodies.size());
    ASSERT_EQ(a.frames, b.frames);
    for (std::size_t i = 0; i < a.bodies.size(); ++i) {
      EXPECT_EQ(a.bodies[i].name, b.bodies[i].name);
      EXPECT_EQ(a.bodies[i].shape, b.bodies[i].shape);
      EXPECT_EQ(a.bodies[i].size, b.bodies[i].size);
      EXPECT_EQ(a.bodies[i].colour, b.bodies[i].colour);
      EXPECT_EQ(a.bodies[i].moving(), b.bodies[i].moving());
      for (std::size_t k = 0; k < a.frames; ++k)
        EXPECT_EQ(a.pose(a.bodies[i], k), b.pose(b.bodies[i], k)) << a.bodies[i].name << " " << k;
    }
  }

  fs::path root_ = fs::temp_directory_path() / ("coluber_drawing_" + std::to_string(::getpid()));
};

// Two bodies in four frames: a tube whose three points move, with a radius at each, and a path.
json tube_header() {
  return {
      {"format", "coluber-replay"},
      {"version", 1},
      {"rate_hz", 10.0},
      {"floats_per_frame", 12},
      {"bodies",
       {{{"name", "rod"}, {"shape", "tube"}, {"size", {0.1}}, {"colour", "#0072b2"}},
        {{"name", "path"},
         {"shape", "tube"},
         {"parent", "rod"},
         {"points", {{0.0, 0.0, 0.0}, {1.0, 0.5, 0.0}}}}}},
      {"fields",
       {{{"name", "rod.curve"}, {"kind", "polyline"}, {"body", "rod"}, {"offset", 0}, {"count", 9}},
        {{"name", "rod.radius"},
         {"kind", "profile"},
         {"body", "rod"},
         {"offset", 9},
         {"count", 3}}}}};
}

TEST_F(DrawingTest, OfARunFolderIsThatOfTheRunBitForBit) {
  const Drawing memory = run_wheel(root_ / "run");
  const Drawing stored = load_drawing(root_ / "run");
  ASSERT_EQ(stored.frames, 51U);
  EXPECT_EQ(stored.frames, load_trajectory(root_ / "run").frames());
  expect_same(stored, memory);
  EXPECT_EQ(bits_of(stored.values), bits_of(memory.values));
  // pose and two contacts of one body: the scalars are observables anyway
  EXPECT_EQ(stored.floats, 7U + 12U);
  EXPECT_THAT(stored.bodies[1].pose, ElementsAre(3, 4, 0, 1, 0, 0, 0));
  const auto contact = stored.at(1, 50);
  EXPECT_THAT(contact.subspan(0, 2), ElementsAre(1.0F, 2.0F));
  EXPECT_TRUE(std::isnan(contact[6]));
}

TEST_F(DrawingTest, NeedsNoReplayFiles) {
  const Drawing memory = run_wheel(root_ / "run");
  fs::remove(root_ / "run/replay.json");
  fs::remove(root_ / "run/replay.bin");
  expect_same(load_drawing(root_ / "run"), memory);
}

TEST_F(DrawingTest, OfAnOlderRunComesFromItsReplay) {
  const Drawing memory = run_wheel(root_ / "run");
  const Trajectory trajectory = load_trajectory(root_ / "run");
  fs::create_directories(root_ / "old");
  {
    Hdf5Writer writer(root_ / "old/trajectory.h5", trajectory.observables);
    const auto width = trajectory.values.size() / trajectory.frames();
    for (std::size_t k = 0; k < trajectory.frames(); ++k)
      writer.row(trajectory.time[k], std::span(trajectory.values).subspan(k * width, width));
    writer.commit();
  }
  EXPECT_TRUE(load_drawing(root_ / "old").bodies.empty()) << "there is none, which is no fault";
  fs::copy_file(root_ / "run/replay.json", root_ / "old/replay.json");
  fs::copy_file(root_ / "run/replay.bin", root_ / "old/replay.bin");
  expect_same(load_drawing(root_ / "old"), memory);
}

TEST_F(DrawingTest, OfARunThatGoesOnIsThatOfItsFramesSoFar) {
  simulation::Simulation simulation = make_wheel();
  const RunFolder out(root_ / "run", simulation);
  EXPECT_EQ(load_drawing(root_ / "run").frames, 0U);
  EXPECT_EQ(load_drawing(root_ / "run").bodies.size(), 2U);
}

TEST_F(DrawingTest, DataThatAUserAddedToTheFileIsLeftAlone) {
  const Drawing memory = run_wheel(root_ / "run");
  const Trajectory before = load_trajectory(root_ / "run");
  const fs::path file = root_ / "run/trajectory.h5";
  const hid_t h5 = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(h5, 0);
  const hsize_t count = 3;
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t mine = H5Gcreate2(h5, "mine", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (const hid_t place : {h5, mine}) {
    const hid_t data =
        H5Dcreate2(place, "notes", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const int numbers[] = {1, 2, 3};
    H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
    H5Dclose(data);
  }
  H5Gclose(mine);
  H5Sclose(space);
  ASSERT_GE(H5Fclose(h5), 0);
  const Trajectory after = load_trajectory(root_ / "run");
  EXPECT_EQ(after.values, before.values);
  EXPECT_EQ(after.observables.size(), before.observables.size());
  expect_same(load_drawing(root_ / "run"), memory);
}

TEST_F(DrawingTest, ATrajectoryThatIsDamagedIsNotHandedToHdf5) {
  run_wheel(root_ / "run");
  const fs::path file = root_ / "run/trajectory.h5";
  const std::string whole = read(file);
  std::string flipped = whole;
  flipped[whole.size() / 2] = static_cast<char>(~flipped[whole.size() / 2]);
  for (const std::string& bytes :
       {whole.substr(0, whole.size() / 2), flipped, whole + std::string(100, '\0')}) {
    write(file, bytes);
    EXPECT_THAT([&] { static_cast<void>(load_drawing(root_ / "run")); },
                ThrowsMessage<FileError>(HasSubstr("is not the file that the run wrote")));
  }
}

TEST_F(DrawingTest, AReplayThatIsDamagedIsAFileError) {
  run_wheel(root_ / "run");
  fs::remove(root_ / "run/trajectory.h5");
  const json good = json::parse(read(root_ / "run/replay.json"));
  const std::string frames = read(root_ / "run/replay.bin");
  const auto damage = [&](const auto& change, const char* complaint) {
    json header = good;
    change(header);
    write(root_ / "run/replay.json", header.dump());
    EXPECT_THAT([&] { static_cast<void>(load_drawing(root_ / "run")); },
                ThrowsMessage<FileError>(HasSubstr(complaint)));
  };
  damage([](json& h) { h = json::array(); }, "not the header of a replay");
  damage([](json& h) { h["version"] = 2; }, "another version");
  damage([](json& h) { h["floats_per_frame"] = -1; }, "not a count");
  damage([](json& h) { h["fields"][1]["offset"] = 100000; }, "floats from 100000 on");
  damage([](json& h) { h["bodies"][0]["size"] = {-1.0}; }, "not a list of lengths");
  damage([](json& h) { h["bodies"][0]["points"] = {1, 2}; }, "are not a list of x, y, z");
  damage([](json& h) { h["floats_per_frame"] = h["floats_per_frame"].get<int>() + 1; },
         "no whole frames");
  write(root_ / "run/replay.json", good.dump());
  write(root_ / "run/replay.bin", frames.substr(0, frames.size() - 1));
  EXPECT_THROW(static_cast<void>(load_drawing(root_ / "run")), FileError);
}

TEST(Drawing, HoldsCurvesThatMoveAndCurvesThatStand) {
  std::vector<float> values;
  for (int k = 0; k < 48; ++k) values.push_back(static_cast<float>(k));
  const Drawing drawing = make_drawing(tube_header().dump(), values, "rod");
  ASSERT_EQ(drawing.frames, 4U);
  const DrawnBody& rod = drawing.bodies[0];
  const DrawnBody& path = drawing.bodies[1];
  EXPECT_TRUE(rod.moving());
  EXPECT_FALSE(path.moving());
  EXPECT_EQ(path.parent, "rod");
  EXPECT_THAT(drawing.points(rod, 1), ElementsAre(ElementsAre(12, 13, 14), ElementsAre(15, 16, 17),
                                                  ElementsAre(18, 19, 20)));
  EXPECT_THAT(drawing.at(*rod.radius_field, 3), ElementsAre(45.0F, 46.0F, 47.0F));
  EXPECT_THAT(drawing.points(path, 2), ElementsAre(ElementsAre(0, 0, 0), ElementsAre(1, 0.5, 0)));
  EXPECT_THROW(static_cast<void>(drawing.points(rod, 4)), Error);
}

TEST(Drawing, RefusesRadiiThatAreNotThoseOfThePoints) {
  json header = tube_header();
  header["fields"][1]["count"] = 2;
  EXPECT_THAT([&] { static_cast<void>(make_drawing(header.dump(), {}, "rod")); },
              ThrowsMessage<FileError>(HasSubstr("2 radii")));
  header = tube_header();
  header["fields"][0]["count"] = 8;
  EXPECT_THAT([&] { static_cast<void>(make_drawing(header.dump(), {}, "rod")); },
              ThrowsMessage<FileError>(HasSubstr("a curve has 3 per point")));
}

}  // namespace drawing_test
}  // namespace coluber::record
