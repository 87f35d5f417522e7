// Simbody on the snakeboard's three gaits and on Chaplygin's sleigh: the same poses, torques and
// wheel forces after 18 s. There the base is a planar joint, wheels are NoSlip1D constraints, and
// the joints are pins with prescribed motion.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "coluber/multibody/system.hpp"
#include "coluber/simulation/simulation.hpp"

#include "support/simbody_plane.hpp"

namespace coluber::multibody {
namespace {

using simbody::Answer;
using simbody::PlanarRobot;

constexpr double kEnd = 18.0;  // s
constexpr double kTolerance = 1e-8;

void expect_near(const Answer& ours, const Answer& theirs) {
  EXPECT_NEAR(ours.t, kEnd, 1e-12);
  EXPECT_NEAR(theirs.t, kEnd, 1e-12);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(ours.pose[i], theirs.pose[i], kTolerance) << "pose " << i;
    EXPECT_NEAR(ours.twist[i], theirs.twist[i], kTolerance) << "twist " << i;
  }
  ASSERT_EQ(ours.tau.size(), theirs.tau.size());
  for (std::size_t i = 0; i < ours.tau.size(); ++i) {
    EXPECT_NEAR(ours.tau[i], theirs.tau[i], kTolerance) << "torque " << i + 1;
  }
  ASSERT_EQ(ours.lambda.size(), theirs.lambda.size());
  for (std::size_t i = 0; i < ours.lambda.size(); ++i) {
    EXPECT_NEAR(ours.lambda[i], theirs.lambda[i], kTolerance) << "wheel " << i + 1;
  }
}

Answer run_ours(const std::string& name) {
  const simulation::Simulation simulation = simulation::make_simulation(
      scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + name + ".toml",
                     {"solver.integrator=\"dopri5\"", "solver.smooth.rtol=1e-12",
                      "solver.smooth.atol=1e-13", "solver.dt=0.01", "duration=18"}));
  auto* system = dynamic_cast<MultibodySystem*>(simulation.system.get());
  if (system == nullptr) return {};
  for (int k = 0; k < 1800; ++k) {
    if (system->step().status != Status::ok) return {};
  }
  const Pose& g = system->configuration().g;
  const Data& data = system->data();
  Answer answer;
  answer.t = system->time();
  answer.pose = {g.p.x(), g.p.y(), std::atan2(g.R(1, 0), g.R(0, 0))};
  answer.twist = {data.eta_o(0), data.eta_o(1), data.eta_o(5)};
  answer.tau.assign(data.tau.begin(), data.tau.end());
  answer.lambda.assign(data.lambda.begin(), data.lambda.end());
  return answer;
}

struct Gait {
  const char* scenario;
  double psi, omega_psi, phi, omega_phi;
};

class Snakeboard : public testing::TestWithParam<Gait> {};

TEST_P(Snakeboard, GoesAndTakesWhatItDoesInSimbody) {
  const Gait& gait = GetParam();
  PlanarRobot theirs;
  theirs.body = {2.0, {0.0, 0.0, 0.0}, {0.01, 0.04, 0.0454}};
  const simbody::Body axle{0.5, {0.0, 0.0, 0.0}, {0.0012, 0.0002, 0.0013}};
  theirs.pins = {
      {{1.0, {0.0, 0.0, 0.0}, {0.036, 0.036, 0.072}}, 0.0, gait.psi, gait.omega_psi, false},
      {axle, 0.2, -gait.phi, gait.omega_phi, true},
      {axle, -0.2, gait.phi, gait.omega_phi, true}};
  const Answer answer = simbody::run(theirs, kEnd);
  EXPECT_GT(std::hypot(answer.pose[0], answer.pose[1]), 0.01) << "it must move";
  expect_near(run_ours(gait.scenario), answer);
}

INSTANTIATE_TEST_SUITE_P(Gaits, Snakeboard,
                         testing::Values(Gait{"snakeboard_drive", 0.7, 1.0, 0.3, 1.0},
                                         Gait{"snakeboard_rotate", 0.7, 2.0, 0.7, 1.0},
                                         Gait{"snakeboard_park", 0.7, 3.0, 0.7, 2.0}),
                         [](const auto& test) { return std::string(test.param.scenario); });

TEST(Sleigh, GoesAsInSimbody) {
  PlanarRobot theirs;
  theirs.body = {2.0, {0.3, 0.0, 0.0}, {0.06, 0.08, 0.1}};
  theirs.wheel = true;
  theirs.V_x = -0.5;
  theirs.Omega = 0.1;
  expect_near(run_ours("sleigh"), simbody::run(theirs, kEnd));
}

}  // namespace
}  // namespace coluber::multibody
