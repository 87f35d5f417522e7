// Joints between the reference body and a wheel: which there may be, and that their torques carry
// the wheel's force.

#include <random>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/multibody/evaluate.hpp"

#include "sample/trees.hpp"

namespace coluber::multibody {
namespace wheel_path_test {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// A platform with one more body, which carries a wheel.
Tree with_wheel_on(Joint joint, const Vector3d& turned) {
  Tree tree;
  tree.bodies.push_back(sample::body_at(-1, Vector3d::Zero(), 1.0, {0.1, 0.1, 0.1}));
  tree.bodies.push_back(sample::body_at(0, {0.2, 0.1, 0.0}, 0.5, {0.01, 0.01, 0.01}));
  tree.bodies.back().joint = joint;
  tree.bodies.back().joint_frame.R = math::exp(turned);
  // the wheel's own body is level again
  tree.bodies.push_back(sample::body_at(1, {0.1, 0.0, 0.0}, 0.2, {0.01, 0.01, 0.01}));
  tree.bodies.back().joint = Joint::fixed;
  tree.bodies.back().joint_frame.R = math::exp(Vector3d(-turned));
  tree.wheels.push_back(sample::wheel_on(2));
  return tree;
}

TEST(WheelPath, MayTurnAboutUprightAxesAndSlideAlongLevelOnes) {
  const Vector3d upright = Vector3d::Zero();
  const Vector3d level{0.0, 0.5 * sample::pi, 0.0};
  EXPECT_NO_THROW(Model{with_wheel_on(Joint::revolute, upright)});
  EXPECT_NO_THROW(Model{with_wheel_on(Joint::prismatic, level)});
  EXPECT_NO_THROW(Model{with_wheel_on(Joint::fixed, level)});
  EXPECT_THROW(Model{with_wheel_on(Joint::revolute, level)}, Error);
  EXPECT_THROW(Model{with_wheel_on(Joint::prismatic, upright)}, Error);
  EXPECT_THROW(Model{with_wheel_on(Joint::cylindrical, upright)}, Error) << "it lifts the wheel";
  EXPECT_THROW(Model{with_wheel_on(Joint::cylindrical, level)}, Error) << "it tilts the wheel";
}

// Wheels behind slides and turns, one of them on a body that is upside down: the torques supply
// the power whatever the rates.
TEST(WheelPath, TorquesOfSlidesAndTurnsCarryTheWheelsForces) {
  std::mt19937_64 random(7);
  Tree tree;
  const auto add = [&](int parent, Joint joint, const Matrix3d& R) {
    const double m = sample::uniform(random, 0.2, 1.0);
    Body body = sample::body_at(parent, sample::random_vector(random, 3, 0.4), m);
    body.joint = joint;
    body.joint_frame.R = R;
    body.c = sample::random_vector(random, 3, 0.1);
    body.I_c = Vector3d{0.02, 0.03, 0.04}.asDiagonal();
    tree.bodies.push_back(body);
    return static_cast<int>(tree.bodies.size()) - 1;
  };
  const Matrix3d level = math::exp(Vector3d{0.0, 0.5 * sample::pi, 0.0});
  const Matrix3d over = math::exp(Vector3d{sample::pi, 0.0, 0.0});
  const auto about = [](double angle) { return math::exp(Vector3d{0.0, 0.0, angle}); };
  add(-1, Joint::fixed, Matrix3d::Identity());
  const int slide = add(0, Joint::prismatic, about(0.4) * level);
  const int on_slide = add(slide, Joint::fixed, level.transpose());
  const int turn = add(on_slide, Joint::revolute, about(0.7));
  const int under = add(0, Joint::revolute, over * about(-0.3));
  const int last = add(under, Joint::revolute, about(0.9));
  tree.wheels = {sample::wheel_on(turn, 0.1, 0.02), sample::wheel_on(last, -0.1, 0.05)};
  const Model model(tree);
  ASSERT_EQ(model.coordinates, 4);
  Data data(model);
  const VectorXd rest = VectorXd::Zero(4);
  const Classification as =
      classify(model, sample::frozen(rest, rest, rest), sample::at_origin(model), 1.0, {}, data);
  ASSERT_EQ(as.which, Case::under_constrained);
  double carried = 0.0;
  for (int k = 0; k < 100; ++k) {
    const Program program =
        sample::frozen(sample::random_vector(random, 4, 0.5), sample::random_vector(random, 4, 1.0),
                       sample::random_vector(random, 4, 1.0));
    Configuration at = sample::at_origin(model);
    at.eta = sample::random_vector(random, 6, 1.0);
    at.eta.segment<3>(2).setZero();
    at.eta = nearest_twist(model, as, program, 0.0, at, data);
    ASSERT_TRUE(evaluate(model, as, program, 0.0, at, {}, data).ok());
    EXPECT_LE(data.constraint_residual, 1e-13);
    EXPECT_LE(data.root_residual, 1e-12 * data.wrench_scale);
    EXPECT_LE(std::abs(data.power_energy - data.power_servo), 1e-12 * data.power_scale);
    double free = 0.0;  // power of the torques without the wheels' forces
    for (std::size_t i = 0; i < model.body_of.size(); ++i) {
      const auto& body = data.body[static_cast<std::size_t>(model.body_of[i])];
      free += body.F(model.axis_of[i]) * data.rdot(static_cast<Eigen::Index>(i));
    }
    carried = std::max(carried, std::abs(free - data.power_energy));
  }
  EXPECT_GT(carried, 1e-2) << "the wheels' forces would not be missed";
}

}  // namespace wheel_path_test
}  // namespace coluber::multibody
