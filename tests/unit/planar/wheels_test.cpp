// Wheels on one shaft a link: closed forms, the source's own equations in 4n coordinates, energy.

#include "planar/wheels.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "coluber/core/random.hpp"

#include "planar/problem.hpp"
#include "planar/start.hpp"
#include "sample/snake.hpp"

namespace coluber::planar {
namespace wheels_test {

using Eigen::MatrixXd;

State at_rest(const Model& model) {
  return make_state(model, VectorXd::Zero(model.n() - 1), 0, {0.0, 0.0}, std::numbers::pi);
}

JointCommand idle(const Model& model) { return JointCommand(model.n() - 1, model.n()); }

/// Speed of link i along its way forward.
double forward_speed(const State& state, const Data& data, int i) {
  return -(data.pose.cos(i) * state.u(3 * i) + data.pose.sin(i) * state.u(3 * i + 1));
}

// Body and rim push each other to one speed by friction alone: m v (1 - x) = J x v.
TEST(Wheels, ARobotThatCoastsOntoStandingWheelsEndsAtOneSpeed) {
  const double J = 0.002 / (0.065 * 0.065);
  const double end = 0.5 * 1.2 / (1.2 + J);
  ASSERT_NEAR(end, 0.358557, 5e-7);
  for (const auto law : {nonsmooth::Law::anchored, nonsmooth::Law::rigid}) {
    const Model model = sample::piko();
    State state = at_rest(model);
    set_in_motion(model, VectorXd::Zero(6), VectorXd::Unit(6, 0), {0.5, 0.0}, 1e-3, state);
    state.omega.setZero();
    state.wheel.setZero();
    Data data(model);
    StepOptions options;
    options.law = law;
    for (int k = 0; k < 2000; ++k) {
      ASSERT_EQ(step(model, state, data, idle(model), options).status, Status::ok);
    }
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(forward_speed(state, data, i), end, 1e-9);
      EXPECT_NEAR(0.065 * state.omega(i), end, 1e-9);
    }
  }
}

// It sticks up to tau = mu g L_w (m + J), here 0.21341 N m; beyond, the ground gives mu m g.
TEST(Wheels, AConstantTorqueRollsAndThenSlips) {
  const Model model = sample::piko(1);
  for (const double tau : {0.2134, 0.2135}) {
    State state = at_rest(model);
    Data data(model);
    JointCommand command = idle(model);
    command.shafts.tau.setConstant(tau);
    const StepOptions options;
    const int steps = 500;
    double at_100 = 0.0;
    for (int k = 0; k < steps; ++k) {
      if (k == 100) at_100 = forward_speed(state, data, 0);
      ASSERT_EQ(step(model, state, data, command, options).status, Status::ok);
    }
    const double slip = compute_slip(model, state, data, 0, 0).x();
    const double J = rim_inertia(model.axles[0]);
    const double rolling = tau / (0.065 * (1.2 + J));
    if (tau < 0.21345) {
      EXPECT_NEAR(slip, 0.0, 1e-12) << "the load is constant: the anchor has settled";
      EXPECT_NEAR(forward_speed(state, data, 0), rolling * steps * options.dt, 1e-9);
    } else {
      EXPECT_GT(slip, 1e-6);
      const double gained = forward_speed(state, data, 0) - at_100;
      EXPECT_NEAR(gained / (400.0 * options.dt), 0.2 * 9.81, 1e-9);
    }
  }
}

TEST(Wheels, ATorqueLimitLeavesTheInertiaAlone) {
  const Model model = sample::piko(1);
  for (const bool plain : {false, true}) {
    State state = at_rest(model);
    Data data(model);
    JointCommand command = idle(model);
    command.shafts.k.setConstant(5.0);
    command.shafts.rate.setConstant(100.0);
    command.shafts.tau_max.setConstant(0.1);
    StepOptions options;
    options.plain = plain;
    for (int k = 0; k < 500; ++k) {
      ASSERT_EQ(step(model, state, data, command, options).status, Status::ok);
      ASSERT_DOUBLE_EQ(data.tau_w(0), 0.1);
    }
    const double J = rim_inertia(model.axles[0]);
    EXPECT_NEAR(forward_speed(state, data, 0), 0.1 / (0.065 * (1.2 + J)) * 0.5, 1e-9);
  }
}

/// A posture in motion, with wheels at rates of their own.
State random_state(const Model& model, std::uint64_t seed) {
  Random random(seed);
  const auto some = [&](int size, double width) {
    VectorXd values(size);
    for (double& value : values) value = random.uniform(-width, width);
    return values;
  };
  State state = make_state(model, some(model.n() - 1, 0.8), 0, {0.3, -0.2}, random.uniform(-3, 3));
  set_in_motion(model, some(model.n(), 2.0), VectorXd::Unit(model.n(), 0),
                {random.uniform(-1, 1), random.uniform(-1, 1)}, 1e-3, state);
  state.omega = some(model.n(), 10.0);
  return state;
}

// gamma = W_T^T u against differences of where the material points of the wheels are.  (8)
TEST(Wheels, ContactVelocitiesAreThoseOfThePoints) {
  const Model model = sample::piko(5);
  const State state = random_state(model, 3);
  Data data(model);
  make_problem(model, state, idle(model), {}, data);
  nonsmooth::Solution<3>& u = data.solution;
  u.root = state.twist;
  for (std::size_t k = 0; k + 1 < data.problem.nodes.size(); ++k) {
    const int j = data.angle_of_node[k];
    u.rate[k] = j >= 0 ? state.phidot(j) : 0.065 * state.omega(data.link_of_node[k]);
  }
  update_twists(data.problem, u);
  // point of wheel p of link i that touches the ground at q_M, h later
  const auto point = [&](int i, int p, double h) -> Vector2d {
    const Vector3d base = state.base + h * Vector3d{state.twist(1), state.twist(2), state.twist(0)};
    Pose pose;
    pose.resize(model.n());
    compute_pose(model, base, state.phi + h * state.phidot, pose);
    const Axle& axle = model.axles[static_cast<std::size_t>(i)];
    const Vector2d e{pose.cos(i), pose.sin(i)};
    const Vector2d n{-e.y(), e.x()};
    return pose.origin + pose.r.col(i) + axle.offset * e + wheel_side(axle, p) * n +
           axle.L_w * std::sin(h * state.omega(i)) * e;
  };
  const double h = 1e-4;  // differences of fourth order
  for (std::size_t k = 0; k < static_cast<std::size_t>(data.shafts); ++k) {
    const int i = data.link_of_node[k];
    for (int p = 0; p < 2; ++p) {
      const auto index = static_cast<std::size_t>(data.problem.nodes[k].first_contact + p);
      const auto& contact = data.problem.contacts[index];
      const Vector2d v = (8.0 * (point(i, p, h) - point(i, p, -h)) -
                          (point(i, p, 2.0 * h) - point(i, p, -2.0 * h))) /
                         (12.0 * h);
      const Vector2d e{data.pose.cos(i), data.pose.sin(i)};
      const Vector2d n{-e.y(), e.x()};
      EXPECT_NEAR(contact.w_1.dot(u.twist[k]) / 0.2, v.dot(e), 1e-9);
      EXPECT_NEAR(contact.w_2.dot(u.twist[k]) / 0.2, v.dot(n), 1e-9);
    }
  }
}

// M (u_E - u_A) = W_T P_T + W_J P_J + tau dt in the 4n coordinates of Murugendran (1)-(12), with
// its signs and its numbering: link 1 the head, its axis forward; tau_i lowers phi_i.
TEST(Wheels, AStepBalancesMomentumInAbsoluteCoordinates) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const int n = 2 + static_cast<int>(seed % 7);
    Model model = sample::piko(n, 0.05 + 0.02 * static_cast<double>(seed));
    State state = random_state(model, seed);
    const State before = state;
    Data data(model);
    JointCommand command = idle(model);
    command.k_P.setConstant(800.0);
    command.k_D.setConstant(2.0);
    command.shafts.k.setConstant(0.5);
    command.shafts.rate.setConstant(7.0);
    const StepOptions options;
    ASSERT_EQ(step(model, state, data, command, options).status, Status::ok);

