// The step in minimal coordinates, Transeth (6.14): its accelerations by a second route, and its
// motion against the planar step's, which has no Coriolis term.

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "sample/snake.hpp"
#include "validation/absolute_route.hpp"

namespace coluber::planar {
namespace minimal_coordinates_test {

using Eigen::MatrixXd;

/// nu = (omega, v, phidot), in the state's order.
VectorXd velocities(const State& state) {
  VectorXd nu(3 + state.phidot.size());
  nu << state.twist, state.phidot;
  return nu;
}

/// Centres of gravity and angles of the links, 3n, from (x, y, theta) of the middle link and phi.
VectorXd positions(const Model& model, const Vector3d& base, const VectorXd& phi) {
  Pose pose;
  pose.resize(model.n());
  compute_pose(model, base, phi, pose);
  VectorXd q(3 * model.n());
  for (int i = 0; i < model.n(); ++i)
    q.segment<3>(3 * i) << pose.r.col(i) + pose.origin, pose.theta(i);
  return q;
}

/// J at q: columns are differences of the joints' displacements. A turn of a joint moves what is
/// beyond it, seen from the middle link, about it.
MatrixXd jacobian(const Model& model, const VectorXd& q) {
  const int n = model.n();
  const int b = model.base();
  MatrixXd J = MatrixXd::Zero(3 * n, n + 2);
  const auto turn = [&](int column, int i, const Vector2d& about, double sign) {
    const Vector2d arm = q.segment<2>(3 * i) - about;
    J.col(column).segment<3>(3 * i) += sign * Vector3d{-arm.y(), arm.x(), 1.0};
  };
  for (int i = 0; i < n; ++i) {
    J(3 * i, 1) = J(3 * i + 1, 2) = 1.0;
    turn(0, i, q.segment<2>(3 * b), 1.0);
  }
  for (int j = 0; j + 1 < n; ++j) {  // joint j lies L/2 ahead of the middle of link j
    const Link& link = model.links[static_cast<std::size_t>(j)];
    const double ahead = 0.5 * link.L - link.offset;
    const Vector2d joint = q.segment<2>(3 * j) + ahead * absolute::rotation(q(3 * j + 2)).col(0);
    if (j >= b) {
      for (int i = j + 1; i < n; ++i) turn(3 + j, i, joint, 1.0);
    } else {
      for (int i = 0; i <= j; ++i) turn(3 + j, i, joint, -1.0);
    }
  }
  return J;
}

/// Accelerations in the thesis' absolute coordinates: M a = W_J lambda + tau, W_J^T a = -Wdot_J^T
/// u, one dense system. (omega', v', phi'') of the answer.
VectorXd accelerations(const Model& model, const VectorXd& q, const VectorXd& u,
                       const VectorXd& tau) {
  const int n = model.n();
  const int size = 3 * n;
  const int joints = n - 1;
  const MatrixXd W = absolute::joint_directions(model, q);
  MatrixXd K = MatrixXd::Zero(size + 2 * joints, size + 2 * joints);
  VectorXd f = VectorXd::Zero(size + 2 * joints);
  for (int i = 0; i < n; ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    K.diagonal().segment<3>(3 * i) << link.m, link.m, link.Theta;
  }
  K.topRightCorner(size, 2 * joints) = -W;
  K.bottomLeftCorner(2 * joints, size) = W.transpose();
  for (int j = 0; j < joints; ++j) {
    f(3 * j + 2) -= tau(j);
    f(3 * j + 5) += tau(j);
    const Link& a = model.links[static_cast<std::size_t>(j)];
    const Link& c = model.links[static_cast<std::size_t>(j + 1)];
    for (const auto& [link, arm] :
         {std::pair{j, 0.5 * a.L - a.offset}, std::pair{j + 1, 0.5 * c.L + c.offset}}) {
      const double omega = u(3 * link + 2);  // Wdot_J^T u: towards the link's centre
      f.segment<2>(size + 2 * j) +=
          arm * omega * omega * absolute::rotation(q(3 * link + 2)).col(0);
    }
  }
  const VectorXd a = K.fullPivLu().solve(f);
  VectorXd result(n + 2);
  const int b = model.base();
  result << a(3 * b + 2), a(3 * b), a(3 * b + 1), VectorXd::Zero(joints);
  for (int j = 0; j < joints; ++j) result(3 + j) = a(3 * j + 5) - a(3 * j + 2);
  return result;
}

struct Case {
  Model model;
  State state;
  VectorXd tau;
};

/// A robot of odd links in fast motion, without friction, on level ground. `u` is left for the
/// caller to fill.
Case random_case(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const int n = 2 + static_cast<int>(random() % 11);
  Model model = sample::odd_links(n, random);
  model.friction_points = 2;
  model.mu_T.setZero();
  VectorXd phi(n - 1);
  for (double& angle : phi) angle = unit(random);
  State state = make_state(model, phi, 0, {unit(random), unit(random)}, 3.0 * unit(random));
  for (double& part : state.twist) part = 3.0 * unit(random);
  for (double& rate : state.phidot) rate = 5.0 * unit(random);
  VectorXd tau(n - 1);
  for (double& torque : tau) torque = unit(random);
  return {model, state, tau};
}

TEST(MinimalCoordinates, AStepHasTheAccelerationsOfTheAbsoluteCoordinates) {
  // Without friction the step is M(q_M) (nu_E - nu_A)/dt + C nu_A = tau as it stands, at any dt.
  std::mt19937_64 random(1);
  double worst = 0.0;
  for (int trial = 0; trial < 1000; ++trial) {
    Case one = random_case(random);
    const VectorXd nu = velocities(one.state);
    const VectorXd q = positions(one.model, one.state.base, one.state.phi);
    const VectorXd u = jacobian(one.model, q) * nu;
    const VectorXd expected = accelerations(one.model, q, u, one.tau);
    one.state.u = u;
    JointCommand command(one.model.n() - 1);
    command.tau = one.tau;
    StepOptions options;
    options.dt = trial % 2 == 0 ? 1.0 : 0.1;
    options.minimal_coordinates = true;
    options.plain = trial % 4 < 2;
    Data data(one.model);
    ASSERT_EQ(step(one.model, one.state, data, command, options).status, Status::ok);
    const VectorXd ours = (velocities(one.state) - nu) / options.dt;
    worst = std::max(worst, (ours - expected).norm() / expected.norm());
    ASSERT_LE(worst, 1e-12) << "trial " << trial;
  }
}

TEST(MinimalCoordinates, ThePlanarStepTendsToTheSameAccelerations) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const Case one = random_case(random);
    const VectorXd nu = velocities(one.state);
    const VectorXd q = positions(one.model, one.state.base, one.state.phi);
    const VectorXd expected = accelerations(one.model, q, jacobian(one.model, q) * nu, one.tau);
    std::vector<double> error;
    for (const double dt : {4e-5, 2e-5, 1e-5}) {
      State state = one.state;
      // velocities of the links as the step before left them, at its own q_M
      const Vector3d base = state.base - dt * Vector3d{nu(1), nu(2), nu(0)};
      state.u = jacobian(one.model, positions(one.model, base, state.phi - dt * state.phidot)) * nu;
      JointCommand command(one.model.n() - 1);
      command.tau = one.tau;
      StepOptions options;
      options.dt = dt;
      options.newton.tolerance = 1e-13;
      Data data(one.model);
      ASSERT_EQ(step(one.model, state, data, command, options).status, Status::ok);
      error.push_back(((velocities(state) - nu) / dt - expected).norm() / expected.norm());
    }
    EXPECT_LE(error[2], 1e-2);
    EXPECT_NEAR(error[0] / error[1], 2.0, 0.05) << "trial " << trial;
    EXPECT_NEAR(error[1] / error[2], 2.0, 0.05) << "trial " << trial;
  }
}

