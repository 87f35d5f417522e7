// A loop of your own: 16 robots are stepped together, and a steering law outside the simulation
// sets their references 50 times a second from what it sees of them.
//   own_loop [SCENARIO]      default: Aiko on the open floor
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <thread>
#include <vector>

#include "coluber/core/version.hpp"
#include "coluber/simulation/batch.hpp"

constexpr double deg = std::numbers::pi / 180.0;

/// Place of an observable in a frame.
std::size_t place_of(const coluber::Shown& shown, const char* name) {
  std::size_t place = 0;
  for (const auto& observable : shown.observables()) {
    if (observable.name == name) return place;
    place += static_cast<std::size_t>(observable.size());
  }
  throw coluber::Error("the model does not show what this loop looks at");
}

int main(int argc, char** argv) try {
  const std::filesystem::path file =
      argc > 1 ? argv[1] : coluber::data_folder() / "scenarios/aiko_floor.toml";
  const auto scenario = coluber::scenario::load(
      file, {"world.friction=[0.1, 0.5]", "start.shape=\"straight\"", "start.heading_deg=0"});
  constexpr int robots = 16;
  const auto threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  coluber::simulation::Batch batch(scenario, robots, threads);
  const auto joints = static_cast<std::size_t>(batch.reference_count());
  const auto frame = static_cast<std::size_t>(batch.frame_size());
  const std::size_t link_angle = place_of(batch.shown(), "link_angle");
  std::vector<double> phi_d(robots * joints);
  const auto heading = [&](std::size_t i) {  // mean of the links' angles
    double sum = 0.0;
    for (std::size_t k = 0; k <= joints; ++k) {
      sum += batch.observables()[i * frame + link_angle + k];
    }
    return sum / static_cast<double>(joints + 1);
  };
  const auto wanted = [](std::size_t i) { return (6.0 * static_cast<double>(i) - 45.0) * deg; };

  constexpr double portion = 0.02;                      // s
  constexpr int calls = 1800, last_wave = calls - 225;  // a wave takes 4.5 s
  std::vector<double> mean(robots, 0.0);                // heading over the last wave
  const auto steps = std::llround(portion / batch.at(0).simulation().system->dt());
  for (int call = 0; call < calls; ++call) {
    const double t = call * portion;
    for (std::size_t i = 0; i < robots; ++i) {
      const double bend = std::clamp(0.3 * (heading(i) - wanted(i)), -6.0 * deg, 6.0 * deg);
      for (std::size_t j = 0; j < joints; ++j) {
        const double wave = std::sin(80.0 * deg * t - 50.0 * deg * static_cast<double>(j));
        phi_d[i * joints + j] = std::min(1.0, t) * (40.0 * deg * wave + bend);
      }
    }
    batch.hold_references(phi_d);
    for (const auto& stepped : batch.step(steps)) {
      if (stepped.end == coluber::simulation::StepEnd::failed) {
        std::fprintf(stderr, "error: a step failed\n");
        return 1;
      }
    }
    for (std::size_t i = 0; call >= last_wave && i < robots; ++i) {
      mean[i] += heading(i) / (calls - last_wave);
    }
  }
  std::printf("wanted_deg  heading_deg\n");
  for (std::size_t i = 0; i < robots; i += 3) {
    std::printf("%10.1f  %11.1f\n", wanted(i) / deg, mean[i] / deg);
  }
  return 0;
} catch (const coluber::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
