// Runs of the whole model: errors decay as the law says, contacts hold, bytes continue a run.

#include "coluber/grasp/system.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/bytes.hpp"

#include "sample/grasps.hpp"
#include "support/allocations.hpp"

namespace coluber::grasp {
namespace system_test {

using Eigen::Vector2d;

/// R1: a step of head and rises.
SystemOptions task_of_R1(Integrator integrator, HeadSolve head_solve) {
  SystemOptions options;
  options.dt = 5e-3;
  options.integrator = integrator;
  options.controller.law.head_solve = head_solve;
  TaskKeys task;
  task.x = 0.5;
  task.y = 0.5;
  task.yaw_deg = 60.0;
  task.rises = {-0.1, -0.15, -0.2};
  task.rises.resize(14, -0.3);
  task.duration = 10.0;
  options.tasks = {task};
  return options;
}

/// Largest departure of the relative errors of x, y and yaw, and of rises (m), from `decay(k)`.
template <typename Decay>
std::pair<double, double> departure(GraspSystem& system, const SystemOptions& options,
                                    const Decay& decay, double& slip) {
  double head = 0.0;
  double rises = 0.0;
  for (int k = 1; k <= 400; ++k) {
    EXPECT_EQ(system.step().status, Status::ok);
    const Configuration& q = system.configuration();
    const double share = decay(k);
    const double yaw = (60.0 - q.yaw(0) / sample::kDegree) / -30.0;
    for (double e : {(0.5 - q.P0.x()) / 0.5, (0.5 - q.P0.y()) / 0.5, yaw}) {
      head = std::max(head, std::abs(e - share));
    }
    for (int i = 0; i < 14; ++i) {
      const double wished = options.tasks[0].rises[static_cast<std::size_t>(i)];
      rises = std::max(rises, std::abs(wished - system.rows().w(4 + i) - wished * share));
    }
    slip = std::max(slip, system.control().slip);
  }
  return {head, rises};
}

TEST(Pose, ErrorsDecayWithTheGainUnderEuler) {
  const SystemOptions options = task_of_R1(Integrator::euler, HeadSolve::plain);
  GraspSystem system(sample::lasso15(), sample::start_R1(), options);
  double slip = 0.0;
  const auto [head, rises] =
      departure(system, options, [](int k) { return std::pow(1.0 - 2.0 * 5e-3, k); }, slip);
  EXPECT_LE(head, 1e-3);
  EXPECT_LE(rises, 1e-3) << "rises are no states: Euler lets them drift by O(dt)";
  EXPECT_LE(slip, 2e-9) << "what cutting off a singular value of 1e-9 leaves";
}

TEST(Pose, ErrorsDecayExponentiallyUnderRungeKutta) {
  for (HeadSolve head_solve : {HeadSolve::ground, HeadSolve::wished}) {
    const SystemOptions options = task_of_R1(Integrator::rk4, head_solve);
    GraspSystem system(sample::lasso15(), sample::start_R1(), options);
    double slip = 0.0;
    const auto [head, rises] =
        departure(system, options, [](int k) { return std::exp(-2.0 * 5e-3 * k); }, slip);
    EXPECT_LE(head, 1e-6);
    EXPECT_LE(rises, 1e-6);
    EXPECT_LE(slip, 1e-9);
  }
}

TEST(Pose, FollowsAnAngleThatOscillates) {
  SystemOptions options;
  options.dt = 1e-2;
  options.controller.law.gain = 5.0;
  options.controller.law.head_solve = HeadSolve::wished;
  TaskKeys task;
  task.oscillating_joint = 13;
  task.oscillation_deg = 10.0;
  task.oscillation_omega = 3.0;
  task.duration = 4.0;
  options.tasks = {task};
  const Configuration start =
      sample::grasp_pose(0.0, {0, 0, 0, 0, 0, 0, 0, 0, 5, 10, -10, -10, 10, 12});
  GraspSystem system(sample::lasso15(), start, options);
  for (int k = 1; k <= 400; ++k) {
    ASSERT_EQ(system.step().status, Status::ok);
    // flat: the angle is the joint's yaw
    const double psi = 10.0 * sample::kDegree * std::sin(3.0 * system.time());
    EXPECT_NEAR(system.configuration().yaw(13) - start.yaw(13), psi, 1e-6);
  }
}

TEST(NullSpace, AscentIsTheGradientAndLeavesTheTaskAlone) {
  const Model model = sample::lasso15();
  const Configuration q =
      sample::grasp_pose(0.0, {0, 0, 0, 0, 0, 0, 0, 0, 5, 10, -10, -10, 10, 12});
  Control control(model);
  const NullSpace options{.alpha = 1.0, .a = 0.15, .b = 0.0};
  update_ascent(model, {}, q, options, control);
  const double V = compute_objective(model, {}, q, options, control);
  Configuration moved = q;
  const double h = 1e-5;
  for (int j = 1; j < 15; ++j) {
    moved.pitch(j) += h * control.ascent(j - 1);
    moved.yaw(j) += h * control.ascent(13 + j);
  }
  const double gained = compute_objective(model, {}, moved, options, control) - V;
  EXPECT_NEAR(gained / (h * control.ascent.squaredNorm()), 1.0, 1e-3);

  SystemOptions with = task_of_R1(Integrator::euler, HeadSolve::wished);
  with.controller.law.null_space = options;
  GraspSystem system(model, sample::start_R1(), with);
  const double before = compute_posture(system.rows());
  double slip = 0.0;
  const auto [head, rises] =
      departure(system, with, [](int k) { return std::pow(1.0 - 2.0 * 5e-3, k); }, slip);
  EXPECT_LE(head, 1e-12);
  EXPECT_LE(rises, 2e-3) << "rises are no states: Euler lets them drift by O(dt)";
  EXPECT_NEAR(before, 2.16, 0.01);
  EXPECT_GT(compute_posture(system.rows()), 30.0);
}

/// Three links are laid round a cylinder, which is then dragged.
SystemOptions lasso_and_drag(const Model& model, const Configuration& start, double rho) {
  SystemOptions options;
  options.dt = 1e-2;
  options.integrator = Integrator::euler;
  options.controller.law.gain = 3.0;
  options.controller.law.inverse = Inverse::weighted;
  Chain chain(model.links);
  update_chain(model, start, chain);
  const Vector2d along = chain.along.col(7).head<2>().normalized();
  Object object;
  object.radius = rho - model.radius;
  object.rho = rho;
  object.weight = 4.0;
  options.object = object;
  options.place.p = chain.mid.col(7).head<2>() + rho * Vector2d(-along.y(), along.x());
  TaskKeys lasso;
  lasso.kind = TaskKind::lasso;
  lasso.first_link = 8;
  lasso.contacts.count = 3;
  lasso.duration = 12.0;
  TaskKeys drag;
  drag.kind = TaskKind::drag;
  drag.goal = options.place.p + Vector2d(-1.0, -0.5);
  drag.turn_deg = 20.0;
  drag.duration = 8.0;
  options.tasks = {lasso, drag};
  StiffnessKeys stiffness;
  stiffness.k_t = stiffness.k_n = {50.0, 50.0, 50.0};
  stiffness.F_t = {{2.0, -1.0}, {2.0, -1.0}, {2.0, -1.0}};
  options.stiffness = stiffness;
  return options;
}

TEST(Lasso, LaysLinksRoundACylinderAndDragsIt) {
  const Model model = sample::lasso15();
  const SystemOptions options = lasso_and_drag(model, sample::start_lasso(), 0.8);
  GraspSystem system(model, sample::start_lasso(), options);
  ASSERT_EQ(system.fault(), Fault::none) << system.fault_words();
  double fastest = 0.0;
  for (int k = 0; k < 1200; ++k) {
    ASSERT_EQ(system.step().status, Status::ok);
    fastest = std::max(fastest, system.control().u.cwiseAbs().maxCoeff());
  }
  ASSERT_EQ(system.laid().size(), 3U);
  for (int i : {7, 6, 5}) {
    EXPECT_LE(std::abs(system.clearance()(i)), 0.01) << i;
    EXPECT_LE(system.drift()(i), 0.003) << i;
  }
  EXPECT_TRUE(std::isnan(system.drift()(4))) << "link 5 has not touched yet";
  EXPECT_LE(fastest, 0.6);
  Matrix6d kappa;
  EXPECT_TRUE(system.compute_stiffness(kappa));
  for (int k = 0; k < 800; ++k) ASSERT_EQ(system.step().status, Status::ok);
  EXPECT_LE((system.object_place().p - *options.tasks[1].goal).norm(), 0.01);
  EXPECT_NEAR(system.object_place().yaw / sample::kDegree, 20.0, 0.5);
}

TEST(Lasso, DoesNotWrapWithAnInverseThatIsNotWeighted) {
  const Model model = sample::lasso15();
  SystemOptions options = lasso_and_drag(model, sample::start_lasso(), 0.8);
  options.controller.law.inverse = Inverse::truncated;
  GraspSystem system(model, sample::start_lasso(), options);
  bool taken = true;
  for (int k = 0; k < 1200 && taken; ++k) taken = system.step().status == Status::ok;
  EXPECT_FALSE(taken);
  EXPECT_EQ(system.fault(), Fault::apart) << system.fault_words();
}

TEST(State, ContinuesFromBytesBitByBit) {
  const Model model = sample::lasso15();
  for (GainPolicy policy : {GainPolicy::constant, GainPolicy::adaptive_b}) {
    SystemOptions options = lasso_and_drag(model, sample::start_lasso(), 0.8);
    options.dt = 0.032;  // steps straddle the ends of phases
    options.controller.law.gain_policy = policy;
    GraspSystem one(model, sample::start_lasso(), options);
    for (int k = 0; k < 300; ++k) ASSERT_EQ(one.step().status, Status::ok);
    ByteWriter bytes;
    ASSERT_TRUE(one.save_state(bytes));
    GraspSystem other(model, sample::start_lasso(), options);
    ByteReader reader(bytes.bytes(), "bytes");
    other.restore_state(reader);
    for (int k = 0; k < 150; ++k) {
      ASSERT_EQ(one.step().status, other.step().status);
      ASSERT_EQ(one.state_hash(), other.state_hash()) << "step " << k;
    }
    std::vector<double> a(static_cast<std::size_t>(frame_size(one.observables())));
    std::vector<double> b(a);
    one.observe(a);
    other.observe(b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) << i;
    }
  }
}

#if defined(COLUBER_COUNTS_ALLOCATIONS)
TEST(Step, AllocatesNothing) {
  const Model model = sample::lasso15();
  for (Integrator integrator : {Integrator::euler, Integrator::rk4}) {
    for (HeadSolve head_solve : {HeadSolve::plain, HeadSolve::ground, HeadSolve::wished}) {
      for (Inverse inverse : {Inverse::weighted, Inverse::truncated, Inverse::damped}) {
        SystemOptions options = lasso_and_drag(model, sample::start_lasso(), 0.8);
        options.integrator = integrator;
        options.dt = 0.05;
        options.controller.law.gain_policy = GainPolicy::clamped;
        options.controller.law.head_solve = head_solve;
        options.controller.law.inverse = inverse;
        if (inverse == Inverse::weighted && head_solve == HeadSolve::plain) {
          options.controller.law.null_space = {.alpha = 1e-3, .a = 0.1, .b = 1e-3};
        }
        GraspSystem system(model, sample::start_lasso(), options);
        for (int k = 0; k < 2; ++k) ASSERT_EQ(system.step().status, Status::ok);
        const long before = allocations;
        int taken = 0;
        while (taken < 150 && system.step().status == Status::ok) ++taken;
        const long after = allocations;
        EXPECT_EQ(after - before, 0) << "in " << taken << " steps";
        // unweighted, the links come away from the object and the run ends
        EXPECT_GE(taken, inverse == Inverse::weighted ? 100 : 5);
      }
    }
  }
}
#endif

}  // namespace system_test
}  // namespace coluber::grasp
