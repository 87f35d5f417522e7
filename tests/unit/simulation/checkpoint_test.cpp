// A run that goes on from a checkpoint has the bits of one that was never interrupted.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/control/pd.hpp"
#include "coluber/core/error.hpp"
#include "coluber/core/random.hpp"
#include "coluber/drive/stepping.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

#include "support/one_joint.hpp"

namespace coluber::simulation {
namespace checkpoint_test {

using testing::HasSubstr;

/// Takes every checkpoint it is offered.
class Checkpoints final : public CheckpointSink {
 public:
  explicit Checkpoints(const record::TrajectorySink& frames) : frames_(frames) {}
  bool wants_checkpoint() override { return true; }
  void checkpoint(std::string_view bytes) override {
    taken.push_back({std::string(bytes), frames_.trajectory().frames()});
  }
  struct Taken {
    std::string bytes;
    std::size_t frames;
  };
  std::vector<Taken> taken;

 private:
  const record::TrajectorySink& frames_;
};

std::vector<std::uint64_t> bits(std::span<const double> values) {
  std::vector<std::uint64_t> out;
  for (const double value : values) out.push_back(std::bit_cast<std::uint64_t>(value));
  return out;
}

/// All of an outcome that is not wall time.
std::string describe(const RunOutcome& outcome) {
  std::string text = outcome.message + '\n';
  for (const std::string& warning : outcome.warnings) text += warning + '\n';
  for (const SummaryItem& item : outcome.summary) {
    if (item.name == "real_time_factor") continue;
    text += item.name + ' ' + std::to_string(std::bit_cast<std::uint64_t>(item.number())) + '\n';
  }
  for (const RunOutcome::StepMean& figure : outcome.step_figures) {
    text += figure.name + ' ' + std::to_string(std::bit_cast<std::uint64_t>(figure.mean)) + ' ' +
            std::to_string(std::bit_cast<std::uint64_t>(figure.largest)) + '\n';
  }
  return text + std::to_string(outcome.final_state);
}

/// Runs what `make` makes, then goes on from up to `tries` of its checkpoints, and compares.
template <typename Make>
void expect_the_same_bits_from_every_checkpoint(const Make& make, std::size_t tries) {
  Simulation whole = make();
  record::TrajectorySink frames;
  Checkpoints checkpoints(frames);
  FrameSink* const sinks[] = {&frames};
  const RunOutcome expected = run(whole, sinks, {.checkpoints = &checkpoints});
  ASSERT_GE(checkpoints.taken.size(), 3U);
  const auto stride = static_cast<std::size_t>(frame_size(whole.shown().observables()));

  const std::size_t every = std::max<std::size_t>(1, checkpoints.taken.size() / tries);
  for (std::size_t i = 0; i < checkpoints.taken.size(); i += every) {
    const auto& [bytes, before] = checkpoints.taken[i];
    Simulation second = make();
    record::TrajectorySink rest;
    FrameSink* const rest_sinks[] = {&rest};
    const RunOutcome got = run(second, rest_sinks, {.resume = bytes});
    EXPECT_EQ(got.status, expected.status);
    EXPECT_EQ(describe(got), describe(expected)) << "checkpoint " << i;
    const record::Trajectory& all = frames.trajectory();
    ASSERT_EQ(before + rest.trajectory().frames(), all.frames()) << "checkpoint " << i;
    EXPECT_EQ(bits(rest.trajectory().time), bits(std::span(all.time).subspan(before)));
    EXPECT_EQ(bits(rest.trajectory().values), bits(std::span(all.values).subspan(before * stride)))
        << "checkpoint " << i;
  }
}

class ScenarioCheckpoint : public testing::TestWithParam<std::pair<const char*, const char*>> {};

// 137 steps of 1 ms do not fall on frames of 10 ms: sums since the last frame go through as well.
TEST_P(ScenarioCheckpoint, GoesOnToTheSameBits) {
  const auto [file, overrides] = GetParam();
  scenario::Overrides set{"duration=4.0", "record.checkpoint_s=0.137"};
  std::string word;
  for (const char c : std::string(overrides) + ';') {
    if (c != ';') {
      word += c;
    } else if (!word.empty()) {
      set.push_back(std::exchange(word, ""));
    }
  }
  const scenario::Scenario scenario =
      scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + file, set);
  expect_the_same_bits_from_every_checkpoint([&] { return make_simulation(scenario); }, 6);
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, ScenarioCheckpoint,
    testing::Values(
        std::pair("holden_loop.toml", "duration=2.0"),
        std::pair("holden_loop_servo.toml", "duration=2.0;controller.period=2e-3"),
        std::pair("aiko_course.toml", ""), std::pair("aiko_pegs.toml", ""),
        std::pair("aiko_pegs.toml", "solver.law='rigid'"), std::pair("aiko_slope.toml", ""),
        std::pair("aiko_floor.toml", "world.friction=[0.1, 0.7]"),
        std::pair(
            "aiko_pegs.toml",
            "duration=2.0;solver.name='thesis';solver.activation='gap';solver.on_failure='warn'"),
        std::pair("aiko_pegs.toml",
                  "duration=2.0;solver.activation='gap';controller.servo='explicit';"
                  "solver.dt=3e-4"),
        std::pair("aiko_linearised.toml",
                  "duration=1.0;controller.noise={joint_deg=0.1, velocity=0.1};seed=7"),
        std::pair("aiko_minimal.toml", "duration=1.0;controller.noise.joint_rate_deg=1"),
        // between two restarts of the integrator, and with commands held over a step
        std::pair("aiko_smooth_friction.toml", "duration=2.5"),
        std::pair("aiko_smooth_friction.toml",
                  "duration=0.6;solver.dt=1e-3;controller.noise.joint_deg=0.1"),
        std::pair("piko_turn.toml", "controller.noise={position=1e-3, wheel_rate_deg=3}"),
        std::pair("piko_train.toml", "controller.noise.position=1e-3"),
        std::pair("piko_points.toml", ""), std::pair("piko_turn.toml", "solver.law='rigid'"),
        std::pair("aiko_course.toml", "controller.name='prescribed'"),
        std::pair("aiko_spatial_course.toml", "duration=1.5;controller.name='prescribed'"),
        // passes a peg at 0.04 s, and says so at the end
        std::pair("aiko_floor.toml",
                  "robot.links=2;start.link=2;world.tilt_deg=89;world.gravity=600;solver."
                  "activation='gap';"
                  "world.obstacle=[{x=0.8, y=0.0, radius=0.02}];start.shape='straight';"
                  "solver.dt=1e-2;duration=0.3;record.checkpoint_s=0.02"),
        // runs away: the guard's clock is running at some checkpoint
        std::pair("aiko_floor.toml",
                  "record.checkpoint_s=0.02;controller.servo='explicit';"
                  "solver.dt=4e-4;duration=10.0")));

/// An integral and random numbers; commands every third step only.
class Stateful final : public control::Controller {
 public:
  void update(const control::ControlInput& input, JointCommand& command) override {
    integral_ += input.dt * (input.phi_d_E(0) - input.phi(0));
    if (++calls_ % 3 == 0) command.tau(0) = 5.0 * integral_ + 0.1 * random_.normal();
  }
  void save_state(ByteWriter& bytes) const override { bytes(integral_, calls_, random_.state()); }
  void restore_state(ByteReader& bytes) override {
    Random::State state{};
    bytes(integral_, calls_, state);
    random_ = Random(state);
  }

