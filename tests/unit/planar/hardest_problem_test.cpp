// The hardest problem of a run: kept beside the same steps, over a checkpoint, and written whole.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "coluber/core/error.hpp"
#include "coluber/planar/system.hpp"

#include "sample/snake.hpp"

namespace coluber::planar {
namespace hardest_problem_test {

namespace fs = std::filesystem;

class HardestProblem : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("coluber_hardest_" + std::to_string(::getpid()) + "_" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static PlanarSystem make(bool keep) {
    Model model = sample::aiko();
    model.obstacles = sample::course();
    State state = sample::course_start(model);
    return {std::move(model), std::move(state), {}, keep};
  }
  static void advance(PlanarSystem& system, int steps) {
    JointCommand command(system.joint_count());
    for (int i = 0; i < steps; ++i) {
      sample::follow({}, system.time() + system.dt(), command);
      ASSERT_EQ(system.step(command).status, Status::ok);
    }
  }
  static std::string text(const fs::path& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }

  fs::path folder_;
};

TEST_F(HardestProblem, KeepingItChangesNoBitOfTheRun) {
  PlanarSystem plain = make(false);
  PlanarSystem kept = make(true);
  advance(plain, 1500);
  advance(kept, 1500);
  EXPECT_EQ(plain.state_hash(), kept.state_hash());
  EXPECT_EQ(plain.dump_hardest_problem(folder_ / "none.json"), "");
  EXPECT_NE(kept.dump_hardest_problem(folder_ / "some.json"), "");
}

TEST_F(HardestProblem, IsTheSameAfterACheckpointAsWithoutOne) {
  PlanarSystem through = make(true);
  advance(through, 400);  // the hardest steps come first: from rest
  ByteWriter bytes;
  ASSERT_TRUE(through.save_state(bytes));
  advance(through, 300);

  PlanarSystem resumed = make(true);
  ByteReader reader(bytes.bytes(), "checkpoint");
  resumed.restore_state(reader);
  reader.finish();
  advance(resumed, 300);
  const std::string said = through.dump_hardest_problem(folder_ / "through.json");
  EXPECT_EQ(resumed.dump_hardest_problem(folder_ / "resumed.json"), said);
  EXPECT_EQ(text(folder_ / "through.json"), text(folder_ / "resumed.json"));

  PlanarSystem fresh = make(true);
  advance(fresh, 700);
  EXPECT_EQ(fresh.dump_hardest_problem(folder_ / "fresh.json"), said);
  PlanarSystem forgetful = make(false);
  advance(forgetful, 400);
  ByteWriter without;
  ASSERT_TRUE(forgetful.save_state(without));
  PlanarSystem late = make(true);
  ByteReader late_reader(without.bytes(), "checkpoint");
  late.restore_state(late_reader);
  advance(late, 300);
  EXPECT_NE(late.dump_hardest_problem(folder_ / "late.json"), said)
      << "the hardest step is to lie before the checkpoint";
}

TEST_F(HardestProblem, IsWrittenByRenameAndReadBackAsItWas) {
  PlanarSystem system = make(true);
  advance(system, 50);
  const fs::path file = folder_ / "problem.json";
  std::ofstream(file) << "old";
  system.dump_hardest_problem(file);
  EXPECT_FALSE(fs::exists(folder_ / "problem.json.part"));
  const auto saved = nonsmooth::load_problem<3>(file);
  EXPECT_EQ(saved.problem.nodes.size(), 11U);
  nonsmooth::save_problem<3>(folder_ / "again.json", saved);
  EXPECT_EQ(text(file), text(folder_ / "again.json"));
}

TEST_F(HardestProblem, ThatCannotBeWrittenLeavesNothingBehind) {
  PlanarSystem system = make(true);
  advance(system, 5);
  fs::create_directories(folder_ / "taken/inside");
  EXPECT_THROW(system.dump_hardest_problem(folder_ / "taken"), FileError);
  EXPECT_FALSE(fs::exists(folder_ / "taken.part"));
  EXPECT_THROW(system.dump_hardest_problem(folder_ / "nowhere/problem.json"), FileError);
}

TEST_F(HardestProblem, OfADamagedCheckpointIsRefused) {
  PlanarSystem system = make(true);
  advance(system, 20);
  ByteWriter bytes;
  ASSERT_TRUE(system.save_state(bytes));
  const std::uint64_t before = system.state_hash();
  const std::string whole = bytes.bytes();
  // nowhere may a reader run off the end, and a refused checkpoint leaves the system as it was
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    ByteReader reader(std::string_view(whole).substr(0, length), "checkpoint");
    EXPECT_THROW(system.restore_state(reader), Error);
  }
  EXPECT_EQ(system.state_hash(), before);
}

}  // namespace hardest_problem_test
}  // namespace coluber::planar
