// Quadratic programs whose answer can be written down.

#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "coluber/qp/qp.hpp"

#include "sample/random_qp.hpp"

namespace coluber::qp::closed_form_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// n unknowns, m equalities, p inequalities; all zero, no limits, weights of 1 and 1e12.
Problem blank(int n, int m, int p) {
  Problem problem;
  problem.A.setZero(m, n);
  problem.b.setZero(m);
  problem.G.setZero(p, n);
  problem.h.setZero(p);
  problem.limit.setConstant(n, infinity);
  problem.weight.setOnes(n);
  problem.slack_weight.setConstant(m, 1e12);
  return problem;
}

Solution solved(const Problem& problem, const Options& options = {}) {
  Solver solver;
  Solution solution;
  solver.solve(problem, options, solution);
  if (solution.status == Status::optimal || solution.status == Status::slack) {
    EXPECT_LE(kkt_residual(problem, solution), 1e-9);
    EXPECT_EQ(kkt_residual(problem, solution), solution.kkt);
  }
  return solution;
}

class Qp : public testing::Test {
 protected:
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "built without DAQP";
  }
};

using QpClosedForm = Qp;

TEST_F(QpClosedForm, EqualitiesAloneGiveTheWeightedLeastNormSolution) {
  sample::Normal normal(3);
  Problem problem = blank(7, 4, 0);
  for (double& value : problem.A.reshaped()) value = normal();
  for (double& value : problem.b) value = normal();
  for (double& value : problem.weight) value = 0.5 + normal.uniform();
  const Solution solution = solved(problem);
  ASSERT_EQ(solution.status, Status::optimal);
  // x = W⁻¹ Aᵀ (A W⁻¹ Aᵀ)⁻¹ b, λ = −2 (A W⁻¹ Aᵀ)⁻¹ b
  const MatrixXd inverse = problem.weight.cwiseInverse().asDiagonal();
  const MatrixXd gram = problem.A * inverse * problem.A.transpose();
  const VectorXd force = gram.ldlt().solve(problem.b);
  EXPECT_LE((solution.x - inverse * problem.A.transpose() * force).norm(), 1e-11);
  EXPECT_LE((solution.lambda_A + 2.0 * force).norm(), 1e-10);
  EXPECT_LE((solution.z - force / 1e12).norm(), 1e-20) << "z = -lambda/(2 Q)";
  EXPECT_EQ(solution.rank, 4);
  EXPECT_TRUE(solution.solvable);
}

TEST_F(QpClosedForm, OneActiveLimitTakesItsShareAndTheOthersCarryTheRest) {
  Problem problem = blank(3, 1, 0);
  problem.A << 1.0, 1.0, 1.0;
  problem.b << 3.0;
  problem.limit << 0.5, infinity, infinity;
  const Solution solution = solved(problem);
  ASSERT_EQ(solution.status, Status::optimal);
  EXPECT_EQ(solution.x(0), 0.5) << "an active limit holds exactly";
  EXPECT_NEAR(solution.x(1), 1.25, 1e-11);
  EXPECT_NEAR(solution.x(2), 1.25, 1e-11);
  EXPECT_NEAR(solution.lambda_A(0), -2.5, 1e-10);
  EXPECT_NEAR(solution.lambda_limit(0), 1.5, 1e-10) << "2 x + lambda_A + lambda_limit = 0";
  EXPECT_EQ(solution.lambda_limit(1), 0.0);
}

TEST_F(QpClosedForm, ALowerLimitHasANegativeMultiplier) {
  Problem problem = blank(2, 1, 0);
  problem.A << 1.0, 1.0;
  problem.b << -3.0;
  problem.limit << 1.0, 5.0;
  const Solution solution = solved(problem);
  ASSERT_EQ(solution.status, Status::optimal);
  EXPECT_EQ(solution.x(0), -1.0);
  EXPECT_NEAR(solution.x(1), -2.0, 1e-10);
  EXPECT_NEAR(solution.lambda_limit(0), -2.0, 1e-9);
}

