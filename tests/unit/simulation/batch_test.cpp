// Each simulation of a batch is what it would be alone, on any number of threads.

#include "coluber/simulation/batch.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/scenario/scenario.hpp"

namespace coluber::simulation {
namespace batch_test {

using testing::HasSubstr;

scenario::Scenario load(const std::string& name, const scenario::Overrides& overrides = {}) {
  return scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/" + name + ".toml",
                        overrides);
}

std::vector<std::uint64_t> bits(std::span<const double> values) {
  std::vector<std::uint64_t> out;
  for (const double value : values) out.push_back(std::bit_cast<std::uint64_t>(value));
  return out;
}

/// References that differ by simulation and call.
std::vector<double> references(int call, int size, int joints) {
  std::vector<double> all;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < joints; ++j) all.push_back(0.3 * std::sin(1.0 + call + 0.7 * i + 0.9 * j));
  }
  return all;
}

TEST(Batch, EqualsSimulationsSteppedOneByOneOnAnyNumberOfThreads) {
  constexpr int size = 5;
  constexpr int calls = 6;
  for (const char* name : {"aiko_pegs", "aiko_smooth_friction", "aiko_spatial_floor"}) {
    const scenario::Scenario scenario = load(name);
    std::vector<double> expected;
    for (int i = 0; i < size; ++i) {
      Simulation simulation = make_simulation(scenario);
      Stepper stepper(simulation);
      const auto joints = static_cast<std::size_t>(stepper.reference_count());
      std::vector<double> frame(static_cast<std::size_t>(stepper.frame_size()));
      for (int call = 0; call < calls; ++call) {
        const auto all = references(call, size, static_cast<int>(joints));
        stepper.hold_references(
            std::span(all).subspan(static_cast<std::size_t>(i) * joints, joints));
        ASSERT_EQ(stepper.step(7).steps, 7);
        stepper.observe(frame);
      }
      expected.insert(expected.end(), frame.begin(), frame.end());
    }
    for (const int threads : {1, 2, 5}) {
      Batch batch(scenario, size, threads);
      EXPECT_EQ(batch.size(), size);
      for (int call = 0; call < calls; ++call) {
        batch.hold_references(references(call, size, batch.reference_count()));
        for (const Stepped& stepped : batch.step(7)) EXPECT_EQ(stepped.steps, 7);
      }
      EXPECT_EQ(bits(batch.observables()), bits(expected)) << name << ", " << threads;
    }
  }
}

TEST(Batch, ResetsThoseThatAreAskedForToTheirStart) {
  for (const char* name : {"aiko_pegs", "aiko_linearised", "aiko_smooth_friction"}) {
    Batch batch(load(name), 3);
    const auto start = bits(batch.observables());
    std::ignore = batch.step(20);
    const auto first = bits(batch.observables());
    std::ignore = batch.step(20);
    const auto second = bits(batch.observables());
    EXPECT_NE(first, second);
    batch.reset(std::vector<std::uint8_t>{0, 1, 0});
    const auto frame = static_cast<std::size_t>(batch.frame_size());
    const auto part = [&](const std::vector<std::uint64_t>& of, std::size_t i) {
      return std::vector(of.begin() + static_cast<long>(i * frame),
                         of.begin() + static_cast<long>((i + 1) * frame));
    };
    EXPECT_EQ(part(bits(batch.observables()), 1), part(start, 1)) << name;
    EXPECT_EQ(part(bits(batch.observables()), 0), part(second, 0));
    std::ignore = batch.step(20);
    EXPECT_EQ(part(bits(batch.observables()), 1), part(first, 1)) << name;
    batch.reset();
    std::ignore = batch.step(20);
    EXPECT_EQ(bits(batch.observables()), first) << name;
  }
}

