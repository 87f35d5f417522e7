// A batch on so many threads, for tests/cli/threads_test.py: under the thread sanitizer, too.
//   batch_threads SCENARIO THREADS
// Steps, held references, resets, a gait that throws, and an interrupt from another thread. Prints
// a hash of all that was observed, which must not depend on the number of threads.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "coluber/core/hash.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/simulation/batch.hpp"

namespace {

using namespace coluber;

class Throwing final : public gait::Gait {
 public:
  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override {
    if (t > 0.0505) throw std::runtime_error("late");
    phi_d.setZero();
    phidot_d.setZero();
  }
  [[nodiscard]] double max_rate() const override { return 0.0; }
};

std::uint64_t run_batch(const scenario::Scenario& scenario, int threads) {
  constexpr int size = 7;
  simulation::Batch batch(scenario, size, threads);
  Hasher hash;
  const int joints = batch.reference_count();
  std::vector<double> phi_d(static_cast<std::size_t>(size * joints));
  for (int call = 0; call < 30; ++call) {
    for (std::size_t i = 0; i < phi_d.size(); ++i) {
      phi_d[i] = 0.4 * std::sin(0.2 * call + 0.5 * static_cast<double>(i));
    }
    batch.hold_references(phi_d);
    for (const simulation::Stepped& stepped : batch.step(10)) hash.update(stepped.steps);
    hash.update(batch.observables());
    std::vector<std::uint8_t> mask(size, 0);
    mask[static_cast<std::size_t>(call % size)] = 1;
    batch.reset(mask);
  }
  batch.reset();
  batch.at(4).set_gait(std::make_unique<Throwing>());
  for (int call = 0; call < 2; ++call) {
    try {
      batch.step(40);
    } catch (const simulation::BatchError& error) {
      hash.update(error.index());
    }
    hash.update(batch.observables());
  }
  // where it ends depends on when the interrupt comes; that it ends does not
  std::atomic<bool> interrupt{false};
  batch.reset();
  batch.at(4).set_gait(std::make_unique<gait::Held>(Eigen::VectorXd::Zero(joints)));
  batch.set_interrupt(&interrupt);
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    interrupt = true;
  });
  for (const simulation::Stepped& stepped : batch.step(1'000'000'000)) {
    if (stepped.end != simulation::StepEnd::interrupted) hash.update(1);
  }
  return hash.finish();
}

}  // namespace

int main(int count, char** words) try {
  if (count != 3) return 2;
  const scenario::Scenario scenario = scenario::load(words[1]);
  std::printf("%016llx\n",
              static_cast<unsigned long long>(run_batch(scenario, std::atoi(words[2]))));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
