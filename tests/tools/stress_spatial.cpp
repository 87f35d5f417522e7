// Random spatial scenes by the hundred thousand, both laws, cylinders smooth and rough:
//   stress_spatial STEPS [FOLDER]
// prints a line for each kind of scene; problems that were not solved are saved in FOLDER.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "coluber/nonsmooth/problem_file.hpp"

#include "sample/spatial_stress.hpp"

using namespace coluber;
namespace sample = spatial::sample;

int main(int argc, char** argv) {
  const long wanted = argc > 1 ? std::atol(argv[1]) : 100000;
  const std::filesystem::path folder = argc > 2 ? argv[2] : "";
  std::printf("%-15s %9s %7s %9s %7s %9s %7s %7s %10s %10s\n", "scenes", "steps", "failed",
              "fallback", "sweeps", "scenes", "touched", "flight", "residual", "rigid");
  long failures = 0;
  for (const int kind : {0, 1, 2, 3}) {
    sample::StressRange range;
    range.law = kind < 2 ? nonsmooth::Law::anchored : nonsmooth::Law::rigid;
    range.rough = kind % 2 == 1;
    const char* names[] = {"anchored_smooth", "anchored_rough", "rigid_smooth", "rigid_rough"};
    const char* name = names[kind];
    sample::StressTally tally;
    std::uint64_t seed = 0;
    for (; tally.steps < wanted; ++seed) {
      const sample::StressScene scene = sample::make_stress_scene(seed, range);
      sample::run_stress(
          scene, 2.0, tally,
          [&](const spatial::State& state, const JointCommand& command, const StepInfo& info) {
            std::printf("  %s seed %llu n %d dt %g step %lld: residual %.2e rigid %.2e\n", name,
                        static_cast<unsigned long long>(seed), scene.model.n(), scene.options.dt,
                        static_cast<long long>(state.k), info.residual, info.rigid_residual);
            if (folder.empty()) return;
            spatial::Data data(scene.model);
            make_problem(scene.model, state, command, scene.options, data);
            data.previous.impulse = data.solution.impulse;
            nonsmooth::save_problem<6>(
                folder / (std::string("spatial_") + name + "_" + std::to_string(seed) + "_" +
                          std::to_string(state.k) + ".json"),
                {data.problem, data.previous});
          });
    }
    const auto share = [&](long part) {
      return static_cast<double>(part) / static_cast<double>(tally.steps);
    };
    std::printf("%-15s %9ld %7ld %9ld %7.3f %9llu %7.3f %7.3f %10.2e %10.2e\n", name, tally.steps,
                tally.failed, tally.fallback, share(tally.sweeps),
                static_cast<unsigned long long>(seed), share(tally.touched), share(tally.in_flight),
                tally.residual, tally.rigid_residual);
    std::fflush(stdout);
    failures += tally.failed;
  }
  return failures == 0 ? 0 : 1;
}