struct Gait {
  double seconds = 0.25;
  double k_P = 5.0;
  double k_D = 0.02;
};

/// Where the robot is after a servoed gait from rest: every link's centre (m) and the joint angles
/// (rad).
VectorXd end_of(const Gait& gait, const Model& model, double dt, bool minimal) {
  State state = sample::course_start(model);
  Data data(model);
  StepOptions options;
  options.dt = dt;
  options.minimal_coordinates = minimal;
  options.newton.tolerance = 1e-13;
  JointCommand command(model.n() - 1);
  const auto steps = static_cast<int>(std::lround(gait.seconds / dt));
  for (int k = 0; k < steps; ++k) {
    sample::follow({.omega = 4.0}, (k + 1) * dt, command, gait.k_P, gait.k_D);
    EXPECT_EQ(step(model, state, data, command, options).status, Status::ok);
  }
  const Eigen::Matrix2Xd r = sample::link_positions(model, state, dt);
  VectorXd end(2 * model.n() + model.n() - 1);
  end << Eigen::Map<const VectorXd>(r.data(), r.size()), state.phi - 0.5 * dt * state.phidot;
  return end;
}

/// Limit of a sequence at dt, dt/2, dt/4, …, its error a power series in dt.
VectorXd richardson(std::vector<VectorXd> values) {
  for (std::size_t order = 1; order < values.size(); ++order) {
    for (std::size_t k = values.size() - 1; k >= order; --k) {
      values[k] += (values[k] - values[k - 1]) / (std::pow(2.0, static_cast<double>(order)) - 1.0);
    }
  }
  return values.back();
}

