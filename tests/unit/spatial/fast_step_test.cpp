// The fast step in space against the plain one, and its kernels against each other.

#include "spatial/fast_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "coluber/core/code_path.hpp"
#include "coluber/core/random.hpp"

#include "sample/spatial.hpp"

namespace coluber::spatial {
namespace fast_step_test {

using nonsmooth::Law;

struct Scene {
  Model model;
  State state;
  StepOptions options;
  double k_P = 0.0, k_D = 0.0, tau_max = 0.0, amplitude = 0.0, lift = 0.0, omega = 0.0;
};

/// Robots of 1 to 24 uneven links that lie on the ground, bounce on it or are among cylinders, with
/// or without rolling friction, on the level or not, with strong servos and weak ones.
Scene random_scene(std::uint64_t seed) {
  Random random(seed);
  std::mt19937_64 shapes(seed);
  const auto between = [&](double low, double high) { return random.uniform(low, high); };
  const auto chance = [&](double share) { return random.uniform() < share; };
  Scene scene;
  const int n = 1 + static_cast<int>(24.0 * random.uniform());
  Model& model = scene.model;
  model = sample::make_odd_links(n, chance(0.5) ? Joint::yaw : Joint::cardan, shapes);
  for (Link& link : model.links) link.spheres = chance(0.5);
  const double mu = between(0.0, 0.8);
  model.mu_T = {mu * (chance(0.3) ? 0.02 : between(0.2, 1.0)), mu};
  if (chance(0.15)) model.mu_T.setZero();
  model.mu_V = chance(0.5) ? 0.0 : between(0.001, 0.05);
  model.tilt = chance(0.3) ? between(0.0, 0.4) : 0.0;
  model.tilt_direction = between(-3.0, 3.0);
  scene.amplitude = between(0.1, 0.7);
  scene.lift = chance(0.5) ? 0.0 : between(0.0, 0.3);
  scene.omega = between(0.5, 7.0);
  VectorXd phi = VectorXd::Zero(model.angles());
  for (int j = 0; j < n - 1; ++j) phi(model.axes() * j) = scene.amplitude * std::sin(-0.9 * j);
  const double height = model.links[0].L_SC + (chance(0.5) ? 0.0 : between(0.0, 0.03));
  scene.state = make_state(model, phi, 0, {0.0, 0.0, height},
                           compute_axes(between(-3.0, 3.0), 0.0, chance(0.7) ? 0.0 : 0.3));
  if (chance(0.6)) {
    Pose pose;
    compute_pose_at_time(model, scene.state, 0.0, pose);
    const double rough = chance(0.5) ? 0.0 : between(0.05, 0.6);
    for (int i = 0; i < n; ++i) {  // beside every link, a few mm away
      const Vector3d axis = pose.e_z.col(i);
      const Vector2d across = Vector2d{-axis.y(), axis.x()}.normalized();
      const double side = chance(0.5) ? 1.0 : -1.0;
      const double away =
          side * (model.links[static_cast<std::size_t>(i)].L_SC + 0.02 + between(0.0, 0.01));
      model.obstacles.push_back({pose.centre(i).head<2>() + away * across, 0.02, rough});
    }
  }
  scene.k_P = between(0.0, 800.0);
  scene.k_D = between(0.0, 2.0);
  scene.tau_max = chance(0.4) ? between(0.05, 2.0) : 1e300;
  if (chance(0.3)) scene.tau_max = std::numeric_limits<double>::infinity();
  scene.options.dt = between(0.25e-3, 5e-3);
  scene.options.law = chance(0.5) ? Law::anchored : Law::rigid;
  scene.options.newton.tolerance = 1e-12;
  return scene;
}

void follow(const Scene& scene, double t, JointCommand& command) {
  command.k_P.setConstant(scene.k_P);
  command.k_D.setConstant(scene.k_D);
  command.tau_max.setConstant(scene.tau_max);
  const int axes = scene.model.axes();
  for (int j = 0; j < scene.model.n() - 1; ++j) {
    for (int axis = 0; axis < axes; ++axis) {
      const double size = axis == 0 ? scene.amplitude : scene.lift;
      const double phase = scene.omega * t - 0.9 * j + 1.5 * axis;
      command.phi_d(axes * j + axis) = size * std::sin(phase);
      command.phidot_d(axes * j + axis) = size * scene.omega * std::cos(phase);
    }
  }
}

template <typename Matrix>
double largest(const Matrix& matrix) {
  return matrix.size() > 0 ? matrix.cwiseAbs().maxCoeff() : 0.0;
}

/// The answer of a step as the plain step's problem has it, read from the state after it.
nonsmooth::Solution<6> answer_of(const State& after, const Data& plain) {
  nonsmooth::Solution<6> answer;
  answer.resize(plain.problem.nodes.size(), plain.problem.contacts.size());
  answer.root = after.twist;
  for (std::size_t k = 0; k + 1 < plain.problem.nodes.size(); ++k) {
    answer.rate[k] = after.phidot(plain.angle_of_node[k]);
  }
  for (std::size_t c = 0; c < plain.origin.size(); ++c) {
    const Data::Origin& origin = plain.origin[c];
    const auto& found = plain.near[origin.surface].found.points;
    const world::SurfacePoint& point = found[static_cast<std::size_t>(origin.point)];
    const auto& near = after.near[origin.surface];
    const auto entry = std::ranges::find_if(near, [&](const ContactMemory& memory) {
      return memory.link == point.link && memory.key == point.key;
    });
    if (entry == near.end()) continue;
    const bool rolling = origin.part == Data::Origin::Part::rolling;
    answer.impulse[c] = rolling ? entry->rolling.x_1 : entry->sliding.x_1;
    answer.impulse[c].N = entry->sliding.x_1.N;
  }
  return answer;
}

/// What the points remember; impulses to `apart`.
void expect_same_memories(const State& one, const State& other, double apart) {
  for (std::size_t surface = 0; surface < kSurfaces; ++surface) {
    ASSERT_EQ(one.near[surface].size(), other.near[surface].size());
    for (std::size_t j = 0; j < one.near[surface].size(); ++j) {
      const ContactMemory& x = one.near[surface][j];
      const ContactMemory& y = other.near[surface][j];
      ASSERT_EQ(x.link, y.link);
      ASSERT_EQ(x.key, y.key);
      EXPECT_NEAR(x.last_active, y.last_active, apart);
      for (const auto part : {&ContactMemory::sliding, &ContactMemory::rolling}) {
        using nonsmooth::PointMemory;
        EXPECT_EQ((x.*part).closed, (y.*part).closed);
        for (const auto age : {&PointMemory::x_1, &PointMemory::x_2, &PointMemory::x_3}) {
          EXPECT_NEAR(((x.*part).*age).N, ((y.*part).*age).N, apart);
          EXPECT_LE(largest(((x.*part).*age).T - ((y.*part).*age).T), apart);
        }
      }
    }
  }
}

TEST(SpatialFastStep, GivesTheStepOfThePlainStep) {
  int fast_steps = 0;
  int at_cylinders = 0;
  int saturated = 0;
  int in_flight = 0;
  int rolling = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scene scene = random_scene(seed);
    const Model& model = scene.model;
    Data fast(model);
    Data plain(model);
    StepOptions plain_options = scene.options;
    plain_options.plain = true;
    JointCommand command(model.angles());
    for (int k = 0; k < 60; ++k) {
      follow(scene, (k + 1) * scene.options.dt, command);
      const State before = scene.state;
      State after = before;
      State reference = before;
      const std::optional<nonsmooth::ContactStepInfo> info =
          step_fast(model, after, fast, command, scene.options);
      const nonsmooth::ContactStepInfo plain_info =
          step(model, reference, plain, command, plain_options);
      if (plain_info.status != Status::ok) break;  // rigid, rough cylinders: not this test's
      ASSERT_EQ(step(model, scene.state, fast, command, scene.options).status, Status::ok);
      if (!info) continue;
      ++fast_steps;
      if (largest(fast.obstacle_impulse) > 0.0) ++at_cylinders;
      if (largest(fast.tau) >= scene.tau_max) ++saturated;
      if (largest(fast.ground_impulse) == 0.0) ++in_flight;
      if (model.mu_V > 0.0) ++rolling;
      // What rounding of 1e-12 of the weight may do to the velocities. The rigid law with rough
      // cylinders is the worst: two answers of residual 5e-14 lay 1e-8 m/s apart.
      const bool rough = !model.obstacles.empty() && model.obstacles.front().mu > 0.0;
      const double sensitivity = scene.options.law == Law::rigid && rough ? 1e-7 : 1e-8;
      const double speed = sensitivity * std::max(1.0, largest(reference.v));
      EXPECT_LE(largest(after.v - reference.v), speed);
      EXPECT_LE(largest(after.omega - reference.omega), 10.0 * speed);
      EXPECT_LE(largest(after.l - reference.l), speed);
      EXPECT_LE(largest(after.twist - reference.twist), 10.0 * speed);
      EXPECT_LE(largest(after.phidot - reference.phidot), 20.0 * speed);
      EXPECT_LE(largest(fast.tau - plain.tau), 1e-5 * std::max(1.0, largest(plain.tau)));
      const double impulse = 1e-7 * plain.problem.impulse_scale * model.n();
      if (scene.options.law == Law::anchored) {  // with the rigid law they may not be unique
        EXPECT_LE(largest(fast.ground_impulse - plain.ground_impulse), impulse);
        EXPECT_LE(largest(fast.obstacle_impulse - plain.obstacle_impulse), impulse);
        EXPECT_NEAR(info->rigid_residual, plain_info.rigid_residual,
                    1e-5 * plain_info.rigid_residual + 1e-8);
      }
      EXPECT_NEAR(fast.kinetic_energy, plain.kinetic_energy, 1e-8 * (1.0 + plain.kinetic_energy));
      const double work = 1e-8 * (1.0 + plain.kinetic_energy + std::abs(plain.work.servo));
      EXPECT_NEAR(fast.work.servo, plain.work.servo, work);
      // a sum of which nothing cancels
      EXPECT_NEAR(fast.work.positive, plain.work.positive, work + 1e-7 * plain.work.positive);
      EXPECT_NEAR(fast.work.friction, plain.work.friction, work);
      EXPECT_NEAR(fast.work.contact, plain.work.contact, work);
      EXPECT_NEAR(fast.work.gravity, plain.work.gravity, work);
      EXPECT_NEAR(fast.ground_penetration, plain.ground_penetration, 1e-14);
      EXPECT_NEAR(fast.obstacle_penetration, plain.obstacle_penetration, 1e-14);
      EXPECT_EQ(fast.contacts_closed, plain.contacts_closed);
      const bool unique = scene.options.law == Law::anchored;
      expect_same_memories(after, reference, unique ? impulse : 1e9);
      EXPECT_EQ(after.phidot_2, reference.phidot_2);
      EXPECT_EQ(after.phidot_3, reference.phidot_3);
      EXPECT_EQ(after.twist_3, reference.twist_3);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(fast_steps, 7000);
  EXPECT_GT(at_cylinders, 1000);
  EXPECT_GT(saturated, 100);
  EXPECT_GT(in_flight, 50);
  EXPECT_GT(rolling, 1000);
}

// A wrong derivative still leads to the right answer, but not as fast.
TEST(SpatialFastStep, NeedsTheSweepsOfThePlainStep) {
  int more_or_fewer = 0;
  int handed_over = 0;
  int steps = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Scene scene = random_scene(seed);
    scene.options.newton.tolerance = 1e-10;
    scene.options.law = Law::anchored;
    Data fast(scene.model);
    Data plain(scene.model);
    StepOptions plain_options = scene.options;
    plain_options.plain = true;
    JointCommand command(scene.model.angles());
    for (int k = 0; k < 60; ++k, ++steps) {
      follow(scene, (k + 1) * scene.options.dt, command);
      State after = scene.state;
      const auto info = step_fast(scene.model, after, fast, command, scene.options);
      const nonsmooth::ContactStepInfo plain_info =
          step(scene.model, scene.state, plain, command, plain_options);
      ASSERT_EQ(plain_info.status, Status::ok);
      if (info) {
        more_or_fewer += info->iterations == plain_info.iterations ? 0 : 1;
      } else if (plain_info.fallback_sweeps == 0) {
        ++handed_over;
      }
    }
  }
  EXPECT_LE(more_or_fewer, 20) << "of " << steps;
  EXPECT_LE(handed_over, 50) << "of " << steps << " that Newton alone solves";
}

/// Tolerances that leave something to judge: the last takes any answer of the first sweep.
class SpatialFastStepResidual : public testing::TestWithParam<double> {};

TEST_P(SpatialFastStepResidual, IsTheOneThatThePlainStepFinds) {
  double largest_law = 0.0;
  int looked = 0;
  for (std::uint64_t seed = 300; seed < 360; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scene scene = random_scene(seed);
    scene.options.law = Law::anchored;
    const Model& model = scene.model;
    Data data(model);
    Data plain(model);
    JointCommand command(model.angles());
    StepOptions loose = scene.options;
    loose.newton.tolerance = GetParam();
    for (int k = 0; k < 30; ++k) {
      follow(scene, (k + 1) * scene.options.dt, command);
      make_problem(model, scene.state, command, scene.options, plain);
      State after = scene.state;
      const auto info = step_fast(model, after, data, command, loose);
      ASSERT_EQ(step(model, scene.state, data, command, scene.options).status, Status::ok);
      if (!info) continue;
      ++looked;
      nonsmooth::ResidualData<6> scratch;
      const nonsmooth::Residual outside =
          compute_residual(plain.problem, answer_of(after, plain), scratch, Law::anchored);
      EXPECT_NEAR(info->residual_law, outside.law, 1e-6 * outside.law + 1e-11);
      EXPECT_NEAR(info->residual_momentum, outside.momentum, 1e-6 * outside.momentum + 1e-10);
      EXPECT_NEAR(info->rigid_residual, std::max(outside.rigid_law, outside.momentum),
                  1e-6 * outside.rigid_law + 1e-10);
      largest_law = std::max(largest_law, outside.law);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(looked, 1000);
  EXPECT_GT(largest_law, 1e-3 * std::min(GetParam(), 1e3));
}

INSTANTIATE_TEST_SUITE_P(Tolerances, SpatialFastStepResidual, testing::Values(1e-6, 1e9));

TEST(SpatialFastStep, LeavesOtherProblemsToThePlainStepAndTheStateAlone) {
  const auto refuses = [](Model model, StepOptions options) {
    State state = make_state(model, VectorXd::Zero(model.angles()), 0, {0.0, 0.0, 0.0525},
                             compute_axes(0.0, 0.0, 0.0));
    Data data(model);
    const JointCommand command = sample::make_servos(model, 100.0, 1.0);
    for (int k = 0; k < 5; ++k) {
      EXPECT_EQ(step(model, state, data, command, {}).status, Status::ok);
    }
    State same = state;
    if (step_fast(model, same, data, command, options)) return false;
    EXPECT_EQ(same.k, state.k);
    EXPECT_EQ(same.r, state.r);
    EXPECT_EQ(same.p, state.p);
    EXPECT_EQ(same.v, state.v);
    EXPECT_EQ(same.omega, state.omega);
    EXPECT_EQ(same.l, state.l);
    EXPECT_EQ(same.phi, state.phi);
    EXPECT_EQ(same.phidot, state.phidot);
    EXPECT_EQ(same.phidot_3, state.phidot_3);
    EXPECT_EQ(same.twist_3, state.twist_3);
    EXPECT_TRUE(same.near == state.near);
    return true;
  };
  Model model = sample::make_aiko(5);
  EXPECT_FALSE(refuses(model, {}));
  StepOptions other;
  other.solver = Solver::gauss_seidel;
  EXPECT_TRUE(refuses(model, other));
  other = {};
  other.activation = Activation::gap;
  EXPECT_TRUE(refuses(model, other));
  other = {};
  other.newton.tolerance = 1e-20;  // Newton runs, and does not get there
  EXPECT_TRUE(refuses(model, other));
  model.load_sharing = LoadSharing::equal;
  EXPECT_TRUE(refuses(model, {}));
}

/// The same steps with two sets of kernels.
template <typename Compare>
void run_both(const FastKernels& one, const FastKernels& other, const Compare& compare) {
  for (std::uint64_t seed = 200; seed < 240; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scene scene = random_scene(seed);
    Data a(scene.model);
    Data b(scene.model);
    a.fast->use(one);
    b.fast->use(other);
    JointCommand command(scene.model.angles());
    for (int k = 0; k < 60; ++k) {
      follow(scene, (k + 1) * scene.options.dt, command);
      State second = scene.state;
      const auto info_a = step(scene.model, scene.state, a, command, scene.options);
      const auto info_b = step(scene.model, second, b, command, scene.options);
      if (info_a.status != Status::ok) break;
      compare(info_a, scene.state, a, info_b, second, b);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(SpatialFastStep, KernelsThatFuseAlikeGiveTheSameBits) {
#if defined(__x86_64__)
  if (code_path() != "x86-64-v4") return;  // this processor has one such path only
  for (const FastKernels& other : {avx512vl_fast_kernels(), avx512_fast_kernels()}) {
    run_both(avx2_fast_kernels(), other,
             [](const nonsmooth::ContactStepInfo& info_a, const State& a, const Data& data_a,
                const nonsmooth::ContactStepInfo& info_b, const State& b, const Data& data_b) {
               ASSERT_EQ(info_a.iterations, info_b.iterations);
               ASSERT_EQ(info_a.residual, info_b.residual);
               ASSERT_EQ(info_a.rigid_residual, info_b.rigid_residual);
               ASSERT_EQ(a.v, b.v);
               ASSERT_EQ(a.phidot, b.phidot);
               ASSERT_EQ(a.l, b.l);
               ASSERT_TRUE(a.near == b.near);
               ASSERT_EQ(data_a.work.scheme, data_b.work.scheme);
               ASSERT_EQ(data_a.work.positive, data_b.work.positive);
             });
  }
#endif
}

TEST(SpatialFastStep, KernelsForAnyProcessorDifferByRoundingAlone) {
  run_both(portable_fast_kernels(), kernels_for_this_processor(11),
           [](const nonsmooth::ContactStepInfo& info_a, const State& a, const Data& data_a,
              const nonsmooth::ContactStepInfo& info_b, const State& b, const Data& data_b) {
             ASSERT_EQ(info_a.status, info_b.status);
             const double speed = 1e-8 * std::max(1.0, largest(a.v));
             ASSERT_LE(largest(a.v - b.v), speed);
             ASSERT_LE(largest(a.phidot - b.phidot), 20.0 * speed);
             ASSERT_EQ(data_a.contacts_closed, data_b.contacts_closed);
           });
}

}  // namespace fast_step_test
}  // namespace coluber::spatial
