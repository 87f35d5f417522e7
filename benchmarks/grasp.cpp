// One step of a drag with an adaptive gain (the scene grasp.drag), and one Jacobi decomposition of
// its rows, 26 × 28 with thin U and V, which is what a step would take twice of.
#include <Eigen/SVD>
#include <benchmark/benchmark.h>

#include "coluber/grasp/system.hpp"

#include "sample/grasps.hpp"

namespace {

using namespace coluber;
using namespace coluber::grasp;

SystemOptions drag() {
  SystemOptions options;
  options.integrator = Integrator::euler;
  options.controller.law.gain = 1.0;
  options.controller.law.gain_policy = GainPolicy::adaptive_b;
  TaskKeys task;
  task.x = 0.0139;
  task.y = 4.5077;
  task.contacts.links = {6, 7, 8};
  task.duration = 1e6;
  options.tasks = {task};
  return options;
}

void grasp_step(benchmark::State& timer) {
  GraspSystem system(sample::lasso15(), sample::start_R9(false), drag());
  for (auto _ : timer) {
    if (system.step().status != Status::ok) {
      timer.SkipWithError("a step was not taken");
      return;
    }
  }
}

void grasp_jacobi(benchmark::State& timer) {
  const GraspSystem system(sample::lasso15(), sample::start_R9(false), drag());
  const Eigen::MatrixXd B = system.rows().Bt.leftCols(system.rows().size).transpose();
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(B.rows(), B.cols(),
                                        Eigen::ComputeThinU | Eigen::ComputeThinV);
  for (auto _ : timer) {
    svd.compute(B);
    benchmark::DoNotOptimize(svd.singularValues().data());
  }
}

BENCHMARK(grasp_step);
BENCHMARK(grasp_jacobi);

}  // namespace

BENCHMARK_MAIN();
