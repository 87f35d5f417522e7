// The parts of a planar step over the number of links, each from a state in mid-gait: the peers'
// robot on the floor with one or two friction points per link. Whole steps with both laws;
// benchmarks/planar.cpp has Aiko's own scenes, with obstacles.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "coluber/math/sincos.hpp"
#include "coluber/planar/snake.hpp"

#include "nonsmooth/contact_law.hpp"
#include "nonsmooth/sweep.hpp"
#include "sample/snake.hpp"

namespace {

using namespace coluber;

constexpr int warm_up = 1500;  // steps: every joint has passed its extremes
constexpr int batch = 100;     // steps timed from the same state, so that repetitions do the same

/// A robot in mid-gait, the commands of the steps to come and the contact problem of the first.
struct Scene {
  planar::Model model;
  planar::State state;
  planar::Data data;
  planar::StepOptions options;
  std::vector<JointCommand> commands;
  bool good = true;

  Scene(int n, int points, nonsmooth::Law law)
      : model(make_model(n, points)),
        state(planar::make_state(model, sample::Wave{}.angles(n - 1), 0, {0.061, 0.0}, 0.0)),
        data(model) {
    options.law = law;
    JointCommand command(n - 1);
    for (int k = 1; k <= warm_up + batch; ++k) {
      sample::follow({}, k * options.dt, command, 60.0, 0.4);
      if (k > warm_up) {
        commands.push_back(command);
      } else {
        good = planar::step(model, state, data, command, options).status == Status::ok && good;
      }
    }
    // the problem of the next step and its answer, for the kernels
    planar::State next = state;
    good = planar::step(model, next, data, commands.front(), options).status == Status::ok && good;
  }

  static planar::Model make_model(int n, int points) {
    planar::Model model = sample::aiko(n);
    model.mu_T = {0.3, 0.3};
    model.friction_points = points;
    return model;
  }
};

/// False, and the benchmark marked as failed, if the robot did not get to its state.
bool ready(const Scene& scene, benchmark::State& timer) {
  if (!scene.good) timer.SkipWithError("the warm-up failed");
  return scene.good;
}

Scene make_scene(const benchmark::State& timer, int points,
                 nonsmooth::Law law = nonsmooth::Law::anchored) {
  return {static_cast<int>(timer.range(0)), points, law};
}

void sincos(benchmark::State& timer) {
  const auto n = static_cast<std::size_t>(timer.range(0));
  std::vector<double> x(n), s(n), c(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.1 * static_cast<double>(i) - 2.0;
  for (auto _ : timer) {
    math::sincos(x, s, c);
    benchmark::DoNotOptimize(s.data());
    benchmark::ClobberMemory();
  }
  timer.SetComplexityN(timer.range(0));
}

/// Kinematics, gaps, directions, predictor.
void problem(benchmark::State& timer, int points) {
  Scene scene = make_scene(timer, points);
  if (!ready(scene, timer)) return;
  for (auto _ : timer) {
    planar::make_problem(scene.model, scene.state, scene.commands.front(), scene.options,
                         scene.data);
    benchmark::DoNotOptimize(scene.data.problem.contacts.data());
  }
  timer.SetComplexityN(timer.range(0));
}

/// Every contact's law and its derivative at the answer.
void laws(benchmark::State& timer, int points) {
  Scene scene = make_scene(timer, points);
  if (!ready(scene, timer)) return;
  const auto& values = scene.data.problem;
  std::vector<nonsmooth::LinearLaw> out(values.contacts.size());
  for (auto _ : timer) {
    for (std::size_t i = 0; i < values.nodes.size(); ++i) {
      const auto& node = values.nodes[i];
      const auto& u = scene.data.solution.twist[i];
      for (int k = node.first_contact; k < node.first_contact + node.contact_count; ++k) {
        const auto index = static_cast<std::size_t>(k);
        const auto& contact = values.contacts[index];
        nonsmooth::linearise(contact, nonsmooth::Proximal{contact.c_t, contact.A},
                             scene.data.solution.impulse[index], contact.w_N.dot(u),
                             contact.w_1.dot(u), contact.w_2.dot(u), nonsmooth::kProxR,
                             nonsmooth::scaled_r(contact, nonsmooth::kProxR), out[index]);
      }
    }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  timer.SetItemsProcessed(timer.iterations() * static_cast<std::int64_t>(out.size()));
  timer.SetComplexityN(timer.range(0));
}

/// One linear solve: tips to root, root to tips.
void sweep(benchmark::State& timer, int points) {
  Scene scene = make_scene(timer, points);
  if (!ready(scene, timer)) return;
  auto& storage = scene.data.solver.storage();
  nonsmooth::Solution<3> solution = scene.data.solution;
  for (auto _ : timer) {
    nonsmooth::eliminate<3>(scene.data.problem, solution, storage.laws.data(), 1.0, storage);
    nonsmooth::substitute<3>(scene.data.problem, solution, storage,
                             [](std::size_t, const nonsmooth::Twist<3>&) {});
    benchmark::DoNotOptimize(solution.twist.data());
    benchmark::ClobberMemory();
  }
  timer.SetComplexityN(timer.range(0));
}

void residual(benchmark::State& timer, int points) {
  Scene scene = make_scene(timer, points);
  if (!ready(scene, timer)) return;
  for (auto _ : timer) {
    benchmark::DoNotOptimize(nonsmooth::compute_residual(scene.data.problem, scene.data.solution,
                                                         scene.data.residual, scene.options.law));
  }
  timer.SetComplexityN(timer.range(0));
}

void step(benchmark::State& timer, int points, nonsmooth::Law law) {
  Scene scene = make_scene(timer, points, law);
  if (!ready(scene, timer)) return;
  std::int64_t sweeps = 0;
  std::int64_t steps = 0;
  for (auto _ : timer) {
    planar::State state = scene.state;
    for (const JointCommand& command : scene.commands) {
      sweeps += planar::step(scene.model, state, scene.data, command, scene.options).iterations;
      ++steps;
    }
  }
  timer.SetItemsProcessed(steps);
  timer.SetComplexityN(timer.range(0));
  timer.counters["sweeps"] = static_cast<double>(sweeps) / static_cast<double>(steps);
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const int n : {10, 20, 40, 80, 160}) bench->Arg(n);
  bench->Complexity();
}

}  // namespace

BENCHMARK(sincos)->Apply(sizes);
BENCHMARK_CAPTURE(problem, one_point, 1)->Apply(sizes);
BENCHMARK_CAPTURE(problem, two_points, 2)->Apply(sizes);
BENCHMARK_CAPTURE(laws, one_point, 1)->Apply(sizes);
BENCHMARK_CAPTURE(laws, two_points, 2)->Apply(sizes);
BENCHMARK_CAPTURE(sweep, one_point, 1)->Apply(sizes);
BENCHMARK_CAPTURE(sweep, two_points, 2)->Apply(sizes);
BENCHMARK_CAPTURE(residual, one_point, 1)->Apply(sizes);
BENCHMARK_CAPTURE(residual, two_points, 2)->Apply(sizes);
BENCHMARK_CAPTURE(step, one_point_anchored, 1, nonsmooth::Law::anchored)->Apply(sizes);
BENCHMARK_CAPTURE(step, two_points_anchored, 2, nonsmooth::Law::anchored)->Apply(sizes);
BENCHMARK_CAPTURE(step, two_points_rigid, 2, nonsmooth::Law::rigid)->Apply(sizes);
BENCHMARK_MAIN();
