#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/planar/system.hpp"

#include "sample/snake.hpp"
#include "support/arrows.hpp"

namespace coluber::planar {
namespace checkpoint_test {

struct Scene {
  const char* name;
  bool obstacles = false;
  StepOptions options{};
  bool implicit_servo = true;
};

StepOptions step_options(double dt, Solver solver, Activation activation) {
  StepOptions options;
  options.dt = dt;
  options.solver = solver;
  options.activation = activation;
  return options;
}

class PlanarCheckpoint : public testing::TestWithParam<Scene> {
 protected:
  PlanarSystem make() const {
    Model model = sample::aiko();
    model.mu_T = {0.1, 0.4};
    model.tilt = 0.05;
    if (GetParam().obstacles) model.obstacles = sample::course();
    State state = sample::course_start(model);
    return {std::move(model), std::move(state), GetParam().options};
  }

  void advance(PlanarSystem& system, int steps) const {
    const sample::Wave wave;
    const int joints = system.joint_count();
    JointCommand command(joints);
    Eigen::VectorXd phi(joints);
    Eigen::VectorXd phidot(joints);
    for (int i = 0; i < steps; ++i) {
      sample::follow(wave, system.time() + system.dt(), command);
      if (!GetParam().implicit_servo) {  // torques from the state at the start of the step
        system.joint_state(phi, phidot);
        command.tau = command.k_P.cwiseProduct(command.phi_d - phi) +
                      command.k_D.cwiseProduct(command.phidot_d - phidot);
        command.k_P.setZero();
        command.k_D.setZero();
      }
      static_cast<void>(system.step(command));
      if (system.step_count() % 10 == 0) system.start_frame();
    }
  }

  /// Everything a system shows, to the bit.
  static std::vector<std::uint64_t> shown(const PlanarSystem& system) {
    std::vector<double> values(static_cast<std::size_t>(frame_size(system.observables())));
    system.observe(values);
    std::vector<double> poses(7 * static_cast<std::size_t>(system.model().n()));
    system.poses(poses);
    values.insert(values.end(), poses.begin(), poses.end());
    for (std::size_t family = 0; family < system.arrows().size(); ++family) {
      for (const ContactSlot& slot : test::arrows_of(system, family)) {
        values.insert(values.end(), slot.point.begin(), slot.point.end());
        values.insert(values.end(), slot.force.begin(), slot.force.end());
      }
    }
    for (const SummaryItem& item : system.summary()) values.push_back(item.number());
    std::vector<std::uint64_t> bits{system.state_hash()};
    for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
    return bits;
  }
};

// Between two frames and, where there are obstacles, in touch with one.
TEST_P(PlanarCheckpoint, ARestoredSystemShowsTheSameAndGoesOnToTheSameBits) {
  PlanarSystem first = make();
  advance(first, 1237);
  const auto touches = [&] { return !first.data().obstacle_impulse.isZero(0.0); };
  while (GetParam().obstacles && !(touches() && first.step_count() % 10 == 7)) {
    ASSERT_LT(first.step_count(), 20000) << "the robot touches no obstacle";
    advance(first, 1);
  }
  ByteWriter bytes;
  ASSERT_TRUE(first.save_state(bytes));
  PlanarSystem second = make();
  ByteReader reader(bytes.bytes(), "checkpoint");
  second.restore_state(reader);
  reader.finish();
  EXPECT_EQ(shown(second), shown(first));
  for (int i = 0; i < 143; ++i) {
    advance(first, 7);
    advance(second, 7);
    ASSERT_EQ(shown(second), shown(first)) << "after " << 7 * (i + 1) << " steps";
  }
  ByteWriter one;
  ByteWriter two;
  EXPECT_TRUE(first.save_state(one) && second.save_state(two));
  EXPECT_EQ(one.bytes(), two.bytes());
  if (GetParam().obstacles) {
    EXPECT_FALSE(first.state().near.empty()) << "the scene has obstacles near";
  }
}

TEST_P(PlanarCheckpoint, ASystemThatRefusesBytesIsAsItWas) {
  PlanarSystem first = make();
  advance(first, 500);
  ByteWriter bytes;
  ASSERT_TRUE(first.save_state(bytes));
  PlanarSystem second = make();
  advance(second, 33);
  const auto before = shown(second);
  const std::string& whole = bytes.bytes();
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 97) {
    ByteReader reader(std::string_view(whole).substr(0, size), "checkpoint");
    EXPECT_THROW(second.restore_state(reader), FileError) << size;
    ASSERT_EQ(shown(second), before) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, PlanarCheckpoint,
    testing::Values(Scene{.name = "floor"}, Scene{.name = "course", .obstacles = true},
                    Scene{.name = "thesis",
                          .obstacles = true,
                          .options = step_options(1e-3, Solver::thesis, Activation::gap)},
                    Scene{.name = "explicit",
                          .obstacles = true,
                          .options = step_options(2e-4, Solver::newton, Activation::gap),
                          .implicit_servo = false}),
    [](const auto& scene) { return std::string(scene.param.name); });

}  // namespace checkpoint_test
}  // namespace coluber::planar
