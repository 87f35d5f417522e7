// Ali 4.3: the wheeled snake, its singular instants, followers, torques. Reference figures: an
// independent computation from the thesis' equations.

#include <array>
#include <random>

#include <gtest/gtest.h>

#include "coluber/math/ode.hpp"
#include "coluber/multibody/evaluate.hpp"

#include "sample/trees.hpp"
#include "support/planar_tree.hpp"

namespace coluber::multibody {
namespace snake_test {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// Head and followers over time, in the plane: y = (x, y, θ, r_6, r_8, …).
class Snake final : public math::Ode {
 public:
  explicit Snake(const Tree& tree = sample::wheeled_snake())
      : model(tree), data(model), at(sample::at_origin(model)) {
    as = classify(model, sample::snake_gait, at, 20.0, {}, data);
  }
  bool compute_rate(double t, const Eigen::Ref<const VectorXd>& y,
                    Eigen::Ref<VectorXd> ydot) override {
    at.follower = y.tail(y.size() - 3);
    if (!evaluate(model, as, sample::snake_gait, t, at, options, data).ok()) return false;
    const double c = std::cos(y(2));
    const double s = std::sin(y(2));
    ydot.head<3>() << c * data.eta_o(0) - s * data.eta_o(1), s * data.eta_o(0) + c * data.eta_o(1),
        data.eta_o(5);
    for (std::size_t i = 0; i < model.followers.size(); ++i) {
      ydot(3 + static_cast<Eigen::Index>(i)) = data.rdot(model.followers[i].coordinate);
    }
    return true;
  }

