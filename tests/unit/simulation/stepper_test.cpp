// Steps in any portions, with anything between them, end in the bits of a run.

#include "coluber/simulation/stepper.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/scenario/scenario.hpp"

namespace coluber::simulation {
namespace stepper_test {

using testing::HasSubstr;

constexpr int steps = 140;  // 70 and 7 divide it

std::filesystem::path scenarios() {
  return std::filesystem::path(COLUBER_SOURCE_DIR) / "scenarios";
}

scenario::Scenario load(const std::string& name, const scenario::Overrides& overrides = {}) {
  return scenario::load(scenarios() / (name + ".toml"), overrides);
}

/// A scenario that lasts `count` steps.
scenario::Scenario shortened(scenario::Scenario scenario, int count = steps) {
  scenario.duration = count * make_simulation(scenario).system->dt();
  return scenario;
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& entry : std::filesystem::directory_iterator(scenarios())) {
    if (entry.path().extension() == ".toml") list.push_back(entry.path().stem().string());
  }
  std::ranges::sort(list);
  return list;
}

class EveryScenario : public testing::TestWithParam<std::string> {};

TEST_P(EveryScenario, EndsInTheSameBitsHoweverItsStepsAreDivided) {
  const scenario::Scenario scenario = shortened(load(GetParam()));
  Simulation whole = make_simulation(scenario);
  record::TrajectorySink sink;
  FrameSink* const sinks[] = {&sink};
  const RunOutcome outcome = run(whole, sinks);
  ASSERT_EQ(outcome.status, RunStatus::completed) << outcome.message;
  ASSERT_EQ(whole.system->step_count(), steps) << outcome.message;

  std::vector<std::string> states;
  for (const int portion : {1, 7}) {
    Simulation simulation = make_simulation(scenario);
    Stepper stepper(simulation);
    std::vector<double> frame(static_cast<std::size_t>(stepper.frame_size()));
    for (int k = 0; k < steps; k += portion) {
      const Stepped stepped = stepper.step(portion);
      ASSERT_EQ(stepped.end, StepEnd::done) << stepper.message();
      ASSERT_EQ(stepped.steps, portion);
      stepper.observe(frame);
    }
    EXPECT_EQ(simulation.system->state_hash(), outcome.final_state) << portion << " at a time";
  }

  Simulation first = make_simulation(scenario);
  Stepper half(first);
  ASSERT_EQ(half.step(steps / 2).end, StepEnd::done);
  const std::string kept = half.save_state();
  ASSERT_EQ(half.step(steps / 2).end, StepEnd::done);
  Simulation second = make_simulation(scenario);
  Stepper other(second);
  other.restore_state(kept);
  EXPECT_EQ(other.save_state(), kept);
  ASSERT_EQ(other.step(steps / 2).end, StepEnd::done);
  EXPECT_EQ(second.system->state_hash(), outcome.final_state) << "from half time";
  std::vector<double> a(static_cast<std::size_t>(half.frame_size()));
  std::vector<double> b(a);
  half.observe(a);
  other.observe(b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << i;
  }
  EXPECT_EQ(half.save_state(), other.save_state());
}

INSTANTIATE_TEST_SUITE_P(Scenarios, EveryScenario, testing::ValuesIn(names()),
                         [](const auto& each) { return each.param; });

/// A gait that passes another on, and throws when it is asked for the n-th time.
class Throwing final : public gait::Gait {
 public:
  explicit Throwing(std::unique_ptr<gait::Gait> inner) : inner_(std::move(inner)) {}
  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override {
    if (--left == 0) {
      if (flag != nullptr) {
        *flag = true;
      } else {
        throw std::runtime_error("of my own");
      }
    }
    inner_->evaluate(t, phi_d, phidot_d);
  }
  [[nodiscard]] double next_break(double t) const override { return inner_->next_break(t); }
  [[nodiscard]] double max_rate() const override { return inner_->max_rate(); }

  mutable int left = 0;
  std::atomic<bool>* flag = nullptr;  // set instead

