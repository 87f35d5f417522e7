// The snake in space behind the common interface: checkpoints, observables, what is drawn.

#include "coluber/spatial/system.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"

#include "sample/spatial.hpp"
#include "support/arrows.hpp"

namespace coluber::spatial {
namespace system_test {

struct Scene {
  const char* name;
  Joint joint = Joint::cardan;
  bool cylinders = false;
  LoadSharing sharing = LoadSharing::least_squares;
  nonsmooth::Law law = nonsmooth::Law::anchored;
};

class SpatialCheckpoint : public testing::TestWithParam<Scene> {
 protected:
  static SpatialSystem make() {
    const Scene& scene = GetParam();
    Model model = sample::make_aiko(7);
    model.joint = scene.joint;
    model.load_sharing = scene.sharing;
    model.tilt = 0.05;
    if (scene.cylinders) {
      model.obstacles = {{{-0.3, 0.09}, 0.02, 0.3}, {{-0.5, -0.09}, 0.03, 0.0}};
    }
    State state = make_state(model, VectorXd::Zero(model.angles()), 0, {0.0, 0.0, 0.0525},
                             compute_axes(std::numbers::pi, 0.0, 0.0));
    StepOptions options;
    options.law = scene.law;
    return {std::move(model), std::move(state), options};
  }

  static void advance(SpatialSystem& system, int steps) {
    JointCommand command = sample::make_servos(system.model(), 800.0, 2.0);
    const sample::Wave wave{.A_v = 5.0 * sample::kDegree,
                            .w_v = 80.0 * sample::kDegree,
                            .beta_v = -50.0 * sample::kDegree,
                            .beta_0 = 1.0};
    for (int i = 0; i < steps; ++i) {
      wave.set(system.time() + system.dt(), system.model().n() - 1, system.model().axes(), command);
      ASSERT_EQ(system.step(command).status, Status::ok);
      if (system.step_count() % 10 == 0) system.start_frame();
    }
  }

  /// Everything a system shows, to the bit.
  static std::vector<std::uint64_t> shown(const SpatialSystem& system) {
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

TEST_P(SpatialCheckpoint, ARestoredSystemShowsTheSameAndGoesOnToTheSameBits) {
  SpatialSystem first = make();
  advance(first, 437);
  ByteWriter bytes;
  ASSERT_TRUE(first.save_state(bytes));
  SpatialSystem second = make();
  ByteReader reader(bytes.bytes(), "checkpoint");
  second.restore_state(reader);
  reader.finish();
  EXPECT_EQ(shown(second), shown(first));
  for (int i = 0; i < 43; ++i) {
    advance(first, 7);
    advance(second, 7);
    ASSERT_EQ(shown(second), shown(first)) << "after " << 7 * (i + 1) << " steps";
  }
  EXPECT_EQ(!first.state().near[kCylinders].empty(), GetParam().cylinders);
}

TEST_P(SpatialCheckpoint, ASystemThatRefusesBytesIsAsItWas) {
  SpatialSystem first = make();
  advance(first, 50);
  ByteWriter bytes;
  ASSERT_TRUE(first.save_state(bytes));
  SpatialSystem second = make();
  advance(second, 33);
  const auto before = shown(second);
  const std::string& all = bytes.bytes();
  for (std::size_t length = 0; length < all.size(); length += 1 + all.size() / 97) {
    const std::string part = all.substr(0, length);
    ByteReader cut(part, "checkpoint");
    EXPECT_THROW(second.restore_state(cut), FileError) << length;
    ASSERT_EQ(shown(second), before) << length;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, SpatialCheckpoint,
    testing::Values(Scene{.name = "cardan"}, Scene{.name = "cylinders", .cylinders = true},
                    Scene{.name = "yaw", .joint = Joint::yaw},
                    Scene{.name = "rigid", .cylinders = true, .law = nonsmooth::Law::rigid},
                    Scene{.name = "equal",
                          .joint = Joint::yaw,
                          .cylinders = true,
                          .sharing = LoadSharing::equal}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_P(SpatialCheckpoint, ForcesOfContactsAreThoseOnTheLinks) {
  SpatialSystem system = make();
  advance(system, 300);
  system.start_frame();
  advance(system, 1);
  ASSERT_EQ(system.arrows().size(), 2U);
  for (std::size_t family = 0; family < 2; ++family) {
    const std::vector<ContactSlot> slots = test::arrows_of(system, family);
    const int each = system.arrows()[family].slots;
    for (int i = 0; i < system.model().n(); ++i) {
      Vector3d sum = Vector3d::Zero();
      for (int c = 0; c < each; ++c) {
        const ContactSlot& slot = slots[static_cast<std::size_t>(i * each + c)];
        if (!std::isnan(slot.force.x())) sum += slot.force;
      }
      const Vector3d impulse = system.arrows()[family].name == "ground"
                                   ? system.data().ground_impulse.col(i)
                                   : system.data().obstacle_impulse.col(i);
      // the points have turned with the link by half a step since the impulses were found
      EXPECT_LE((sum - impulse / system.dt()).norm(), 2e-3 * (1.0 + sum.norm()))
          << system.arrows()[family].name << " of link " << i + 1;
    }
  }
}

TEST(SpatialSystem, LinkAnglesAreHeadingsThatNeverWrap) {
  Model model = sample::make_peer(6);
  VectorXd phi = VectorXd::Constant(5, 80.0 * sample::kDegree);  // more than a whole turn
  State state = make_state(model, phi, 0, {0.0, 0.0, 0.0525}, compute_axes(3.0, 0.0, 0.0));
  const SpatialSystem system(model, state, {});
  std::vector<double> frame(static_cast<std::size_t>(frame_size(system.observables())));
  system.observe(frame);
  std::size_t at = 0;
  for (const Observable& each : system.observables()) {
    if (each.name == "link_angle") break;
    at += static_cast<std::size_t>(each.size());
  }
  for (std::size_t i = 0; i + 1 < 6; ++i) {
    EXPECT_NEAR(frame[at + i + 1] - frame[at + i], 80.0 * sample::kDegree, 1e-12);
  }
}

}  // namespace system_test
}  // namespace coluber::spatial
