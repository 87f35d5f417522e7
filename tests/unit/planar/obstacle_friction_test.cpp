// Friction between links and obstacles: |P_T| <= mu P_N along the tangent of the contact.

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/planar/system.hpp"

#include "sample/snake.hpp"
#include "support/arrows.hpp"

namespace coluber::planar {
namespace obstacle_friction_test {

constexpr double kRightAngle = 0.5 * std::numbers::pi;

/// One link lying on two pegs as a block lies on a floor, pulled by gravity down the slope at the
/// angle `beta` from straight onto the pegs; the ground itself is slippery.
Model block(double mu, double beta) {
  Model model = sample::aiko(1);
  model.mu_T = {0.0, 0.0};
  model.tilt = 0.5;
  model.tilt_direction = beta - kRightAngle;
  const double below = -(model.links[0].L_SC + 0.02);
  model.obstacles = {{{-0.028, below}, 0.02, mu}, {{0.028, below}, 0.02, mu}};
  return model;
}

TEST(ObstacleFriction, ABlockOnTwoPegsHoldsBelowTheConeAndSlidesAboveIt) {
  for (const double share : {0.99, 1.01}) {
    for (const double side : {1.0, -1.0}) {
      const double beta = side * std::atan(0.2 * share);
      const Model model = block(0.2, beta);
      State state = make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.0);
      Data data(model);
      const StepOptions options;
      double early = 0.0;
      for (int k = 0; k < 900; ++k) {
        ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
        if (k == 199) early = state.u(0);  // the pegs have taken up the load
      }
      const double pull = 9.81 * std::sin(0.5);  // N/kg
      if (share < 1.0) {
        EXPECT_LE(state.u.norm(), 1e-13) << "a set-valued law sticks; a smoothed one creeps";
      } else {
        // 0.7 s of sliding. The pegs yield by c P dt/beta, 0.2 µm more where the friction's moment
        // presses: the link leans by 3.4e-6 rad, which adds that share of the pull.
        const double gained = 0.7 * side * pull * (std::sin(std::abs(beta)) - 0.2 * std::cos(beta));
        EXPECT_NEAR(state.u(0) - early, gained, 0.7 * pull * 5e-6);
        EXPECT_NEAR(state.u(1), 0.0, 5e-6 * std::abs(state.u(0)) + 2e-8);
      }
      // the pegs carry the weight across, whatever its share along
      const Vector2d force = data.obstacle_impulse.col(0) / options.dt;
      EXPECT_NEAR(force.y(), model.links[0].m * pull * std::cos(beta), 1e-6);
    }
  }
}

TEST(ObstacleFriction, ADiscThrownAlongAWallSkidsThenRolls) {
  // A skid of deceleration mu g' and spin-up mu g' m r/Theta, until the rim is at rest on the wall;
  // from then on it rolls at v_0 k/(1 + k), k = m r²/Theta, without loss.
  Model model = sample::aiko(1);
  Link& link = model.links[0];
  link.L_GS = 0.0;
  model.mu_T = {0.0, 0.0};
  model.tilt = 0.5;
  model.tilt_direction = -kRightAngle;
  const double wall = 1e5;  // m; over 0.3 m its normal turns by 3e-6 rad
  model.obstacles = {{{0.0, -wall - link.L_SC}, wall, 0.3}};
  State state = make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.0);
  state.u << 1.0, 0.0, 0.0;
  state.twist << 0.0, 1.0, 0.0;
  state.base(0) += 0.5e-3;
  Data data(model);
  const double pull = 9.81 * std::sin(0.5);
  const double kappa = link.m * link.L_SC * link.L_SC / link.Theta;
  const double rolls = 1.0 / (0.3 * pull * (1.0 + kappa));  // s
  double skid_work = 0.0;
  const double settled = 0.1;  // s, the wall has taken up the load
  Vector3d start = Vector3d::Zero();
  for (int k = 1; k <= 500; ++k) {
    ASSERT_EQ(step(model, state, data, JointCommand(0), {}).status, Status::ok);
    const double t = k * 1e-3;
    skid_work += data.work.contact;
    if (k == 100) start = state.u;
    if (t > settled && t < rolls - 1e-3) {
      const double skid = t - settled;
      EXPECT_NEAR(state.u(0), start(0) - 0.3 * pull * skid, 1e-5) << t;
      EXPECT_NEAR(state.u(2), start(2) - 0.3 * pull * link.m * link.L_SC / link.Theta * skid, 1e-4)
          << t;
    } else if (t > rolls + 2e-3) {
      EXPECT_NEAR(state.u(0), kappa / (1.0 + kappa), 2e-5) << t;
      EXPECT_NEAR(state.u(0) + link.L_SC * state.u(2), 0.0, 1e-6) << "rim at rest, t = " << t;
    }
  }
  // what the skid took: ½ m v_0² /(1 + k)
  EXPECT_NEAR(skid_work, -0.5 * link.m / (1.0 + kappa), 1e-5);
}