TEST_F(QpClosedForm, AnInequalityProjectsTheOriginOnItsHalfSpace) {
  Problem problem = blank(3, 0, 1);
  problem.G << 1.0, -2.0, 2.0;
  problem.h << -3.0;  // x = -3 g/|g|² = -g/3
  const Solution solution = solved(problem);
  ASSERT_EQ(solution.status, Status::optimal);
  EXPECT_LE((solution.x + problem.G.transpose() / 3.0).norm(), 1e-11);
  EXPECT_NEAR(solution.lambda_G(0), 2.0 / 3.0, 1e-11);
}

TEST_F(QpClosedForm, AnInequalityThatHoldsAtTheOriginDoesNothing) {
  Problem problem = blank(3, 0, 2);
  problem.G << 1.0, -2.0, 2.0, 0.0, 1.0, 0.0;
  problem.h << 3.0, infinity;
  const Solution solution = solved(problem);
  ASSERT_EQ(solution.status, Status::optimal);
  EXPECT_EQ(solution.x.norm(), 0.0);
  EXPECT_EQ(solution.lambda_G.norm(), 0.0);
}

TEST_F(QpClosedForm, ASmallSlackWeightIsRidgeRegression) {
  sample::Normal normal(5);
  Problem problem = blank(4, 6, 0);  // more rows than unknowns
  for (double& value : problem.A.reshaped()) value = normal();
  for (double& value : problem.b) value = normal();
  for (const double Q : {1e-8, 1e-3, 1.0, 1e4, 1e8}) {
    problem.slack_weight.setConstant(Q);
    const Solution solution = solved(problem);
    ASSERT_EQ(solution.status, Status::optimal) << Q;
    // (W + Aᵀ Q A) x = Aᵀ Q b
    const MatrixXd H = MatrixXd::Identity(4, 4) / Q + problem.A.transpose() * problem.A;
    const VectorXd x = H.ldlt().solve(problem.A.transpose() * problem.b);
    EXPECT_LE((solution.x - x).norm(), 1e-10 * x.norm()) << Q;
    EXPECT_LE((solution.z - (problem.b - problem.A * x)).norm(), 1e-10) << Q;
    EXPECT_EQ(solution.slack_weight, problem.slack_weight);
    EXPECT_EQ(solution.rank, 0) << "no row was tried as an equality";
  }
}

TEST_F(QpClosedForm, InconsistentEqualitiesGiveTheWeightedLeastSquaresMisfit) {
  Problem problem = blank(2, 3, 0);
  problem.A << 1.0, 0.0, 0.0, 2.0, 1.0, 1.0;
  problem.b << 1.0, 2.0, 5.0;  // x = (1, 1) meets two rows, the third asks for 5
  problem.slack_weight << 1e12, 4e12, 9e12;
  const Solution solution = solved(problem);
  ASSERT_EQ(solution.status, Status::slack);
  EXPECT_EQ(solution.rank, 2);
  EXPECT_FALSE(solution.solvable);
  EXPECT_NEAR(solution.slack_weight(1) / solution.slack_weight(0), 4.0, 1e-12) << "ratios stay";
  EXPECT_NEAR(solution.slack_weight(2) / solution.slack_weight(0), 9.0, 1e-12);
  const MatrixXd Q = solution.slack_weight.asDiagonal();
  const MatrixXd H = MatrixXd::Identity(2, 2) + problem.A.transpose() * Q * problem.A;
  const VectorXd x = H.ldlt().solve(problem.A.transpose() * Q * problem.b);
  EXPECT_LE((solution.x - x).norm(), 1e-8);
  EXPECT_LE((solution.z - (problem.b - problem.A * x)).norm(), 1e-8);
  // what is left of the weight of x: z of pure weighted least squares
  const MatrixXd pure = problem.A.transpose() * Q * problem.A;
  const VectorXd x_pure = pure.ldlt().solve(problem.A.transpose() * Q * problem.b);
  EXPECT_LE((solution.z - (problem.b - problem.A * x_pure)).norm(), 1e-6);
}

TEST_F(QpClosedForm, AWeightAtTheEdgeOfHardRowsStillGivesTheAnswerOfThatWeight) {
  // tried as an equality; z = −λ/(2 Q) is 2e-7 here and moves x by as much
  Problem problem = blank(2, 1, 0);
  problem.A << 0.05, 0.0;
  problem.b << 1.0;
  problem.slack_weight << 1e9;
  const Solution solution = solved(problem);
  ASSERT_EQ(solution.status, Status::optimal);
  const double Q = 1e9;
  EXPECT_NEAR(solution.x(0), 0.05 * Q / (1.0 + 0.0025 * Q), 1e-10);
  EXPECT_NEAR(solution.z(0), 1.0 / (1.0 + 0.0025 * Q), 1e-15);
}