 private:
  double integral_ = 0.0;
  int calls_ = 0;
  Random random_{7};
};

Simulation make_wheel(double checkpoint_s) {
  Simulation simulation;
  simulation.scenario.duration = 1.0;
  simulation.scenario.options.of(drive::stepping_keys()) =
      drive::Stepping{.on_failure = drive::OnFailure::warn};
  simulation.scenario.record.rate_hz = 70.0;
  simulation.scenario.record.checkpoint_s = checkpoint_s;
  auto wheel = std::make_unique<test::OneJoint>(1e-3, 0.0, true);
  wheel->info = [](std::int64_t k) {  // some steps fail, each has its own figures
    nonsmooth::ContactStepInfo info;
    info.status = k % 97 == 5 ? Status::not_converged : Status::ok;
    info.iterations = static_cast<int>(k * 7 % 31);
    info.residual = 1e-9 * static_cast<double>(k * 13 % 101);
    info.rigid_residual = 1e-8 * static_cast<double>(k * 17 % 103);
    info.residual_law = 1e-10 * static_cast<double>(k * 19 % 101);
    info.residual_momentum = 1e-11 * static_cast<double>(k * 23 % 101);
    info.fallback_sweeps = k % 11 == 3 ? static_cast<int>(k * 3 % 17) : 0;
    info.fallback_passes = static_cast<int>(k % 5);
    info.gap = 1e-9 * static_cast<double>(k * 29 % 101);
    return info;
  };
  simulation.system = std::move(wheel);
  simulation.gait = std::make_unique<gait::Held>(Eigen::VectorXd::Constant(1, 0.5));
  simulation.controller = std::make_unique<Stateful>();
  return simulation;
}

TEST(Checkpoint, HoldsTheControllersStateTheLastCommandAndTheLoopsFigures) {
  expect_the_same_bits_from_every_checkpoint([] { return make_wheel(0.05); }, 20);
}

TEST(Checkpoint, IsTakenEveryIntervalOfSimulatedTimeIfWanted) {
  Simulation simulation = make_wheel(0.1);
  record::TrajectorySink frames;
  Checkpoints checkpoints(frames);
  FrameSink* const sinks[] = {&frames};
  (void)run(simulation, sinks, {.checkpoints = &checkpoints});
  EXPECT_EQ(checkpoints.taken.size(), 10U);
  class Never final : public CheckpointSink {
   public:
    bool wants_checkpoint() override { return ++asked < 0; }
    void checkpoint(std::string_view /*bytes*/) override { ++asked += 1000; }
    int asked = 0;
  } never;
  Simulation again = make_wheel(0.1);
  (void)run(again, {}, {.checkpoints = &never});
  EXPECT_EQ(never.asked, 10);
}

TEST(Checkpoint, IsTakenWhenTheRunIsInterrupted) {
  Simulation simulation = make_wheel(100.0);
  record::TrajectorySink frames;
  Checkpoints checkpoints(frames);
  FrameSink* const sinks[] = {&frames};
  const std::atomic<bool> stop{true};
  const RunOutcome outcome =
      run(simulation, sinks, {.interrupt = &stop, .checkpoints = &checkpoints});
  EXPECT_EQ(outcome.status, RunStatus::interrupted);
  ASSERT_EQ(checkpoints.taken.size(), 1U);
  EXPECT_EQ(checkpoints.taken[0].frames, 1U) << "the first frame is taken before the first step";
  Simulation second = make_wheel(100.0);
  record::TrajectorySink rest;
  FrameSink* const rest_sinks[] = {&rest};
  const RunOutcome got = run(second, rest_sinks, {.resume = checkpoints.taken[0].bytes});
  Simulation third = make_wheel(100.0);
  record::TrajectorySink all;
  FrameSink* const all_sinks[] = {&all};
  EXPECT_EQ(describe(got), describe(run(third, all_sinks)));
  EXPECT_EQ(rest.trajectory().frames() + 1, all.trajectory().frames());
}

// The loop goes on adding: a count at the end of its range would overflow.
TEST(Checkpoint, ThatCountsMoreThanItsStepsAllowIsRefused) {
  Simulation simulation = make_wheel(0.5);
  record::TrajectorySink frames;
  Checkpoints checkpoints(frames);
  FrameSink* const sinks[] = {&frames};
  (void)run(simulation, sinks, {.checkpoints = &checkpoints});
  const std::string& whole = checkpoints.taken.at(0).bytes;
  double iterations = 0.0;
  for (std::int64_t k = 1; k <= 500; ++k) iterations += static_cast<double>(k * 7 % 31);

  const auto word = [](auto value) {
    ByteWriter bytes;
    bytes(value);
    return bytes.bytes();
  };
  const std::size_t at = whole.find(word(iterations));
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(whole.find(word(iterations), at + 1), std::string::npos);
  // ten figures: largest of each, their sums, worst of the failed steps, how many had some of it;
  // the iterations are the sixth, and failed steps, the first of them and the wall time go before
  const std::size_t failed = at - 8 * (5 + 10 + 3);
  const std::size_t positive = at + 8 * (10 + 10);
  ASSERT_EQ(whole.substr(failed, 8), word(std::uint64_t{6}))
      << "steps 5, 102, 199, 296, 393, 490 fail";
  ASSERT_EQ(whole.substr(positive, 8), word(std::uint64_t{500 - 16}))
      << "k * 7 % 31 is zero for every 31st step";
  const auto resume_with = [&](std::size_t place, auto value) {
    Simulation second = make_wheel(0.5);
    (void)run(second, {}, {.resume = std::string(whole).replace(place, 8, word(value))});
  };
  EXPECT_NO_THROW(resume_with(at, iterations + 1.0));
  EXPECT_THROW(resume_with(at, std::numeric_limits<double>::infinity()), FileError);
  EXPECT_THROW(resume_with(at, std::nan("")), FileError);
  for (const std::size_t bounded_by_steps : {failed, positive}) {
    EXPECT_NO_THROW(resume_with(bounded_by_steps, std::uint64_t{500}));
    EXPECT_THROW(resume_with(bounded_by_steps, std::uint64_t{501}), FileError);
    EXPECT_THROW(resume_with(bounded_by_steps, ~0ULL >> 1U), FileError);
    EXPECT_THROW(resume_with(bounded_by_steps, ~0ULL), FileError) << "-1";
  }
}

TEST(Checkpoint, DamagedOrOfAnotherModelIsAFileErrorNeverACrash) {
  const scenario::Scenario scenario =
      scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/aiko_pegs.toml",
                     {"duration=1.0", "record.checkpoint_s=1.0"});
  Simulation simulation = make_simulation(scenario);
  record::TrajectorySink frames;
  Checkpoints checkpoints(frames);
  FrameSink* const sinks[] = {&frames};
  (void)run(simulation, sinks, {.checkpoints = &checkpoints});
  const std::string whole = checkpoints.taken.at(0).bytes;

