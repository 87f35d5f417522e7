// What projective torques leave at the root.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "coluber/multibody/system.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::multibody {
namespace projective_test {

// Σ τ ṙ = dE/dt - η_o · F_ro: the wrench that is missing has the power that is.
TEST(Projective, TheRootsWrenchHasThePowerThatIsMissing) {
  simulation::Simulation run = simulation::make_simulation(scenario::load(
      std::string(COLUBER_SOURCE_DIR) + "/scenarios/acm20.toml", {"solver.torques='projective'"}));
  auto& system = dynamic_cast<MultibodySystem&>(*run.system);
  const Data& data = system.data();
  double off = 0.0;      // W
  double largest = 0.0;  // N, N m
  while (system.step_count() < 2000) {
    ASSERT_EQ(system.step().status, Status::ok);
    if (data.averaged) continue;
    const double missing = data.power_energy - data.power_servo;
    off = std::max(off, std::abs(missing - data.eta_o.dot(data.body[0].F_plus)));
    largest = std::max(largest, data.root_residual);
    EXPECT_LE(std::abs(missing), data.root_residual * data.eta_o.cwiseAbs().sum() + 1e-12);
  }
  EXPECT_LE(off, 1e-12);
  EXPECT_GT(largest, 0.04);
  RecordProperty("largest", std::to_string(largest));
}

}  // namespace projective_test
}  // namespace coluber::multibody
