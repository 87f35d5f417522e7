// Kernels of the planar model over the number of links, each from a state in mid-gait: Aiko's links
// on the floor and among the 20 circles of benchmarks/data, friction 0.2, gait (7.3), implicit
// servos, 1 ms.
#include <stdexcept>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "coluber/math/sincos.hpp"
#include "coluber/planar/snake.hpp"

#include "sample/forest.hpp"
#include "sample/snake.hpp"

namespace {

using namespace coluber;

constexpr int warm_up =
    1500;  // steps: every joint has passed its extremes, every peg in reach is touched
constexpr int batch =
    100;  // steps timed from the same state, so that all repetitions do the same work

/// A robot in mid-gait and the commands of the steps to come.
struct Scene {
  planar::Model model;
  planar::State state;
  planar::Data data;
  planar::StepOptions options;
  std::vector<JointCommand> commands;
  bool good = true;

  Scene(int n, bool pegs) : Scene(make_model(n, pegs), {}, 800.0, 2.0) {}

  Scene(planar::Model robot, const planar::StepOptions& asked, double k_P, double k_D)
      : model(std::move(robot)), state(sample::peers_start(model)), data(model), options(asked) {
    JointCommand command(model.n() - 1);
    for (int k = 1; k <= warm_up + batch; ++k) {
      sample::follow({}, k * options.dt, command, k_P, k_D);
      if (k > warm_up) {
        commands.push_back(command);
      } else {
        good = planar::step(model, state, data, command, options).status == Status::ok && good;
      }
    }
  }

  static planar::Model make_model(int n, bool pegs) {
    planar::Model model = sample::aiko(n);
    if (pegs) model.obstacles = sample::circles(n);
    return model;
  }
};

void time_steps(benchmark::State& timer, Scene& scene) {
  if (!scene.good) {
    timer.SkipWithError("the warm-up failed");
    return;
  }
  std::int64_t sweeps = 0;
  std::int64_t contacts = 0;
  std::int64_t steps = 0;
  for (auto _ : timer) {
    planar::State state = scene.state;
    for (const JointCommand& command : scene.commands) {
      sweeps += planar::step(scene.model, state, scene.data, command, scene.options).iterations;
      contacts += std::ssize(scene.data.problem.contacts);
      ++steps;
    }
  }
  timer.SetItemsProcessed(steps);
  timer.SetComplexityN(timer.range(0));
  timer.counters["sweeps"] = static_cast<double>(sweeps) / static_cast<double>(steps);
  timer.counters["contacts"] = static_cast<double>(contacts) / static_cast<double>(steps);
}

void step(benchmark::State& timer, bool pegs) {
  Scene scene(static_cast<int>(timer.range(0)), pegs);
  time_steps(timer, scene);
}

/// The minimal model of Transeth table 7.2 with set-valued friction: two friction points per link,
/// Coulomb and viscous, 0.25 ms; chapter 3's step, or that of minimal coordinates.
void minimal(benchmark::State& timer, bool minimal) {
  planar::Model model = sample::aiko(static_cast<int>(timer.range(0)));
  model.friction_points = 2;
  model.mu_T = {0.2, 0.5};
  model.mu_V = {0.1, 0.2};
  planar::StepOptions options;
  options.dt = 2.5e-4;
  options.minimal_coordinates = minimal;
  Scene scene(std::move(model), options, 200.0, 1.2);
  time_steps(timer, scene);
}

/// Filling the contact problem in: kinematics, gaps, directions.
void make_problem(benchmark::State& timer, bool pegs) {
  Scene scene(static_cast<int>(timer.range(0)), pegs);
  for (auto _ : timer) {
    planar::make_problem(scene.model, scene.state, scene.commands.front(), scene.options,
                         scene.data);
    benchmark::DoNotOptimize(scene.data.problem.contacts.data());
  }
  timer.SetComplexityN(timer.range(0));
}

/// Judging an answer.
void compute_residual(benchmark::State& timer, bool pegs) {
  Scene scene(static_cast<int>(timer.range(0)), pegs);
  for (auto _ : timer) {
    benchmark::DoNotOptimize(
        nonsmooth::compute_residual(scene.data.problem, scene.data.solution, scene.data.residual));
  }
  timer.SetComplexityN(timer.range(0));
}

/// Three seconds among the 20 pegs, the searches for pairs included, and `range(0)` more obstacles
/// on a lattice round the whole path, out of reach.
void forest(benchmark::State& timer) {
  constexpr int steps = 3000;
  planar::Model model = sample::aiko(10);
  model.obstacles = sample::circles(10);
  sample::plant_forest(model, static_cast<std::size_t>(timer.range(0)), steps * 1e-3);
  std::vector<JointCommand> commands(steps, JointCommand(9));
  for (int k = 0; k < steps; ++k)
    sample::follow({}, (k + 1) * 1e-3, commands[static_cast<std::size_t>(k)]);
  const planar::State start = sample::peers_start(model);
  planar::Data data(model);
  bool good = true;
  for (auto _ : timer) {
    planar::State state = start;
    for (const JointCommand& command : commands) {
      good = planar::step(model, state, data, command, {}).status == Status::ok && good;
    }
  }
  if (!good) timer.SkipWithError("a step failed");
  timer.SetItemsProcessed(timer.iterations() * steps);
  timer.counters["obstacles"] = static_cast<double>(model.obstacles.size());
  timer.counters["grid_bytes"] = static_cast<double>(data.grid.bytes());
}

/// Sorting obstacles into their grid: once a run.
void build_grid(benchmark::State& timer) {
  planar::Model model = sample::aiko(10);
  model.obstacles = sample::circles(10);
  sample::plant_forest(model, static_cast<std::size_t>(timer.range(0)), 0.1);
  for (auto _ : timer) {
    planar::ObstacleGrid grid(model.obstacles);
    benchmark::DoNotOptimize(grid);
  }
}

void sincos(benchmark::State& timer) {
  const auto n = static_cast<std::size_t>(timer.range(0));
  std::vector<double> x(n), s(n), c(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.1 * static_cast<double>(i) - 2.0;
  for (auto _ : timer) {
    math::sincos(x, s, c);
    benchmark::DoNotOptimize(s.data());
  }
  timer.SetComplexityN(timer.range(0));
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (int n : {10, 20, 40, 80, 160}) bench->Arg(n);
  bench->Complexity();
}

}  // namespace

BENCHMARK_CAPTURE(step, floor, false)->Apply(sizes);
BENCHMARK_CAPTURE(step, pegs, true)->Apply(sizes);
BENCHMARK_CAPTURE(minimal, planar, false)->Arg(11)->Apply(sizes);
BENCHMARK_CAPTURE(minimal, minimal, true)->Arg(11)->Apply(sizes);
BENCHMARK_CAPTURE(make_problem, floor, false)->Apply(sizes);
BENCHMARK_CAPTURE(make_problem, pegs, true)->Apply(sizes);
BENCHMARK_CAPTURE(compute_residual, floor, false)->Apply(sizes);
BENCHMARK_CAPTURE(compute_residual, pegs, true)->Apply(sizes);
BENCHMARK(forest)->Arg(0)->Arg(9980)->Unit(benchmark::kMillisecond);
BENCHMARK(build_grid)->Arg(9980);
BENCHMARK(sincos)->Apply(sizes);
BENCHMARK_MAIN();
