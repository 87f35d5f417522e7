// Nothing allocates in a step after the first.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sample/forest.hpp"
#include "sample/robot_states.hpp"
#include "sample/smooth.hpp"
#include "sample/snake.hpp"
#include "support/allocations.hpp"

#ifdef COLUBER_COUNTS_ALLOCATIONS

namespace coluber::planar {
namespace {

TEST(PlanarStep, AllocatesNothingAfterTheFirst) {
  Model model = sample::aiko();
  model.obstacles = sample::course();
  for (const Solver solver : {Solver::newton, Solver::thesis}) {
    StepOptions options;
    options.solver = solver;
    if (solver == Solver::thesis) {
      options.dt = 2.5e-4;
      options.activation = Activation::gap;
    }
    State state = sample::course_start(model);
    Data data(model);
    JointCommand command(10);
    const auto one_step = [&](int k) {
      sample::follow({}, (k + 1) * options.dt, command);
      return step(model, state, data, command, options).status;
    };
    ASSERT_EQ(one_step(0), Status::ok);
    const long before = allocations.load();
    ASSERT_GT(before, 0) << "the counter must count";
    int failed = 0;
    for (int k = 1; k < 12000; ++k) failed += one_step(k) == Status::ok ? 0 : 1;
    EXPECT_EQ(allocations.load() - before, 0);
    EXPECT_EQ(failed, 0);
  }
}

TEST(PlanarStep, NorDoesASearchAmongTenThousandObstacles) {
  // Two friction points, rough pegs, limited motors; the path leads to new neighbours again and
  // again.
  Model model = sample::aiko(10);
  model.obstacles = sample::circles(10);
  model.friction_points = 2;
  for (Obstacle& obstacle : model.obstacles) obstacle.mu = 0.3;
  sample::plant_forest(model, 9980, 3.0);
  State state = sample::peers_start(model);
  Data data(model);
  JointCommand command(9);
  command.tau_max.setConstant(20.0);
  int failed = 0;
  long before = 0;
  Eigen::Matrix2Xd built_at;
  int searches = 0;
  for (int k = 0; k < 3000; ++k) {
    sample::follow({}, (k + 1) * 1e-3, command);
    failed += step(model, state, data, command, {}).status == Status::ok ? 0 : 1;
    if (k == 0) {
      built_at = data.candidates.built_at;
      before = allocations.load();
    }
    if (built_at != data.candidates.built_at) {
      built_at = data.candidates.built_at;
      ++searches;
    }
  }
  EXPECT_EQ(allocations.load() - before, 0);
  EXPECT_EQ(failed, 0);
  EXPECT_GT(searches, 3) << "the robot was meant to move out of its neighbourhood";
}

TEST(PlanarStep, TheFallbackAllocatesNothingEither) {
  for (const nonsmooth::Law law : {nonsmooth::Law::anchored, nonsmooth::Law::rigid}) {
    Model model = sample::aiko();
    model.obstacles = sample::course();
    StepOptions options;
    options.law = law;
    options.newton.max_sweeps = 0;
    State state = sample::course_start(model);
    Data data(model);
    JointCommand command(10);
    int failed = 0;
    int fell_back = 0;
    long before = 0;
    for (int k = 0; k < 300; ++k) {
      sample::follow({}, (k + 1) * options.dt, command);
      const nonsmooth::ContactStepInfo info = step(model, state, data, command, options);
      failed += info.status == Status::ok ? 0 : 1;
      fell_back += info.fallback_sweeps > 0 ? 1 : 0;
      if (k == 0) before = allocations.load();
    }
    EXPECT_EQ(allocations.load() - before, 0) << (law == nonsmooth::Law::rigid ? "rigid" : "");
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(fell_back, 300);
  }
}

TEST(Minimal, AllocatesNothing) {
  Model model = sample::aiko();
  model.friction_points = 2;
  std::mt19937_64 random(1);
  const auto [q, qdot] = sample::random_robot_state(11, random);
  RobotData data(model);
  Eigen::MatrixXd M(13, 13);
  Eigen::VectorXd out(13);
  Eigen::VectorXd tau = Eigen::VectorXd::Ones(10);
  const Eigen::VectorXd u = Eigen::VectorXd::Ones(10);
  const long before = allocations.load();
  compute_mass_matrix(model, q, data, M);
  compute_coriolis_matrix(model, q, qdot, data, M);
  compute_smooth_friction(model, {}, q, qdot, data, out);
  inverse_dynamics(model, q, qdot, q, data, out);
  forward_dynamics(model, q, qdot, q, data, out);
  smooth_dynamics(model, {}, q, qdot, tau, data, out);
  linearising_torque(model, {}, {}, q.tail(10), qdot.tail(10), u, data, tau);
  EXPECT_EQ(allocations.load() - before, 0);
  ASSERT_GT(before, 0) << "the counter must count";
}

TEST(SmoothSystem, AllocatesNothingInAStepAfterTheFirst) {
  if (!SmoothSystem::is_built()) GTEST_SKIP() << "built without CVODE";
  const Model model = sample::rough_aiko();
  SmoothSystem system(model, sample::straight(model), {});
  sample::Follower follower(model, sample::Follower::Law::io);
  const VectorXd phi_d = VectorXd::Zero(10);
  int failed = system.step_under(follower, phi_d).status == Status::ok ? 0 : 1;
  const long before = allocations.load();
  ASSERT_GT(before, 0) << "the counter must count";
  for (int k = 1; k < 1000; ++k) {
    failed += system.step_under(follower, phi_d).status == Status::ok ? 0 : 1;
  }
  EXPECT_EQ(allocations.load() - before, 0) << "restarts and releases included";
  EXPECT_EQ(failed, 0);
  EXPECT_GT(system.statistics().restarts, 4);
}

struct Case {
  Solver solver = Solver::newton;
  nonsmooth::Law law = nonsmooth::Law::anchored;
  bool weak = false;        // motors with a limit
  bool rough = false;       // pegs with friction
  bool two_points = false;  // of friction a link
  bool minimal = false;     // viscous friction, minimal coordinates
};

std::string name_of(const Case& one) {
  std::string name = one.solver == Solver::newton   ? "newton"
                     : one.solver == Solver::thesis ? "thesis"
                                                    : "gauss_seidel";
  name += one.law == nonsmooth::Law::rigid ? "_rigid" : "_anchored";
  if (one.weak) name += "_weak_motors";
  if (one.rough) name += "_rough_pegs";
  if (one.two_points) name += "_two_points";
  if (one.minimal) name += "_minimal";
  return name;
}

/// Every solver with either law; limits, rough pegs and two friction points one by one and all at
/// once.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Solver solver : {Solver::newton, Solver::gauss_seidel, Solver::thesis}) {
    for (const nonsmooth::Law law : {nonsmooth::Law::anchored, nonsmooth::Law::rigid}) {
      all.push_back({solver, law, false, false, false});
      all.push_back({solver, law, true, false, false});
      all.push_back({solver, law, false, true, false});
      all.push_back({solver, law, false, false, true});
      all.push_back({solver, law, true, true, true});
      all.push_back({solver, law, false, false, true, true});
    }
  }
  return all;
}

