// Whole gaits of Transeth chapter 7 in space: the headings they may be turned to, and ten minutes.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sample/spatial.hpp"

namespace coluber::spatial {
namespace spatial_gaits_test {

using sample::kDegree;

/// A gait with its friction and its start.
struct Case {
  std::string name;
  Vector2d mu{0.2, 0.2};
  sample::Wave wave;
  double roll = 0.0;
  bool from_wave = false;  ///< starts in the wave's posture, else straight with a soft start
};

Case sidewinding() { return {"W1", {0.2, 0.2}, sample::sidewinding(), 0.0, false}; }

Case rolling(const char* name, const Vector2d& mu) {  // Transeth (7.4), rolled by -90 deg
  sample::Wave wave;
  wave.A_h = wave.A_v = 10.0 * kDegree;
  wave.w_v = wave.w_h;
  wave.beta_h = wave.beta_v = 0.0;
  wave.beta_0 = 90.0 * kDegree;
  return {name, mu, wave, -90.0 * kDegree, true};
}

Case undulation() { return {"I", {0.2, 0.2}, sample::Wave{}, 0.0, true}; }

/// Transeth's soft start: an angle follows its reference from when that first is below 3 deg.
class Soft {
 public:
  explicit Soft(const Model& model) : on_(static_cast<std::size_t>(model.angles()), false) {}
  void hold_back(JointCommand& command) {
    for (std::size_t j = 0; j < on_.size(); ++j) {
      const auto index = static_cast<Eigen::Index>(j);
      if (std::abs(command.phi_d(index)) <= 3.0 * kDegree) on_[j] = true;
      if (!on_[j]) command.phi_d(index) = command.phidot_d(index) = 0.0;
    }
  }

 private:
  std::vector<bool> on_;
};

struct Outcome {
  Matrix3Xd positions;  ///< turned back by the heading's excess over 180 deg
  Vector3d moved;       ///< link 6, turned back
  int failed = 0;
  double residual = 0.0, unit = 0.0, lowest = 1.0, highest = 0.0, tracking = 0.0;
};

Outcome run(const Case& gait, double seconds, double turned, double dt = 1e-3) {
  Model model = sample::make_aiko();
  model.mu_T = gait.mu;
  JointCommand command = sample::make_servos(model, 800.0, 2.0);
  gait.wave.set(0.0, 10, 2, command);
  if (!gait.from_wave) command.phi_d.setZero();
  const double heading = 180.0 * kDegree + turned;
  State state = make_state(model, command.phi_d, 0, {0.0, 0.0, 0.0525},
                           compute_axes(heading, 0.0, gait.roll));
  Data data(model);
  Soft soft(model);
  StepOptions options;
  options.dt = dt;
  // Where links lift and land, what a step leaves over grows: with 1e-10 to 3.5 mm in 20 s.
  options.newton.tolerance = 1e-11;
  const Vector3d start = sample::link_positions(model, state, dt).col(5);
  Outcome outcome;
  const int steps = static_cast<int>(std::lround(seconds / dt));
  for (int k = 0; k < steps; ++k) {
    gait.wave.set((k + 1) * dt, 10, 2, command);
    if (!gait.from_wave) soft.hold_back(command);
    const nonsmooth::ContactStepInfo info = step(model, state, data, command, options);
    outcome.failed += info.status == Status::ok ? 0 : 1;
    outcome.residual = std::max(outcome.residual, info.residual);
    outcome.unit = std::max(outcome.unit, std::abs(state.p.norm() - 1.0));
    if (k % 50 != 0 || k * dt < 5.0) continue;
    const Matrix3Xd r = sample::link_positions(model, state, dt);
    outcome.lowest = std::min(outcome.lowest, r.row(2).minCoeff());
    outcome.highest = std::max(outcome.highest, r.row(2).maxCoeff());
    outcome.tracking =
        std::max(outcome.tracking, (state.phi - command.phi_d).cwiseAbs().maxCoeff());
  }
  const Eigen::Matrix3d back = Eigen::AngleAxisd(-turned, Vector3d::UnitZ()).toRotationMatrix();
  outcome.positions = back * sample::link_positions(model, state, dt);
  outcome.moved = back * (Vector3d{sample::link_positions(model, state, dt).col(5)} - start);
  return outcome;
}

class SpatialGaits : public testing::TestWithParam<Case> {};

TEST_P(SpatialGaits, TurningTheSceneTurnsTheAnswerAfterTwentySeconds) {
  const Outcome straight = run(GetParam(), 20.0, 0.0);
  EXPECT_EQ(straight.failed, 0);
  EXPECT_LE(straight.residual, 1e-9);
  EXPECT_GT(straight.moved.norm(), 0.1);
  for (const double turned : {17.0, 45.0, 180.0}) {
    const Outcome other = run(GetParam(), 20.0, turned * kDegree);
    EXPECT_EQ(other.failed, 0);
    const double apart = (other.positions - straight.positions).colwise().norm().maxCoeff();
    EXPECT_LE(apart, 3e-3) << turned << " deg";
    RecordProperty("apart_um_" + std::to_string(static_cast<int>(turned)),
                   std::to_string(1e6 * apart));
  }
}

INSTANTIATE_TEST_SUITE_P(Transeth, SpatialGaits,
                         testing::Values(sidewinding(), rolling("R1", {0.2, 0.2}),
                                         rolling("R2", {0.2, 0.5}), undulation()),
                         [](const auto& gait) { return gait.param.name; });

TEST(SpatialSidewinding, GoesWhereTheExplicitSchemeOfTheThesisGoes) {
  // Link 6 after 10 s in an independent implementation, 0.25 ms and explicit servos: (-0.038,
  // 0.790).
  for (const double dt : {2.5e-4, 1e-3}) {
    const Outcome outcome = run(sidewinding(), 10.0, 0.0, dt);
    EXPECT_NEAR(outcome.moved.x(), -0.038, 5e-3) << dt;
    EXPECT_NEAR(outcome.moved.y(), 0.790, 5e-3) << dt;
  }
}

TEST(SpatialSidewinding, StaysBoundedForTenMinutes) {
  // One minute, or all ten if COLUBER_WHOLE is set.
  const double seconds = std::getenv("COLUBER_WHOLE") != nullptr ? 600.0 : 60.0;
  const Outcome outcome = run(sidewinding(), seconds, 0.0);
  EXPECT_EQ(outcome.failed, 0);
  EXPECT_LE(outcome.residual, 1e-9);
  EXPECT_LE(outcome.unit, 1e-12);
  EXPECT_GE(outcome.lowest, 0.0525 - 1e-3) << "on the ground";
  EXPECT_LE(outcome.highest, 0.2) << "and near it";
  EXPECT_LE(outcome.tracking, 5.0 * kDegree);
  EXPECT_LE(outcome.moved.norm(), 0.15 * seconds);
}

}  // namespace spatial_gaits_test
}  // namespace coluber::spatial
