// The residual finds every way in which an answer can be wrong, by the amount the definition says.

#include "coluber/nonsmooth/residual.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "sample/snake.hpp"

namespace coluber::nonsmooth {
namespace residual_test {

constexpr double kR = 0.3;         // kg, of the definition
constexpr double kEpsilon = 0.02;  // c = c_T = epsilon/m

/// One link that sticks on a slope, its first step solved: the anchor is still zero.
struct Solved {
  Solved() : model(sample::aiko(1)), data((model.mu_T = {0.3, 0.3}, model.tilt = 0.15, model)) {
    planar::State state = planar::make_state(model, Eigen::VectorXd(0), 0, {0.0, 0.0}, 0.0);
    planar::make_problem(model, state, JointCommand(0), {}, data);
    EXPECT_EQ(
        solve_newton(data.problem, data.previous, data.solution, data.solver, {.tolerance = 1e-14})
            .status,
        Status::ok);
  }
  Residual residual() { return compute_residual(data.problem, data.solution, data.residual); }
  [[nodiscard]] double m() const { return model.links[0].m; }
  [[nodiscard]] double scale() const { return m() * 9.81 * 1e-3; }

  planar::Model model;
  planar::Data data;
};

TEST(Residual, VanishesOnASolutionAndSaysWhatTheAnchorCosts) {
  Solved solved;
  const Residual residual = solved.residual();
  EXPECT_LE(residual.law, 1e-13);
  EXPECT_LE(residual.momentum, 1e-13);
  // judged by the rigid law a sticking point is off by r c_T |P - A|, A = 0
  const double P = 0.3 * solved.data.solution.impulse[0].T.norm();
  EXPECT_NEAR(residual.rigid_law, kR * kEpsilon / solved.m() * P / solved.scale(), 1e-12);
  EXPECT_GT(residual.rigid_law, 1e-4);
}

TEST(Residual, FindsAWrongFrictionImpulse) {
  Solved solved;
  const double delta = 1e-6;  // scaled; still inside the disc
  solved.data.solution.impulse[0].T.y() += delta;
  const Residual residual = solved.residual();
  // stick: F_T = r/mu² c_t delta with c_t = c_T mu², times mu; the momentum lacks mu delta
  EXPECT_NEAR(residual.law, 0.3 * kR * kEpsilon / solved.m() * delta / solved.scale(), 1e-12);
  EXPECT_NEAR(residual.momentum, 0.3 * delta / solved.scale(), 1e-12);
}

TEST(Residual, FindsAnImpulseOutsideTheDiscAndAWrongLoad) {
  Solved solved;
  Impulse& P = solved.data.solution.impulse[0];
  const double radius = solved.data.problem.contacts[0].load;
  P.T << 0.0, 1.5 * radius;
  EXPECT_GT(solved.residual().law, 0.3 * 0.45 * radius / solved.scale());
  P.N += 1e-4;
  EXPECT_GE(solved.residual().law, 1e-4 / solved.scale());
}

TEST(Residual, FindsAWrongVelocity) {
  Solved solved;
  const double delta = 1e-5;
  solved.data.solution.root(1) += delta;  // along the link: sticks, so F_T = r delta
  const Residual residual = solved.residual();
  EXPECT_NEAR(residual.momentum, solved.m() * delta / solved.scale(), 1e-12);
  EXPECT_NEAR(residual.law, kR * delta / solved.scale(), 1e-9);

  Solved turned;
  turned.data.solution.root(0) += 1e-3;  // friction at the centre does not feel a turn
  const Residual turn = turned.residual();
  const planar::Link& link = turned.model.links[0];
  EXPECT_NEAR(turn.momentum, link.Theta * 1e-3 / link.L / turned.scale(), 1e-12);
  EXPECT_LE(turn.law, 1e-13);
}

TEST(Residual, FindsAnObstacleThatPullsOrIsPenetrated) {
  Solved solved;
  Contact<3> peg;
  peg.unilateral = true;
  peg.c = 0.03;
  peg.w_N << 0.0, 1.0, 0.0;
  solved.data.problem.contacts.push_back(peg);
  solved.data.problem.nodes[0].contact_count = 2;
  solved.data.solution.impulse.push_back({});
  solved.data.solution.root(1) = -1e-3;  // moves into the peg without an impulse
  EXPECT_GE(solved.residual().law, kR * 1e-3 / solved.scale() * (1.0 - 1e-12));
  solved.data.solution.root(1) = 0.0;
  solved.data.solution.impulse[1].N = -1e-5;  // pulls
  EXPECT_GE(solved.residual().law, 1e-5 / solved.scale() * (1.0 - kR * 0.03 - 1e-12));
}

TEST(Residual, FindsAWrongJointRate) {
  planar::Model model = sample::aiko(2);
  planar::State state = planar::make_state(model, Eigen::VectorXd::Zero(1), 0, {0.0, 0.0}, 0.0);
  planar::Data data(model);
  planar::make_problem(model, state, sample::hold(state.phi), {}, data);
  ASSERT_EQ(solve_newton(data.problem, data.previous, data.solution, data.solver).status,
            Status::ok);
  data.solution.rate[0] += 1e-6;
  // the joint's row changes by (s.M s + sd) times the error; s.M s of the outer link about the
  // joint
  const Node<3>& tip = data.problem.nodes[0];
  const double inertia = tip.s.dot(tip.M * tip.s) + tip.sd;
  const Residual residual = compute_residual(data.problem, data.solution, data.residual);
  EXPECT_GE(residual.momentum,
            0.999 * inertia * 1e-6 / data.problem.length_scale / data.problem.impulse_scale);
}

TEST(Residual, FindsAServoThatGivesMoreThanItsLimitOrLess) {
  planar::Model model = sample::aiko(3);
  planar::State state = planar::make_state(model, Eigen::VectorXd::Zero(2), 0, {0.0, 0.0}, 0.0);
  planar::Data data(model);
  JointCommand command = sample::hold(state.phi);
  command.phi_d << 0.1, -0.1;
  planar::make_problem(model, state, command, {}, data);
  ASSERT_EQ(solve_newton(data.problem, data.previous, data.solution, data.solver, {}).status,
            Status::ok);
  const auto momentum = [&] {
    return compute_residual(data.problem, data.solution, data.residual).momentum;
  };
  ASSERT_LE(momentum(), 1e-10);
  for (std::size_t i = 0; i < 2; ++i) {
    Node<3>& node = data.problem.nodes[i];
    const double given = node.sr - node.sd * data.solution.rate[i];
    ASSERT_GT(std::abs(given), 1e-4);
    node.limit = 1.5 * std::abs(given);
    EXPECT_LE(momentum(), 1e-10) << "a limit that is not reached does not count";
    node.limit = 0.4 * std::abs(given);  // the answer lets it give 0.6 of that too much
    EXPECT_NEAR(momentum(),
                0.6 * std::abs(given) / data.problem.length_scale / data.problem.impulse_scale,
                1e-9);
    // a servo as strong as before, cut off in the answer alone
    node.limit = std::numeric_limits<double>::infinity();
    node.sr += 0.3 * given;
    EXPECT_NEAR(momentum(),
                0.3 * std::abs(given) / data.problem.length_scale / data.problem.impulse_scale,
                1e-9);
    node.sr -= 0.3 * given;
  }
}

TEST(Residual, CountsTheGapOfClosedPointsAlone) {
  // law `rigid`: r c_T |P_T - A| over mu where a point is closed; an open one has nothing to hold
  Solved solved;
  Solution<3>& answer = solved.data.solution;
  answer.proximal = {{1e-3, answer.impulse[0].T + Eigen::Vector2d{3e-4, -4e-4}}};
  const auto gap = [&] {
    return compute_residual(solved.data.problem, answer, solved.data.residual, Law::rigid).gap;
  };
  const double expected = kR / 0.3 * 1e-3 * 5e-4 / solved.scale();
  EXPECT_NEAR(gap(), expected, 1e-12 * expected);
  answer.impulse[0].N = 0.0;
  EXPECT_EQ(gap(), 0.0);
}

TEST(Residual, KeepsANaN) {
  Solved solved;
  solved.data.solution.impulse[0].T.x() = std::nan("");
  EXPECT_TRUE(std::isnan(solved.residual().law));
  EXPECT_TRUE(std::isnan(solved.residual().momentum));
}

}  // namespace residual_test
}  // namespace coluber::nonsmooth
