// Friction of the ground: it truly sticks, slides by the cone at any heading, and is an ellipse's
// normal cone.

#include <cmath>

#include <gtest/gtest.h>

#include "sample/snake.hpp"

namespace coluber::planar {
namespace friction_test {

using sample::kDegree;

/// Largest distance any link centre moves after the first 100 steps of `seconds`.
double creep(const Model& model, State state, double dt, double seconds) {
  Data data(model);
  StepOptions options;
  options.dt = dt;
  const JointCommand command = sample::hold(state.phi);
  const int steps = static_cast<int>(std::lround(seconds / dt));
  Eigen::Matrix2Xd reference;
  double worst = 0.0;
  for (int k = 0; k < steps; ++k) {
    EXPECT_EQ(step(model, state, data, command, options).status, Status::ok);
    if (k == 99) reference = sample::link_positions(model, state, dt);
    if (k > 99 && (k % 50 == 0 || k + 1 == steps)) {
      worst = std::max(
          worst,
          (sample::link_positions(model, state, dt) - reference).colwise().norm().maxCoeff());
    }
  }
  return worst;
}

class SlopeSticks : public testing::TestWithParam<double> {};

TEST_P(SlopeSticks, ForTenSecondsStraightAndCurved) {
  Model model = sample::aiko();
  model.mu_T = {0.3, 0.3};
  model.tilt = 10.0 * kDegree;
  model.tilt_direction = 0.7;
  const State straight = make_state(model, Eigen::VectorXd::Zero(10), 0, {0.0, 0.0}, 0.3);
  const State curved = make_state(model, sample::Wave{}.angles(10), 0, {0.0, 0.0}, 0.3);
  EXPECT_LE(creep(model, straight, GetParam(), 10.0), 1e-12);
  EXPECT_LE(creep(model, curved, GetParam(), 10.0), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(TimeSteps, SlopeSticks, testing::Values(2.5e-4, 1e-3, 5e-3));

class SlopeSlides : public testing::TestWithParam<int> {};

TEST_P(SlopeSlides, TheSameDistanceAtEveryHeading) {
  // ½ g (sin α - μ cos α) t² for 25°, μ = 0.3, 2 s
  const double alpha = 25.0 * kDegree;
  const double exact = 0.5 * 9.81 * (std::sin(alpha) - 0.3 * std::cos(alpha)) * 4.0;
  ASSERT_NEAR(exact, 2.957243, 1e-6);
  Model model = sample::aiko();
  model.mu_T = {0.3, 0.3};
  model.tilt = alpha;
  State state = make_state(model, Eigen::VectorXd::Zero(10), 5, {0.0, 0.0}, GetParam() * kDegree);
  Data data(model);
  const StepOptions options;
  const JointCommand command = sample::hold(state.phi);
  const Eigen::Matrix2Xd start = sample::link_positions(model, state, options.dt);
  for (int k = 0; k < 2000; ++k)
    ASSERT_EQ(step(model, state, data, command, options).status, Status::ok);
  const Eigen::Matrix2Xd moved = sample::link_positions(model, state, options.dt) - start;
  for (int i = 0; i < 11; ++i) {
    EXPECT_NEAR(moved(0, i) / exact, 1.0, 1e-6) << "link " << i + 1;
    EXPECT_NEAR(moved(1, i) / exact, 0.0, 1e-6) << "link " << i + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(Headings, SlopeSlides, testing::Range(0, 91, 15));

TEST(PlanarFriction, OrthotropicSlidingIsTheNormalConeOfTheEllipse) {
  Model model = sample::aiko(1);
  model.mu_T = {0.2, 0.5};
  const double mg = model.links[0].m * 9.81;
  const double a = 0.2 * mg;
  const double b = 0.5 * mg;
  const StepOptions options;
  for (double direction = 0.0; direction < 360.0; direction += 7.5) {
    State state = make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.4);
    state.u << std::cos(direction * kDegree), std::sin(direction * kDegree), 0.0;
    Data data(model);
    // long enough for the anchor to settle on the sliding force
    for (int k = 0; k < 40; ++k)
      ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
    const Eigen::Rotation2Dd R(0.4);
    const Eigen::Vector2d v = R.inverse() * state.u.head<2>();
    const Eigen::Vector2d expected =
        -Eigen::Vector2d{a * a * v.x(), b * b * v.y()} / std::hypot(a * v.x(), b * v.y());
    const Eigen::Vector2d force = R.inverse() * data.ground_impulse.col(0) / options.dt;
    // the force turns with the velocity; the anchor lags by one step of that turn, c_T |P - A| of 1
    // m/s
    EXPECT_LE((force - expected).norm(), 1e-6 * mg) << direction << " deg";
    EXPECT_NEAR(std::hypot(force.x() / a, force.y() / b), 1.0, 1e-10) << direction << " deg";
  }
}

TEST(PlanarFriction, HoldsAPushBelowTheCoulombLimitAndYieldsAboveIt) {
  Model model = sample::aiko(1);
  model.mu_T = {0.3, 0.3};
  for (const double share : {0.99, 1.01}) {
    model.tilt = std::atan(0.3 * share);
    State state = make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 1.0);
    Data data(model);
    const StepOptions options;
    double early = 0.0;
    for (int k = 0; k < 1100; ++k) {
      ASSERT_EQ(step(model, state, data, JointCommand(0), options).status, Status::ok);
      if (k == 99)
        early = state.u(0);  // the anchor, zero at the start, has caught up with the load
    }
    if (share < 1.0) {
      EXPECT_LE(state.u.norm(), 1e-14) << "a set-valued law sticks; a smoothed one creeps";
    } else {
      const double acceleration = 9.81 * (std::sin(model.tilt) - 0.3 * std::cos(model.tilt));
      EXPECT_NEAR(state.u(0) - early, acceleration, 1e-12) << "gained in 1 s";
    }
  }
}

TEST(PlanarFriction, ASpinningLinkMeetsNoFriction) {
  const Model model = sample::aiko(1);
  State state = make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.0);
  state.u << 0.0, 0.0, 5.0;
  Data data(model);
  for (int k = 0; k < 100; ++k)
    ASSERT_EQ(step(model, state, data, JointCommand(0), {}).status, Status::ok);
  EXPECT_NEAR(state.u(2), 5.0, 1e-12) << "friction acts at the centre of gravity alone";
}

}  // namespace friction_test
}  // namespace coluber::planar