 private:
  std::unique_ptr<gait::Gait> inner_;
};

Simulation make_throwing(const scenario::Scenario& scenario, Throwing*& gait) {
  Simulation simulation = make_simulation(scenario);
  auto throwing = std::make_unique<Throwing>(std::move(simulation.gait));
  gait = throwing.get();
  simulation.gait = std::move(throwing);
  return simulation;
}

// Smooth friction is integrated, and calls the gait many times within a step: after some of these
// the integrator has restarted, or finished the step and looks at its torques.
TEST(Stepper, ContinuesAfterAnExceptionInsideAStepAsIfItHadNotBeen) {
  for (const char* name : {"aiko_floor", "aiko_smooth_friction", "aiko_minimal", "piko_points"}) {
    scenario::Scenario scenario = shortened(load(name), 60);
    Throwing* gait = nullptr;
    Simulation whole = make_throwing(scenario, gait);
    if (whole.controller == nullptr || whole.system == nullptr) continue;
    const RunOutcome expected = run(whole, {});
    const int calls = -gait->left;
    for (int at = 2; at < calls; at += std::max(1, calls / 23)) {
      Simulation simulation = make_throwing(scenario, gait);
      gait->left = at;
      Stepper stepper(simulation);
      std::uint64_t before = 0;
      int taken = 0;
      int thrown = 0;
      while (taken < 60) {
        before = simulation.system->state_hash();
        try {
          taken += static_cast<int>(stepper.step().steps);
        } catch (const std::runtime_error& error) {
          ++thrown;
          EXPECT_STREQ(error.what(), "of my own");
          EXPECT_EQ(simulation.system->step_count(), taken);
          EXPECT_EQ(simulation.system->state_hash(), before) << name << ", call " << at;
        }
      }
      EXPECT_EQ(thrown, 1) << name << ", call " << at;
      EXPECT_EQ(simulation.system->state_hash(), expected.final_state) << name << ", call " << at;
    }
  }
}

class LastCheckpoint final : public CheckpointSink {
 public:
  bool wants_checkpoint() override { return false; }
  void checkpoint(std::string_view given) override { bytes = given; }
  std::string bytes;
};

TEST(Stepper, ResumesAnIntegratedRunThatWasInterruptedInsideAStep) {
  const scenario::Scenario scenario = shortened(load("aiko_smooth_friction"), 60);
  Throwing* gait = nullptr;
  Simulation whole = make_throwing(scenario, gait);
  const RunOutcome expected = run(whole, {});
  const int calls = -gait->left;
  for (int at = 2; at < calls; at += std::max(1, calls / 17)) {
    std::atomic<bool> flag{false};
    Simulation simulation = make_throwing(scenario, gait);
    gait->left = at;
    gait->flag = &flag;
    LastCheckpoint last;
    const RunOutcome broken = run(simulation, {}, {.interrupt = &flag, .checkpoints = &last});
    ASSERT_EQ(broken.status, RunStatus::interrupted);
    Simulation again = make_simulation(scenario);
    const RunOutcome resumed = run(again, {}, {.resume = last.bytes});
    EXPECT_EQ(resumed.final_state, expected.final_state) << "call " << at;
  }
}

/// Throws at one of its frames.
class Failing final : public FrameSink {
 public:
  void frame(double t, const Shown&, std::span<const double>) override {
    times.push_back(t);
    if (times.size() == 4) throw std::runtime_error("full");
  }
  std::vector<double> times;
};

TEST(Stepper, KeepsEveryFrameWhereASinkThrows) {
  const scenario::Scenario scenario = shortened(load("aiko_floor"), 100);
  Simulation whole = make_simulation(scenario);
  record::TrajectorySink expected;
  FrameSink* const one[] = {&expected};
  const RunOutcome outcome = run(whole, one);

  Simulation simulation = make_simulation(scenario);
  record::TrajectorySink frames;
  Failing failing;
  FrameSink* const two[] = {&failing, &frames};
  Stepper stepper(simulation);
  EXPECT_THROW(static_cast<void>(stepper.run(two)), std::runtime_error);
  EXPECT_EQ(frames.trajectory().frames(), 3U);
  const RunOutcome continued = stepper.run(two);
  EXPECT_EQ(continued.final_state, outcome.final_state);
  EXPECT_EQ(failing.times, expected.trajectory().time);
  EXPECT_EQ(frames.trajectory().time, expected.trajectory().time);
  EXPECT_EQ(frames.trajectory().values, expected.trajectory().values);
}

TEST(Stepper, RunsOnFromWhereItWasSteppedTo) {
  const scenario::Scenario scenario = shortened(load("aiko_floor"), 100);
  Simulation whole = make_simulation(scenario);
  const RunOutcome outcome = run(whole, {});
  Simulation simulation = make_simulation(scenario);
  Stepper stepper(simulation);
  ASSERT_EQ(stepper.step(40).steps, 40);
  record::TrajectorySink frames;
  FrameSink* const sinks[] = {&frames};
  const RunOutcome rest = stepper.run(sinks);
  EXPECT_EQ(rest.final_state, outcome.final_state);
  ASSERT_EQ(frames.trajectory().frames(), 7U);  // every 10 ms from 40 to 100
  EXPECT_DOUBLE_EQ(frames.trajectory().time.front(), 0.04);
  EXPECT_EQ(stepper.step(3).steps, 3) << "the duration is of the run alone";
}

TEST(Stepper, ForcesAreTheMeanOverTheLastCall) {
  const scenario::Scenario scenario = shortened(load("aiko_floor"), 100);
  Simulation simulation = make_simulation(scenario);
  Stepper stepper(simulation);
  const auto torque_at = [&] {
    std::size_t at = 0;
    for (const Observable& each : stepper.shown().observables()) {
      if (each.name == "ground_force") break;
      at += static_cast<std::size_t>(each.size());
    }
    std::vector<double> frame(static_cast<std::size_t>(stepper.frame_size()));
    stepper.observe(frame);
    return frame.at(at);
  };
  ASSERT_EQ(stepper.step(20).steps, 20);
  const std::string kept = stepper.save_state();
  double sum = 0.0;
  for (int k = 0; k < 10; ++k) {
    ASSERT_EQ(stepper.step().steps, 1);
    sum += torque_at();
  }
  stepper.restore_state(kept);
  ASSERT_EQ(stepper.step(10).steps, 10);
  EXPECT_NE(sum, 0.0);
  EXPECT_NEAR(torque_at(), sum / 10.0, 1e-12 * std::abs(sum));  // the order of the sum
}

TEST(Stepper, HoldsReferencesAsAGaitThatStandsStillDoes) {
  for (const char* name : {"aiko_floor", "aiko_smooth_friction", "aiko_spatial_floor"}) {
    const scenario::Scenario scenario = load(name);
    Simulation simulation = make_simulation(scenario);
    Stepper stepper(simulation);
    const auto joints = stepper.reference_count();
    ASSERT_GT(joints, 0);
    std::vector<double> angles(static_cast<std::size_t>(joints), 0.1);
    EXPECT_FALSE(stepper.holds_references());
    stepper.hold_references(angles);
    EXPECT_TRUE(stepper.holds_references());
    ASSERT_EQ(stepper.step(20).steps, 20);
    const std::string kept = stepper.save_state();
    angles.front() = 0.2;
    stepper.hold_references(angles);
    ASSERT_EQ(stepper.step(20).steps, 20);

    Simulation same = make_simulation(scenario);
    Stepper with_gaits(same);
    with_gaits.set_gait(std::make_unique<gait::Held>(Eigen::VectorXd::Constant(joints, 0.1)));
    ASSERT_EQ(with_gaits.step(20).steps, 20);
    Eigen::VectorXd next = Eigen::VectorXd::Constant(joints, 0.1);
    next(0) = 0.2;
    with_gaits.set_gait(std::make_unique<gait::Held>(next));
    ASSERT_EQ(with_gaits.step(20).steps, 20);
    EXPECT_EQ(simulation.system->state_hash(), same.system->state_hash()) << name;

    Simulation third = make_simulation(scenario);
    Stepper restored(third);
    restored.restore_state(kept);
    EXPECT_TRUE(restored.holds_references());
    restored.hold_references(angles);
    ASSERT_EQ(restored.step(20).steps, 20);
    EXPECT_EQ(third.system->state_hash(), same.system->state_hash()) << name;
  }
}

TEST(Stepper, SaysWhatIsWrongWithReferences) {
  Simulation simulation = make_simulation(load("aiko_floor"));
  Stepper stepper(simulation);
  const auto fault = [&](std::vector<double> given) -> std::string {
    try {
      stepper.hold_references(given);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(fault({0.1}), "1 references were given, the robot has 10 joint angles");
  std::vector<double> angles(10, 0.0);
  angles[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(fault(angles), "reference 4 is nan");
}

/// A gait whose references are not finite from some time on.
class NotFinite final : public gait::Gait {
 public:
  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override {
    phi_d.setConstant(t > 0.0095 ? std::numeric_limits<double>::quiet_NaN() : 0.0);
    phidot_d.setZero();
  }
  [[nodiscard]] double max_rate() const override { return 0.0; }
};

TEST(Stepper, SaysWhichStepFailedAndContinuesWithAnotherGait) {
  Simulation simulation = make_simulation(load("aiko_floor"));
  Stepper stepper(simulation);
  stepper.set_gait(std::make_unique<NotFinite>());
  const Stepped stepped = stepper.step(100);
  EXPECT_EQ(stepped.end, StepEnd::failed);
  EXPECT_EQ(stepped.steps, 9);
  EXPECT_EQ(stepped.failed_steps, 1);
  EXPECT_EQ(stepped.last.status, Status::non_finite);
  EXPECT_THAT(stepper.message(), HasSubstr("not finite after the step to t = 0.01 s"));
  EXPECT_EQ(simulation.system->step_count(), 9);
  stepper.set_gait(std::make_unique<gait::Held>(Eigen::VectorXd::Zero(10)));
  EXPECT_EQ(stepper.step(5).steps, 5);
  EXPECT_EQ(stepper.message(), "");
}

TEST(Stepper, StopsWhereAConditionHoldsAndStepsOnIfAsked) {
  Simulation simulation = make_simulation(load("aiko_until_past"));
  Stepper stepper(simulation);
  const Stepped stepped = stepper.step(1'000'000);
  EXPECT_EQ(stepped.end, StepEnd::stopped);
  EXPECT_EQ(stepper.stopped_by(), "stop.past_x");
  EXPECT_THAT(stepper.message(), HasSubstr("link 1 is past x"));
  EXPECT_EQ(stepper.step(10).steps, 10);
  EXPECT_EQ(stepper.stopped_by(), "");
}

TEST(Stepper, EndsAtAnInterrupt) {
  Simulation simulation = make_simulation(load("aiko_floor"));
  Stepper stepper(simulation);
  std::atomic<bool> flag{true};
  stepper.set_interrupt(&flag);
  EXPECT_EQ(stepper.step(10).end, StepEnd::interrupted);
  EXPECT_EQ(simulation.system->step_count(), 0);
  flag = false;
  EXPECT_EQ(stepper.step(10).steps, 10);
}

/// Calls the stepper from inside its step.
class Calling final : public gait::Gait {
 public:
  void evaluate(double /*t*/, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override {
    phi_d.setZero();
    phidot_d.setZero();
    if (stepper != nullptr) static_cast<void>(stepper->step());
  }
  [[nodiscard]] double max_rate() const override { return 0.0; }
  Stepper* stepper = nullptr;
};

TEST(Stepper, RefusesToStepInsideItsOwnCallback) {
  Simulation simulation = make_simulation(load("aiko_floor"));
  Stepper stepper(simulation);
  auto calling = std::make_unique<Calling>();
  Calling* gait = calling.get();
  stepper.set_gait(std::move(calling));
  gait->stepper = &stepper;
  EXPECT_THROW(static_cast<void>(stepper.step()), Error);
  gait->stepper = nullptr;
  EXPECT_EQ(stepper.step().steps, 1);
}

std::string why_not(const scenario::Scenario& scenario, const std::string& state) {
  Simulation simulation = make_simulation(scenario);
  Stepper stepper(simulation);
  const std::string before = stepper.save_state();
  try {
    stepper.restore_state(state);
  } catch (const FileError& error) {
    EXPECT_EQ(stepper.save_state(), before) << "what does not fit changes nothing";
    return error.what();
  }
  return "";
}

TEST(State, IsRefusedByAnotherRobot) {
  Simulation simulation = make_simulation(load("aiko_floor"));
  Stepper stepper(simulation);
  ASSERT_EQ(stepper.step(20).steps, 20);
  const std::string state = stepper.save_state();
  const auto with = [&](const char* override) {
    return why_not(load("aiko_floor", {override}), state);
  };
  EXPECT_EQ(with("duration=3.0"), "");
  EXPECT_EQ(with("record.rate_hz=10"), "");
  EXPECT_EQ(with("seed=5"), "");
  EXPECT_EQ(with("start.heading_deg=10"), "");
  EXPECT_THAT(with("world.friction=[0.1, 0.1]"),
              HasSubstr("another robot or world: [world] differ"));
  EXPECT_THAT(with("controller.kp=3.0"), HasSubstr("[controller]"));
  EXPECT_THAT(with("solver.dt=2e-3"), HasSubstr("the time step, [solver]"));
  EXPECT_THAT(why_not(load("aiko_floor", {"robot.links=7", "start.link=1"}), state),
              HasSubstr("the sizes, "));
  EXPECT_THAT(why_not(load("aiko_spatial_floor"), state), HasSubstr("it is of the model"));
  EXPECT_THAT(why_not(load("aiko_floor"), state.substr(0, 100)), HasSubstr("damaged"));
  std::string flipped = state;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
  EXPECT_THAT(why_not(load("aiko_floor"), flipped), HasSubstr("damaged"));
  EXPECT_THAT(why_not(load("aiko_floor"), ""), HasSubstr("not a state"));
}

/// Remembers how often its reference was taken.
class Counting final : public gait::Gait {
 public:
  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override {
    if (t > last_) ++calls_;
    last_ = std::max(last_, t);
    phi_d.setConstant(1e-3 * calls_);
    phidot_d.setZero();
  }
  [[nodiscard]] double max_rate() const override { return 1.0; }
  void save_state(ByteWriter& bytes) const override { bytes(last_, calls_); }
  void restore_state(ByteReader& bytes) override { bytes(last_, calls_); }

 private:
  mutable double last_ = 0.0;
  mutable int calls_ = 0;
};

TEST(State, HoldsWhatAGaitRemembers) {
  const scenario::Scenario scenario = shortened(load("aiko_floor"), 100);
  const auto make = [&] {
    Simulation simulation = make_simulation(scenario);
    simulation.gait = std::make_unique<Counting>();
    return simulation;
  };
  Simulation first = make();
  Stepper stepper(first);
  ASSERT_EQ(stepper.step(50).steps, 50);
  const std::string kept = stepper.save_state();
  ASSERT_EQ(stepper.step(50).steps, 50);
  Simulation second = make();
  Stepper other(second);
  other.restore_state(kept);
  ASSERT_EQ(other.step(50).steps, 50);
  EXPECT_EQ(second.system->state_hash(), first.system->state_hash());
}

TEST(Stepper, TakesAnotherControllerOrSaysWhyNot) {
  const scenario::Scenario scenario = load("aiko_floor");
  Simulation simulation = make_simulation(scenario);
  Simulation donor = make_simulation(scenario);
  Stepper stepper(simulation);
  stepper.set_controller(std::move(donor.controller));
  EXPECT_EQ(stepper.step(20).steps, 20);
  Simulation same = make_simulation(scenario);
  Stepper plain(same);
  EXPECT_EQ(plain.step(20).steps, 20);
  EXPECT_EQ(simulation.system->state_hash(), same.system->state_hash());
  Simulation linearised = make_simulation(load("aiko_linearised"));
  Simulation spatial = make_simulation(load("aiko_spatial_floor"));
  Stepper elsewhere(spatial);
  EXPECT_THROW(elsewhere.set_controller(std::move(linearised.controller)), Error);
  EXPECT_EQ(elsewhere.step(20).steps, 20) << "the old one is kept";
  EXPECT_THROW(stepper.set_controller(nullptr), Error);
  EXPECT_THROW(stepper.set_gait(nullptr), Error);
  EXPECT_EQ(stepper.step(20).steps, 20);
}

}  // namespace stepper_test
}  // namespace coluber::simulation
