// A thousand periods of trees on wheels: nothing drifts, and no follower creeps away.

#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "coluber/multibody/system.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber {
namespace thousand_cycles_test {

constexpr int kCycles = 1000;
constexpr int kSteps = 128;  // of a cycle of 2π s
constexpr double kDt = 2.0 * std::numbers::pi / kSteps;

/// Follows a scenario for a thousand cycles; `each_cycle` gets the largest follower angle of it.
template <typename EachCycle>
void follow(const char* name, EachCycle each_cycle) {
  simulation::Simulation run = simulation::make_simulation(
      scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + name + ".toml",
                     {"solver.dt=" + fmt::format("{:.17g}", kDt),
                      "duration=" + fmt::format("{:.17g}", kCycles * kSteps * kDt)}));
  auto& system = dynamic_cast<multibody::MultibodySystem&>(*run.system);
  double slip = 0.0;
  double group = 0.0;
  for (int cycle = 1; cycle <= kCycles; ++cycle) {
    double largest = 0.0;
    for (int k = 0; k < kSteps; ++k) {
      ASSERT_EQ(system.step().status, Status::ok) << "cycle " << cycle;
      const auto& at = system.configuration();
      if (!system.data().averaged) slip = std::max(slip, system.data().constraint_residual);
      group = std::max(group, (at.g.R.transpose() * at.g.R - Eigen::Matrix3d::Identity()).norm());
      if (at.follower.size() > 0) largest = std::max(largest, at.follower.cwiseAbs().maxCoeff());
    }
    each_cycle(cycle, largest);
  }
  EXPECT_LE(slip, 1e-12);
  EXPECT_LE(group, 1e-13);
}

TEST(ThousandCycles, OfASnakeboardThatTurns) {
  follow("snakeboard_rotate", [](int, double) {});
}

TEST(ThousandCycles, OfAWheeledSnake) {
  double off = 0.0;
  follow("acm20", [&](int cycle, double largest) {
    if (cycle >= 10) off = std::max(off, std::abs(largest - 0.9032));
  });
  EXPECT_LE(off, 1e-3);
}

}  // namespace thousand_cycles_test
}  // namespace coluber
