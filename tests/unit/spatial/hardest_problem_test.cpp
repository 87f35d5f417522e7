// The hardest problem of a spatial run: kept beside the same steps, over a checkpoint, and written
// whole, rolling friction and all.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "coluber/nonsmooth/problem_file.hpp"
#include "coluber/spatial/system.hpp"

#include "sample/spatial.hpp"

namespace coluber::spatial {
namespace hardest_problem_test {

namespace fs = std::filesystem;

class SpatialHardestProblem : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("coluber_spatial_hardest_" + std::to_string(::getpid()) + "_" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Dropped by 5 mm among rough cylinders: the landing is harder than what follows.
  static SpatialSystem make(bool keep) {
    Model model = sample::make_aiko(5);
    model.mu_V = 0.02;
    model.obstacles = {{{-0.3, 0.09}, 0.02, 0.3}, {{-0.5, -0.09}, 0.03, 0.3}};
    State state = make_state(model, VectorXd::Zero(model.angles()), 0, {0.0, 0.0, 0.0575},
                             compute_axes(std::numbers::pi, 0.02, 0.0));
    return {std::move(model), std::move(state), {}, keep};
  }
  static void advance(SpatialSystem& system, int steps) {
    JointCommand command = sample::make_servos(system.model(), 800.0, 2.0);
    for (int i = 0; i < steps; ++i) {
      sample::sidewinding().set(system.time() + system.dt(), system.model().n() - 1,
                                system.model().axes(), command);
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

TEST_F(SpatialHardestProblem, KeepingItChangesNoBitOfTheRun) {
  SpatialSystem plain = make(false);
  SpatialSystem kept = make(true);
  advance(plain, 600);
  advance(kept, 600);
  EXPECT_EQ(plain.state_hash(), kept.state_hash());
  EXPECT_EQ(plain.dump_hardest_problem(folder_ / "none.json"), "");
  EXPECT_FALSE(fs::exists(folder_ / "none.json"));
  EXPECT_NE(kept.dump_hardest_problem(folder_ / "some.json"), "");
}

TEST_F(SpatialHardestProblem, IsTheSameAfterACheckpointAsWithoutOne) {
  SpatialSystem through = make(true);
  advance(through, 300);
  ByteWriter bytes;
  ASSERT_TRUE(through.save_state(bytes));
  advance(through, 100);

  SpatialSystem resumed = make(true);
  ByteReader reader(bytes.bytes(), "checkpoint");
  resumed.restore_state(reader);
  reader.finish();
  advance(resumed, 100);
  const std::string said = through.dump_hardest_problem(folder_ / "through.json");
  EXPECT_EQ(resumed.dump_hardest_problem(folder_ / "resumed.json"), said);
  EXPECT_EQ(text(folder_ / "through.json"), text(folder_ / "resumed.json"));
  EXPECT_EQ(through.state_hash(), resumed.state_hash());

  SpatialSystem forgetful = make(false);
  advance(forgetful, 300);
  ByteWriter without;
  ASSERT_TRUE(forgetful.save_state(without));
  SpatialSystem late = make(true);
  ByteReader late_reader(without.bytes(), "checkpoint");
  late.restore_state(late_reader);
  advance(late, 100);
  EXPECT_NE(late.dump_hardest_problem(folder_ / "late.json"), said)
      << "the hardest step is to lie before the checkpoint";
}

TEST_F(SpatialHardestProblem, IsReadBackAsItWasAndSolvedAgain) {
  SpatialSystem system = make(true);
  advance(system, 300);
  const fs::path file = folder_ / "problem.json";
  std::ofstream(file) << "old";
  ASSERT_NE(system.dump_hardest_problem(file), "");
  EXPECT_FALSE(fs::exists(folder_ / "problem.json.part"));
  const auto saved = nonsmooth::load_problem<6>(file);
  EXPECT_EQ(saved.problem.nodes.size(), 9U) << "two axes a joint, four joints, the root";
  EXPECT_TRUE(std::any_of(saved.problem.contacts.begin(), saved.problem.contacts.end(),
                          [](const auto& contact) { return contact.shares_normal; }));
  nonsmooth::save_problem<6>(folder_ / "again.json", saved);
  EXPECT_EQ(text(file), text(folder_ / "again.json"));

  nonsmooth::Solution<6> solution = saved.previous;
  nonsmooth::SolverData<6> data;
  EXPECT_EQ(nonsmooth::solve_newton(saved.problem, saved.previous, solution, data).status,
            Status::ok);
}

}  // namespace hardest_problem_test
}  // namespace coluber::spatial