  Model model;
  Data data;
  Configuration at;
  Classification as;
  EvaluateOptions options;
};

TEST(WheeledSnake, IsFullyConstrained) {
  const Snake snake;
  EXPECT_EQ(snake.as.which, Case::fully_constrained);
  EXPECT_EQ(snake.model.base_wheels.size(), 3U);
  EXPECT_EQ(snake.model.followers.size(), 7U);
}

// Ā and B̄ of Ali 4.3.1
TEST(WheeledSnake, HasThePrintedConnection) {
  Snake snake;
  std::mt19937_64 random(1);
  const double l = 0.1;
  for (int k = 0; k < 1000; ++k) {
    const VectorXd r = sample::random_vector(random, 19, 1.0);
    const Program program = sample::frozen(r, VectorXd::Zero(19), VectorXd::Zero(19));
    const auto s = [](double x) { return std::sin(x); };
    const auto c = [](double x) { return std::cos(x); };
    const double r1 = r(0), r2 = r(1), r3 = r(2), r4 = r(3), r5 = r(4);
    const double b31 = l * (c(r5) + 2.0 * c(r4 + r5));
    Matrix3d A;
    A << -s(r1), c(r1), 0.0,                                //
        -s(r2 + r3), c(r2 + r3), l * (c(r3) + c(r2 + r3)),  //
        -s(r2 + r4 + r5), c(r2 + r4 + r5), b31 + l * c(r2 + r4 + r5);
    Eigen::Matrix<double, 3, 2> B;
    B << 0.0, 0.0, l * c(r3), 0.0, b31, l * c(r5);
    if (std::abs(A.determinant()) < 1e-2) continue;
    const Eigen::Matrix<double, 3, 2> expected = A.inverse() * B;
    const Eigen::MatrixXd found =
        compute_connection(snake.model, snake.as, program, 0.0, snake.at, snake.data);
    for (int column = 0; column < 2; ++column) {
      const Vector3d each{found(0, 2 * column + 1), found(1, 2 * column + 1),
                          found(5, 2 * column + 1)};
      EXPECT_LE((each - expected.col(column)).norm(), 1e-12 * (1.0 + expected.norm()));
    }
  }
}

TEST(WheeledSnake, StartsFromASingularInstantWithTheLimitOfBothSides) {
  Snake snake;
  VectorXd y = VectorXd::Zero(10);
  VectorXd ydot(10);
  ASSERT_TRUE(snake.compute_rate(0.0, y, ydot));
  EXPECT_TRUE(snake.data.averaged);
  EXPECT_NEAR(snake.data.eta_o(0), -0.121963, 1e-5);
  EXPECT_NEAR(snake.data.eta_o(1), -0.004761, 1e-5);
  EXPECT_NEAR(snake.data.eta_o(5), -0.284065, 1e-5);
  ASSERT_TRUE(snake.compute_rate(1e-3, y, ydot));
  EXPECT_FALSE(snake.data.averaged);
}

TEST(WheeledSnake, GetsWhereTheIndependentComputationGets) {
  Snake snake;
  math::Dopri5 integrator(10, {.rtol = 1e-10, .atol = 1e-10});
  VectorXd y = VectorXd::Zero(10);
  const std::array<double, 7> times{0.0, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0};
  const std::array<double, 7> consistent{0.0,        0.00435077, -0.00955909, -0.00284216,
                                         0.00343167, 0.00051549, -0.00347455};
  const std::array<double, 7> projective{0.0,        -0.00147425, 0.00161907, 0.00134673,
                                         0.02054514, 0.01043771,  -0.01378897};
  VectorXd ydot(10);
  double missing = 0.0;  // W
  for (std::size_t k = 1; k < times.size(); ++k) {
    ASSERT_EQ(integrator.advance(snake, times[k - 1], times[k], y), math::Advance::ok);
    ASSERT_TRUE(snake.compute_rate(times[k], y, ydot));
    EXPECT_NEAR(snake.data.tau(9), consistent[k], 1e-7) << "t = " << times[k];
    EXPECT_LE(snake.data.root_residual, 1e-12 * snake.data.wrench_scale);
    EXPECT_LE(std::abs(snake.data.power_energy - snake.data.power_servo),
              1e-12 * snake.data.power_scale);
    if (times[k] == 10.0) {
      const std::array<double, 10> lambda{-0.00082216, -0.00099809, -0.00797817, -0.00707355,
                                          0.00383041,  0.01030262,  0.00678844,  -0.00046017,
                                          0.00630679,  0.01707481};
      for (std::size_t i = 0; i < lambda.size(); ++i) {
        EXPECT_NEAR(snake.data.lambda(static_cast<Eigen::Index>(i)), lambda[i], 1e-7);
      }
    }
    snake.options.projective = true;
    ASSERT_TRUE(snake.compute_rate(times[k], y, ydot));
    EXPECT_NEAR(snake.data.tau(9), projective[k], 1e-7) << "t = " << times[k];
    missing = std::max(missing, std::abs(snake.data.power_energy - snake.data.power_servo));
    snake.options.projective = false;
  }
  EXPECT_GT(missing, 1e-3) << "projective torques do not supply the power";
  EXPECT_NEAR(y(0), -1.84941926, 1e-6);
  EXPECT_NEAR(y(1), -1.15444218, 1e-6);
  EXPECT_NEAR(y(2), 0.10242532, 1e-6);
  EXPECT_NEAR(y(3), 0.67335699, 1e-6);
  EXPECT_NEAR(y(9), -0.70297391, 1e-6);
}

TEST(WheeledSnake, AnAxleThatCannotFollowSlips) {
  Tree tree = sample::wheeled_snake();
  tree.roles[5] = Role::imposed;  // r_6, as a wave would have it
  const Model model(tree);
  Data data(model);
  const Program program = [](double t, Input& input) {
    sample::snake_gait(t, input);
    const double phase = t + 5.0 * sample::pi / 16.0;
    input.r(5) = 0.6 * std::sin(phase);
    input.rdot(5) = 0.6 * std::cos(phase);
    input.rddot(5) = -input.r(5);
  };
  Configuration at = sample::at_origin(model);
  const Classification as = classify(model, program, at, 20.0, {}, data);
  EXPECT_EQ(as.which, Case::over_constrained);
  EXPECT_TRUE(as.leads);
  double largest = 0.0;
  // from the singular instant t = 0 on, past those at π and 2 π
  for (int k = 0; k <= 700; ++k) {
    ASSERT_TRUE(evaluate(model, as, program, 0.01 * k, at, {}, data).ok()) << 0.01 * k << " s";
    if (data.singular_value > 1e-3) {
      EXPECT_LE(std::max({std::abs(data.slip(0)), std::abs(data.slip(1)), std::abs(data.slip(2))}),
                1e-13);
    }
    largest = std::max(largest, std::abs(data.slip(3)));
  }
  EXPECT_NEAR(largest, 0.159, 1e-3);
}

// Rows in their order, as far as they are independent at any instant: a second wheel on an axle is
// not, a wheel that is in the way for an instant is.
TEST(WheeledSnake, TheFirstAxlesLeadByStructure) {
  Tree tree = sample::wheeled_snake();
  tree.roles.assign(19, Role::imposed);
  tree.wheels.insert(tree.wheels.begin() + 1, sample::wheel_on(1, 0.0, 0.03));
  const Model model(tree);
  Data data(model);
  const Classification as =
      classify(model, sample::snake_gait, sample::at_origin(model), 20.0, {}, data);
  EXPECT_EQ(as.which, Case::over_constrained);
  ASSERT_TRUE(as.leads);
  EXPECT_EQ(as.lead, (std::array{0, 2, 3}));
}

// Three modules in line for a second: their axles do not hold the head, those behind them do.
TEST(WheeledSnake, LaterAxlesLeadWhileTheFirstAreDependent) {
  Tree tree = sample::wheeled_snake(5);
  tree.roles.assign(9, Role::imposed);
  const Model model(tree);
  Data data(model);
  const Program program = [](double t, Input& input) {
    input.r.setZero();
    input.rdot.setZero();
    input.rddot.setZero();
    input.r(5) = 0.7;
    input.r(7) = 0.5;
    const double late = std::max(0.0, t - 1.0);
    input.r(1) = 0.3 * late * late * late;
    input.rdot(1) = 0.9 * late * late;
    input.rddot(1) = 1.8 * late;
    input.r(4) = -0.2 * late * late * late;
    input.rdot(4) = -0.6 * late * late;
    input.rddot(4) = -1.2 * late;
  };
  const Configuration at = sample::at_origin(model);
  const Classification as = classify(model, program, at, 4.0, {}, data);
  ASSERT_TRUE(as.leads);
  EXPECT_EQ(as.lead, (std::array{0, 1, 2}));
  ASSERT_TRUE(evaluate(model, as, program, 0.5, at, {}, data).ok());
  EXPECT_LE(data.eta_o.norm(), 1e-15) << "it stands";
  EXPECT_GT(data.base.basis.chosen[2], 2);
  ASSERT_TRUE(evaluate(model, as, program, 2.0, at, {}, data).ok());
  EXPECT_EQ(data.base.basis.chosen[2], 2);
  EXPECT_GT(data.slip.tail(2).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(WheeledSnake, ForwardDynamicsWithItsTorquesGivesTheImposedAccelerations) {
  Tree tree = sample::wheeled_snake();
  for (std::size_t j = 0; j < tree.bodies.size(); ++j) {
    Body& body = tree.bodies[j];
    const bool axle = j % 2 == 1;
    body.m = axle ? 0.05 : 0.25;
    const double I = axle ? 1e-4 : 0.25 * 0.04 / 12.0;
    body.I_c = Vector3d(axle ? I : 0.0, I, I).asDiagonal();
  }
  Snake snake(tree);
  math::Dopri5 integrator(10, {.rtol = 1e-10, .atol = 1e-10});
  VectorXd y = VectorXd::Zero(10);
  VectorXd ydot(10);
  ASSERT_EQ(integrator.advance(snake, 0.0, 10.0, y), math::Advance::ok);
  ASSERT_TRUE(snake.compute_rate(10.0, y, ydot));
  const Data& data = snake.data;
  const Vector3d eta{data.eta_o(0), data.eta_o(1), data.eta_o(5)};
  const support::PlanarTree forward(tree, y(2), eta, data.r, data.rdot);
  EXPECT_LE(forward.slip(), 1e-13);
  VectorXd imposed(22);  // the head's in world axes: R (V̇ + Ω × V)
  const Eigen::Vector2d head{data.etadot_o(0) - eta(2) * eta(1),
                             data.etadot_o(1) + eta(2) * eta(0)};
  imposed << support::PlanarTree::turn(y(2)) * head, data.etadot_o(5), data.rddot;
  EXPECT_GT(imposed.cwiseAbs().maxCoeff(), 0.5);
  EXPECT_LE((forward.accelerations(data.tau) - imposed).cwiseAbs().maxCoeff(), 1e-10);
  snake.options.projective = true;
  ASSERT_TRUE(snake.compute_rate(10.0, y, ydot));
  EXPECT_NEAR((forward.accelerations(data.tau) - imposed).cwiseAbs().maxCoeff(), 6.5, 0.1);
}

TEST(WheeledSnake, AStraightShapeIsASingularityThatEndsIt) {
  Snake snake;
  const Program program = [](double t, Input& input) {  // r_2 alone bends it, and straightens it
    input.r.setZero();
    input.rdot.setZero();
    input.rddot.setZero();
    input.r(1) = 0.3 - 0.3 * t;
    input.rdot(1) = -0.3;
    input.r(3) = 0.5 * (1.0 - t);
    input.rdot(3) = -0.5;
  };
  const Classification as = classify(snake.model, program, snake.at, 2.0, {}, snake.data);
  ASSERT_TRUE(as.kinematic);
  ASSERT_TRUE(evaluate(snake.model, as, program, 0.2, snake.at, {}, snake.data).ok());
  const Outcome outcome = evaluate(snake.model, as, program, 1.0, snake.at, {}, snake.data);
  EXPECT_EQ(outcome.kind, Outcome::Kind::singular);
  EXPECT_NEAR(std::abs(outcome.direction(0)), 1.0, 1e-9) << "it can slide along itself";
}

TEST(WheeledSnake, FollowersNeedAHeadThatIsDetermined) {
  Tree tree = sample::wheeled_snake();
  tree.wheels.erase(tree.wheels.begin());
  const Model model(tree);
  Data data(model);
  EXPECT_ANY_THROW(static_cast<void>(
      classify(model, sample::snake_gait, sample::at_origin(model), 20.0, {}, data)));
}

}  // namespace snake_test
}  // namespace coluber::multibody