    const double dt = options.dt;
    VectorXd momentum = VectorXd::Zero(4 * n);
    MatrixXd W_J = MatrixXd::Zero(4 * n, 2 * (n - 1));
    VectorXd gaps = VectorXd::Zero(2 * (n - 1));
    for (int i = 0; i < n; ++i) {
      const double theta = data.pose.theta(i) + std::numbers::pi;  // forward
      const double c = std::cos(theta);
      const double s = std::sin(theta);
      const Vector3d du = state.u.segment<3>(3 * i) - before.u.segment<3>(3 * i);
      momentum.segment<4>(4 * i) << 1.2 * du(0), 1.2 * du(1), 0.002 * du(2),
          0.002 * (state.omega(i) - before.omega(i));
      // motors: tau_(i+1) - tau_i of the source, whose tau is minus ours
      if (i < n - 1) momentum(4 * i + 2) -= -data.tau(i) * dt;
      if (i > 0) momentum(4 * i + 2) -= data.tau(i - 1) * dt;
      momentum(4 * i + 3) -= data.tau_w(i) * dt;
      for (int p = 0; p < 2; ++p) {
        const double a = -0.018;
        const double b = p == 0 ? 0.041 : -0.041;  // left first
        const nonsmooth::Impulse& P = state.ground[static_cast<std::size_t>(2 * i + p)].x_1;
        const Vector2d force =
            model.mu_T.x() * Vector2d{-c * P.T.x() + s * P.T.y(), -s * P.T.x() - c * P.T.y()};
        momentum.segment<4>(4 * i) -=
            force.x() * Eigen::Vector4d{1.0, 0.0, -s * a - c * b, -0.065 * c} +
            force.y() * Eigen::Vector4d{0.0, 1.0, c * a - s * b, -0.065 * s};
      }
      if (i == 0) continue;
      const double c_1 = std::cos(data.pose.theta(i - 1) + std::numbers::pi);
      const double s_1 = std::sin(data.pose.theta(i - 1) + std::numbers::pi);
      const int row = 2 * (i - 1);
      W_J.block<4, 1>(4 * (i - 1), row) << -1.0, 0.0, -0.061 * s_1, 0.0;
      W_J.block<4, 1>(4 * i, row) << 1.0, 0.0, -0.061 * s, 0.0;
      W_J.block<4, 1>(4 * (i - 1), row + 1) << 0.0, -1.0, 0.061 * c_1, 0.0;
      W_J.block<4, 1>(4 * i, row + 1) << 0.0, 1.0, 0.061 * c, 0.0;
    }
    VectorXd u(4 * n);
    for (int i = 0; i < n; ++i) u.segment<4>(4 * i) << state.u.segment<3>(3 * i), state.omega(i);
    EXPECT_LE((W_J.transpose() * u).cwiseAbs().maxCoeff(), 1e-12);
    const VectorXd P_J = W_J.colPivHouseholderQr().solve(momentum);
    EXPECT_LE((momentum - W_J * P_J).cwiseAbs().maxCoeff(), 1e-12);
  }
}