TEST(Batch, RebuildsASimulationWithOtherSeedAndFriction) {
  Batch batch(load("aiko_linearised", {"controller.noise.joint_deg=0.1"}), 2);
  const auto frame = static_cast<std::size_t>(batch.frame_size());
  const scenario::Scenario other =
      load("aiko_linearised", {"controller.noise.joint_deg=0.1", "seed=8", "start.heading_deg=20"});
  batch.rebuild(1, other);
  std::ignore = batch.step(20);
  Simulation simulation = make_simulation(other);
  Stepper stepper(simulation);
  std::ignore = stepper.step(20);
  std::vector<double> alone(frame);
  stepper.observe(alone);
  EXPECT_EQ(bits(batch.observables().subspan(frame)), bits(alone));
  EXPECT_NE(bits(batch.observables().first(frame)), bits(alone));
  batch.reset();
  std::ignore = batch.step(20);
  EXPECT_EQ(bits(batch.observables().subspan(frame)), bits(alone)) << "its start is the new one";
  EXPECT_THROW(batch.rebuild(1, load("aiko_spatial_floor")), Error);
  EXPECT_THROW(batch.rebuild(2, other), Error);
}

TEST(Batch, StartsFromAStateThatWasKept) {
  Batch batch(load("aiko_floor"), 2);
  std::ignore = batch.step(30);
  batch.keep_start(0);
  std::ignore = batch.step(30);
  batch.reset();
  EXPECT_EQ(batch.at(0).simulation().system->step_count(), 30);
  EXPECT_EQ(batch.at(1).simulation().system->step_count(), 0);
}

/// Throws at its n-th reference.
class Throwing final : public gait::Gait {
 public:
  explicit Throwing(int at) : left_(at) {}
  void evaluate(double /*t*/, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override {
    phi_d.setZero();
    phidot_d.setZero();
    if (--left_ == 0) throw std::runtime_error("of my own");
  }
  [[nodiscard]] double max_rate() const override { return 0.0; }

 private:
  mutable int left_;
};

TEST(Batch, SaysWhichSimulationThrewAfterAllOthersWereStepped) {
  for (const int threads : {1, 2, 5}) {
    Batch batch(load("aiko_floor"), 6, threads);
    batch.at(3).set_gait(std::make_unique<Throwing>(8));
    batch.at(5).set_gait(std::make_unique<Throwing>(3));
    try {
      std::ignore = batch.step(20);
      FAIL() << "nothing was thrown";
    } catch (const BatchError& error) {
      EXPECT_EQ(error.index(), 3);
      EXPECT_STREQ(error.what(), "simulation 3 of 6: of my own");
      EXPECT_THROW(std::rethrow_exception(error.cause()), std::runtime_error);
    }
    std::vector<std::int64_t> counts;
    for (int i = 0; i < 6; ++i) counts.push_back(batch.at(i).simulation().system->step_count());
    EXPECT_EQ(counts, (std::vector<std::int64_t>{20, 20, 20, 6, 20, 1}));
    for (const Stepped& stepped : batch.step(5)) EXPECT_EQ(stepped.steps, 5);
  }
}

TEST(Batch, EndsAtAnInterrupt) {
  Batch batch(load("aiko_floor"), 4, 2);
  std::atomic<bool> flag{true};
  batch.set_interrupt(&flag);
  for (const Stepped& stepped : batch.step(1'000'000'000)) {
    EXPECT_EQ(stepped.end, StepEnd::interrupted);
    EXPECT_EQ(stepped.steps, 0);
  }
}

TEST(Batch, SaysWhatIsWrong) {
  Batch batch(load("aiko_floor"), 3);
  const auto why = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why([&] { batch.hold_references(std::vector<double>(20)); }),
            "20 references were given, 3 simulations with 10 joint angles need 30");
  std::vector<double> bad(30, 0.0);
  bad[12] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(why([&] { batch.hold_references(bad); }), "reference 3 of simulation 1 is inf");
  EXPECT_EQ(why([&] { batch.reset(std::vector<std::uint8_t>(2)); }),
            "the mask has 2 entries, the batch 3 simulations");
  EXPECT_THAT(why([&] { std::ignore = batch.at(3); }), HasSubstr("the batch has 0 to 2"));
  EXPECT_THAT(why([] { const Batch none(load("aiko_floor"), 0); }), HasSubstr("at least 1"));
}

}  // namespace batch_test
}  // namespace coluber::simulation