class Allocations : public testing::TestWithParam<Case> {};

TEST_P(Allocations, NoneInAStepAfterTheFirst) {
  const Case& one = GetParam();
  Model model = sample::aiko();
  model.obstacles = sample::course();
  for (Obstacle& obstacle : model.obstacles) obstacle.mu = one.rough ? 0.3 : 0.0;
  model.friction_points = one.two_points ? 2 : 1;
  if (one.minimal) model.mu_V = {0.1, 0.2};
  StepOptions options;
  options.minimal_coordinates = one.minimal;
  options.solver = one.solver;
  options.law = one.law;
  // Table 7.2 is for one friction point, no limits and the thesis' own time step
  options.thesis = {.law = one.law, .r_T = 0.2, .r_H = 0.05, .epsilon = 2e-5};
  JointCommand command(10);
  command.tau_max.setConstant(one.weak ? 2.0 : std::numeric_limits<double>::infinity());

  State state = sample::course_start(model);
  Data data(model);
  long before = 0;
  int failed = 0;
  int pressed = 0;
  int saturated = 0;
  std::size_t first = 0;
  std::size_t most = 0;
  for (int k = 0; k < 1500; ++k) {
    sample::follow({}, (k + 1) * options.dt, command);
    const nonsmooth::ContactStepInfo info = step(model, state, data, command, options);
    failed += info.status == Status::ok ? 0 : 1;
    pressed += data.obstacle_impulse.norm() > 0.0 ? 1 : 0;
    saturated += data.tau.cwiseAbs().maxCoeff() >= 2.0 && one.weak ? 1 : 0;
    most = std::max(most, data.touching.size());
    if (k == 0) {
      first = data.touching.size();
      before = allocations.load();
    }
  }
  EXPECT_EQ(allocations.load() - before, 0);
  ASSERT_GT(before, 0) << "the counter must count";
  EXPECT_EQ(failed, 0);
  EXPECT_GT(pressed, 100);
  EXPECT_GT(most, first) << "new pegs were meant to be met";
  if (one.weak) {
    EXPECT_GT(saturated, 20);
  }
}

INSTANTIATE_TEST_SUITE_P(PlanarStep, Allocations, testing::ValuesIn(cases()),
                         [](const auto& one) { return name_of(one.param); });

}  // namespace
}  // namespace coluber::planar

#endif
