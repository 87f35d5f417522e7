// One evaluation of a tree over its size, motion and torques: a free-floating chain, and the
// wheeled snake of Ali 4.3 with followers, wheel forces and consistent torques. The first is held
// against Pinocchio's RNEA + CRBA on the same chain (peers/pinocchio.cpp).
#include <cmath>

#include <benchmark/benchmark.h>

#include "coluber/multibody/evaluate.hpp"

#include "sample/trees.hpp"

namespace {

using namespace coluber;
using namespace coluber::multibody;

/// A tree at an instant in mid-motion.
struct Scene {
  Model model;
  Data data;
  Configuration at;
  Classification as;
  Program program;
  double t = 0.0;

  explicit Scene(Tree tree)
      : model(std::move(tree)), data(model), at(multibody::sample::at_origin(model)) {}
};

Scene chain(int n) {
  Scene scene(multibody::sample::free_chain(n));
  scene.at.eta << 0.3, 0.1, -0.2, 0.2, -0.1, 0.3;
  Eigen::VectorXd r(n - 1);
  Eigen::VectorXd rdot(n - 1);
  Eigen::VectorXd rddot(n - 1);
  for (int k = 0; k < n - 1; ++k) {
    r(k) = 0.4 * std::sin(0.5 * k);
    rdot(k) = 0.3 * std::cos(0.7 * k);
    rddot(k) = 0.2 * std::sin(1.3 * k);
  }
  scene.program = multibody::sample::frozen(r, rdot, rddot);
  return scene;
}

Scene acm(int n) {
  Scene scene(multibody::sample::wheeled_snake(n / 2));
  scene.program = multibody::sample::snake_gait;
  scene.as = classify(scene.model, scene.program, scene.at, 20.0, {}, scene.data);
  scene.t = 1.0;
  return scene;
}

void over_bodies(benchmark::State& timer, Scene scene) {
  for (auto _ : timer) {
    const Outcome outcome =
        evaluate(scene.model, scene.as, scene.program, scene.t, scene.at, {}, scene.data);
    if (!outcome.ok()) {
      timer.SkipWithError("the instant has no motion");
      return;
    }
    benchmark::DoNotOptimize(scene.data.tau.data());
  }
  timer.SetComplexityN(timer.range(0));
}

void multibody_chain(benchmark::State& timer) {
  over_bodies(timer, chain(static_cast<int>(timer.range(0))));
}
void multibody_acm(benchmark::State& timer) {
  over_bodies(timer, acm(static_cast<int>(timer.range(0))));
}

BENCHMARK(multibody_chain)->Arg(20)->Arg(100)->Arg(1000)->Complexity(benchmark::oN);
BENCHMARK(multibody_acm)->Arg(20)->Arg(100)->Arg(1000)->Complexity(benchmark::oN);

}  // namespace

BENCHMARK_MAIN();
