// Going on with a run that was cut off: whatever became of its files, `--resume` goes on or throws
// a coluber::Error, and the steps after it come out or say that they did not.
//
// Two short runs are made once and cut off: a snake, and a wheel whose files are small. The input
// is a list of changes, see damage() and change(): to the state in the snake's checkpoint, or to
// the wheel's run.json, frames.bin, checkpoint.bin and checkpoint.old. Most are made inside the
// checksums, so that what reads the files is reached.

#include <atomic>
#include <cstring>
#include <optional>

#include <fuzzer/FuzzedDataProvider.h>
#include <nlohmann/json.hpp>

#include "coluber/control/pd.hpp"
#include "coluber/core/error.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/record/checkpoint.hpp"
#include "coluber/record/run_folder.hpp"
#include "coluber/simulation/simulation.hpp"

#include "input.hpp"
#include "seals.hpp"
#include "support/one_joint.hpp"

namespace {

using namespace coluber;
namespace fs = std::filesystem;

constexpr const char* scenario_text = R"(duration = 0.05
[robot]
name = "aiko"
links = 2
friction_points = 2
[world]
obstacle = [{ x = 0.0, y = 0.1, radius = 0.02, friction = 0.1 }]
[gait]
name = "lateral_undulation"
amplitude_deg = 40.0
omega_deg = 80.0
[controller]
torque_limit = 5.0
[record]
rate_hz = 1000.0
checkpoint_s = 0.001
[stop]
stuck_s = 0.04
past_x = 9.0
)";

/// Sets a flag after some frames.
class Counter final : public simulation::FrameSink {
 public:
  explicit Counter(int frames, simulation::FrameSink* next) : left_(frames), next_(next) {}
  void frame(double t, const Shown& shown, std::span<const double> values) override {
    if (next_ != nullptr) next_->frame(t, shown, values);
    if (--left_ <= 0) done_ = true;
  }
  [[nodiscard]] const std::atomic<bool>* done() const { return &done_; }

 private:
  int left_;
  simulation::FrameSink* next_;
  std::atomic<bool> done_ = false;
};

/// Every checkpoint that is due, whatever the clock says.
class EveryCheckpoint final : public simulation::CheckpointSink {
 public:
  explicit EveryCheckpoint(record::RunFolder& folder) : folder_(folder) {}
  bool wants_checkpoint() override { return true; }
  void checkpoint(std::string_view bytes) override { folder_.checkpoint(bytes); }

 private:
  record::RunFolder& folder_;
};

constexpr int recorded_frames = 6;
constexpr int most_changes = 8;

