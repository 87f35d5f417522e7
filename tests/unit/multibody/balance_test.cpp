// Every scenario of the catalogue, step by step: powers, wrenches, works, wheels, attitudes.

#include <string>

#include <gtest/gtest.h>

#include "coluber/multibody/system.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

namespace coluber::multibody {
namespace balance_test {

class Catalogue : public testing::TestWithParam<const char*> {};

TEST_P(Catalogue, BalancesAtEveryStep) {
  simulation::Simulation run = simulation::make_simulation(
      scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + GetParam() + ".toml", {}));
  auto& system = dynamic_cast<MultibodySystem&>(*run.system);
  const auto steps = static_cast<std::int64_t>(std::llround(run.scenario.duration / system.dt()));
  const Data& data = system.data();
  double power = 0.0;   // of the largest term of that instant
  double wrench = 0.0;  // of the largest wrench on a body at that instant
  double slip = 0.0;    // m/s
  double group = 0.0;
  const auto look = [&] {
    if (data.averaged) return;  // within the window of a singular instant
    const double left = data.power_energy - data.power_servo - data.power_friction -
                        data.power_contact - data.power_gravity;
    // What has no motor and no load has no term but the sum of η · M η̇ itself.
    const bool alone = data.power_servo == 0.0 && data.power_friction == 0.0 &&
                       data.power_gravity == 0.0 && data.power_contact == 0.0;
    const double scale =
        alone ? data.wrench_scale * data.eta_o.cwiseAbs().maxCoeff() : data.power_scale;
    if (scale > 0.0) power = std::max(power, std::abs(left) / scale);
    if (data.wrench_scale > 0.0) wrench = std::max(wrench, data.root_residual / data.wrench_scale);
    slip = std::max(slip, data.constraint_residual);
    const Eigen::Matrix3d& R = system.configuration().g.R;
    group = std::max(group, (R.transpose() * R - Eigen::Matrix3d::Identity()).norm());
  };
  look();
  while (system.step_count() < steps) {
    ASSERT_EQ(system.step().status, Status::ok) << "step " << system.step_count();
    look();
  }
  EXPECT_LE(power, 1e-12);
  EXPECT_LE(wrench, 1e-12);
  EXPECT_LE(slip, 1e-12);
  EXPECT_LE(group, 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Catalogue,
                         testing::Values("satellite", "fish", "snakeboard_drive",
                                         "snakeboard_rotate", "snakeboard_park", "sleigh",
                                         "two_axles", "three_axles", "acm20", "mobile_manipulator",
                                         "car_trailers", "unicycle", "four_bar"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace balance_test
}  // namespace coluber::multibody