TEST_F(QpClosedForm, ARowOfZerosKeepsItsWholeRightHandSideAsSlack) {
  Problem problem = blank(2, 2, 0);
  problem.A << 0.0, 0.0, 1.0, 1.0;
  problem.b << 3.0, 2.0;
  Solution solution = solved(problem);
  EXPECT_EQ(solution.status, Status::slack);
  EXPECT_FALSE(solution.solvable);
  EXPECT_EQ(solution.rank, 1);
  EXPECT_EQ(solution.z(0), 3.0);
  EXPECT_NEAR(solution.x(0), 1.0, 1e-11) << "the other row is met as an equality";
  EXPECT_NEAR(solution.x(1), 1.0, 1e-11);
  EXPECT_EQ(solution.slack_weight(1), 1e12);

  EXPECT_EQ(solved(problem, {.slack = false}).status, Status::infeasible);
  problem.b(0) = 0.0;
  solution = solved(problem);
  EXPECT_EQ(solution.status, Status::optimal);
  EXPECT_TRUE(solution.solvable);
}

TEST_F(QpClosedForm, WithoutSlackARowIsMetExactlyOrTheProblemIsInfeasible) {
  Problem problem = blank(2, 1, 0);
  problem.A << 1.0, 1.0;
  problem.b << 1.5;
  problem.limit.setConstant(1.0);
  Solution solution = solved(problem, {.slack = false});
  ASSERT_EQ(solution.status, Status::optimal);
  EXPECT_EQ(solution.z(0), 0.0);
  EXPECT_EQ(solution.slack_weight(0), infinity);
  EXPECT_NEAR(solution.x(0), 0.75, 1e-12);
  problem.b << 2.5;
  solution = solved(problem, {.slack = false});
  EXPECT_EQ(solution.status, Status::infeasible);
  EXPECT_TRUE(solution.solvable) << "the row alone has solutions, the limits forbid them";
  EXPECT_EQ(solution.x.norm(), 0.0);
  solution = solved(problem);
  EXPECT_EQ(solution.status, Status::slack);
  EXPECT_NEAR(solution.z(0), 0.5, 1e-10);
}

TEST_F(QpClosedForm, InequalitiesAndLimitsWithoutAnyXAreInfeasible) {
  Problem problem = blank(2, 1, 2);
  problem.A << 1.0, 0.0;
  problem.G << 1.0, 1.0, -1.0, -1.0;
  problem.h << -1.0, -1.0;  // x + y <= -1 and >= 1
  EXPECT_EQ(solved(problem).status, Status::infeasible);
  problem.h << -3.0, 3.0;
  problem.limit.setConstant(1.0);  // x + y <= -3 within ±1
  EXPECT_EQ(solved(problem).status, Status::infeasible);
  problem.h << -1.0, 3.0;
  EXPECT_EQ(solved(problem).status, Status::optimal);
  problem.limit.setConstant(1e-9);  // far too small
  EXPECT_EQ(solved(problem).status, Status::infeasible);
  problem.limit.setConstant(1.0);
  problem.G.setZero();  // 0 <= -1
  EXPECT_EQ(solved(problem).status, Status::infeasible);
}

TEST_F(QpClosedForm, EverySizeMayBeZero) {
  EXPECT_EQ(solved(Problem{}).status, Status::optimal);
  EXPECT_EQ(solved(blank(3, 0, 0)).status, Status::optimal);
  EXPECT_EQ(solved(blank(0, 0, 2)).status, Status::optimal);
  Problem problem = blank(0, 2, 0);
  problem.b << 1.0, 0.0;
  const Solution solution = solved(problem);
  EXPECT_EQ(solution.status, Status::slack);
  EXPECT_EQ(solution.z, problem.b);
  problem = blank(0, 0, 1);
  problem.h << -1.0;
  EXPECT_EQ(solved(problem).status, Status::infeasible);
}

}  // namespace
}  // namespace coluber::qp::closed_form_test
