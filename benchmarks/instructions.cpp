// A fixed number of steps and nothing that depends on it besides, for benchmarks/instructions: what
// two numbers of steps differ by is what the steps cost.
//   bench_instructions planar.floor|spatial.floor LINKS STEPS
// The scenes are those of `coluber bench`: the floor alone, 1 ms, implicit servos that follow gait
// (7.3). Prints the code path.
#include <charconv>
#include <cstdio>
#include <string_view>
#include <vector>

#include "coluber/core/code_path.hpp"
#include "coluber/planar/snake.hpp"
#include "coluber/spatial/snake.hpp"

#include "sample/snake.hpp"
#include "sample/spatial.hpp"

namespace {

using namespace coluber;

constexpr int most = 1000;  // steps whose references are made, however many are taken

/// False if a step failed.
bool run_planar(int links, int steps) {
  const planar::Model model = sample::aiko(links);
  planar::State state = sample::course_start(model);
  planar::Data data(model);
  const planar::StepOptions options;
  std::vector<JointCommand> commands(most, JointCommand(links - 1));
  for (int k = 0; k < most; ++k) {
    sample::follow({}, (k + 1) * options.dt, commands[static_cast<std::size_t>(k)]);
  }
  bool good = true;
  for (int k = 0; k < steps; ++k) {
    const JointCommand& command = commands[static_cast<std::size_t>(k)];
    good = planar::step(model, state, data, command, options).status == Status::ok && good;
  }
  return good;
}

bool run_spatial(int links, int steps) {
  const spatial::Model model = spatial::sample::make_peer(links);
  spatial::State state = spatial::sample::start_peer(model);
  spatial::Data data(model);
  const spatial::StepOptions options;
  std::vector<JointCommand> commands(most, spatial::sample::make_servos(model, 60.0, 0.4));
  for (int k = 0; k < most; ++k) {
    spatial::sample::Wave{}.set((k + 1) * options.dt, links - 1, model.axes(),
                                commands[static_cast<std::size_t>(k)]);
  }
  bool good = true;
  for (int k = 0; k < steps; ++k) {
    const JointCommand& command = commands[static_cast<std::size_t>(k)];
    good = spatial::step(model, state, data, command, options).status == Status::ok && good;
  }
  return good;
}

/// 0 for what is no number of at most `limit`.
int read(std::string_view text, int limit) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = fault == std::errc{} && end == text.data() + text.size();
  return good && value > 0 && value <= limit ? value : 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view scene = count == 4 ? words[1] : "";
  const int links = count == 4 ? read(words[2], 10000) : 0;
  const int steps = count == 4 ? read(words[3], most) : 0;
  if ((scene != "planar.floor" && scene != "spatial.floor") || links < 2 || steps == 0) {
    std::fprintf(stderr,
                 "usage: bench_instructions planar.floor|spatial.floor LINKS STEPS (up to %d)\n",
                 most);
    return 2;
  }
  if (!(scene == "planar.floor" ? run_planar(links, steps) : run_spatial(links, steps))) {
    std::fprintf(stderr, "a step failed\n");
    return 1;
  }
  const std::string_view path = code_path();
  std::printf("%.*s\n", static_cast<int>(path.size()), path.data());
  return 0;
}