  const auto complaint = [&](const std::string& bytes) -> std::string {
    Simulation second = make_simulation(scenario);
    try {
      (void)run(second, {}, {.resume = bytes});
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint(whole), "");
  for (std::size_t size = 1; size < whole.size(); size += 61) {
    EXPECT_THAT(complaint(whole.substr(0, size)), HasSubstr("checkpoint: does not fit")) << size;
  }
  EXPECT_THAT(complaint(whole + "x"), HasSubstr("left over"));

  // an index or a count may be changed to anything: refused, or a number that does no harm
  Random random(3);
  std::size_t refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    const std::size_t at = static_cast<std::size_t>(random.next() % damaged.size());
    damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1 + random.next() % 255));
    Simulation second = make_simulation(scenario);
    try {
      (void)run(second, {}, {.resume = damaged});
    } catch (const FileError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0U);

  Simulation wheel = make_wheel(1.0);
  EXPECT_THROW((void)run(wheel, {}, {.resume = whole}), FileError);
  Simulation shorter =
      make_simulation(scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/aiko_floor.toml",
                                     {"duration=1.0", "robot.links=7", "start.link=7"}));
  EXPECT_THROW((void)run(shorter, {}, {.resume = whole}), FileError);
}

}  // namespace checkpoint_test
}  // namespace coluber::simulation