std::string read(const fs::path& file) {
  std::string text;
  const int stream = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (stream < 0) return text;
  text.resize(fs::file_size(file));
  if (::read(stream, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  ::close(stream);
  return text;
}

/// The files of a run that was cut off.
struct Files {
  std::optional<std::string> run, frames, checkpoint, old;
};

simulation::Simulation make_snake() {
  static const scenario::Scenario scenario = scenario::parse(scenario_text, ".", {}, "s");
  return simulation::make_simulation(scenario);
}

/// A system whose files are short.
simulation::Simulation make_wheel() {
  simulation::Simulation simulation;
  simulation.scenario.title = "a wheel";
  simulation.scenario.resolved =
      R"({"solver": {"dt": 0.001}, "world": {"obstacle": [{"x": 1.0}]}})";
  simulation.scenario.hash = 0x1234;
  simulation.scenario.duration = 0.05;
  simulation.scenario.record.rate_hz = 1000.0;
  simulation.scenario.record.checkpoint_s = 0.001;
  simulation.system = std::make_unique<test::OneJoint>(1e-3);
  simulation.gait = std::make_unique<gait::Held>(Eigen::VectorXd::Constant(1, 0.5));
  simulation.controller = std::make_unique<control::Pd>(control::PdOptions{.kp = 90, .kd = 1});
  return simulation;
}

/// The files of a run that was cut off.
Files run_and_cut_off(simulation::Simulation simulation) {
  const fuzz::Folder folder;
  record::RunFolder out(folder.path(), simulation, {.force = true});
  Counter counter(recorded_frames, &out);
  EveryCheckpoint checkpoints(out);
  const std::array<simulation::FrameSink*, 1> sinks{&counter};
  static_cast<void>(simulation::run(simulation, sinks,
                                    {.interrupt = counter.done(), .checkpoints = &checkpoints}));
  return {read(folder.path() / "run.json"), read(folder.path() / "frames.bin"),
          read(folder.path() / "checkpoint.bin"), read(folder.path() / "checkpoint.bin")};
}

std::uint64_t any_word(FuzzedDataProvider& input) {
  constexpr std::array<std::uint64_t, 14> odd{0,
                                              1,
                                              2,
                                              ~0ULL,
                                              1ULL << 63U,
                                              ~0ULL >> 1U,
                                              1ULL << 31U,
                                              0xffffffffULL,
                                              0x7ff0000000000000ULL,  // inf
                                              0x7ff8000000000000ULL,  // nan
                                              0x7fefffffffffffffULL,  // largest
                                              0xffefffffffffffffULL,
                                              0x0000000000000001ULL,
                                              0x54b249ad2594c37dULL};
  return input.ConsumeBool() ? input.PickValueInArray(odd) : input.ConsumeIntegral<std::uint64_t>();
}

/// Changes some words or bytes from `first` on, or cuts it.
void damage(FuzzedDataProvider& input, std::string& bytes, std::size_t first) {
  if (bytes.size() <= first + 8) return;
  const std::size_t size = bytes.size() - first;
  switch (input.ConsumeIntegralInRange(0, 7)) {
    case 0:
      bytes[first + input.ConsumeIntegralInRange<std::size_t>(0, size - 1)] =
          input.ConsumeIntegral<char>();
      return;
    case 1:
      bytes.resize(first + input.ConsumeIntegralInRange<std::size_t>(0, size));
      return;
    case 2:
      bytes += input.ConsumeRandomLengthString(16);
      return;
    case 3:
      bytes.erase(first + input.ConsumeIntegralInRange<std::size_t>(0, size - 1), 8);
      return;
    default:
      fuzz::put_number(bytes,
                       first + 8 * input.ConsumeIntegralInRange<std::size_t>(0, size / 8 - 1),
                       any_word(input));
  }
}

constexpr std::array json_values{"null",
                                 "-1",
                                 "0",
                                 "1.5",
                                 "18446744073709551615",
                                 "\"\"",
                                 "\"inf\"",
                                 "[]",
                                 "{}",
                                 "[[{}]]",
                                 "\"completed\"",
                                 "\"failed\"",
                                 "\"running\"",
                                 "\"interrupted\""};

/// Gives a key of run.json, or of an object in it, another value or takes it away.
void damage_json(FuzzedDataProvider& input, std::string& text) {
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  auto* place = &json;
  while (place->is_structured() && !place->empty()) {
    auto child = place->begin();
    std::advance(child, input.ConsumeIntegralInRange<std::ptrdiff_t>(
                            0, static_cast<std::ptrdiff_t>(place->size()) - 1));
    if (!child->is_structured() || input.ConsumeBool()) {
      if (input.ConsumeBool()) {
        place->erase(child);
      } else {
        *child = nlohmann::ordered_json::parse(input.PickValueInArray(json_values));
      }
      break;
    }
    place = &*child;
  }
  text = json.dump();
}

/// Opens the seal, changes what is said about the state, and seals it again.
void damage_checkpoint(FuzzedDataProvider& input, std::string& bytes) {
  record::Checkpoint checkpoint;
  try {
    checkpoint = record::parse_checkpoint(bytes, "");
  } catch (const Error&) {
    return;
  }
  switch (input.ConsumeIntegralInRange(0, 3)) {
    case 0:
      checkpoint.program = input.ConsumeRandomLengthString(8);
      break;
    case 1:
      checkpoint.scenario_hash = any_word(input);
      break;
    case 2:
      checkpoint.frames = any_word(input);
      break;
    default:
      checkpoint.frames = input.ConsumeIntegralInRange<std::size_t>(0, recorded_frames);
  }
  bytes = record::to_bytes(checkpoint);
}

/// One thing that happened to the files.
void change(FuzzedDataProvider& input, Files& files) {
  std::optional<std::string>* const all[] = {&files.run, &files.frames, &files.checkpoint,
                                             &files.old};
  const int kind = input.ConsumeIntegralInRange(0, 15);
  std::optional<std::string>& file =
      *all[static_cast<std::size_t>(input.ConsumeIntegralInRange(0, 3))];
  if (!file) return;
  if (kind == 0) {
    file.reset();
  } else if (kind == 1) {
    damage(input, *file, 0);  // under the checksum
  } else if (&file == &files.run) {
    damage_json(input, *file);
  } else if (&file == &files.frames) {
    const auto text = fuzz::frame_header_text(*file);
    damage(input, *file, text && kind > 2 ? fuzz::frames_head + text->size() : 0);
    *file = fuzz::mend_sums(std::move(*file));
  } else {
    damage_checkpoint(input, *file);
  }
}

/// Some steps from a checkpoint's state on.
void go_on(simulation::Simulation simulation, std::string_view state, simulation::FrameSink* sink,
           int steps) {
  Counter counter(steps, sink);
  const std::array<simulation::FrameSink*, 1> sinks{&counter};
  static_cast<void>(
      simulation::run(simulation, sinks, {.interrupt = counter.done(), .resume = state}));
}

/// Goes on with a wheel's run the whole way, as `--resume` goes it.
void resume_folder(FuzzedDataProvider& input, int steps) {
  static const Files before = run_and_cut_off(make_wheel());
  Files files = before;
  for (int i = 0; i < most_changes && input.remaining_bytes() > 0; ++i) change(input, files);
  static fuzz::Folder folder;
  folder.clear();  // resuming writes into it
  folder.put("run.json", files.run);
  folder.put("frames.bin", files.frames);
  folder.put("checkpoint.bin", files.checkpoint);
  folder.put("checkpoint.old", files.old);
  simulation::Simulation simulation = make_wheel();
  record::RunFolder out(folder.path(), simulation, {.resume = true});
  go_on(std::move(simulation), out.resume_from(), &out, steps);
}

/// Goes on with a snake's run from a checkpoint whose state was changed.
void resume_state(FuzzedDataProvider& input, int steps) {
  static const std::string before =
      record::parse_checkpoint(run_and_cut_off(make_snake()).checkpoint.value(), "").state;
  std::string state = before;
  for (int i = 0; i < most_changes && input.remaining_bytes() > 0; ++i) damage(input, state, 0);
  go_on(make_snake(), state, nullptr, steps);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const int steps = input.ConsumeIntegralInRange(1, 4);
  try {
    if (input.ConsumeIntegralInRange(0, 3) == 0) {
      resume_folder(input, steps);
    } else {
      resume_state(input, steps);
    }
  } catch (const Error&) {  // any other exception is a fault of ours
  }
  return 0;
}
