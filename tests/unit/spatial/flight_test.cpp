// Flight and landing: momentum, energy, the drop of Transeth 7.3.1 and the rest after it.

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "sample/spatial.hpp"

namespace coluber::spatial {
namespace flight_test {

using sample::kDegree;
using Twist = nonsmooth::Twist<6>;

Vector3d linear_momentum(const Model& model, const State& state) {
  Vector3d p = Vector3d::Zero();
  for (int i = 0; i < model.n(); ++i) {
    p += model.links[static_cast<std::size_t>(i)].m * state.v.col(i);
  }
  return p;
}

/// About the origin, at t = k dt.
Vector3d angular_momentum(const Model& model, const State& state, double dt) {
  const Matrix3Xd r = sample::link_positions(model, state, dt);
  Vector3d L = Vector3d::Zero();
  for (int i = 0; i < model.n(); ++i) {
    const double m = model.links[static_cast<std::size_t>(i)].m;
    L += Vector3d{state.l.col(i)} + m * Vector3d{r.col(i)}.cross(Vector3d{state.v.col(i)});
  }
  return L;
}

TEST(SpatialFlight, LinearMomentumIsTheWeightsAloneToRounding) {
  std::mt19937_64 random(1);
  Model model = sample::make_odd_links(8, Joint::cardan, random);
  model.tilt = 0.3;
  model.tilt_direction = 1.0;
  State state = make_state(model, VectorXd::Constant(14, 0.2), 0, {0.0, 0.0, 50.0},
                           compute_axes(0.5, 0.3, 0.2));
  Twist twist;
  twist << 2.0, -1.0, 3.0, 0.5, 0.2, 0.1;
  sample::set_motion(model, twist, VectorXd::Constant(14, 0.7), 1e-3, state);
  Data data(model);
  JointCommand command = sample::make_servos(model, 800.0, 2.0);
  double mass = 0.0;
  for (const Link& link : model.links) mass += link.m;
  const Vector3d start = linear_momentum(model, state);
  const double g = 9.81;
  const Vector3d weight{g * std::sin(0.3) * std::cos(1.0), g * std::sin(0.3) * std::sin(1.0),
                        -g * std::cos(0.3)};
  for (int k = 1; k <= 1000; ++k) {
    sample::sidewinding().set(k * 1e-3, 7, 2, command);
    ASSERT_EQ(step(model, state, data, command, {}).status, Status::ok);
    const Vector3d expected = start + k * 1e-3 * mass * weight;
    ASSERT_LE((linear_momentum(model, state) - expected).norm(), 1e-12) << "step " << k;
  }
}

TEST(SpatialFlight, AngularMomentumIsKeptToFirstOrder) {
  // Servos wave a robot that was at rest: nothing outside can turn it.
  Model model = sample::make_aiko(7);
  model.g = 0.0;
  sample::Wave wave = sample::sidewinding();
  wave.A_v = 25.0 * kDegree;
  std::vector<double> drift;
  for (const double dt : {2e-3, 1e-3, 5e-4}) {
    StepOptions options;
    options.dt = dt;
    JointCommand command = sample::make_servos(model, 800.0, 2.0);
    wave.set(0.0, 6, 2, command);
    State state = make_state(model, command.phi_d, 3, {0.0, 0.0, 5.0}, compute_axes(0.3, 0.2, 0.1));
    Data data(model);
    double largest = 0.0;  // of what a single link carries
    const int steps = static_cast<int>(std::lround(1.0 / dt));
    for (int k = 1; k <= steps; ++k) {
      wave.set(k * dt, 6, 2, command);
      ASSERT_EQ(step(model, state, data, command, options).status, Status::ok);
      EXPECT_LE(linear_momentum(model, state).norm(), 1e-13);
      largest = std::max(largest, state.l.colwise().norm().maxCoeff());
    }
    drift.push_back(angular_momentum(model, state, dt).norm());
    EXPECT_GT(largest, 100.0 * drift.back());
  }
  EXPECT_LE(drift[1] / drift[0], 0.55);
  EXPECT_LE(drift[2] / drift[1], 0.55);
}

TEST(SpatialFlight, EnergyIsKeptToFirstOrder) {
  // Thrown, torques off: kinetic plus potential energy after 0.4 s.
  std::mt19937_64 random(2);
  const Model model = sample::make_odd_links(6, Joint::cardan, random);
  std::vector<double> drift;
  for (const double dt : {1e-3, 5e-4, 2.5e-4}) {
    StepOptions options;
    options.dt = dt;
    VectorXd phi(10);
    for (int j = 0; j < 10; ++j) phi(j) = 0.3 * std::sin(1.3 * j);
    State state = make_state(model, phi, 2, {0.0, 0.0, 5.0}, compute_axes(0.3, 0.2, 0.1));
    Twist twist;
    twist << 1.0, -2.0, 1.5, 0.5, 0.2, 2.0;
    sample::set_motion(model, twist, VectorXd::Constant(10, 1.0), dt, state);
    Data data(model);
    const auto energy = [&] {
      const Matrix3Xd r = sample::link_positions(model, state, dt);
      double sum = 0.0;
      for (int i = 0; i < model.n(); ++i) {
        const Link& link = model.links[static_cast<std::size_t>(i)];
        sum += 0.5 * link.m * state.v.col(i).squaredNorm() +
               0.5 * state.omega.col(i).dot(state.l.col(i)) + link.m * model.g * r(2, i);
      }
      return sum;
    };
    const double start = energy();
    const int steps = static_cast<int>(std::lround(0.4 / dt));
    for (int k = 0; k < steps; ++k) {
      ASSERT_EQ(step(model, state, data, JointCommand(10), options).status, Status::ok);
    }
    drift.push_back(std::abs(energy() - start));
  }
  EXPECT_LE(drift[0], 1e-2) << "of some 10 J in motion";
  EXPECT_GT(drift[2], 1e-9) << "there is something to halve";
  EXPECT_LE(drift[1] / drift[0], 0.55);
  EXPECT_LE(drift[2] / drift[1], 0.55);
}

TEST(SpatialFlight, ASpinningLinkKeepsItsAngularMomentumToTheLastBits) {
  Model model = sample::make_aiko(1);
  model.g = 0.0;
  State state = make_state(model, VectorXd(0), 0, {0.0, 0.0, 5.0}, compute_axes(0.3, 0.2, 0.1));
  Twist twist;
  twist << 10.0, -20.0, 15.0, 0.5, 0.2, 0.1;
  const double dt = 1e-3;
  sample::set_motion(model, twist, VectorXd(0), dt, state);
  Data data(model);
  const Vector3d l = state.l.col(0);
  for (int k = 0; k < 5000; ++k) {
    ASSERT_EQ(step(model, state, data, JointCommand(0), {}).status, Status::ok);
    ASSERT_LE((Vector3d{state.l.col(0)} - l).norm(), 1e-13 * l.norm()) << "step " << k;
  }
  EXPECT_NEAR(state.p.norm(), 1.0, 1e-15);
  EXPECT_LE((Vector3d{state.v.col(0)} - twist.tail<3>()).norm(), 1e-13);
}

TEST(SpatialFlight, ASpinningLinkPrecessesAboutItsAngularMomentumAtFirstOrder) {
  // Torque-free symmetric top: the axis goes round l at the rate |l|/Theta_psi.
  Model model = sample::make_aiko(1);
  model.g = 0.0;
  std::vector<double> apart;
  for (const double dt : {1e-3, 5e-4, 2.5e-4}) {
    State state = make_state(model, VectorXd(0), 0, {0.0, 0.0, 5.0}, compute_axes(0.3, 0.2, 0.1));
    Twist twist;
    twist << 2.0, -4.0, 3.0, 0.0, 0.0, 0.0;
    const Vector3d axis = compute_axes(0.3, 0.2, 0.1).col(2);
    sample::set_motion(model, twist, VectorXd(0), dt, state);
    const Vector3d l = state.l.col(0);
    Data data(model);
    StepOptions options;
    options.dt = dt;
    const int steps = static_cast<int>(std::lround(1.0 / dt));
    for (int k = 0; k < steps; ++k) {
      ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
    }
    Pose pose;
    compute_pose_at_time(model, state, dt, pose);
    const Eigen::AngleAxisd turn(l.norm() / model.links[0].Theta_psi, l.normalized());
    apart.push_back((Vector3d{pose.e_z.col(0)} - turn * axis).norm());
  }
  EXPECT_LE(apart[2], 2e-3);
  EXPECT_LE(apart[1] / apart[0], 0.55);
  EXPECT_LE(apart[2] / apart[1], 0.55);
}

/// Start of the drop, Transeth 7.3.1: straight, pitched by 30 deg, link 1 lowest, 0.3 m high.
State start_drop(const Model& model) {
  return make_state(model, VectorXd::Zero(model.angles()), 0, {0.0, 0.0, 0.3525},
                    compute_axes(180.0 * kDegree, 30.0 * kDegree, 0.0));
}

TEST(SpatialDrop, TheFirstImpactIsWhenAndAsFastAsFreeFallHasIt) {
  // The lowest sphere is 0.3 - L_GS sin 30 deg = 0.28035 m over the ground: 0.2391 s, -2.345 m/s.
  Model model = sample::make_aiko();
  model.mu_T << 0.2, 0.5;
  for (const double dt : {2.5e-4, 1e-3}) {
    for (const Activation activation : {Activation::landing, Activation::gap}) {
      State state = start_drop(model);
      Data data(model);
      StepOptions options;
      options.dt = dt;
      options.activation = activation;
      double before = 0.0;
      bool landed = false;
      while (!landed && state.k < 4000) {
        before = state.v(2, 0);
        ASSERT_EQ(step(model, state, data, JointCommand(20), options).status, Status::ok);
        landed = data.contacts_closed > 0;
      }
      EXPECT_NEAR(static_cast<double>(state.k) * dt, 0.2391, dt + 5e-5);
      EXPECT_NEAR(before, -2.345, 9.81 * dt + 5e-4);
      // a point that lands has reached the ground only with the next step
      ASSERT_EQ(step(model, state, data, JointCommand(20), options).status, Status::ok);
      EXPECT_GT(state.v(2, 0), before + 1.0) << "the impact takes most of it";
    }
  }
}

TEST(SpatialDrop, ComesToRestAndTheGroundCarriesTheWeight) {
  Model model = sample::make_aiko();
  model.mu_T << 0.2, 0.5;
  for (const auto law : {nonsmooth::Law::anchored, nonsmooth::Law::rigid}) {
    State state = start_drop(model);
    Data data(model);
    StepOptions options;
    options.law = law;
    double deepest = 0.0;
    Pose pose;
    for (int k = 0; k < 4000; ++k) {
      const nonsmooth::ContactStepInfo info = step(model, state, data, JointCommand(20), options);
      ASSERT_EQ(info.status, Status::ok) << "step " << k;
      ASSERT_LE(info.residual, 1e-9);
      if (k < 1500) {
        compute_pose_at_time(model, state, options.dt, pose);
        deepest = std::max(deepest, compute_penetration(model, pose)[kGround]);
      }
      if (k < 3000) continue;  // 2 s after it came to rest
      const double normal = data.ground_impulse.row(2).sum() / options.dt;
      ASSERT_NEAR(normal / (7.5 * 9.81), 1.0, 1e-9) << "step " << k;
    }
    EXPECT_LE(state.v.norm(), 1e-9);
    EXPECT_LE(deepest, 1e-3) << "at the ends of the steps";
    // with the whole weight 7.5 kg, n m g = 73.575 N
    const Vector3d sum = data.ground_impulse.rowwise().sum() / options.dt;
    EXPECT_LE((sum - Vector3d{0.0, 0.0, 73.575}).norm(), 1e-7);
  }
}

}  // namespace flight_test
}  // namespace coluber::spatial
