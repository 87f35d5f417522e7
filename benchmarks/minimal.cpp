// The minimal model over the number of links: its algorithms at a state in mid-gait, and the smooth
// model integrated for two seconds of Transeth 7.3.5 (gait (7.3) with soft start, table 7.2) under
// PD servos and under input-output linearisation.
#include "coluber/planar/minimal.hpp"

#include <benchmark/benchmark.h>

#include "coluber/math/atan.hpp"
#include "coluber/planar/smooth_system.hpp"

#include "sample/robot_states.hpp"
#include "sample/smooth.hpp"

namespace {

using namespace coluber;

/// A robot in mid-gait.
struct Scene {
  planar::Model model;
  planar::RobotData data;
  Eigen::VectorXd q, qdot, tau, out;
  Eigen::MatrixXd matrix;

  explicit Scene(int n)
      : model(sample::rough_aiko(n)),
        data(model),
        q(n + 2),
        qdot(n + 2),
        tau(Eigen::VectorXd::Constant(n - 1, 0.5)),
        out(n + 2),
        matrix(n + 2, n + 2) {
    std::mt19937_64 random(1);
    q << 0.1, 0.2, 0.3, sample::Wave{}.angles(n - 1, 1.0);
    qdot = sample::uniform(n + 2, 1.0, random);
  }
};

template <typename Work>
void over_links(benchmark::State& timer, const Work& work) {
  Scene scene(static_cast<int>(timer.range(0)));
  for (auto _ : timer) {
    work(scene);
    benchmark::DoNotOptimize(scene.out.data());
    benchmark::DoNotOptimize(scene.matrix.data());
  }
  timer.SetComplexityN(timer.range(0));
}

void smooth_dynamics(benchmark::State& timer) {
  over_links(timer, [](Scene& s) {
    planar::smooth_dynamics(s.model, {}, s.q, s.qdot, s.tau, s.data, s.out);
  });
}
void forward_dynamics(benchmark::State& timer) {
  over_links(timer,
             [](Scene& s) { planar::forward_dynamics(s.model, s.q, s.qdot, s.q, s.data, s.out); });
}
void inverse_dynamics(benchmark::State& timer) {
  over_links(timer,
             [](Scene& s) { planar::inverse_dynamics(s.model, s.q, s.qdot, s.q, s.data, s.out); });
}
void linearising_torque(benchmark::State& timer) {
  over_links(timer, [](Scene& s) {
    const auto joints = s.tau.size();
    planar::linearising_torque(s.model, {}, {{0.1, 0.2}, 0.3}, s.q.tail(joints),
                               s.qdot.tail(joints), s.q.tail(joints), s.data, s.out.tail(joints));
  });
}
void mass_matrix(benchmark::State& timer) {
  over_links(timer, [](Scene& s) { compute_mass_matrix(s.model, s.q, s.data, s.matrix); });
}
void coriolis_matrix(benchmark::State& timer) {
  over_links(timer,
             [](Scene& s) { compute_coriolis_matrix(s.model, s.q, s.qdot, s.data, s.matrix); });
}

void atan(benchmark::State& timer) {
  const auto n = static_cast<std::size_t>(timer.range(0));
  std::vector<double> x(n);
  std::vector<double> angle(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.7 * static_cast<double>(i) - 15.0;
  for (auto _ : timer) {
    math::atan(x, angle);
    benchmark::DoNotOptimize(angle.data());
  }
}

/// Simulated seconds a second: real_time_factor.
void smooth_system(benchmark::State& timer, sample::Follower::Law law) {
  constexpr int steps = 2000;
  const planar::Model model = sample::rough_aiko(static_cast<int>(timer.range(0)));
  const Eigen::VectorXd phi_d = Eigen::VectorXd::Zero(model.n() - 1);
  sample::Follower follower(model, law);
  planar::SmoothSystem::Statistics cost;
  for (auto _ : timer) {
    planar::SmoothSystem system(model, sample::straight(model), {});
    for (int k = 0; k < steps; ++k) {
      if (system.step_under(follower, phi_d).status != Status::ok) {
        timer.SkipWithError("a step failed");
        return;
      }
    }
    cost = system.statistics();
  }
  const double simulated = steps * 1e-3;
  timer.counters["steps_per_s"] = static_cast<double>(cost.steps) / simulated;
  timer.counters["evaluations_per_s"] = static_cast<double>(cost.evaluations) / simulated;
  timer.counters["real_time_factor"] = benchmark::Counter(
      simulated * static_cast<double>(timer.iterations()), benchmark::Counter::kIsRate);
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const int n : {5, 11, 20, 40, 80, 160}) bench->Arg(n);
}

BENCHMARK(smooth_dynamics)->Apply(sizes)->Complexity(benchmark::oN);
BENCHMARK(forward_dynamics)->Apply(sizes)->Complexity(benchmark::oN);
BENCHMARK(inverse_dynamics)->Apply(sizes)->Complexity(benchmark::oN);
BENCHMARK(linearising_torque)->Apply(sizes)->Complexity(benchmark::oN);
BENCHMARK(mass_matrix)->Apply(sizes)->Complexity(benchmark::oNSquared);
BENCHMARK(coriolis_matrix)->Apply(sizes)->Complexity(benchmark::oNSquared);
BENCHMARK(atan)->Arg(44)->Arg(160);
BENCHMARK_CAPTURE(smooth_system, pd, sample::Follower::Law::pd)
    ->Arg(5)
    ->Arg(11)
    ->Arg(20)
    ->Arg(40)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(smooth_system, io, sample::Follower::Law::io)
    ->Arg(5)
    ->Arg(11)
    ->Arg(20)
    ->Arg(40)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
