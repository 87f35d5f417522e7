// Nothing allocates in the loop after the first step.

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/simulation/simulation.hpp"
#include "coluber/simulation/stepper.hpp"

#include "support/allocations.hpp"

#ifdef COLUBER_COUNTS_ALLOCATIONS

namespace coluber::simulation {
namespace {

// Passes every call on and notes how many allocations there were before the second and the last
// step.
class Counting final : public control::Controller {
 public:
  Counting(std::unique_ptr<control::Controller> inner, long last, std::array<long, 2>& seen)
      : inner_(std::move(inner)), last_(last), seen_(seen) {}
  void update(const control::ControlInput& input, JointCommand& command) override {
    if (call_ == 1) seen_[0] = allocations.load();
    if (call_ == last_) seen_[1] = allocations.load();
    ++call_;
    inner_->update(input, command);
  }
  [[nodiscard]] bool model_based() const override { return inner_->model_based(); }

 private:
  std::unique_ptr<control::Controller> inner_;
  long last_;
  long call_ = 0;
  std::array<long, 2>& seen_;
};

TEST(Run, AllocatesNothingAfterTheFirstStep) {
  for (const std::string servo : {"implicit", "explicit"}) {
    Simulation simulation = make_simulation(scenario::parse(R"(
schema = 1
duration = 1.0
[robot]
name = "aiko"
[world]
[[world.obstacle]]
x = 0.45
y = 0.35
radius = 0.05
[gait]
soft_start = true
[solver]
dt = 2.5e-4
[controller]
servo = ")" + servo + "\"\n"));
    std::array<long, 2> seen{-1, -1};
    simulation.controller =
        std::make_unique<Counting>(std::move(simulation.controller), 3999, seen);
    const std::atomic<bool> interrupt{false};
    const RunOutcome outcome =
        run(simulation, {}, {.interrupt = &interrupt, .progress = [](const Progress&) {}});
    ASSERT_EQ(outcome.status, RunStatus::completed) << outcome.message;
    ASSERT_GT(seen[0], 0) << "the counter must count";
    EXPECT_EQ(seen[1] - seen[0], 0) << servo;
  }
}

TEST(Run, AllocatesNothingInATickOfAPathFollower) {
  const std::string end = "\"\nname = \"piko\"\n[path]\nshape = \"turn\"\nstraight = 0.5\n";
  for (const std::string& name :
       {"wheeled" + end + "[controller]\nname = \"n_trailer\"\n",
        "wheeled" + end + "[controller]\nname = \"n_trailer\"\nupdate = \"measured\"\n",
        "wheeled" + end + "[controller]\nname = \"follow_the_leader\"\n",
        "n_trailer" + end + "[controller]\nname = \"n_trailer\"\n"}) {
    Simulation simulation =
        make_simulation(scenario::parse("schema = 1\nduration = 4.0\n[robot]\nmodel = \"" + name));
    std::array<long, 2> seen{-1, -1};
    // it has looked at its system already, and shows things of its own, which nobody asks for here
    simulation.controller =
        std::make_unique<Counting>(std::move(simulation.controller), 3999, seen);
    const RunOutcome outcome = run(simulation, {});
    ASSERT_EQ(outcome.status, RunStatus::completed) << outcome.message;
    EXPECT_EQ(seen[1] - seen[0], 0) << name;
  }
}

// A step in which a contact comes or goes sizes the map anew; every other one has its room.
TEST(Run, AllocatesNothingInATickOfTheForceMapWhileTheContactsStay) {
  Simulation simulation = make_simulation(
      scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/holden_loop.toml"));
  Stepper stepper(simulation);
  std::vector<double> frame(static_cast<std::size_t>(stepper.frame_size()));
  const auto touching = [&] {
    stepper.observe(frame);
    std::vector<bool> links;
    std::size_t at = 0;
    for (const Observable& observable : stepper.shown().observables()) {
      const auto size = static_cast<std::size_t>(observable.size());
      for (std::size_t k = 0; observable.name == "mapped_force" && k < size; k += 2) {
        links.push_back(frame[at + k] != 0.0 || frame[at + k + 1] != 0.0);
      }
      at += size;
    }
    return links;
  };
  std::ignore = stepper.step(5);
  std::vector<bool> before = touching();
  int changes = 0;
  int quiet = 0;
  for (int tick = 0; tick < 100; ++tick) {
    const long counted = allocations.load();
    std::ignore = stepper.step(5);
    const long now = allocations.load();
    const std::vector<bool> after = touching();
    if (after == before) {
      EXPECT_EQ(now - counted, 0) << "tick " << tick;
      ++quiet;
    } else {
      ++changes;
    }
    before = after;
  }
  EXPECT_GT(quiet, 50);
  EXPECT_GT(changes, 2) << "contacts must change for the test to mean anything";
}

// Every model, looked at after every call, with references given from outside where it takes them.
TEST(Stepper, AllocatesNothingInAStepOrALookAfterwards) {
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(COLUBER_SOURCE_DIR) + "/scenarios")) {
    if (file.path().extension() != ".toml") continue;
    Simulation simulation = make_simulation(scenario::load(file.path()));
    Stepper stepper(simulation);
    std::vector<double> frame(static_cast<std::size_t>(stepper.frame_size()));
    ASSERT_EQ(stepper.step(5).end, StepEnd::done) << stepper.message();
    stepper.observe(frame);
    const long before = allocations.load();
    for (int call = 0; call < 10; ++call) std::ignore = stepper.step(3);
    const long stepped = allocations.load();
    for (int call = 0; call < 10; ++call) stepper.observe(frame);
    const long looked = allocations.load();
    EXPECT_EQ(stepped - before, 0) << file.path().stem() << ": step";
    EXPECT_EQ(looked - stepped, 0) << file.path().stem() << ": observe";
    if (stepper.reference_count() == 0) continue;
    const std::vector<double> held(static_cast<std::size_t>(stepper.reference_count()), 0.05);
    stepper.hold_references(held);
    const long holding = allocations.load();
    stepper.hold_references(held);
    EXPECT_EQ(allocations.load() - holding, 0) << file.path().stem() << ": references";
  }
}

}  // namespace
}  // namespace coluber::simulation

#endif
