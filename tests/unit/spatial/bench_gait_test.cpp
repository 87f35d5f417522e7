// The gait of the peers' scene: one answer whatever the heading, the solver, the law and the step.

#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "sample/spatial.hpp"

namespace coluber::spatial {
namespace bench_gait_test {

using nonsmooth::Law;
using sample::kDegree;

struct Outcome {
  Matrix3Xd positions;                ///< of the links, turned back by the heading
  Vector3d moved = Vector3d::Zero();  ///< mean of the centres, turned back by the heading
  double depth = 0.0;                 ///< deepest in the ground at the end of any step
  double residual = 0.0;
  int failed = 0;
};

Outcome run(const StepOptions& options, double seconds, double heading = 0.0, int links = 10,
            LoadSharing sharing = LoadSharing::least_squares) {
  Model model = sample::make_peer(links);
  model.load_sharing = sharing;
  State state = sample::start_peer(model, heading);
  Data data(model);
  JointCommand command = sample::make_servos(model, 60.0, 0.4);
  const Vector3d start = sample::compute_centre(model, state, options.dt);
  Outcome result;
  Pose pose;
  const int steps = static_cast<int>(std::lround(seconds / options.dt));
  for (int k = 0; k < steps; ++k) {
    sample::Wave{}.set((k + 1) * options.dt, links - 1, 1, command);
    const nonsmooth::ContactStepInfo info = step(model, state, data, command, options);
    result.failed += info.status == Status::ok ? 0 : 1;
    result.residual = std::max(result.residual, info.residual);
    compute_pose_at_time(model, state, options.dt, pose);
    for (int i = 0; i < links; ++i) {
      const double lowest = pose.centre(i).z() - 0.0393 * std::abs(pose.e_z(2, i)) - 0.0525;
      result.depth = std::max(result.depth, -lowest);
    }
  }
  const Eigen::Matrix3d back = Eigen::AngleAxisd(-heading, Vector3d::UnitZ()).toRotationMatrix();
  result.positions = back * sample::link_positions(model, state, options.dt);
  result.moved = back * (sample::compute_centre(model, state, options.dt) - start);
  return result;
}

double apart(const Outcome& a, const Outcome& b) {
  return (a.positions - b.positions).colwise().norm().maxCoeff();
}

/// Seconds of the gait: the whole 5 s if COLUBER_WHOLE is set.
double sampled(double seconds) { return std::getenv("COLUBER_WHOLE") != nullptr ? 5.0 : seconds; }

TEST(BenchGait, MovesAsMeasuredAtEveryHeading) {
  // docs/theory-spatial.md: (0.050352, -0.029520), the same for all headings
  const Outcome straight = run({}, 5.0);
  EXPECT_EQ(straight.failed, 0);
  EXPECT_LE(straight.residual, 1e-9);
  EXPECT_NEAR(straight.moved.x(), 0.050352, 1e-6);
  EXPECT_NEAR(straight.moved.y(), -0.029520, 1e-6);
  for (const double heading : {17.0, 45.0, 90.0, 200.0}) {
    EXPECT_LE(apart(run({}, 5.0, heading * kDegree), straight), 1e-9) << heading << " deg";
  }
}

TEST(BenchGait, MovesAsMeasuredWithEqualLoads) {
  const Outcome equal = run({}, 5.0, 0.0, 10, LoadSharing::equal);
  EXPECT_EQ(equal.failed, 0);
  EXPECT_NEAR(equal.moved.x(), 0.050434, 1e-6);  // docs/theory-spatial.md
  EXPECT_NEAR(equal.moved.y(), -0.029655, 1e-6);
}

TEST(BenchGait, NeverSinksAMicrometreIntoTheFloor) {
  for (const Law law : {Law::anchored, Law::rigid}) {
    StepOptions options;
    options.law = law;
    EXPECT_LT(run(options, 5.0).depth, 1e-6);
  }
}

TEST(BenchGait, TheRigidLawGivesTheAnchoredAnswer) {
  StepOptions rigid;
  rigid.law = Law::rigid;
  const Outcome other = run(rigid, 5.0);
  EXPECT_EQ(other.failed, 0);
  EXPECT_LE(apart(other, run({}, 5.0)), 2e-6);
}

TEST(BenchGait, ChangesByLessThanAPercentFromAQuarterToFiveMilliseconds) {
  StepOptions options;
  options.dt = 2.5e-4;
  const Vector3d fine = run(options, 5.0).moved;
  for (const double dt : {1e-3, 2e-3, 5e-3}) {
    options.dt = dt;
    const Outcome coarse = run(options, 5.0);
    EXPECT_EQ(coarse.failed, 0);
    EXPECT_LE((coarse.moved - fine).norm(), 0.01 * fine.norm()) << "dt " << dt;
  }
}

class BenchGaitRoutes : public testing::TestWithParam<Law> {};

TEST_P(BenchGaitRoutes, TheFallbackAloneGivesNewtonsAnswer) {
  StepOptions newton;
  newton.law = GetParam();
  newton.newton.tolerance = 1e-12;
  StepOptions fallback = newton;
  fallback.newton.max_sweeps = 0;
  const double seconds = sampled(1.0);
  const Outcome other = run(fallback, seconds);
  EXPECT_EQ(other.failed, 0);
  EXPECT_LE(apart(other, run(newton, seconds)), 1e-8);
}

TEST_P(BenchGaitRoutes, GaussSeidelGivesNewtonsAnswer) {
  StepOptions newton;
  newton.law = GetParam();
  newton.newton.tolerance = 1e-12;
  StepOptions gauss_seidel = newton;
  gauss_seidel.solver = Solver::gauss_seidel;
  gauss_seidel.gauss_seidel.tolerance = 1e-12;
  const double seconds = sampled(0.05);
  const Outcome other = run(gauss_seidel, seconds);
  EXPECT_EQ(other.failed, 0);
  EXPECT_LE(apart(other, run(newton, seconds)), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Laws, BenchGaitRoutes, testing::Values(Law::anchored, Law::rigid),
                         [](const auto& law) {
                           return law.param == Law::rigid ? "Rigid" : "Anchored";
                         });

}  // namespace bench_gait_test
}  // namespace coluber::spatial
