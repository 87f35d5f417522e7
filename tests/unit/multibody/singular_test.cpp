// Singular instants between the ends of steps, of real ones and of those that a motion passes.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "coluber/multibody/system.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

#include "sample/trees.hpp"

namespace coluber::multibody {
namespace singular_test {

/// Number of the step that a snakeboard cannot take; 0: all of them are.
std::int64_t step_refused(const Program& program, double dt, double duration) {
  const Model model(sample::snakeboard());
  Start start;
  start.at = sample::at_origin(model);
  SystemOptions options;
  options.dt = dt;
  options.duration = duration;
  options.drawn.resize(model.bodies.size());
  MultibodySystem system(model, program, start, options);
  EXPECT_TRUE(system.start_outcome().ok());
  while (system.step_count() < std::llround(duration / dt)) {
    if (system.step().status != Status::ok) return system.step_count() + 1;
  }
  return 0;
}

/// Both axles turn at `rate` (rad/s), against each other.
Program axles_turn(double rate) {
  return [=](double t, Input& input) {
    input.r << 0.0, -rate * t, rate * t;
    input.rdot << 0.0, -rate, rate;
    input.rddot.setZero();
  };
}

/// The step in which t is.
std::int64_t step_of(double t, double dt) { return static_cast<std::int64_t>(std::ceil(t / dt)); }

// Axles across the board hold it no longer along itself and against turning.
TEST(SingularInstant, EndsTheStepItIsInHoweverFastItIsPassed) {
  for (double rate : {1.0, 3.0, 9.0, 11.0, 40.0}) {
    const double t = sample::pi / (2.0 * rate);
    EXPECT_EQ(step_refused(axles_turn(rate), 0.01, 1.8), step_of(t, 0.01)) << rate << " rad/s";
  }
  // More than half a turn in a step: both its ends are far from singular.
  EXPECT_EQ(step_refused(axles_turn(35.0), 0.1, 1.0), 1);
}

TEST(SingularInstant, EndsTheStepItIsInAtEveryStepSize) {
  const double t = std::asin(sample::pi / 2.0 / 2.5);
  for (double dt : {0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1}) {
    EXPECT_EQ(step_refused(sample::snakeboard_gait(0.7, 1.0, 2.5, 1.0), dt, 3.0), step_of(t, dt))
        << dt << " s";
  }
}

TEST(SingularInstant, IsNotSeenWhereThereIsNone) {
  for (double dt : {0.01, 0.05, 0.1}) {
    EXPECT_EQ(step_refused(sample::snakeboard_gait(0.7, 1.0, 1.55, 1.0), dt, 6.3), 0) << dt << " s";
  }
}

TEST(SingularInstant, IsCountedOnceAtEveryStepSize) {
  for (const char* dt : {"0.01", "0.04", "0.05"}) {
    simulation::Simulation run = simulation::make_simulation(
        scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/acm20.toml",
                       {std::string("solver.dt=") + dt}));
    const auto steps = std::llround(run.scenario.duration / run.system->dt());
    for (std::int64_t k = 0; k < steps; ++k) ASSERT_EQ(run.system->step().status, Status::ok);
    for (const SummaryItem& item : run.system->summary()) {
      if (item.name != "singular_instants") continue;
      EXPECT_EQ(std::get<double>(item.value), 7.0) << dt << " s";
    }
  }
}

// A table holds its shape before its first row and behind its last one.
TEST(SingularInstant, IsPassedWhereATableStartsOrEnds) {
  const Model model(sample::wheeled_snake());
  Data data(model);
  const Configuration at = sample::at_origin(model);
  const Classification as = classify(model, sample::snake_gait, at, 20.0, {}, data);
  ASSERT_TRUE(evaluate(model, as, sample::snake_gait, 0.0, at, {}, data).ok());
  const Vector6d eta = data.eta_o;
  const Vector6d etadot = data.etadot_o;
  for (double side : {-1.0, 1.0}) {  // held there
    const Program table = [=](double t, Input& input) {
      sample::snake_gait(side * t > 0.0 ? 0.0 : t, input);
      if (side * t <= 0.0) return;
      input.rdot.setZero();
      input.rddot.setZero();
    };
    ASSERT_TRUE(evaluate(model, as, table, 0.0, at, {}, data).ok());
    EXPECT_TRUE(data.averaged);
    EXPECT_LE((data.eta_o - eta).norm(), 1e-6);
    EXPECT_LE((data.etadot_o - etadot).norm(), 1e-2 * (1.0 + etadot.norm()));
    EXPECT_FALSE(evaluate(model, as, table, side * 0.01, at, {}, data).ok()) << "held singular";
  }
}

TEST(SingularInstant, HasNoConnection) {
  const Model model(sample::wheeled_snake());
  Data data(model);
  const Configuration at = sample::at_origin(model);
  const Classification as = classify(model, sample::snake_gait, at, 20.0, {}, data);
  EXPECT_TRUE(
      compute_connection(model, as, sample::snake_gait, 0.0, at, data).array().isNaN().all());
  const Eigen::MatrixXd A = compute_connection(model, as, sample::snake_gait, 0.1, at, data);
  EXPECT_LT(A.cwiseAbs().maxCoeff(), 1e3);
}

}  // namespace singular_test
}  // namespace coluber::multibody
