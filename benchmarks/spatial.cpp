// Kernels of the spatial model over the number of links, each from a state in mid-gait: the peers'
// scene on the floor and among the 20 cylinders of benchmarks/data, friction 0.3, 1 ms; the fast
// layout and the plain one.
#include "sample/spatial.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <benchmark/benchmark.h>

#include "coluber/spatial/snake.hpp"

#include "sample/forest.hpp"

namespace {

using namespace coluber;

constexpr int warm_up = 1500;  // steps: every joint has passed its extremes
constexpr int batch = 100;     // steps timed from the same state: all repetitions do the same work

/// A robot in mid-gait and the commands of the steps to come.
struct Scene {
  spatial::Model model;
  spatial::State state;
  spatial::Data data;
  spatial::StepOptions options;
  std::vector<JointCommand> commands;
  bool good = true;

  Scene(int n, bool cylinders, bool plain)
      : model(make_model(n, cylinders)), state(spatial::sample::start_peer(model)), data(model) {
    options.plain = plain;
    JointCommand command(n - 1);
    command.k_P.setConstant(60.0);
    command.k_D.setConstant(0.4);
    constexpr double degree = std::numbers::pi / 180.0;
    for (int k = 1; k <= warm_up + batch; ++k) {
      for (int j = 0; j < n - 1; ++j) {
        const double phase = 80.0 * degree * k * options.dt - 50.0 * degree * j;
        command.phi_d(j) = 40.0 * degree * std::sin(phase);
        command.phidot_d(j) = 40.0 * 80.0 * degree * degree * std::cos(phase);
      }
      if (k > warm_up) {
        commands.push_back(command);
      } else {
        good = spatial::step(model, state, data, command, options).status == Status::ok && good;
      }
    }
  }

  static spatial::Model make_model(int n, bool cylinders) {
    spatial::Model model = spatial::sample::make_peer(n);
    if (cylinders) {
      for (auto circle : sample::circles(n)) {
        circle.mu = 0.3;
        model.obstacles.push_back(circle);
      }
    }
    return model;
  }
};

void step(benchmark::State& timer, bool cylinders, bool plain) {
  Scene scene(static_cast<int>(timer.range(0)), cylinders, plain);
  if (!scene.good) {
    timer.SkipWithError("the warm-up failed");
    return;
  }
  std::int64_t sweeps = 0;
  std::int64_t contacts = 0;
  std::int64_t steps = 0;
  for (auto _ : timer) {
    spatial::State state = scene.state;
    for (const JointCommand& command : scene.commands) {
      sweeps += spatial::step(scene.model, state, scene.data, command, scene.options).iterations;
      contacts += scene.data.contacts_closed;
      ++steps;
    }
  }
  timer.SetItemsProcessed(steps);
  timer.SetComplexityN(timer.range(0));
  timer.counters["sweeps"] = static_cast<double>(sweeps) / static_cast<double>(steps);
  timer.counters["contacts"] = static_cast<double>(contacts) / static_cast<double>(steps);
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const int n : {10, 20, 40, 80, 160}) bench->Arg(n);
  bench->Complexity();
}

}  // namespace

BENCHMARK_CAPTURE(step, floor, false, false)->Apply(sizes);
BENCHMARK_CAPTURE(step, cylinders, true, false)->Apply(sizes);
BENCHMARK_CAPTURE(step, floor_plain, false, true)->Apply(sizes);
BENCHMARK_CAPTURE(step, cylinders_plain, true, true)->Apply(sizes);
BENCHMARK_MAIN();
