// The fast step against the plain one, and its kernels against each other.

#include "planar/fast_step.hpp"

#include <cmath>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "coluber/core/random.hpp"

#include "planar/problem.hpp"
#include "sample/snake.hpp"

namespace coluber::planar {
namespace fast_step_test {

using nonsmooth::Law;

/// The first two parts of step(), with the fast step alone.
std::optional<nonsmooth::ContactStepInfo> fast_step(const Model& model, State& state, Data& data,
                                                    const JointCommand& command,
                                                    const StepOptions& options) {
  find_contacts(model, state, options, data);
  return step_fast(model, state, data, command, options);
}

struct Scene {
  Model model;
  State state;
  StepOptions options;
  double k_P = 0.0, k_D = 0.0, tau_max = 0.0, amplitude = 0.0, omega = 0.0;
  double k_w = 0.0, speed = 0.0, wheel_tau_max = 0.0;
};

Scene random_scene(std::uint64_t seed) {
  Random random(seed);
  const auto between = [&](double low, double high) { return random.uniform(low, high); };
  Scene scene;
  const int n = 1 + static_cast<int>(24.0 * random.uniform());
  Model& model = scene.model;
  model = sample::aiko(n);
  model.friction_points = random.uniform() < 0.5 ? 1 : 2;
  for (Link& link : model.links) {
    link.m *= between(0.5, 2.0);
    link.offset = between(-0.3, 0.3) * link.L_GS;
  }
  const double mu = between(0.0, 1.2);
  model.mu_T = {mu * (random.uniform() < 0.3 ? 0.02 : between(0.2, 1.0)), mu};
  if (random.uniform() < 0.15) model.mu_T.setZero();
  model.tilt = random.uniform() < 0.3 ? between(0.0, 0.4) : 0.0;
  model.tilt_direction = between(-3.0, 3.0);
  Eigen::VectorXd phi(n - 1);
  scene.amplitude = between(0.1, 0.7);
  scene.omega = between(0.5, 7.0);
  for (int j = 0; j < n - 1; ++j) phi(j) = scene.amplitude * std::sin(-0.9 * j);
  scene.state = make_state(model, phi, 0, {0.0, 0.0}, between(-3.0, 3.0));
  if (random.uniform() < 0.6) {
    Pose pose;
    compute_pose_at_time(model, scene.state, 0.0, pose);
    for (int i = 0; i < n; ++i) {  // beside every link, a few mm away
      const double side = random.uniform() < 0.5 ? 1.0 : -1.0;
      const double away = side * (model.links[0].L_SC + 0.02 + between(0.0, 0.01));
      model.obstacles.push_back({{pose.origin.x() + pose.r(0, i) - away * pose.sin(i),
                                  pose.origin.y() + pose.r(1, i) + away * pose.cos(i)},
                                 0.02,
                                 0.0});
    }
  }
  scene.k_P = between(0.0, 800.0);
  scene.k_D = between(0.0, 2.0);
  scene.tau_max = random.uniform() < 0.4 ? between(0.05, 2.0) : 1e300;
  if (random.uniform() < 0.3) scene.tau_max = std::numeric_limits<double>::infinity();
  scene.options.dt = between(0.25e-3, 5e-3);
  scene.options.law = random.uniform() < 0.5 ? Law::anchored : Law::rigid;
  scene.options.newton.tolerance = 1e-12;
  if (random.uniform() < 0.5) {
    const double mu_V = between(0.0, 3.0) * (random.uniform() < 0.3 ? 1e3 : 1.0);
    model.mu_V = {mu_V * random.uniform(), mu_V};
  }
  scene.options.minimal_coordinates = random.uniform() < 0.3;
  if (random.uniform() < 0.4) {
    sample::add_wheels(model, scene.state);
    for (Axle& axle : model.axles) {
      axle.Theta_w *= between(0.2, 3.0);
      axle.offset = between(-0.8, 0.8) * 0.061;
      axle.half_track = random.uniform() < 0.2 ? 0.0 : between(0.01, 0.06);
    }
    model.mu_V.setZero();
    scene.options.minimal_coordinates = false;
    scene.k_w = random.uniform() < 0.2 ? 0.0 : between(0.0, 2.0);
    scene.speed = between(-1.0, 1.0);
    scene.wheel_tau_max =
        random.uniform() < 0.5 ? between(0.01, 0.5) : std::numeric_limits<double>::infinity();
  }
  if (!model.has_wheels() && random.uniform() < 0.3) model.c_R = between(0.0, 0.2);
  return scene;
}

void follow(const Scene& scene, double t, JointCommand& command) {
  command.k_P.setConstant(scene.k_P);
  command.k_D.setConstant(scene.k_D);
  command.tau_max.setConstant(scene.tau_max);
  for (Eigen::Index j = 0; j < command.phi_d.size(); ++j) {
    const double phase = scene.omega * t - 0.9 * static_cast<double>(j);
    command.phi_d(j) = scene.amplitude * std::sin(phase);
    command.phidot_d(j) = scene.amplitude * scene.omega * std::cos(phase);
  }
  command.shafts.k.setConstant(scene.k_w);
  command.shafts.rate.setConstant(scene.speed / 0.065);
  command.shafts.tau_max.setConstant(scene.wheel_tau_max);
}

template <typename Matrix>
double largest(const Matrix& matrix) {
  return matrix.size() > 0 ? matrix.cwiseAbs().maxCoeff() : 0.0;
}

TEST(PlanarFastStep, GivesTheStepOfThePlainStep) {
  int fast_steps = 0;
  int contacts = 0;
  int saturated = 0;
  int wheeled = 0;
  int wheels_saturated = 0;
  int minimal = 0;
  int viscous = 0;
  int viscous_alone = 0;
  int turning = 0;
  double largest_cost = 0.0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scene scene = random_scene(seed);
    const Model& model = scene.model;
    Data fast(model);
    Data plain(model);
    StepOptions plain_options = scene.options;
    plain_options.plain = true;
    JointCommand command(model.n() - 1, static_cast<int>(model.axles.size()));
    for (int k = 0; k < 60; ++k) {
      follow(scene, (k + 1) * scene.options.dt, command);
      State reference = scene.state;
      const std::optional<nonsmooth::ContactStepInfo> info =
          fast_step(model, scene.state, fast, command, scene.options);
      State same = reference;
      const nonsmooth::ContactStepInfo plain_info =
          step(model, reference, plain, command, plain_options);
      ASSERT_EQ(plain_info.status, Status::ok);
      if (!info) {
        scene.state = reference;
        continue;
      }
      ++fast_steps;
      contacts += static_cast<int>(fast.touching.size());
      if (largest(fast.tau) >= scene.tau_max) ++saturated;
      wheeled += model.has_wheels() ? 1 : 0;
      if (model.has_wheels() && largest(fast.tau_w) >= scene.wheel_tau_max) ++wheels_saturated;
      minimal += scene.options.minimal_coordinates ? 1 : 0;
      viscous += fast.viscous ? 1 : 0;
      turning += model.c_R > 0.0 ? 1 : 0;
      viscous_alone += fast.viscous && model.mu_T.isZero(0.0) ? 1 : 0;
      // what rounding of 1e-12 of the weight may do to the velocities: those of a stiff servo
      // differ
      const double speed = 1e-9 * std::max(1.0, largest(reference.u));
      EXPECT_LE(largest(scene.state.u - reference.u), speed);
      EXPECT_LE(largest(scene.state.twist - reference.twist), speed);
      EXPECT_LE(largest(scene.state.phidot - reference.phidot), speed);
      EXPECT_LE(largest(scene.state.omega - reference.omega), 100.0 * speed);
      EXPECT_LE(largest(fast.tau_w - plain.tau_w), 1e-6 * std::max(1.0, largest(plain.tau_w)));
      EXPECT_LE(largest(fast.tau - plain.tau), 1e-6 * std::max(1.0, largest(plain.tau)));
      const double impulse = 1e-9 * plain.problem.impulse_scale * model.n() * 100.0;
      if (scene.options.law == Law::anchored) {  // with the rigid law they may not be unique
        EXPECT_LE(largest(fast.ground_impulse - plain.ground_impulse), impulse);
      }
      EXPECT_LE(largest(fast.obstacle_impulse - plain.obstacle_impulse), impulse);
      EXPECT_NEAR(fast.kinetic_energy, plain.kinetic_energy, 1e-9 * (1.0 + plain.kinetic_energy));
      const double work = 1e-9 * (1.0 + plain.kinetic_energy + std::abs(plain.work.servo));
      EXPECT_NEAR(fast.work.servo, plain.work.servo, work);
      EXPECT_NEAR(fast.work.positive, plain.work.positive, work);
      EXPECT_NEAR(fast.work.friction, plain.work.friction, work);
      EXPECT_NEAR(fast.work.contact, plain.work.contact, work);
      EXPECT_NEAR(fast.work.gravity, plain.work.gravity, work);
      EXPECT_EQ(fast.penetration, plain.penetration);
      if (scene.options.law == Law::anchored) {  // what the anchor costs, judged by the rigid law
        EXPECT_NEAR(info->rigid_residual, plain_info.rigid_residual,
                    1e-6 * plain_info.rigid_residual + 1e-9);
        largest_cost = std::max(largest_cost, info->rigid_residual);
      }
      if (testing::Test::HasFailure()) return;

      scene.state = same;
      ASSERT_EQ(step(model, scene.state, fast, command, scene.options).status, Status::ok);
    }
  }
  EXPECT_GT(fast_steps, 8000);
  EXPECT_GT(contacts, 1000);
  EXPECT_GT(saturated, 100);
  EXPECT_GT(wheeled, 2000);
  EXPECT_GT(wheels_saturated, 100);
  EXPECT_GT(minimal, 1000);
  EXPECT_GT(viscous, 2000);
  EXPECT_GT(viscous_alone, 200);
  EXPECT_GT(turning, 1000);
  EXPECT_GT(largest_cost, 1e-4);
}

TEST(PlanarFastStep, JudgesAnAnswerAsThePlainStepDoes) {
  for (std::uint64_t seed = 300; seed < 340; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scene scene = random_scene(seed);
    const Model& model = scene.model;
    Data data(model);
    JointCommand command(model.n() - 1, static_cast<int>(model.axles.size()));
    for (int k = 0; k < 10; ++k) {
      follow(scene, (k + 1) * scene.options.dt, command);
      ASSERT_EQ(step(model, scene.state, data, command, scene.options).status, Status::ok);
    }
    follow(scene, 11 * scene.options.dt, command);
    const State before = scene.state;
    if (!fast_step(model, scene.state, data, command, scene.options)) continue;
    // a wrong answer, so that there is something to judge; step_fast left the step's problem in
    // the arrays, but for the velocities at A, which the residual does not need
    Random random(seed);
    FastArrays& k = data.fast->arrays;
    for (int i = 0; i < 2 * k.pairs; ++i) {
      if (k.m[i] > 0.0) k.rate[i] += random.uniform(-1e-3, 1e-3);
    }
    k.root_x += random.uniform(-1e-3, 1e-3);
    for (int i = 0; model.has_wheels() && i < k.slots; ++i) {
      if (k.m[i] > 0.0) k.rim[i] += random.uniform(-1e-3, 1e-3);
    }
    for (int p = 0; p < k.points; ++p) {
      for (int i = 0; i < k.slots; ++i) k.T_1[p][i] *= random.uniform(0.9, 1.1);
    }
    for (FastContact& contact : data.fast->contacts) contact.P += 1e-4;
    const bool rigid = scene.options.law == Law::rigid;
    const FastResidual judged = data.fast->kernels.residual(k);
    const double gap = rigid ? data.fast->kernels.gap(k) : 0.0;
    const FastRounding rounding = data.fast->kernels.rounding(k);

    Data plain(model);
    make_problem(model, before, command, scene.options, plain);
    nonsmooth::Solution<3> answer;
    answer.resize(plain.problem.nodes.size(), plain.problem.contacts.size());
    answer.root << k.root_w, k.root_x, k.root_y;
    answer.proximal.resize(plain.problem.contacts.size());
    std::size_t contact = 0;
    for (std::size_t node = 0; node < plain.problem.nodes.size(); ++node) {
      const int i = plain.link_of_node[node];
      const int slot = data.fast->slot[static_cast<std::size_t>(i)];
      answer.rate[node] = node < static_cast<std::size_t>(plain.shafts)
                              ? k.rim[slot]
                              : (i > model.base() ? 1.0 : -1.0) * k.rate[slot];
      const int first = plain.problem.nodes[node].first_contact;
      for (int c = first; c < first + plain.problem.nodes[node].contact_count; ++c) {
        const auto index = static_cast<std::size_t>(c);
        if (plain.near_of_contact[index] < 0) {
          const int p = -1 - plain.near_of_contact[index];
          answer.impulse[index] = {k.R[p][slot], {k.T_1[p][slot], k.T_2[p][slot]}};
          answer.proximal[index] = {k.c_t[slot], {k.A_1[p][slot], k.A_2[p][slot]}};
        } else {
          answer.impulse[index].N = data.fast->contacts[contact++].P;
        }
      }
    }
    nonsmooth::ResidualData<3> scratch;
    const nonsmooth::Residual reference =
        compute_residual(plain.problem, answer, scratch, scene.options.law);
    const double scale = plain.problem.impulse_scale;
    const auto near = [](double value, double expected) {
      return std::abs(value - expected) <= 1e-9 * expected + 1e-12;
    };
    EXPECT_TRUE(near(judged.law / scale, reference.law)) << judged.law / scale;
    EXPECT_TRUE(near(judged.rigid_law / scale, reference.rigid_law)) << reference.rigid_law;
    EXPECT_TRUE(near(gap / scale, reference.gap)) << reference.gap;
    EXPECT_TRUE(near(judged.momentum / scale, reference.momentum)) << reference.momentum;
    EXPECT_GT(reference.momentum, 1e-6);
    // the same terms, some of their sums in another order: a factor of two
    const nonsmooth::Rounding bound = compute_rounding(plain.problem, answer, scratch);
    EXPECT_LE(rounding.law / scale, 2.0 * bound.law);
    EXPECT_GE(rounding.law / scale, 0.5 * bound.law);
    EXPECT_LE(rounding.momentum / scale, 2.0 * bound.momentum);
    EXPECT_GE(rounding.momentum / scale, 0.5 * bound.momentum);
  }
}

TEST(PlanarFastStep, KernelsOfAllProcessorsGiveTheSameBits) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) GTEST_SUCCEED() << "this processor has one path only";
  for (std::uint64_t seed = 200; seed < 240; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scene scene = random_scene(seed);
    State other = scene.state;
    Data wide(scene.model);
    Data narrow(scene.model);
    narrow.fast->kernels = portable_fast_kernels(scene.model.has_wheels());
    JointCommand command(scene.model.n() - 1, static_cast<int>(scene.model.axles.size()));
    for (int k = 0; k < 60; ++k) {
      follow(scene, (k + 1) * scene.options.dt, command);
      const nonsmooth::ContactStepInfo a =
          step(scene.model, scene.state, wide, command, scene.options);
      const nonsmooth::ContactStepInfo b = step(scene.model, other, narrow, command, scene.options);
      ASSERT_EQ(a.iterations, b.iterations);
      ASSERT_EQ(a.residual, b.residual);
      ASSERT_EQ(a.rigid_residual, b.rigid_residual);
      ASSERT_EQ(scene.state.u, other.u);
      ASSERT_EQ(scene.state.phidot, other.phidot);
      ASSERT_EQ(scene.state.omega, other.omega);
      ASSERT_TRUE(scene.state.ground == other.ground);
      ASSERT_EQ(wide.ground_impulse, narrow.ground_impulse);
      ASSERT_EQ(wide.work.friction, narrow.work.friction);
      ASSERT_EQ(wide.work.scheme, narrow.work.scheme);
      ASSERT_EQ(wide.work.positive, narrow.work.positive);
    }
  }
#endif
}

TEST(PlanarFastStep, LeavesObstaclesWithFrictionToThePlainStep) {
  Model model = sample::aiko(3);
  model.obstacles = {{{0.0, model.links[0].L_SC + 0.021}, 0.02, 0.3}};
  State state = make_state(model, Eigen::VectorXd::Zero(2), 0, {0.0, 0.0}, 0.0);
  Data data(model);
  const JointCommand command(2);
  EXPECT_FALSE(fast_step(model, state, data, command, {}));
  EXPECT_EQ(state.k, 0);
  EXPECT_EQ(step(model, state, data, command, {}).status, Status::ok);
  model.obstacles[0].mu = 0.0;
  Data smooth(model);
  EXPECT_TRUE(fast_step(model, state, smooth, command, {}));
}

}  // namespace fast_step_test
}  // namespace coluber::planar
