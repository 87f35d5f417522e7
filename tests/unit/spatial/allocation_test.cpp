// Nothing allocates in a step after the first.

#include <gtest/gtest.h>

#include "sample/spatial.hpp"
#include "support/allocations.hpp"

#ifdef COLUBER_COUNTS_ALLOCATIONS

namespace coluber::spatial {
namespace {

/// Sidewinding with rolling friction among rough cylinders: points come near and leave again.
Model make_scene(LoadSharing sharing) {
  Model model = sample::make_aiko();
  model.load_sharing = sharing;
  for (int j = 0; j < 12; ++j) model.obstacles.push_back({{-0.12 * j, 0.2}, 0.04, 0.3});
  return model;
}

long allocations_of(const Model& model, const StepOptions& options, int steps, int& failed) {
  State state = make_state(model, VectorXd::Zero(model.angles()), 0, {0.0, 0.0, 0.0525},
                           compute_axes(180.0 * sample::kDegree, 0.0, 0.0));
  Data data(model);
  JointCommand command = sample::make_servos(model, 800.0, 2.0);
  long before = 0;
  double touched = 0.0;
  for (int k = 0; k < steps; ++k) {
    sample::sidewinding().set((k + 1) * options.dt, model.n() - 1, model.axes(), command);
    failed += step(model, state, data, command, options).status == Status::ok ? 0 : 1;
    touched += data.obstacle_impulse.norm();
    if (k == 0) before = allocations.load();
  }
  EXPECT_GT(before, 0) << "the counter must count";
  EXPECT_GT(touched, 0.0) << "the cylinders were meant to be touched";
  return allocations.load() - before;
}

TEST(SpatialStep, AllocatesNothingAfterTheFirstWhateverTheLawAndTheSharing) {
  for (const nonsmooth::Law law : {nonsmooth::Law::anchored, nonsmooth::Law::rigid}) {
    for (const LoadSharing sharing : {LoadSharing::least_squares, LoadSharing::equal}) {
      StepOptions options;
      options.law = law;
      int failed = 0;
      EXPECT_EQ(allocations_of(make_scene(sharing), options, 2000, failed), 0);
      EXPECT_EQ(failed, 0);
    }
  }
}

TEST(SpatialStep, NorDoTheOtherSolversAndTheFallback) {
  const Model model = make_scene(LoadSharing::least_squares);
  int failed = 0;
  StepOptions fallback;
  fallback.newton.max_sweeps = 0;
  EXPECT_EQ(allocations_of(model, fallback, 1000, failed), 0);
  EXPECT_EQ(failed, 0);
  StepOptions thesis;
  thesis.solver = Solver::thesis;
  thesis.activation = Activation::gap;
  thesis.dt = 2.5e-4;
  EXPECT_EQ(allocations_of(model, thesis, 4000, failed), 0);
}

TEST(SpatialStep, NorDoesGaussSeidel) {
  // Its dense matrix grows with the contacts: after a first second at most one size is new.
  const Model model = make_scene(LoadSharing::least_squares);
  StepOptions options;
  options.solver = Solver::gauss_seidel;
  options.gauss_seidel.tolerance = 1e-6;
  int failed = 0;
  EXPECT_EQ(allocations_of(model, options, 60, failed), 0);
}

}  // namespace
}  // namespace coluber::spatial

#endif
