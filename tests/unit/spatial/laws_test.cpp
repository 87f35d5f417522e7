// Laws of mechanics over whole runs in space: momentum, work, order, activation, symmetry.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "sample/spatial.hpp"

namespace coluber::spatial {
namespace laws_test {

using nonsmooth::Law;
using sample::kDegree;
using Twist = nonsmooth::Twist<6>;

/// Aiko flat on the ground with link 1 at +x, rough cylinders on both sides.
Model sidewinder() {
  Model model = sample::make_aiko();
  for (int j = 0; j < 6; ++j) {
    model.obstacles.push_back({{-0.2 * j, 0.18}, 0.04, 0.3});
    model.obstacles.push_back({{-0.2 * j - 0.1, -0.25}, 0.06, 0.0});
  }
  return model;
}

State lie(const Model& model) {
  return make_state(model, VectorXd::Zero(model.angles()), 0, {0.0, 0.0, 0.0525},
                    compute_axes(180.0 * kDegree, 0.0, 0.0));
}

/// Runs a gait for `seconds`, calling `each(info)` after every step.
template <typename Each>
void run(const Model& model, State& state, Data& data, const StepOptions& options, double seconds,
         Each&& each, const sample::Wave& wave = sample::sidewinding()) {
  JointCommand command = sample::make_servos(model, 800.0, 2.0);
  const int steps = static_cast<int>(std::lround(seconds / options.dt));
  for (int k = 0; k < steps; ++k) {
    wave.set((k + 1) * options.dt, model.n() - 1, model.axes(), command);
    each(step(model, state, data, command, options));
  }
}

TEST(SpatialLaws, MomentumChangesByTheExternalImpulsesAlone) {
  Model model = sidewinder();
  model.tilt = 0.05;
  model.tilt_direction = 1.0;
  State state = lie(model);
  Data data(model);
  Matrix3Xd last = state.v;
  double worst = 0.0;
  double touched = 0.0;
  run(model, state, data, {}, 2.0, [&](const nonsmooth::ContactStepInfo& info) {
    ASSERT_EQ(info.status, Status::ok);
    Vector3d change = Vector3d::Zero();
    for (int i = 0; i < model.n(); ++i) {
      const double m = model.links[static_cast<std::size_t>(i)].m;
      change += m * (state.v - last).col(i) - data.ground_impulse.col(i) -
                data.obstacle_impulse.col(i) - m * 1e-3 * data.weight;
    }
    touched += data.obstacle_impulse.norm();
    worst = std::max(worst, change.norm());
    last = state.v;
  });
  EXPECT_LE(worst, 1e-11);
  EXPECT_GT(touched, 0.1) << "the scene was meant to touch cylinders";
}

TEST(SpatialLaws, TheKineticEnergyIsWhatTheWorksAddUpTo) {
  const Model model = sidewinder();
  State state = lie(model);
  Data data(model);
  double sum = 0.0;
  double friction = 0.0;
  double servo = 0.0;
  run(model, state, data, {}, 1.0, [&](const nonsmooth::ContactStepInfo&) {
    const StepWork& work = data.work;
    sum += work.servo + work.friction + work.contact + work.gravity + work.scheme;
    friction += work.friction;
    servo += work.servo;
    double T = 0.0;
    for (int i = 0; i < model.n(); ++i) {
      const Link& link = model.links[static_cast<std::size_t>(i)];
      const double axial = state.omega.col(i).dot(data.pose.e_z.col(i));
      T += 0.5 * link.m * state.v.col(i).squaredNorm() +
           0.5 * link.Theta_psi * (state.omega.col(i).squaredNorm() - axial * axial) +
           0.5 * link.Theta_rho * axial * axial;
    }
    ASSERT_NEAR(data.kinetic_energy, T, 1e-13);
    ASSERT_NEAR(sum, T, 1e-12);
  });
  EXPECT_GT(servo, 0.01);
  EXPECT_LT(friction, -0.01);
}

TEST(SpatialLaws, OneLinkOfRoundInertiaHasNoSchemeErrorWhateverActsOnIt) {
  // No joints, and an inertia that no turn changes: every step's change of kinetic energy is the
  // work of its impulses, to rounding.
  Model model = sample::make_aiko(1);
  model.links[0].Theta_rho = model.links[0].Theta_psi;
  model.tilt = 0.4;
  model.obstacles = {{{0.5, 0.08}, 0.05, 0.4}};
  State state = make_state(model, VectorXd(0), 0, {0.0, 0.0, 0.1}, compute_axes(0.3, 0.2, 0.0));
  Data data(model);
  double scheme = 0.0;
  double contact = 0.0;
  double friction = 0.0;
  double gravity = 0.0;
  double touched = 0.0;
  for (int k = 0; k < 1500; ++k) {
    ASSERT_EQ(step(model, state, data, JointCommand(0), {}).status, Status::ok);
    scheme = std::max(scheme, std::abs(data.work.scheme));
    contact += data.work.contact;
    friction += data.work.friction;
    gravity += data.work.gravity;
    touched += data.obstacle_impulse.norm();
  }
  EXPECT_LE(scheme, 1e-12) << "of energies of 1 J";
  EXPECT_LT(contact, -0.01);
  EXPECT_LT(friction, -0.01);
  EXPECT_GT(gravity, 0.1);
  EXPECT_GT(touched, 1e-3);
}

TEST(SpatialLaws, TheSchemesShareOfTheWorkHalvesWithTheStep) {
  // Undulation on the floor, without impacts.
  std::vector<double> scheme;
  for (const double dt : {1e-3, 5e-4, 2.5e-4}) {
    const Model model = sample::make_peer(10);
    State state = sample::start_peer(model);
    Data data(model);
    StepOptions options;
    options.dt = dt;
    double size = 0.0;  // sum of |W_scheme|: the sum itself changes sign between phases of the wave
    run(
        model, state, data, options, 2.0,
        [&](const nonsmooth::ContactStepInfo&) { size += std::abs(data.work.scheme); },
        sample::Wave{});
    scheme.push_back(size);
  }
  EXPECT_NEAR(scheme[0] / scheme[1], 2.0, 0.1);
  EXPECT_NEAR(scheme[1] / scheme[2], 2.0, 0.1);
}

TEST(SpatialLaws, WithoutServosContactsTakeEnergyAndNeverGiveAny) {
  // Thrown among cylinders, closed contacts only: T_E <= T_A + the weight's work, T_A with the
  // angular momenta in the axes of the step's middle; the anchors may return c_T |P| |P - A| each,
  // under the rigid law the proximal terms that are left.
  for (const Law law : {Law::anchored, Law::rigid}) {
    const Model model = sidewinder();
    State state = lie(model);
    Twist twist;
    twist << 0.5, -0.3, 0.2, 1.0, 0.4, 0.3;
    sample::set_motion(model, twist, VectorXd::Zero(20), 1e-3, state);
    Data data(model);
    StepOptions options;
    options.law = law;
    options.activation = Activation::gap;
    double touched = 0.0;
    for (int k = 0; k < 1000; ++k) {
      const Matrix3Xd v = state.v;
      const Matrix3Xd l = state.l;
      ASSERT_EQ(step(model, state, data, JointCommand(20), options).status, Status::ok);
      double T_A = 0.0;
      double weight = 0.0;
      for (int i = 0; i < model.n(); ++i) {
        const Link& link = model.links[static_cast<std::size_t>(i)];
        const double axial = l.col(i).dot(data.pose.e_z.col(i));
        T_A += 0.5 * link.m * v.col(i).squaredNorm() +
               0.5 * (l.col(i).squaredNorm() - axial * axial) / link.Theta_psi +
               0.5 * axial * axial / link.Theta_rho;
        weight += link.m * 1e-3 * data.weight.dot(state.v.col(i));
      }
      double give_back = 0.0;
      for (std::size_t c = 0; c < data.problem.contacts.size(); ++c) {
        const auto& contact = data.problem.contacts[c];
        const auto& P = data.solution.impulse[c];
        const nonsmooth::Proximal term = law == Law::rigid
                                             ? data.solution.proximal[c]
                                             : nonsmooth::Proximal{contact.c_t, contact.A};
        give_back += term.c_t * P.T.norm() * (P.T - term.A).norm();
      }
      ASSERT_LE(data.kinetic_energy - T_A - weight, 1e-11 + give_back) << "step " << k;
      touched += data.obstacle_impulse.norm();
    }
    EXPECT_GT(touched, 0.01);
  }
}

TEST(SpatialLaws, SidewindingAmongCylindersMeetsTheToleranceOnEveryStep) {
  for (const Law law : {Law::anchored, Law::rigid}) {
    const Model model = sidewinder();
    State state = lie(model);
    Data data(model);
    StepOptions options;
    options.law = law;
    double residual = 0.0;
    double obstacle = 0.0;
    double ground = 0.0;
    run(model, state, data, options, 5.0, [&](const nonsmooth::ContactStepInfo& info) {
      ASSERT_EQ(info.status, Status::ok) << "step " << state.k;
      residual = std::max(residual, info.residual);
      Pose pose;
      if (state.k < 500 || state.k % 10 != 0) return;  // it starts with a jerk to the wave
      compute_pose_at_time(model, state, options.dt, pose);
      const auto depth = compute_penetration(model, pose);
      ground = std::max(ground, depth[kGround]);
      obstacle = std::max(obstacle, depth[kCylinders]);
    });
    EXPECT_LE(residual, 1e-9);
    EXPECT_LE(ground, 1e-4);
    EXPECT_LE(obstacle, 1e-4);
  }
}

TEST(SpatialLaws, TurningTheWholeSceneTurnsTheAnswer) {
  // Sidewinding on the bare floor; impacts multiply rounding.
  const Model model = sample::make_aiko();
  const auto end = [&](double angle) {
    State state =
        make_state(model, VectorXd::Zero(20), 0, {0.0, 0.0, 0.0525}, compute_axes(angle, 0.0, 0.0));
    Data data(model);
    run(model, state, data, {}, 3.0,
        [](const nonsmooth::ContactStepInfo& info) { ASSERT_EQ(info.status, Status::ok); });
    const Matrix3Xd r = sample::link_positions(model, state, 1e-3);
    return Matrix3Xd(Eigen::AngleAxisd(-angle, Vector3d::UnitZ()).toRotationMatrix() * r);
  };
  const Matrix3Xd straight = end(0.0);
  EXPECT_GT(straight.col(5).tail<2>().norm(), 0.1) << "it moves";
  for (const double angle : {17.0, 45.0, 180.0, 290.0}) {
    EXPECT_LE((end(angle * kDegree) - straight).cwiseAbs().maxCoeff(), 1e-6) << angle << " deg";
  }
}

TEST(SpatialLaws, TheMirroredSceneGivesTheMirroredRun) {
  Model model = sidewinder();
  Model mirrored = model;
  for (Obstacle& obstacle : mirrored.obstacles) obstacle.H.y() = -obstacle.H.y();
  sample::Wave wave = sample::sidewinding();
  sample::Wave opposite = wave;
  opposite.A_h = -wave.A_h;
  State state = lie(model);
  State other = lie(mirrored);
  Data data(model);
  Data other_data(mirrored);
  double touched = 0.0;
  run(
      model, state, data, {}, 1.0,
      [&](const nonsmooth::ContactStepInfo&) { touched += data.obstacle_impulse.norm(); }, wave);
  run(mirrored, other, other_data, {}, 1.0, [](const nonsmooth::ContactStepInfo&) {}, opposite);
  Matrix3Xd image = sample::link_positions(mirrored, other, 1e-3);
  image.row(1) *= -1.0;
  const Matrix3Xd apart = sample::link_positions(model, state, 1e-3) - image;
  EXPECT_LE(apart.cwiseAbs().maxCoeff(), 1e-8) << "impacts multiply rounding";
  EXPECT_GT(touched, 0.01);
}

TEST(SpatialActivation, ByGapAPointIsFeltOnceItIsInsideAndNotBefore) {
  Model model = sample::make_aiko(1);
  model.obstacles = {{{0.0, 0.2}, 0.05, 0.2}};
  for (const Activation activation : {Activation::gap, Activation::landing}) {
    State state =
        make_state(model, VectorXd(0), 0, {0.0, 0.0, 0.0525 + 0.03}, compute_axes(0.0, 0.0, 0.0));
    Twist twist;
    twist << 0.0, 0.0, 0.0, 0.0, 1.0, -0.5;
    sample::set_motion(model, twist, VectorXd(0), 1e-3, state);
    Data data(model);
    StepOptions options;
    options.activation = activation;
    bool touched[kSurfaces] = {false, false};
    double deepest[kSurfaces] = {0.0, 0.0};
    for (int k = 0; k < 300; ++k) {
      ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
      const double impulse[kSurfaces] = {data.ground_impulse.norm(), data.obstacle_impulse.norm()};
      Pose pose;
      compute_pose_at_time(model, state, options.dt, pose);
      const auto depth = compute_penetration(model, pose);
      for (const SurfaceIndex surface : {kGround, kCylinders}) {
        double g = 1.0;  // smallest at the step's middle
        for (const auto& point : data.near[surface].found.points) g = std::min(g, point.g);
        if (activation == Activation::gap) {
          EXPECT_FALSE(impulse[surface] > 0.0 && g > 0.0) << "step " << k << " gap " << g;
        }
        touched[surface] = touched[surface] || impulse[surface] > 0.0;
        deepest[surface] = std::max(deepest[surface], depth[surface]);
      }
    }
    EXPECT_TRUE(touched[kGround] && touched[kCylinders]);
    if (activation == Activation::gap) {
      EXPECT_GT(deepest[kGround], 1e-5) << "it goes in by a part of v dt, and stays there";
      EXPECT_LE(deepest[kGround], 1e-3);
    } else {
      // c P of the impact: 2 % of the speed for one step
      EXPECT_LE(deepest[kGround], 0.02 * 0.5e-3) << "it lands on the ground, not in it";
      EXPECT_LE(deepest[kCylinders], 0.02 * 1e-3);
    }
  }
}

TEST(SpatialTorqueLimit, ASaturatedServoAcceleratesEitherAxisWithTheLimitAndNoMore) {
  // Two free links, straight: 2/Theta_psi turns a torque of either axis into an acceleration.
  for (const int axis : {0, 1}) {
    for (const double way : {1.0, -1.0}) {
      Model model = sample::make_aiko(2);
      model.g = 0.0;
      State state =
          make_state(model, VectorXd::Zero(2), 0, {0.0, 0.0, 5.0}, compute_axes(0.0, 0.0, 0.0));
      Data data(model);
      JointCommand command = sample::make_servos(model, 800.0, 2.0);
      command.phi_d(axis) = 0.5 * way;
      command.tau_max.setConstant(0.1);  // the servo would ask for 400 N m
      ASSERT_EQ(step(model, state, data, command, {}).status, Status::ok);
      EXPECT_NEAR(state.phidot(axis), way * 2.0 / 1.32e-3 * 0.1 * 1e-3, 1e-10);
      EXPECT_NEAR(state.phidot(1 - axis), 0.0, 1e-12);
      EXPECT_EQ(data.tau(axis), way * 0.1);
    }
  }
}

TEST(SpatialTorqueLimit, NoTorqueExceedsItAndTheWorkKnowsIt) {
  const Model model = sidewinder();
  State state = lie(model);
  Data data(model);
  JointCommand command = sample::make_servos(model, 800.0, 2.0);
  command.tau_max.setConstant(1.5);
  int saturated = 0;
  double servo = 0.0;
  double by_hand = 0.0;
  VectorXd phidot = state.phidot;
  for (int k = 0; k < 2000; ++k) {
    sample::sidewinding().set((k + 1) * 1e-3, 10, 2, command);
    ASSERT_EQ(step(model, state, data, command, {}).status, Status::ok);
    ASSERT_LE(data.tau.cwiseAbs().maxCoeff(), 1.5);
    saturated += static_cast<int>((data.tau.array().abs() == 1.5).count());
    servo += data.work.servo;
    by_hand += 0.5e-3 * data.tau.dot(phidot + state.phidot);
    phidot = state.phidot;
  }
  EXPECT_GT(saturated, 100);
  EXPECT_NEAR(servo, by_hand, 1e-12);
}

TEST(SpatialStep, ANonFiniteCommandIsNamedAndLeavesTheStateAlone) {
  const Model model = sample::make_aiko(4);
  State state = lie(model);
  Data data(model);
  JointCommand command = sample::make_servos(model, 800.0, 2.0);
  command.phi_d(5) = std::nan("");  // the pitch of joint 3
  const State before = state;
  nonsmooth::ContactStepInfo info = step(model, state, data, command, {});
  EXPECT_EQ(info.status, Status::non_finite);
  EXPECT_STREQ(info.quantity, "command of joint");
  EXPECT_EQ(info.index, 3);
  EXPECT_EQ(state.k, 0);
  EXPECT_EQ(state.phi, before.phi);
  EXPECT_EQ(state.r, before.r);
  command.phi_d(5) = 0.0;
  command.tau_max(0) = std::nan("");
  info = step(model, state, data, command, {});
  EXPECT_EQ(info.status, Status::non_finite);
  EXPECT_EQ(info.index, 1);
  command.tau_max(0) = 1.0;
  EXPECT_EQ(step(model, state, data, command, {}).status, Status::ok) << "and goes on";
}

TEST(SpatialStep, AReferenceBeyondDoublePrecisionIsAFailedStep) {
  const Model model = sample::make_aiko(4);
  State state = lie(model);
  Data data(model);
  JointCommand command = sample::make_servos(model, 800.0, 2.0);
  command.phi_d(3) = 1e298;
  bool failed = false;
  for (int k = 0; k < 20 && !failed; ++k) {
    failed = step(model, state, data, command, {}).status != Status::ok;
  }
  EXPECT_TRUE(failed) << "nothing of that size may pass for a result";
}

TEST(SpatialStep, AnExplicitServoIsStableBelowItsLimitAndNotAbove) {
  // Two free links, straight: lambda = 2/Theta_psi, dt < 2/(lambda k_D) = Theta_psi/k_D.
  Model model = sample::make_aiko(2);
  model.g = 0.0;
  const State start =
      make_state(model, VectorXd::Zero(2), 0, {0.0, 0.0, 5.0}, compute_axes(0.0, 0.0, 0.0));
  const double limit = explicit_servo_limit(model, start, 800.0, 2.0);
  EXPECT_NEAR(limit, 1.32e-3 / 2.0, 1e-9);
  for (const double share : {0.9, 1.1}) {
    State state = start;
    state.phi(1) = 1e-6;
    Data data(model);
    StepOptions options;
    options.dt = share * limit;
    JointCommand command(2);
    for (int k = 0; k < 200; ++k) {
      for (int j = 0; j < 2; ++j) {
        const double phi = state.phi(j) - 0.5 * options.dt * state.phidot(j);
        command.tau(j) = -800.0 * phi - 2.0 * state.phidot(j);
      }
      ASSERT_NE(step(model, state, data, command, options).status, Status::non_finite);
    }
    if (share < 1.0) {
      EXPECT_LE(state.phi.cwiseAbs().maxCoeff(), 1e-8);
    } else {
      EXPECT_GE(state.phi.cwiseAbs().maxCoeff(), 1e-2);
    }
  }
}

}  // namespace laws_test
}  // namespace coluber::spatial
