// Random planar scenes by the million, both laws, small and large friction, and on wheels:
//   stress [STEPS [FOLDER [FIRST_SEED]]]
// prints a line for each kind of scene; problems that were not solved are saved in FOLDER.

#include "sample/stress.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "coluber/nonsmooth/problem_file.hpp"

using namespace coluber;

int main(int argc, char** argv) {
  const long wanted = argc > 1 ? std::atol(argv[1]) : 100000;
  const std::filesystem::path folder = argc > 2 ? argv[2] : "";
  const std::uint64_t first_seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  std::printf("%-9s %-9s %9s %7s %9s %9s %7s %11s %11s\n", "law", "mu", "steps", "failed",
              "fallback", "sweeps", "touched", "residual", "rigid");
  long failures = 0;
  enum class Ground { slippery, rough, wheels };
  for (const auto law : {nonsmooth::Law::anchored, nonsmooth::Law::rigid}) {
    for (const Ground ground : {Ground::slippery, Ground::rough, Ground::wheels}) {
      sample::StressRange range;
      range.law = law;
      if (ground == Ground::rough) {
        range.mu_low = 0.63;
        range.mu_high = 1.2;
      } else if (ground == Ground::wheels) {
        range.wheels = true;
        range.mu_low = 0.05;
        range.mu_high = 0.9;
      }
      const std::string name = std::string(law == nonsmooth::Law::rigid ? "rigid" : "anchored") +
                               (ground == Ground::slippery ? "_low"
                                : ground == Ground::rough  ? "_high"
                                                           : "_wheels");
      sample::StressTally tally;
      for (std::uint64_t seed = first_seed; tally.steps < wanted; ++seed) {
        const sample::StressScene scene = sample::stress_scene(seed, range);
        sample::run_stress(
            scene, 2.0, tally,
            [&](const planar::State& state, const JointCommand& command,
                const nonsmooth::ContactStepInfo& info) {
              std::printf("  %s seed %llu n %d dt %g step %lld: residual %.2e rigid %.2e\n",
                          name.c_str(), static_cast<unsigned long long>(seed), scene.model.n(),
                          scene.options.dt, static_cast<long long>(state.k), info.residual,
                          info.rigid_residual);
              if (folder.empty()) return;
              planar::Data data(scene.model);
              make_problem(scene.model, state, command, scene.options, data);
              data.previous.impulse = data.solution.impulse;
              nonsmooth::save_problem<3>(folder / (name + "_" + std::to_string(seed) + "_" +
                                                   std::to_string(state.k) + ".json"),
                                         {data.problem, data.previous});
            });
      }
      std::printf("%-9s %-9s %9ld %7ld %9ld %9.3f %7.3f %11.2e %11.2e\n",
                  law == nonsmooth::Law::rigid ? "rigid" : "anchored",
                  ground == Ground::slippery ? "0.01-0.63"
                  : ground == Ground::rough  ? "0.63-1.2"
                                             : "wheels",
                  tally.steps, tally.failed, tally.fallback,
                  static_cast<double>(tally.sweeps) / static_cast<double>(tally.steps),
                  static_cast<double>(tally.touched) / static_cast<double>(tally.steps),
                  tally.residual, tally.rigid_residual);
      std::fflush(stdout);
      if (ground != Ground::rough) failures += tally.failed;
    }
  }
  return failures == 0 ? 0 : 1;
}
