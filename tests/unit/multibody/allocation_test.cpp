// Nothing allocates in a step after the first, and what a body takes of memory.

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <malloc.h>

#include "coluber/simulation/simulation.hpp"

#include "sample/trees.hpp"
#include "support/allocations.hpp"

#ifdef COLUBER_COUNTS_ALLOCATIONS

namespace coluber::multibody {
namespace {

/// The system of a file, some steps of it.
void expect_none_in(const std::string& name, const scenario::Overrides& changes, int steps) {
  const simulation::Simulation simulation =
      simulation::make_simulation(scenario::load(name, changes));
  ASSERT_EQ(simulation.system->step().status, Status::ok) << name;
  ASSERT_EQ(simulation.system->step().status, Status::ok) << name;
  const long before = allocations.load();
  ASSERT_GT(before, 0) << "the counter must count";
  int failed = 0;
  for (int k = 0; k < steps; ++k) {
    failed += simulation.system->step().status == Status::ok ? 0 : 1;
  }
  EXPECT_EQ(allocations.load() - before, 0) << name;
  EXPECT_EQ(failed, 0) << name;
}

void expect_none(const std::string& name, const scenario::Overrides& changes, int steps) {
  expect_none_in(std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + name + ".toml", changes, steps);
}

TEST(MultibodyStep, AllocatesNothingAfterTheFirst) {
  for (const char* name : {"satellite", "snakeboard_drive", "snakeboard_rotate", "snakeboard_park",
                           "acm20", "mobile_manipulator", "car_trailers", "fish", "sleigh",
                           "unicycle", "four_bar", "two_axles", "three_axles"}) {
    expect_none(name, {}, 40);
  }
}

// Past t = π: with an instant that is singular.
TEST(MultibodyStep, NorDoItsOtherWays) {
  expect_none("acm20", {"solver.torques=\"projective\""}, 340);
  expect_none("acm20", {"solver.integrator=\"dopri5\""}, 340);
  expect_none("four_bar", {"solver.integrator=\"dopri5\""}, 40);
  expect_none("snakeboard_drive", {"solver.integrator=\"dopri5\""}, 40);
}

TEST(MultibodyStep, NorWhereATableStartsAndEndsInMotion) {
  const std::string path = testing::TempDir() + "/allocation_table";
  std::ofstream(path + ".csv") << "t,phi_1,phi_2,phi_3\n0.105,0,0,0\n0.2,10,-5,5\n0.31,25,-9,9\n";
  std::ofstream(path + ".toml") << "duration = 1.0\n[robot]\nname = \"snakeboard\"\n[gait]\n"
                                   "name = \"table\"\ntable = \"allocation_table.csv\"\n";
  expect_none_in(path + ".toml", {}, 40);
}

std::size_t memory_in_use() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(MultibodyData, TakesTwoKilobytesABodyAtTheMost) {
  constexpr int bodies = 1000;
  for (const Tree& tree : {sample::free_chain(bodies), sample::wheeled_snake(bodies / 2)}) {
    const Model model(tree);
    const std::size_t before = memory_in_use();
    const Data data(model);
    const double each = static_cast<double>(memory_in_use() - before + sizeof(Data)) / model.size();
    EXPECT_GT(each, 500.0) << "it is not counted";
    EXPECT_LE(each, 2000.0) << model.wheels.size() << " wheels";
    EXPECT_EQ(data.body.size(), model.bodies.size());
  }
}

}  // namespace
}  // namespace coluber::multibody

#endif
