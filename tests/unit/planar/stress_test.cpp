// Random scenes: nothing fails, every step is exact.

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "sample/snake.hpp"

namespace coluber::planar {
namespace {

/// Random robots, gaits and pegs. `rough`: two friction points in every other scene, obstacle
/// friction up to 0.5 and motors that saturate in some.
void run_scenes(unsigned seed, double mu_max, bool rough) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto between = [&](double low, double high) { return low + (high - low) * unit(random); };
  long steps = 0;
  int failed = 0;
  double worst = 0.0;
  long touched = 0;
  for (int scene = 0; scene < 60; ++scene) {
    const int n = 3 + static_cast<int>(random() % 38);
    Model model = scene % 3 == 0 ? sample::odd_links(n, random) : sample::aiko(n);
    const double mu = between(0.01, mu_max);
    model.friction_points = rough ? 1 + scene % 2 : 1;
    model.mu_T = {mu, scene % 4 == 0 ? mu * between(0.1, 1.0) : mu};
    const sample::Wave wave{between(10.0, 60.0) * sample::kDegree,
                            between(20.0, 400.0) * sample::kDegree,
                            between(-90.0, 90.0) * sample::kDegree};
    State state = make_state(model, wave.angles(n - 1), 0, {0.0, 0.0}, between(-3.0, 3.0));
    // pegs anywhere near the robot that do not overlap it
    planar::Pose pose;
    compute_pose_at_time(model, state, 0.0, pose);
    while (model.obstacles.size() < 12) {
      const Vector2d centre =
          pose.origin + pose.r.col(static_cast<Eigen::Index>(random() % static_cast<unsigned>(n)));
      const Obstacle peg{centre + Vector2d{between(-0.4, 0.4), between(-0.4, 0.4)},
                         between(0.01, 0.1), rough && scene % 3 > 0 ? between(0.0, 0.5) : 0.0};
      bool clear = true;
      for (int i = 0; i < n; ++i) {
        clear = clear && compute_gap(model.links[static_cast<std::size_t>(i)],
                                     pose.r.col(i) + pose.origin, pose.cos(i), pose.sin(i), peg)
                                 .g > 0.0;
      }
      if (clear) model.obstacles.push_back(peg);
    }
    StepOptions options;
    options.dt = between(2.5e-4, 5e-3);
    options.newton.tolerance = 1e-10;
    Data data(model);
    JointCommand command(n - 1);
    if (rough && scene % 4 == 1) command.tau_max.setConstant(between(0.5, 5.0));
    const int count = static_cast<int>(1.0 / options.dt);
    for (int k = 0; k < count; ++k) {
      sample::follow(wave, (k + 1) * options.dt, command);
      const StepInfo info = step(model, state, data, command, options);
      failed += info.status == Status::ok ? 0 : 1;
      worst = std::max(worst, info.residual);
      touched += data.obstacle_impulse.norm() > 0.0 ? 1 : 0;
      ++steps;
    }
  }
  EXPECT_EQ(failed, 0) << "of " << steps;
  EXPECT_LE(worst, 1e-9);
  EXPECT_GT(touched, steps / 10) << "the pegs were meant to be hit";
  testing::Test::RecordProperty("steps", std::to_string(steps));
}

TEST(PlanarStress, RandomScenesMeetTheToleranceOnEveryStep) { run_scenes(20, 1.2, false); }

TEST(PlanarStress, SoDoTwoFrictionPointsRoughPegsAndWeakMotors) { run_scenes(21, 0.63, true); }

}  // namespace
}  // namespace coluber::planar
