// Loops on a reference body that moves: by its momentum, and on wheels inside the loop.

#include <cmath>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/multibody/system.hpp"

#include "sample/trees.hpp"

namespace coluber::multibody {
namespace wheeled_loop_test {

using Eigen::Vector3d;

/// A frame with crank, coupler and rocker; the crank is driven.
Tree four_bar_on_a_frame() {
  Tree tree;
  const Vector3d slender{0.001, 0.001, 0.001};
  tree.bodies.push_back(sample::body_at(-1, Vector3d::Zero(), 2.0, {0.1, 0.1, 0.15}));
  tree.bodies.push_back(sample::body_at(0, {0.2, 0.0, 0.0}, 0.2, slender));
  tree.bodies.push_back(sample::body_at(1, {0.1, 0.0, 0.0}, 0.2, slender));
  tree.bodies.push_back(sample::body_at(0, {0.2, 0.3, 0.0}, 0.2, slender));
  tree.loops.push_back({2, 3, {0.3, 0.0, 0.0}, {0.12, 0.0, 0.0}});
  tree.roles = {Role::imposed, Role::loop, Role::loop};
  return tree;
}

void crank(double t, Input& input) {
  input.r(0) = 0.4 * std::sin(t);
  input.rdot(0) = 0.4 * std::cos(t);
  input.rddot(0) = -0.4 * std::sin(t);
}

Start start_of(const Model& model) {
  Start start;
  start.at = sample::at_origin(model);
  start.at.passive << 1.5, 0.0;
  start.without_momentum = true;
  return start;
}

MultibodySystem run_of(const Model& model) {
  SystemOptions options;
  options.duration = 2.0;
  options.drawn.resize(model.bodies.size());
  return MultibodySystem(model, crank, start_of(model), options);
}

/// Where the centre of mass is, in the axes of the world.
Vector3d centre_of(const Model& model, const MultibodySystem& system) {
  std::vector<Pose> pose(model.bodies.size());
  Vector3d sum = Vector3d::Zero();
  for (std::size_t j = 0; j < pose.size(); ++j) {
    pose[j] =
        j == 0 ? system.configuration().g
               : pose[static_cast<std::size_t>(model.bodies[j].parent)] * system.data().body[j].g;
    sum += model.bodies[j].m * (pose[j].p + pose[j].R * model.bodies[j].c);
  }
  return sum / model.mass;
}

TEST(Loop, WithoutMomentumTheCentreOfMassStands) {
  const Model model(four_bar_on_a_frame());
  MultibodySystem system = run_of(model);
  ASSERT_TRUE(system.start_outcome().ok());
  ASSERT_GT(std::abs(system.data().rdot(2)), 0.1) << "the rocker moves at the start";
  const Vector3d centre = centre_of(model, system);
  while (system.step_count() < 200) ASSERT_EQ(system.step().status, Status::ok);
  EXPECT_LE((centre_of(model, system) - centre).norm(), 1e-9);
}

/// The same with a wheel at its back and one on the rocker, off its pivot.
Tree wheeled_four_bar() {
  Tree tree = four_bar_on_a_frame();
  tree.wheels = {sample::wheel_on(3, 0.06, 0.02), sample::wheel_on(0, -0.3, 0.0)};
  return tree;
}

TEST(Loop, AWheelOnItsRockerDoesNotSlide) {
  const Model model(wheeled_four_bar());
  MultibodySystem system = run_of(model);
  ASSERT_TRUE(system.start_outcome().ok());
  EXPECT_EQ(system.classification().which, Case::under_constrained);
  EXPECT_EQ(system.classification().rank, 2);
  const Data& data = system.data();
  double slip = data.constraint_residual;
  while (system.step_count() < 200) {
    ASSERT_EQ(system.step().status, Status::ok);
    slip = std::max(slip, data.constraint_residual);
    EXPECT_NEAR(data.power_energy, data.power_servo, 1e-12 * (1.0 + data.power_scale));
  }
  EXPECT_LE(slip, 1e-12);
  EXPECT_TRUE(system.warnings().empty());
}

// A frame that stands, while the crank moves the rocker, is a frame whose rocker's wheel slides.
TEST(Loop, TheNearestTwistKnowsTheRockersRate) {
  const Model model(wheeled_four_bar());
  Data data(model);
  Configuration at = start_of(model).at;
  ASSERT_TRUE(close_loops(model, crank, 0.0, at, data).ok());
  const Classification as = classify(model, crank, at, 2.0, {}, data);
  Data fresh(model);
  at.eta = nearest_twist(model, as, crank, 0.0, at, fresh);
  EXPECT_GT(at.eta.norm(), 1e-3);
  ASSERT_TRUE(evaluate(model, as, crank, 0.0, at, {}, data).ok());
  EXPECT_LE(data.constraint_residual, 1e-14);
}

TEST(Loop, AFollowerInsideIsRefused) {
  Tree tree = wheeled_four_bar();
  tree.wheels.insert(tree.wheels.begin(), sample::wheel_on(2));
  tree.roles = {Role::imposed, Role::follower, Role::loop};
  EXPECT_THROW(Model{tree}, Error);
}

}  // namespace wheeled_loop_test
}  // namespace coluber::multibody
