#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"

#include "sample/snake.hpp"

namespace coluber::planar {
namespace kinematics_test {

using sample::kDegree;

TEST(PlanarKinematics, NeighboursMeetInTheirJoint) {
  std::mt19937_64 random(3);
  const Model model = sample::odd_links(9, random);
  Pose pose;
  pose.resize(9);
  compute_pose(model, {0.3, -0.2, 1.1}, sample::Wave{}.angles(8), pose);
  for (int i = 0; i + 1 < 9; ++i) {
    const Link& a = model.links[static_cast<std::size_t>(i)];
    const Link& b = model.links[static_cast<std::size_t>(i + 1)];
    const Vector2d front =
        pose.r.col(i) + (a.L / 2 - a.offset) * Vector2d{pose.cos(i), pose.sin(i)};
    const Vector2d rear =
        pose.r.col(i + 1) - (b.L / 2 + b.offset) * Vector2d{pose.cos(i + 1), pose.sin(i + 1)};
    EXPECT_LE((front - rear).norm(), 1e-15);
    EXPECT_NEAR(pose.theta(i + 1) - pose.theta(i), sample::Wave{}.angle(i, 0.0), 1e-15);
  }
}

TEST(PlanarKinematics, StartPoseOfTheObstacleRunsIsTheClosedForm) {
  // transeth: theta_1 = pi + A cos(25°)/(2 sin(25°)), G_11 at the origin
  const Model model = sample::aiko();
  const State state = sample::course_start(model);
  Pose pose;
  compute_pose_at_time(model, state, 1e-3, pose);
  const std::array<double, 11> theta{222.89, 222.89, 192.25, 152.86, 132.86, 146.54,
                                     184.12, 218.77, 225.71, 200.00, 160.00};
  for (int i = 0; i < 11; ++i) {
    EXPECT_NEAR(pose.theta(i) / kDegree, theta[static_cast<std::size_t>(i)], 0.006)
        << "link " << i + 1;
  }
  const Eigen::Matrix2Xd position = sample::link_positions(model, state, 1e-3);
  EXPECT_NEAR(position(0, 0), 1.0206, 6e-5);
  EXPECT_NEAR(position(1, 0), 0.1314, 6e-5);
  EXPECT_NEAR(position(0, 5), 0.5249, 6e-5);
  EXPECT_NEAR(position(1, 5), 0.1597, 6e-5);
  EXPECT_LE(position.col(10).norm(), 1e-15);
}

TEST(PlanarGap, SideAndCapsHaveTheirClosedForms) {
  const Link link = sample::aiko().links[0];
  const auto gap = [&](double x, double y) {
    return compute_gap(link, {0.0, 0.0}, 1.0, 0.0, Obstacle{{x, y}, 0.02});
  };
  EXPECT_NEAR(gap(0.01, 0.2).g, 0.2 - 0.02 - link.L_SC, 1e-15);
  EXPECT_NEAR(gap(0.01, -0.2).normal.y(), 1.0, 1e-15) << "from the obstacle to the link";
  EXPECT_NEAR(gap(0.01, 0.2).s_c, 0.01, 1e-15);
  EXPECT_NEAR(gap(0.3, 0.0).g, 0.3 - link.L_GS - 0.02 - link.L_SC, 1e-15);
  EXPECT_NEAR(gap(-0.3, 0.4).g, std::hypot(0.3 - link.L_GS, 0.4) - 0.02 - link.L_SC, 1e-15);
  EXPECT_TRUE(gap(0.0, 0.0).normal.allFinite()) << "an obstacle's centre on the core";
}

TEST(PlanarGap, ItsDirectionIsTheDerivativeOfTheGap) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  Link link = sample::aiko().links[0];
  for (int trial = 0; trial < 200; ++trial) {
    link.offset = 0.01 * unit(random);
    const Vector2d r{0.1 * unit(random), 0.1 * unit(random)};
    const double theta = 3.0 * unit(random);
    const Obstacle obstacle{{0.2 * unit(random), 0.2 * unit(random)}, 0.03};
    const auto at = [&](double dx, double dy, double dtheta) {
      return compute_gap(link, r + Vector2d{dx, dy}, std::cos(theta + dtheta),
                         std::sin(theta + dtheta), obstacle);
    };
    const Gap gap = at(0, 0, 0);
    if (gap.g + link.L_SC + 0.03 < 0.02) continue;  // near the core the direction turns fast
    const double h = 1e-6;
    const double torque_arm =
        gap.s_c * (gap.normal.y() * std::cos(theta) - gap.normal.x() * std::sin(theta));
    EXPECT_NEAR((at(h, 0, 0).g - at(-h, 0, 0).g) / (2 * h), gap.normal.x(), 1e-8);
    EXPECT_NEAR((at(0, h, 0).g - at(0, -h, 0).g) / (2 * h), gap.normal.y(), 1e-8);
    EXPECT_NEAR((at(0, 0, h).g - at(0, 0, -h).g) / (2 * h), torque_arm, 1e-8);
  }
}

TEST(PlanarModel, RefusesWhatIsNotPhysical) {
  Model model = sample::aiko(3);
  EXPECT_NO_THROW(require_valid(model));
  model.links[1].m = -1.0;
  EXPECT_THROW(require_valid(model), Error);
  model = sample::aiko(3);
  model.obstacles.push_back({{0.0, std::nan("")}, 0.1});
  EXPECT_THROW(require_valid(model), Error);
  EXPECT_THROW(require_valid(Model{}), Error);
  EXPECT_THROW(make_state(sample::aiko(3), Eigen::VectorXd::Zero(4), 0, {0.0, 0.0}, 0.0), Error);
  EXPECT_THROW(make_state(sample::aiko(3), Eigen::VectorXd::Zero(2), 3, {0.0, 0.0}, 0.0), Error);
}

TEST(ExplicitServo, TheLimitOnTheStepIsThatOfTheFastestJointMode) {
  // Two equal links, straight and free: by symmetry each turns by phi/2 against the other and both
  // centres stay on one line with the centre of mass, so T = ½ (Theta/2) phidot² and lambda =
  // 2/Theta.
  const Model model = sample::aiko(2);
  const Link& link = model.links[0];
  const State state = make_state(model, Eigen::VectorXd::Zero(1), 0, {0.0, 0.0}, 0.0);
  const double lambda = 2.0 / link.Theta;
  EXPECT_NEAR(explicit_servo_limit(model, state, 0.0, 2.0), 2.0 / (lambda * 2.0), 1e-9);
}

TEST(ExplicitServo, AikosLimitLiesBetweenTheStepsKnownToHoldAndToRunAway) {
  const Model model = sample::aiko();
  const double limit = explicit_servo_limit(model, sample::course_start(model), 800.0, 2.0);
  EXPECT_GT(limit, 3.0e-4);
  EXPECT_LT(limit, 4.0e-4);
}

}  // namespace kinematics_test
}  // namespace coluber::planar
