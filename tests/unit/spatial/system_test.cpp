// The snake in space behind the common interface: checkpoints, observables, what is drawn.

#include "coluber/spatial/system.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/record/trajectory_sink.hpp"
#include "coluber/scenario/scenario.hpp"
#include "coluber/simulation/simulation.hpp"

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

TEST(SpatialSystem, WhatIsRecordedOfASidewinderFitsTogether) {
  // 52 J put in, of which the joints take most back: figures of every step
  auto simulation = simulation::make_simulation(
      scenario::load(std::string(COLUBER_SOURCE_DIR) + "/scenarios/aiko_sidewinding.toml",
                     {"duration=3.0", "record.rate_hz=1000", "world.tilt_deg=2"}));
  record::TrajectorySink sink;
  simulation::FrameSink* sinks[] = {&sink};
  const auto outcome = simulation::run(simulation, sinks);
  ASSERT_EQ(outcome.status, simulation::RunStatus::completed) << outcome.message;
  std::map<std::string, double> summary;
  for (const SummaryItem& item : outcome.summary) summary[item.name] = item.number();
  const record::Trajectory& t = sink.trajectory();
  const Model& model = dynamic_cast<const SpatialSystem&>(*simulation.system).model();
  const double tilt = 2.0 * sample::kDegree;
  const Vector3d weight = 9.81 * Vector3d{std::sin(tilt), 0.0, -std::cos(tilt)};
  const int n = model.n();
  const auto vector = [&](const char* name, std::size_t k, int i) {
    return Vector3d{t.at(name, k, i, 0), t.at(name, k, i, 1), t.at(name, k, i, 2)};
  };
  const auto mean = [&](std::size_t k) {
    Vector3d sum = Vector3d::Zero();
    for (int i = 0; i < n; ++i) sum += vector("link_position", k, i);
    return Eigen::Vector2d(sum.head<2>() / n);
  };
  const auto mean_angle = [&](std::size_t k) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += t.at("link_angle", k, i);
    return sum / n;
  };
  double length = 0.0;
  double positive = 0.0;
  double late = 0.0;
  for (std::size_t k = 1; k < t.frames(); ++k) {
    length += (mean(k) - mean(k - 1)).norm();
    for (int j = 0; j < n - 1; ++j) {
      for (int axis = 0; axis < 2; ++axis) {
        positive +=
            std::max(0.0, t.at("joint_torque", k, j, axis) * (t.at("joint_angle", k, j, axis) -
                                                              t.at("joint_angle", k - 1, j, axis)));
      }
    }
    double energy = 0.0;
    Vector3d gain = Vector3d::Zero();
    Vector3d force = Vector3d::Zero();
    for (int i = 0; i < n; ++i) {
      const Link& link = model.links[static_cast<std::size_t>(i)];
      const Vector3d v = vector("link_velocity", k, i);
      const Vector3d omega = vector("link_angular_velocity", k, i);
      const Eigen::Quaterniond q(t.at("link_quaternion", k, i, 0), t.at("link_quaternion", k, i, 1),
                                 t.at("link_quaternion", k, i, 2),
                                 t.at("link_quaternion", k, i, 3));
      const double along = omega.dot(q * Vector3d::UnitZ());
      energy += 0.5 * (link.m * v.squaredNorm() + link.Theta_psi * omega.squaredNorm() +
                       (link.Theta_rho - link.Theta_psi) * along * along);
      gain += link.m * vector("link_acceleration", k, i);
      force += vector("ground_force", k, i) + vector("contact_force", k, i) + link.m * weight;
      late = std::max(late, (vector("link_position", k, i) - vector("link_position", k - 1, i) -
                             0.5e-3 * (vector("link_velocity", k - 1, i) + v))
                                .norm());
    }
    // the axes have turned by half a step since the velocities were found
    ASSERT_NEAR(t.at("energy", k), energy, 1e-3 * energy + 1e-12);
    ASSERT_LE((gain - force).norm(), 1e-8) << "Newton's law for the robot as a whole, frame " << k;
  }
  EXPECT_LE(late, 5e-6);
  const std::size_t end = t.frames() - 1;
  EXPECT_NEAR(summary.at("displacement"), (mean(end) - mean(0)).norm(), 1e-14);
  EXPECT_NEAR(summary.at("path_length"), length, 1e-3 * length);
  EXPECT_NEAR(summary.at("heading_change"), mean_angle(end) - mean_angle(0), 1e-12);
  EXPECT_NEAR(summary.at("work_positive"), positive, 1e-9 * positive);
  EXPECT_EQ(summary.at("work_positive"), t.at("work_positive", end));
  EXPECT_EQ(summary.at("work_net"), t.at("work_servo", end));
  EXPECT_GT(summary.at("work_positive"), 3.0 * summary.at("work_net"));
  double robot = 0.0;
  for (const Link& link : model.links) robot += link.m * 9.81;
  EXPECT_NEAR(summary.at("cost_of_transport"),
              summary.at("work_positive") / (robot * summary.at("path_length")), 1e-13);
}

TEST(SpatialSystem, LinksDeepInTheFloorAreWarnedOf) {
  const Model model = sample::make_aiko(3);
  for (const double dt : {1e-3, 0.05}) {
    StepOptions options;
    options.dt = dt;
    SpatialSystem system(model,
                         make_state(model, VectorXd::Zero(model.angles()), 0, {0.0, 0.0, 0.6},
                                    compute_axes(0.4, 0.3, 0.0)),
                         options);
    while (system.time() < 0.8) ASSERT_EQ(system.step(JointCommand(4)).status, Status::ok);
    const auto warnings = system.warnings();
    const auto told = std::ranges::count_if(warnings, [](const std::string& text) {
      return text.find("deep in the floor, and the thinnest is 105 mm thick") != std::string::npos;
    });
    EXPECT_EQ(told, dt > 0.01 ? 1 : 0) << dt;
  }
}

TEST(SpatialSystem, AFallAddsNothingToThePath) {
  const Model model = sample::make_aiko(3);
  const SpatialSystem start(model,
                            make_state(model, VectorXd::Zero(model.angles()), 0, {0.0, 0.0, 5.0},
                                       compute_axes(0.4, 0.0, 0.0)),
                            {});
  SpatialSystem system(model, start.state(), {});
  for (int k = 0; k < 500; ++k) ASSERT_EQ(system.step(JointCommand(4)).status, Status::ok);
  std::vector<double> frame(static_cast<std::size_t>(frame_size(system.observables())));
  system.observe(frame);
  std::size_t at = 0;
  for (const Observable& each : system.observables()) {
    if (each.name == "link_acceleration") break;
    at += static_cast<std::size_t>(each.size());
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(frame[at + 3 * i + 2], -9.81, 1e-12);
  for (const SummaryItem& item : system.summary()) {
    if (item.name == "path_length" || item.name == "displacement") {
      EXPECT_NEAR(item.number(), 0.0, 1e-12) << item.name;
    }
  }
}

}  // namespace system_test
}  // namespace coluber::spatial