// Works and energies balance. From the law -(gamma + c_T (P - A)) in N_C(P) follows
// P gamma <= -c_T P (P - A): friction takes energy but for what the anchor may give back. A wheel
// that sticks moves by gamma = -c_T (P - A): not at all once its load is constant.
TEST(Wheels, FrictionAddsNoEnergy) {
  const Model model = sample::piko();
  State state = random_state(model, 5);
  Data data(model);
  JointCommand command = idle(model);
  command.k_P.setConstant(100.0);
  command.k_D.setConstant(1.0);
  command.shafts.k.setConstant(0.5);
  command.shafts.rate.setConstant(7.0);
  double energy = 0.0;
  int sticking = 0;
  const double mu = 0.2;
  const double c_T = nonsmooth::kEpsilon / 1.2;
  const double N = 1.2 * 9.81 / 2.0 * 1e-3;
  for (int k = 0; k < 3000; ++k) {
    const State before = state;
    for (int j = 0; j < 5; ++j) command.phi_d(j) = 0.4 * std::sin(2e-3 * k - 0.7 * j);
    ASSERT_EQ(step(model, state, data, command, {}).status, Status::ok);
    if (k > 0) {
      EXPECT_NEAR(data.kinetic_energy - energy,
                  data.work.servo + data.work.friction + data.work.scheme, 1e-12);
    }
    energy = data.kinetic_energy;
    if (k == 0) continue;  // nothing to be anchored to yet
    for (int i = 0; i < 6; ++i) {
      for (int p = 0; p < 2; ++p) {
        const auto index = static_cast<std::size_t>(2 * i + p);
        const Vector2d P = mu * state.ground[index].x_1.T;
        const Vector2d by_anchor = c_T * (P - mu * before.ground[index].x_1.T);
        const Vector2d slip = compute_slip(model, state, data, i, p);
        EXPECT_LE(P.dot(slip), -P.dot(by_anchor) + 1e-14);
        if (P.norm() > 0.999 * mu * N) continue;
        ++sticking;
        EXPECT_LE((slip + by_anchor).norm(), 1e-11);
      }
    }
  }
  EXPECT_GT(sticking, 100);
}