TEST(ObstacleFriction, OneLinkHasNoSchemeErrorWhateverActsOnIt) {
  // No joints: every step's change of kinetic energy is the work of its impulses, to rounding.
  Model model = sample::aiko(1);
  model.friction_points = 2;
  model.tilt = 0.6;
  model.obstacles = {{{0.5, 0.01}, 0.05, 0.4}, {{0.75, -0.2}, 0.1, 0.2}};
  State state = make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.3);
  StepOptions options;
  options.activation = Activation::gap;
  Data data(model);
  double scheme = 0.0;
  double contact = 0.0;
  double friction = 0.0;
  double rubbed = 0.0;
  for (int k = 0; k < 2500; ++k) {
    ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
    scheme = std::max(scheme, std::abs(data.work.scheme));
    contact += data.work.contact;
    friction += data.work.friction;
    for (const ObstacleMemory& entry : state.near) rubbed += std::abs(entry.point.x_1.T.x());
  }
  EXPECT_LE(scheme, 3e-15) << "of energies of 1 J";
  EXPECT_LT(contact, -0.05);
  EXPECT_LT(friction, -0.05);
  EXPECT_GT(rubbed, 1e-3) << "it was meant to rub along a peg";
}

Model rough_course(double mu) {
  Model model = sample::aiko();
  model.obstacles = sample::course();
  for (Obstacle& obstacle : model.obstacles) obstacle.mu = mu;
  return model;
}

TEST(ObstacleFriction, StaysInTheConeOpposesTheSlipAndForgetsWhenOpen) {
  const Model model = rough_course(0.3);
  State state = sample::course_start(model);
  Data data(model);
  JointCommand command(10);
  const StepOptions options;
  int slips = 0;
  int opened = 0;
  double contact = 0.0;
  for (int k = 0; k < 5000; ++k) {
    sample::follow({}, (k + 1) * options.dt, command);
    const std::vector<ObstacleMemory> before = state.near;
    const nonsmooth::ContactStepInfo info = step(model, state, data, command, options);
    ASSERT_EQ(info.status, Status::ok);
    ASSERT_LE(info.residual, 1e-9);
    contact += data.work.contact;
    for (std::size_t c = 0; c < data.problem.contacts.size(); ++c) {
      const int near = data.near_of_contact[c];
      if (near < 0) continue;
      const auto& touch = data.problem.contacts[c];
      const auto& P = data.solution.impulse[c];
      const ObstacleMemory& entry = state.near[static_cast<std::size_t>(near)];
      EXPECT_EQ(entry.point.x_1, P);
      EXPECT_EQ(P.T.y(), 0.0) << "a plane has one tangent";
      EXPECT_LE(std::abs(P.T.x()), P.N + 1e-10 * data.problem.impulse_scale);
      const double gamma = touch.w_1.dot(data.solution.twist[static_cast<std::size_t>(entry.node)]);
      // power taken out by the slip at the end of the step; the anchor may give back this much
      const double give_back = touch.c_t * std::abs(P.T.x()) * std::abs(P.T.x() - touch.A.x());
      EXPECT_LE(P.T.x() * gamma, give_back + 1e-15);
      if (P.N > 0.0 && std::abs(P.T.x()) >= P.N * (1.0 - 1e-9)) ++slips;
      if (P.N == 0.0) {
        EXPECT_EQ(P.T.x(), 0.0) << "an open contact keeps no anchor";
        ++opened;
      }
    }
  }
  EXPECT_GT(slips, 100);
  EXPECT_GT(opened, 100);
  EXPECT_LT(contact, -0.1);
}

TEST(ObstacleFriction, ForgetsWhenOpenWhereClosedContactsAloneEnterTheStepToo) {
  // Rubs along a peg, is lifted off by a millimetre, still near: nothing of the anchor is left.
  Model model = sample::aiko(1);
  model.g = 0.0;
  const double radius = 0.02;
  model.obstacles = {{{0.0, -(model.links[0].L_SC + radius) + 1e-5}, radius, 0.3}};
  State state = make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.0);
  StepOptions options;
  options.activation = Activation::gap;
  Data data(model);
  state.u << 0.5, -0.1, 0.0;
  state.twist << 0.0, 0.5, -0.1;
  ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
  ASSERT_EQ(state.near.size(), 1U);
  ASSERT_GT(state.near[0].point.x_1.N, 1e-3);
  ASSERT_GT(std::abs(state.near[0].point.x_1.T.x()), 1e-4);
  ASSERT_EQ(state.near[0].point.closed, 1);
  state.base(1) += 1e-3;
  ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
  ASSERT_EQ(state.near.size(), 1U);
  EXPECT_EQ(state.near[0].point.x_1, nonsmooth::Impulse{});
  EXPECT_EQ(state.near[0].point.closed, 0);
  EXPECT_EQ(data.obstacle_impulse.norm(), 0.0);
}

