// Poses, joint axes and force directions of the snake in space against definitions and
// differences.

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "coluber/core/error.hpp"

#include "sample/spatial.hpp"
#include "spatial/rotation.hpp"

namespace coluber::spatial {
namespace kinematics_test {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector4d;
using sample::kDegree;
using Twist = nonsmooth::Twist<6>;

/// Body axes as columns.
Matrix3d axes_of(const Pose& pose, int i) {
  Matrix3d R;
  R << pose.e_x.col(i), pose.e_y.col(i), pose.e_z.col(i);
  return R;
}

Matrix3d turn_about(const Vector3d& axis, double angle) {
  return AngleAxisd(angle, axis).toRotationMatrix();
}

VectorXd random_angles(const Model& model, double size, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  VectorXd phi(model.angles());
  for (double& angle : phi) angle = size * unit(random);
  return phi;
}

Matrix3d random_rotation(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const Vector3d axis{unit(random), unit(random), unit(random)};
  return turn_about(axis.normalized(), 3.0 * unit(random));
}

Pose pose_of(const Model& model, const State& state) {
  Pose pose;
  pose.resize(model);
  compute_pose(model, state.r, state.p, state.phi, pose);
  return pose;
}

TEST(SpatialAxes, HeadingPitchAndRollMeanWhatTheySay) {
  const Matrix3d flat = compute_axes(0.0, 0.0, 0.0);
  EXPECT_EQ(flat.col(2), Vector3d::UnitX()) << "along the link";
  EXPECT_EQ(flat.col(1), Vector3d::UnitZ()) << "up";
  EXPECT_EQ(flat.col(0), Vector3d::UnitY()) << "left of it";
  const Matrix3d turned = compute_axes(90.0 * kDegree, 0.0, 0.0);
  EXPECT_LE((turned.col(2) - Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_LE((turned.col(0) + Vector3d::UnitX()).norm(), 1e-15);
  const Matrix3d pitched = compute_axes(180.0 * kDegree, 30.0 * kDegree, 0.0);
  EXPECT_LE((pitched.col(2) - Vector3d{-std::sqrt(0.75), 0.0, 0.5}).norm(), 1e-15) << "nose up";
  // U-shaped rolling starts rolled by -90 deg: e_x downwards.
  const Matrix3d rolled = compute_axes(180.0 * kDegree, 0.0, -90.0 * kDegree);
  EXPECT_LE((rolled.col(0) + Vector3d::UnitZ()).norm(), 1e-15);
  EXPECT_LE((rolled.col(2) + Vector3d::UnitX()).norm(), 1e-15);
}

TEST(SpatialAxes, AreARightHandedFrameRolledAboutItsOwnAxis) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> angle(-3.0, 3.0);
  for (int trial = 0; trial < 100; ++trial) {
    const double heading = angle(random);
    const double pitch = 0.5 * angle(random);
    const double roll = angle(random);
    const Matrix3d R = compute_axes(heading, pitch, roll);
    EXPECT_LE((R.transpose() * R - Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_NEAR(R.determinant(), 1.0, 1e-14);
    const Matrix3d expected =
        compute_axes(heading, pitch, 0.0) * turn_about(Vector3d::UnitZ(), roll);
    EXPECT_LE((R - expected).norm(), 1e-14);
  }
}

TEST(SpatialPose, APositiveYawTurnsTheNextLinkCounterClockwiseAndAPositivePitchDownwards) {
  const Model model = sample::make_aiko(2);
  const Matrix3d R = compute_axes(0.0, 0.0, 0.0);
  VectorXd phi(2);
  phi << 0.3, 0.0;
  Pose pose = pose_of(model, make_state(model, phi, 0, Vector3d::Zero(), R));
  EXPECT_LE((pose.e_z.col(1) - Vector3d{std::cos(0.3), std::sin(0.3), 0.0}).norm(), 1e-15);
  phi << 0.0, 0.3;
  pose = pose_of(model, make_state(model, phi, 0, Vector3d::Zero(), R));
  EXPECT_LE((pose.e_z.col(1) - Vector3d{std::cos(0.3), 0.0, -std::sin(0.3)}).norm(), 1e-15);
}

class SpatialPoses : public testing::TestWithParam<Joint> {};

TEST_P(SpatialPoses, EveryJointIsTheYawThenThePitchAndIsClosed) {
  // R_(i+1) = R_i R_y(phi_h) R_x(phi_v)  Transeth (4.92)-(4.95), on both sides of the middle link
  std::mt19937_64 random(2);
  for (const int n : {1, 2, 3, 6, 11}) {
    const Model model = sample::make_odd_links(n, GetParam(), random);
    const VectorXd phi = random_angles(model, 1.5, random);
    const Pose pose =
        pose_of(model, make_state(model, phi, n / 2, {0.3, -0.2, 0.5}, random_rotation(random)));
    for (int i = 0; i + 1 < n; ++i) {
      const int a = model.axes();
      const double phi_v = a == 2 ? phi(a * i + 1) : 0.0;
      const Matrix3d expected = axes_of(pose, i) * turn_about(Vector3d::UnitY(), phi(a * i)) *
                                turn_about(Vector3d::UnitX(), phi_v);
      EXPECT_LE((axes_of(pose, i + 1) - expected).norm(), 1e-14) << "joint " << i + 1;
      const Link& lower = model.links[static_cast<std::size_t>(i)];
      const Link& upper = model.links[static_cast<std::size_t>(i + 1)];
      // the middle of a link is `offset` behind its centre of gravity
      const Vector3d end =
          pose.centre(i) + (0.5 * lower.L - lower.offset) * Vector3d{pose.e_z.col(i)};
      const Vector3d start =
          pose.centre(i + 1) - (0.5 * upper.L + upper.offset) * Vector3d{pose.e_z.col(i + 1)};
      EXPECT_LE((end - start).norm(), 1e-15) << "joint " << i + 1;
    }
  }
}

TEST_P(SpatialPoses, MakeStatePutsAnyLinkWhereItShouldBeAtRest) {
  std::mt19937_64 random(3);
  const Model model = sample::make_odd_links(7, GetParam(), random);
  for (int link = 0; link < 7; ++link) {
    const Vector3d place{0.1 * link, -0.3, 0.7};
    const Matrix3d R = random_rotation(random);
    const State state = make_state(model, random_angles(model, 1.0, random), link, place, R);
    const Pose pose = pose_of(model, state);
    EXPECT_LE((pose.centre(link) - place).norm(), 1e-14);
    EXPECT_LE((axes_of(pose, link) - R).norm(), 1e-14);
    EXPECT_EQ(state.twist, Twist::Zero());
    EXPECT_EQ(state.v.norm() + state.omega.norm() + state.l.norm(), 0.0);
    EXPECT_EQ(state.k, 0);
  }
}

TEST_P(SpatialPoses, JointTwistsAreTheDerivativesOfThePoses) {
  std::mt19937_64 random(4);
  const Model model = sample::make_odd_links(6, GetParam(), random);
  const State state = make_state(model, random_angles(model, 1.0, random), 2, {0.1, 0.2, 2.0},
                                 random_rotation(random));
  Data data(model);
  make_problem(model, state, JointCommand(model.angles()), {}, data);
  const double h = 1e-6;
  for (int j = 0; j < model.angles(); ++j) {
    const auto moved = [&](double by) {
      State other = state;
      other.phi(j) += by;
      return pose_of(model, other);
    };
    const Pose plus = moved(h);
    const Pose minus = moved(-h);
    // unit rate of this angle, nothing else
    nonsmooth::Solution<6> solution;
    solution.resize(data.problem.nodes.size(), 0);
    for (std::size_t k = 0; k + 1 < data.problem.nodes.size(); ++k) {
      solution.rate[k] = data.angle_of_node[k] == j ? 1.0 : 0.0;
    }
    nonsmooth::update_twists(data.problem, solution);
    for (std::size_t k = 0; k < data.problem.nodes.size(); ++k) {
      const int i = data.link_of_node[k];
      if (i < 0) continue;
      const Vector3d omega = solution.twist[k].head<3>();
      const Vector3d v = solution.twist[k].tail<3>() + omega.cross(Vector3d{data.pose.r.col(i)});
      EXPECT_LE((v - (plus.centre(i) - minus.centre(i)) / (2.0 * h)).norm(), 1e-9);
      const Matrix3d Rdot = (axes_of(plus, i) - axes_of(minus, i)) / (2.0 * h);
      for (int axis = 0; axis < 3; ++axis) {
        const Vector3d e = axes_of(data.pose, i).col(axis);
        EXPECT_LE((Vector3d{Rdot.col(axis)} - omega.cross(e)).norm(), 1e-9)
            << "angle " << j << " link " << i + 1;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Joints, SpatialPoses, testing::Values(Joint::yaw, Joint::cardan),
                         [](const auto& joint) {
                           return joint.param == Joint::yaw ? "Yaw" : "Cardan";
                         });

TEST(EulerParameters, GiveTheRotationOfTheThesis) {
  // Transeth (4.3), (4.4): R = H Hbar^T, H = [-e, skew(e) + e0 I], Hbar = [-e, -skew(e) + e0 I]
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const Model model = sample::make_aiko(3);
    const Matrix3d R = random_rotation(random);
    const State state = make_state(model, VectorXd::Zero(4), 1, Vector3d::Zero(), R);
    const Pose pose = pose_of(model, state);
    for (const Vector4d& p : {Vector4d{state.p}, compute_euler_parameters(pose, 1)}) {
      EXPECT_NEAR(p.norm(), 1.0, 1e-15);
      const Vector3d e = p.tail<3>();
      Matrix3d skew;
      skew << 0.0, -e.z(), e.y(), e.z(), 0.0, -e.x(), -e.y(), e.x(), 0.0;
      Eigen::Matrix<double, 3, 4> H;
      Eigen::Matrix<double, 3, 4> Hbar;
      H << -e, skew + p(0) * Matrix3d::Identity();
      Hbar << -e, -skew + p(0) * Matrix3d::Identity();
      EXPECT_LE((H * Hbar.transpose() - R).norm(), 1e-14);
    }
    EXPECT_GE(compute_euler_parameters(pose, 1)(0), 0.0);
  }
}

TEST(EulerParameters, AFlatLinkAlongXHasFourHalves) {
  const Model model = sample::make_aiko(1);
  const State state =
      make_state(model, VectorXd(0), 0, Vector3d::Zero(), compute_axes(0.0, 0.0, 0.0));
  const Vector4d p = compute_euler_parameters(pose_of(model, state), 0);
  EXPECT_LE((p - Vector4d::Constant(0.5)).norm(), 1e-15);
}

TEST(EulerParameters, StayOfUnitLengthAndTurnExactlyThroughAMillionTurns) {
  // Constant omega: a million turns by 1e-3 |omega| end where one large turn ends.
  const Vector3d omega{3.0, -2.0, 5.0};
  Vector4d p = Vector4d::UnitX();
  for (int k = 0; k < 1000000; ++k) p = turn(p, 1e-3 * omega);
  EXPECT_NEAR(p.norm(), 1.0, 1e-15);
  const Matrix3d expected = turn_about(omega.normalized(), 1e3 * omega.norm());
  EXPECT_LE((to_matrix(p) - expected).norm(), 1e-9);
}

TEST(EulerParameters, SmallAndLargeTurnsMeetWithoutAJump) {
  std::mt19937_64 random(6);
  for (const double angle : {1e-12, 1e-6, 1.999e-4, 2.001e-4, 1e-2, 1.0, 3.0}) {
    const Vector3d axis = random_rotation(random).col(0);
    const Vector4d p = turn(Vector4d::UnitX(), angle * axis);
    // half the angle, up to 1.5 rad, is known to its rounding
    EXPECT_NEAR(p(0), std::cos(0.5 * angle), 4e-16);
    EXPECT_LE((p.tail<3>() - std::sin(0.5 * angle) * axis).norm(), 4e-16 * angle + 1e-28);
  }
}

TEST(PoseAtTime, LiesHalfAStepBehindTheMiddleOfTheComingStep) {
  std::mt19937_64 random(7);
  const Model model = sample::make_aiko(4);
  State state = make_state(model, random_angles(model, 0.5, random), 0, {0.0, 0.0, 1.0},
                           random_rotation(random));
  Twist twist;
  twist << 1.0, -2.0, 0.5, 0.3, 0.2, -0.1;
  const VectorXd phidot = random_angles(model, 2.0, random);
  sample::set_motion(model, twist, phidot, 0.0, state);
  const double dt = 1e-3;
  Pose pose;
  compute_pose_at_time(model, state, dt, pose);
  State back = state;
  back.r -= 0.5 * dt * twist.tail<3>();
  back.phi -= 0.5 * dt * phidot;
  const Matrix3d R = turn_about(twist.head<3>().normalized(), -0.5 * dt * twist.head<3>().norm()) *
                     axes_of(pose_of(model, state), model.base());
  EXPECT_LE((axes_of(pose, model.base()) - R).norm(), 1e-15);
  const State expected = make_state(model, back.phi, model.base(), back.r, R);
  const Pose there = pose_of(model, expected);
  for (int i = 0; i < 4; ++i) {
    EXPECT_LE((pose.centre(i) - there.centre(i)).norm(), 1e-15);
    EXPECT_LE((axes_of(pose, i) - axes_of(there, i)).norm(), 1e-14);
  }
}

/// A robot low over the ground between cylinders, in random motion.
struct Touching {
  Model model;
  State state;
  Twist twist;
  VectorXd phidot;
};

Touching make_touching(std::mt19937_64& random, Joint joint, bool spheres) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  Touching scene{sample::make_odd_links(5, joint, random), {}, Twist::Zero(), {}};
  Model& model = scene.model;
  model.mu_T << 0.2, 0.5;
  for (Link& link : model.links) link.spheres = spheres;
  scene.state =
      make_state(model, random_angles(model, 0.15, random), 2, {unit(random), unit(random), 0.06},
                 compute_axes(unit(random), 0.1 * unit(random), unit(random)));
  const Pose pose = pose_of(model, scene.state);
  for (int i = 0; i < model.n(); ++i) {
    const Vector2d across{pose.e_z(1, i), -pose.e_z(0, i)};
    const double way = model.links[0].L_SC + 0.03 + 0.015 * unit(random);
    model.obstacles.push_back({pose.centre(i).head<2>() + way * across.normalized() +
                                   0.04 * unit(random) * pose.e_z.col(i).head<2>(),
                               0.03, 0.3});
  }
  for (double& entry : scene.twist) entry = unit(random);
  scene.phidot = random_angles(model, 1.0, random);
  sample::set_motion(model, scene.twist, scene.phidot, 0.0, scene.state);
  return scene;
}

/// Configuration after `by` seconds of the scene's motion.
Pose moved(const Touching& scene, double by) {
  State state = scene.state;
  state.r += by * scene.twist.tail<3>();
  state.p = turn(state.p, by * scene.twist.head<3>());
  state.phi += by * scene.phidot;
  return pose_of(scene.model, state);
}

double gap(const Touching& scene, const Pose& pose, SurfaceIndex surface,
           const world::SurfacePoint& of) {
  std::vector<world::PlacedLink> placed;
  for (int i = 0; i < scene.model.n(); ++i) {
    const Link& link = scene.model.links[static_cast<std::size_t>(i)];
    world::PlacedLink place;
    place.centre = pose.centre(i);
    place.axis = pose.e_z.col(i);
    place.rear = -link.L_GS - link.offset;
    place.front = link.L_GS - link.offset;
    place.radius = link.L_SC;
    place.spheres = link.spheres;
    placed.push_back(place);
  }
  world::Plane plane;
  world::Cylinders cylinders(scene.model.obstacles);
  world::SurfacePoints found;
  world::Surface& there = surface == kGround ? static_cast<world::Surface&>(plane)
                                             : static_cast<world::Surface&>(cylinders);
  there.find(placed, 1.0, found);
  for (const world::SurfacePoint& point : found.points) {
    if (point.link == of.link && point.key == of.key) return point.g;
  }
  ADD_FAILURE() << "no such point";
  return 0.0;
}

TEST(ForceDirections, NormalVelocitiesAreTheRatesOfTheGaps) {
  std::mt19937_64 random(8);
  int counted[kSurfaces] = {0, 0};
  for (int trial = 0; trial < 40; ++trial) {
    const Touching scene =
        make_touching(random, trial % 2 == 0 ? Joint::cardan : Joint::yaw, trial % 4 < 2);
    Data data(scene.model);
    make_problem(scene.model, scene.state, JointCommand(scene.model.angles()), {}, data);
    const double h = 1e-6;
    const Pose plus = moved(scene, h);
    const Pose minus = moved(scene, -h);
    for (std::size_t c = 0; c < data.problem.contacts.size(); ++c) {
      const Data::Origin& origin = data.origin[c];
      if (origin.part != Data::Origin::Part::whole) continue;
      const world::SurfacePoint& point =
          data.near[origin.surface].found.points[static_cast<std::size_t>(origin.point)];
      const Vector3d omega = scene.state.omega.col(point.link);
      Twist u;  // of the link, taken at the middle link's centre
      u << omega, Vector3d{scene.state.v.col(point.link)} -
                      omega.cross(Vector3d{data.pose.r.col(point.link)});
      const double rate =
          (gap(scene, plus, origin.surface, point) - gap(scene, minus, origin.surface, point)) /
          (2.0 * h);
      EXPECT_NEAR(data.problem.contacts[c].w_N.dot(u), rate, 1e-8);
      ++counted[origin.surface];
    }
  }
  EXPECT_GT(counted[kGround], 50);
  EXPECT_GT(counted[kCylinders], 50);
}

TEST(ForceDirections, TangentialVelocitiesAreThoseOfTheMaterialPointThatTouches) {
  // Along and across the link on the ground, along the horizontal tangent and the vertical on a
  // cylinder; each direction carries its coefficient.
  std::mt19937_64 random(9);
  int counted[kSurfaces] = {0, 0};
  for (int trial = 0; trial < 40; ++trial) {
    const Touching scene =
        make_touching(random, trial % 2 == 0 ? Joint::cardan : Joint::yaw, trial % 4 < 2);
    Data data(scene.model);
    make_problem(scene.model, scene.state, JointCommand(scene.model.angles()), {}, data);
    const double h = 1e-6;
    const Pose plus = moved(scene, h);
    const Pose minus = moved(scene, -h);
    for (std::size_t c = 0; c < data.problem.contacts.size(); ++c) {
      const Data::Origin& origin = data.origin[c];
      const auto& contact = data.problem.contacts[c];
      const world::SurfacePoint& point =
          data.near[origin.surface].found.points[static_cast<std::size_t>(origin.point)];
      const int i = point.link;
      const Link& link = scene.model.links[static_cast<std::size_t>(i)];
      const Vector3d omega = scene.state.omega.col(i);
      Twist u;
      u << omega, Vector3d{scene.state.v.col(i)} - omega.cross(Vector3d{data.pose.r.col(i)});
      if (origin.part == Data::Origin::Part::rolling) {
        // gamma_V = L_SC (-omega_y, omega_x)  Transeth (4.43)-(4.45)
        EXPECT_NEAR(contact.w_1.dot(u), -scene.model.mu_V * link.L_SC * omega.y(), 1e-15);
        EXPECT_NEAR(contact.w_2.dot(u), scene.model.mu_V * link.L_SC * omega.x(), 1e-15);
        continue;
      }
      // the point in the link's own axes, followed through the motion
      const Vector3d place =
          data.pose.centre(i) + point.s * Vector3d{data.pose.e_z.col(i)} - link.L_SC * point.normal;
      const Vector3d own = axes_of(data.pose, i).transpose() * (place - data.pose.centre(i));
      const Vector3d velocity =
          (plus.centre(i) + axes_of(plus, i) * own - minus.centre(i) - axes_of(minus, i) * own) /
          (2.0 * h);
      Vector3d t_1;
      Vector3d t_2 = Vector3d::UnitZ();
      Vector2d mu{0.3, 0.3};
      if (origin.surface == kGround) {
        t_1 = Vector3d{data.pose.e_z(0, i), data.pose.e_z(1, i), 0.0}.normalized();
        t_2 = Vector3d{-t_1.y(), t_1.x(), 0.0};
        mu = scene.model.mu_T;
      } else {
        t_1 = Vector3d{-point.normal.y(), point.normal.x(), 0.0};
      }
      EXPECT_NEAR(contact.w_1.dot(u), mu.x() * t_1.dot(velocity), 1e-8);
      EXPECT_NEAR(contact.w_2.dot(u), mu.y() * t_2.dot(velocity), 1e-8);
      ++counted[origin.surface];
    }
  }
  EXPECT_GT(counted[kGround], 50);
  EXPECT_GT(counted[kCylinders], 50);
}

TEST(SpatialInertia, TheKineticEnergyOfAProblemIsThatOfItsLinks) {
  std::mt19937_64 random(10);
  const Touching scene = make_touching(random, Joint::cardan, false);
  Data data(scene.model);
  make_problem(scene.model, scene.state, JointCommand(scene.model.angles()), {}, data);
  double sum = 0.0;
  double expected = 0.0;
  for (std::size_t k = 0; k < data.problem.nodes.size(); ++k) {
    const int i = data.link_of_node[k];
    if (i < 0) {
      EXPECT_EQ(data.problem.nodes[k].M.norm(), 0.0) << "between two axes of a joint";
      continue;
    }
    const Link& link = scene.model.links[static_cast<std::size_t>(i)];
    const Vector3d omega = scene.state.omega.col(i);
    const Vector3d v = scene.state.v.col(i);
    Twist u;
    u << omega, v - omega.cross(Vector3d{data.pose.r.col(i)});
    sum += 0.5 * u.dot(data.problem.nodes[k].M * u);
    const Vector3d own = axes_of(data.pose, i).transpose() * omega;
    expected += 0.5 * link.m * v.squaredNorm() +
                0.5 * link.Theta_psi * own.head<2>().squaredNorm() +
                0.5 * link.Theta_rho * own.z() * own.z();
    EXPECT_LE((data.problem.nodes[k].M - data.problem.nodes[k].M.transpose()).norm(), 1e-16);
  }
  EXPECT_NEAR(sum, expected, 1e-14);
}

TEST(Penetration, IsTheDeepestOverlapOfAPose) {
  Model model = sample::make_aiko(3);
  model.obstacles = {{{0.0, 0.1}, 0.05, 0.0}, {{5.0, 5.0}, 0.1, 0.0}};
  const State state = make_state(model, VectorXd::Zero(4), 1, {0.0, 0.0, 0.0525 - 0.002},
                                 compute_axes(0.0, 1e-3, 0.0));
  const auto depth = compute_penetration(model, pose_of(model, state));
  EXPECT_NEAR(depth[kGround], 0.002 + (0.122 + 0.0393) * std::sin(1e-3), 1e-15) << "the rear end";
  EXPECT_NEAR(depth[kCylinders], 0.0525 + 0.05 - 0.1, 1e-15);
  const State high =
      make_state(model, VectorXd::Zero(4), 1, {1.0, -1.0, 1.0}, compute_axes(0.0, 0.0, 0.0));
  const auto none = compute_penetration(model, pose_of(model, high));
  EXPECT_EQ(none[kGround], 0.0);
  EXPECT_EQ(none[kCylinders], 0.0);
}

TEST(SpatialModel, WhatNoRobotHasIsRefusedByName) {
  const auto refused = [](auto&& spoil) {
    Model model = sample::make_aiko(3);
    model.obstacles = {{{0.0, 1.0}, 0.1, 0.2}};
    EXPECT_NO_THROW(require_valid(model));
    spoil(model);
    try {
      require_valid(model);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(refused([](Model& m) { m.links[1].m = 0.0; }).find("link mass of number 2"),
            std::string::npos);
  EXPECT_NE(refused([](Model& m) { m.links[2].Theta_rho = 3e-3; }).find("inertia_axial"),
            std::string::npos)
      << "more than twice the inertia across";
  EXPECT_NE(refused([](Model& m) { m.mu_V = -0.1; }).find("rolling friction"), std::string::npos);
  EXPECT_NE(refused([](Model& m) { m.obstacles[0].L_H = 0.0; }).find("obstacle radius"),
            std::string::npos);
  EXPECT_NE(refused([](Model& m) { m.tilt = 1.6; }).find("tilt"), std::string::npos);
  EXPECT_NE(refused([](Model& m) { m.links.clear(); }).find("at least one link"),
            std::string::npos);
  EXPECT_NE(refused([](Model& m) {
              m.load_sharing = LoadSharing::equal;
              m.links[0].offset = 0.05;
            }).find("cg_offset"),
            std::string::npos);
}

}  // namespace kinematics_test
}  // namespace coluber::spatial