TEST(Wheels, AStartWithVelocitiesMovesAsItSays) {
  const Model model = sample::piko(4);
  VectorXd rate(4);
  rate << 0.3, -0.2, 0.5, 0.1;
  VectorXd phi(3);
  phi << 0.2, -0.4, 0.6;
  const double dt = 1e-3;
  const State rest = make_state(model, phi, 1, {1.0, 2.0}, 0.7);
  State state = rest;
  set_in_motion(model, rate, VectorXd::Constant(4, 0.25), {0.4, -0.1}, dt, state);
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  for (int i = 0; i < 4; ++i) {
    mean += 0.25 * state.u.segment<2>(3 * i);
    EXPECT_DOUBLE_EQ(state.u(3 * i + 2), rate(i));
  }
  EXPECT_NEAR(mean.x(), 0.4, 1e-15);
  EXPECT_NEAR(mean.y(), -0.1, 1e-15);
  // velocities are the differences of places, and the start itself is where it was
  Pose now;
  Pose start;
  compute_pose_at_time(model, state, dt, now);
  compute_pose_at_time(model, rest, 0.0, start);
  EXPECT_LE((now.r - start.r).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LE((now.origin - start.origin).cwiseAbs().maxCoeff(), 1e-15);
  const double h = 1e-6;
  State later = state;
  Pose a;
  Pose b;
  later.base += h * Vector3d{state.twist(1), state.twist(2), state.twist(0)};
  later.phi += h * state.phidot;
  compute_pose_at_time(model, later, dt, a);
  compute_pose_at_time(model, state, dt, b);
  for (int i = 0; i < 4; ++i) {
    const Vector2d v = ((a.origin + a.r.col(i)) - (b.origin + b.r.col(i))) / h;
    EXPECT_NEAR(v.x(), state.u(3 * i), 1e-6);
    EXPECT_NEAR(v.y(), state.u(3 * i + 1), 1e-6);
    // the wheels roll along with their link's centre
    EXPECT_NEAR(0.065 * state.omega(i), -(start.cos(i) * v.x() + start.sin(i) * v.y()), 1e-6);
  }
}

TEST(Wheels, AllSolversGiveOneAnswer) {
  const Model model = sample::piko(4);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    State newton = random_state(model, seed);
    JointCommand command = idle(model);
    command.k_P.setConstant(50.0);
    command.k_D.setConstant(1.0);
    command.shafts.k.setConstant(0.5);
    command.shafts.rate.setConstant(5.0);
    command.shafts.tau_max.setConstant(0.05);
    StepOptions options;
    Data data(model);
    for (const Solver solver : {Solver::gauss_seidel, Solver::thesis}) {
      State a = newton;
      State b = newton;
      ASSERT_EQ(step(model, a, data, command, options).status, Status::ok);
      StepOptions other = options;
      other.solver = solver;
      other.thesis.r_T = 0.05;
      other.thesis.epsilon = 1e-13;
      other.thesis.max_iterations = 200000;
      ASSERT_EQ(step(model, b, data, command, other).status, Status::ok);
      EXPECT_LE((a.u - b.u).cwiseAbs().maxCoeff(), 1e-7);
      EXPECT_LE((a.omega - b.omega).cwiseAbs().maxCoeff(), 1e-5);
    }
  }
}

}  // namespace wheels_test
}  // namespace coluber::planar