TEST(ObstacleFriction, WithoutServosKineticEnergyNeverGrows) {
  Model model = rough_course(0.4);
  model.friction_points = 2;
  Data data(model);
  StepOptions options;
  options.activation = Activation::gap;
  State state = sample::course_start(model);
  for (int i = 0; i < model.n(); ++i) state.u.segment<3>(3 * i) << 1.0, 0.1, 0.0;
  state.twist << 0.0, 1.0, 0.1;
  const JointCommand off(10);
  double T = 0.0;
  for (const Link& link : model.links) T += 0.5 * link.m * 1.01;
  const double T_start = T;
  double touched = 0.0;
  for (int k = 0; k < 1500; ++k) {
    ASSERT_EQ(step(model, state, data, off, options).status, Status::ok);
    double give_back = 0.0;  // what the anchors can return: sum c_T |P_T| |P_T - A|
    for (std::size_t c = 0; c < data.problem.contacts.size(); ++c) {
      const auto& point = data.problem.contacts[c];
      const auto& P = data.solution.impulse[c];
      give_back += point.c_t * P.T.norm() * (P.T - point.A).norm();
    }
    EXPECT_LE(data.kinetic_energy - T, 1e-12 * T_start + give_back) << "step " << k;
    T = data.kinetic_energy;
    touched += data.obstacle_impulse.norm();
  }
  EXPECT_GT(touched, 0.01);
}

TEST(ObstacleFriction, TheMirroredSceneGivesTheMirroredRun) {
  Model model = rough_course(0.25);
  model.friction_points = 2;
  model.mu_T = {0.2, 0.3};
  Model mirrored = model;
  for (Obstacle& obstacle : mirrored.obstacles) obstacle.H.y() = -obstacle.H.y();
  State state = sample::course_start(model);
  const sample::Wave wave;
  sample::Wave opposite = wave;
  opposite.A = -wave.A;
  State other = make_state(mirrored, opposite.angles(10), model.base(),
                           {state.base(0), -state.base(1)}, -state.base(2));
  Data data(model);
  Data other_data(mirrored);
  JointCommand command(10);
  double rubbed = 0.0;
  for (int k = 0; k < 1500; ++k) {
    sample::follow(wave, (k + 1) * 1e-3, command);
    ASSERT_EQ(step(model, state, data, command, {}).status, Status::ok);
    sample::follow(opposite, (k + 1) * 1e-3, command);
    ASSERT_EQ(step(mirrored, other, other_data, command, {}).status, Status::ok);
    for (const ObstacleMemory& entry : state.near) rubbed += std::abs(entry.point.x_1.T.x());
  }
  Eigen::Matrix2Xd image = sample::link_positions(mirrored, other, 1e-3);
  image.row(1) *= -1.0;
  EXPECT_LE((sample::link_positions(model, state, 1e-3) - image).cwiseAbs().maxCoeff(), 1e-8)
      << "impacts multiply round-off";
  EXPECT_GT(rubbed, 0.01);
}

TEST(ObstacleFriction, DrawnContactsCarryTheWholeForce) {
  const Model model = block(0.3, 0.2);
  PlanarSystem system(model, make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.0), {});
  for (int k = 0; k < 300; ++k) ASSERT_EQ(system.step(JointCommand(0)).status, Status::ok);
  const std::vector<ContactSlot> slots = test::arrows_of(system, 0);
  const Vector2d sum = slots[0].force.head<2>() + slots[1].force.head<2>();
  const double weight = model.links[0].m * 9.81 * std::sin(0.5);
  EXPECT_NEAR(sum.x(), -weight * std::sin(0.2), 1e-6) << "friction holds it back";
  EXPECT_NEAR(sum.y(), weight * std::cos(0.2), 1e-6);
}

TEST(ObstacleFriction, RefusesANegativeCoefficient) {
  Model model = block(-0.1, 0.0);
  EXPECT_THROW(require_valid(model), Error);
}

}  // namespace obstacle_friction_test
}  // namespace coluber::planar