/// Ends by both steps at dt, dt/2, …
struct Ends {
  std::vector<VectorXd> planar, minimal;
  std::vector<double> apart;  // largest difference, m or rad

  Ends(const Gait& gait, const Model& model, double dt, int levels) {
    for (int level = 0; level < levels; ++level, dt *= 0.5) {
      planar.push_back(end_of(gait, model, dt, false));
      minimal.push_back(end_of(gait, model, dt, true));
      apart.push_back((planar.back() - minimal.back()).cwiseAbs().maxCoeff());
    }
  }
};

Model two_points(const Vector2d& mu_T, const Vector2d& mu_V) {
  Model model = sample::aiko();
  model.friction_points = 2;
  model.mu_T = mu_T;
  model.mu_V = mu_V;
  return model;
}

TEST(MinimalCoordinates, TheirMotionDiffersFromThePlanarStepsInProportionToTheStep) {
  for (const Vector2d& mu_V : {Vector2d{0.0, 0.0}, Vector2d{0.1, 0.2}}) {
    SCOPED_TRACE(mu_V.y());
    const Ends ends({}, two_points({0.0, 0.0}, mu_V), 1e-3, 6);
    EXPECT_GT(ends.apart[0], 1e-5) << "the two are different steps";
    for (std::size_t k = 1; k < ends.apart.size(); ++k) {
      EXPECT_NEAR(ends.apart[k - 1] / ends.apart[k], 2.0, 0.1) << "halving " << k;
    }
    const VectorXd limit = richardson(ends.planar);
    EXPECT_GT((limit - ends.planar.back()).cwiseAbs().maxCoeff(), 1e-6);
    // six levels leave dt^6, and 2^6 roundings
    EXPECT_LE((limit - richardson(ends.minimal)).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST(MinimalCoordinates, TheLimitIsTheSameWithTheGainsOfTheThesis) {
  // table 7.2: the stiffest mode falls off in 0.3 ms, which the steps have to resolve
  const Ends ends({.seconds = 0.2, .k_P = 200.0, .k_D = 1.2}, two_points({0.0, 0.0}, {0.1, 0.2}),
                  1e-4, 5);
  for (std::size_t k = 1; k < ends.apart.size(); ++k) {
    EXPECT_NEAR(ends.apart[k - 1] / ends.apart[k], 2.0, 0.1) << "halving " << k;
  }
  EXPECT_LE((richardson(ends.planar) - richardson(ends.minimal)).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(MinimalCoordinates, WithSetValuedFrictionTheTwoDifferInTheOrderOfTheStep) {
  const Ends ends({.seconds = 0.5, .k_P = 200.0, .k_D = 1.2}, two_points({0.2, 0.5}, {0.1, 0.2}),
                  1e-3, 6);
  EXPECT_GT(ends.apart[0], 1e-5);
  for (std::size_t k = 1; k < ends.apart.size(); ++k) {
    EXPECT_NEAR(ends.apart[k - 1] / ends.apart[k], 2.0, 0.1) << "halving " << k;
  }
}

TEST(MinimalCoordinates, LinearMomentumIsKeptToFirstOrderWhereThePlanarStepKeepsItExactly) {
  // Free flight: no load, no friction. The planar step's unknowns are the links' own velocities.
  std::mt19937_64 random(4);
  Case one = random_case(random);
  one.model.g = 0.0;
  const VectorXd nu = velocities(one.state);
  one.state.u = jacobian(one.model, positions(one.model, one.state.base, one.state.phi)) * nu;
  for (const bool minimal : {false, true}) {
    std::vector<double> drift;
    for (const double dt : {4e-4, 2e-4, 1e-4}) {
      State state = one.state;
      Data data(one.model);
      StepOptions options;
      options.dt = dt;
      options.minimal_coordinates = minimal;
      const auto momentum = [&] {
        Vector2d p = Vector2d::Zero();
        for (int i = 0; i < one.model.n(); ++i)
          p += one.model.links[static_cast<std::size_t>(i)].m * state.u.segment<2>(3 * i);
        return p;
      };
      const auto one_step = [&] {
        const JointCommand command(one.model.n() - 1);
        ASSERT_EQ(step(one.model, state, data, command, options).status, Status::ok);
      };
      one_step();  // the links' velocities of the start are those at q_M itself
      const Vector2d start = momentum();
      while (static_cast<double>(state.k) * dt < 0.2) one_step();
      drift.push_back((momentum() - start).norm() / start.norm());
    }
    if (minimal) {
      EXPECT_NEAR(drift[0] / drift[1], 2.0, 0.1);
      EXPECT_NEAR(drift[1] / drift[2], 2.0, 0.1);
    } else {
      EXPECT_LE(drift[0], 1e-13);
    }
  }
}

TEST(MinimalCoordinates, ASingleLinkHasTheSameStepInBoth) {
  Model model = sample::aiko(1);
  model.friction_points = 2;
  model.mu_V = {0.1, 0.2};
  State state = make_state(model, VectorXd(0), 0, {0.0, 0.0}, 0.3);
  state.twist << 5.0, 1.0, -0.5;
  state.u << 1.0, -0.5, 5.0;
  State other = state;
  Data data(model);
  StepOptions options;
  for (int k = 0; k < 300; ++k) {
    options.minimal_coordinates = false;
    ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
    options.minimal_coordinates = true;
    ASSERT_EQ(step(model, other, data, JointCommand(0), options).status, Status::ok);
    ASSERT_EQ(state.u, other.u);
    ASSERT_EQ(state.base, other.base);
  }
}

struct Way {
  const char* name;
  Solver solver;
  bool plain;
};

TEST(MinimalCoordinates, EveryStepAndSolverGivesTheSameMotion) {
  for (const nonsmooth::Law law : {nonsmooth::Law::anchored, nonsmooth::Law::rigid}) {
    std::mt19937_64 random(5);
    for (int trial = 0; trial < 20; ++trial) {
      Case one = random_case(random);
      one.model.mu_T = {0.2, 0.5};
      if (trial % 2 == 0) one.model.mu_V = {0.1, 0.2};
      if (trial % 3 == 0) {
        one.state.twist *= 1e-2;
        one.state.phidot *= 1e-2;
      }
      // what is pressed against a peg comes to the same steps
      const VectorXd q = positions(one.model, one.state.base, one.state.phi);
      one.model.obstacles.push_back(
          {q.head<2>() + 0.073 * absolute::rotation(q(2)).col(1), 0.02, 0.0});
      one.state.u = jacobian(one.model, q) * velocities(one.state);
      JointCommand command = sample::hold(one.state.phi, 50.0, 0.5);
      command.tau = one.tau;
      VectorXd reference;
      StepWork work;
      for (const Way& way :
           {Way{"newton", Solver::newton, false}, Way{"newton, plain", Solver::newton, true},
            Way{"gauss_seidel", Solver::gauss_seidel, false},
            Way{"thesis", Solver::thesis, false}}) {
        SCOPED_TRACE(std::string(way.name) + ", trial " + std::to_string(trial));
        StepOptions options;
        options.minimal_coordinates = true;
        options.solver = way.solver;
        options.plain = way.plain;
        options.law = law;
        options.newton.tolerance = 1e-13;
        options.gauss_seidel.tolerance = 1e-13;
        options.gauss_seidel.max_iterations = 100000;
        options.thesis.r_T = options.thesis.r_H = 0.1;
        options.thesis.epsilon = 1e-16;
        options.thesis.max_iterations = 1000000;
        State state = one.state;
        Data data(one.model);
        for (int k = 0; k < 5; ++k) {
          const nonsmooth::ContactStepInfo info = step(one.model, state, data, command, options);
          ASSERT_EQ(info.status, Status::ok) << info.residual;
        }
        if (reference.size() == 0) {
          reference = state.u;
          work = data.work;
          continue;
        }
        EXPECT_LE((state.u - reference).cwiseAbs().maxCoeff(),
                  1e-9 * std::max(1.0, reference.cwiseAbs().maxCoeff()));
        EXPECT_NEAR(data.work.friction, work.friction, 1e-10);
        EXPECT_NEAR(data.work.scheme, work.scheme, 1e-9);
      }
    }
  }
}

TEST(MinimalCoordinates, TheWorksOfAStepAreTheChangeOfEnergyFromStepToStep) {
  Model model = two_points({0.2, 0.5}, {0.1, 0.2});
  model.obstacles = sample::course();
  model.tilt = 0.05;
  State state = sample::course_start(model);
  Data data(model);
  StepOptions options;
  options.minimal_coordinates = true;
  JointCommand command(10);
  double before = 0.0;
  double touched = 0.0;
  for (int k = 0; k < 2000; ++k) {
    sample::follow({}, (k + 1) * options.dt, command);
    ASSERT_EQ(step(model, state, data, command, options).status, Status::ok);
    double T = 0.0;
    for (int i = 0; i < 11; ++i) {
      const Link& link = model.links[static_cast<std::size_t>(i)];
      const Vector3d u = state.u.segment<3>(3 * i);
      T += 0.5 * (link.m * u.head<2>().squaredNorm() + link.Theta * u(2) * u(2));
    }
    EXPECT_NEAR(T, data.kinetic_energy, 1e-14);
    const StepWork& work = data.work;
    ASSERT_NEAR(T - before, work.servo + work.friction + work.contact + work.gravity + work.scheme,
                1e-13);
    before = T;
    touched += data.obstacle_impulse.norm();
  }
  EXPECT_GT(touched, 0.1);
}

TEST(MinimalCoordinates, AStepThatCannotBeLeavesTheStateAsItWas) {
  std::mt19937_64 random(6);
  Case one = random_case(random);
  one.state.u = jacobian(one.model, positions(one.model, one.state.base, one.state.phi)) *
                velocities(one.state);
  const State before = one.state;
  JointCommand command(one.model.n() - 1);
  command.tau(0) = std::numeric_limits<double>::quiet_NaN();
  StepOptions options;
  Data data(one.model);
  for (const int way : {0, 1, 2, 3}) {
    options.minimal_coordinates = way % 2 == 1;
    options.plain = way / 2 == 1;
    EXPECT_EQ(step(one.model, one.state, data, command, options).status, Status::non_finite);
    EXPECT_EQ(one.state.u, before.u);
    EXPECT_EQ(one.state.k, before.k);
    EXPECT_EQ(one.state.phidot, before.phidot);
  }
}

}  // namespace minimal_coordinates_test
}  // namespace coluber::planar
