// Random quadratic programs, solved by eiquadprog as well.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "coluber/qp/qp.hpp"

#include "oracles/eiquadprog/solve.hpp"
#include "sample/random_qp.hpp"

namespace coluber::qp::eiquadprog_test {
namespace {

using Eigen::VectorXd;

TEST(Eiquadprog, GivesTheSameUnknownsOnRandomProblems) {
  sample::Normal random(11);
  Solver solver;
  Solution solution;
  double worst = 0.0;
  int limited = 0;
  for (int k = 0; k < 500; ++k) {
    sample::RandomQp kind;
    kind.n = 2 + random.below(59);
    kind.m = random.below(kind.n - 1);
    kind.p = random.below(11);
    kind.limit = std::pow(10.0, 1.5 * random.uniform());
    kind.tightness = 0.3 + 0.69 * random.uniform();
    Problem problem = sample::random_qp(kind, static_cast<std::uint64_t>(k));
    problem.h.array() += 1e-3 * kind.limit;
    for (double& weight : problem.weight) weight = std::pow(10.0, 4.0 * random.uniform() - 2.0);
    solver.solve(problem, {}, solution);
    VectorXd x;
    ASSERT_TRUE(solve_by_eiquadprog(problem, x)) << "problem " << k;
    ASSERT_EQ(solution.status, Status::optimal) << "problem " << k;
    worst = std::max(worst, (solution.x - x).cwiseAbs().maxCoeff() / kind.limit);
    limited += solution.lambda_limit.isZero(0.0) ? 0 : 1;
  }
  EXPECT_LE(worst, 1e-7);
  EXPECT_GT(limited, 100);
}

TEST(Eiquadprog, AgreesOnWhichProblemsAreInfeasibleWithoutSlack) {
  sample::Normal random(12);
  Solver solver;
  Solution solution;
  int infeasible = 0;
  for (int k = 0; k < 500; ++k) {
    sample::RandomQp kind;
    kind.n = 2 + random.below(40);
    kind.m = random.below(std::min(kind.n - 1, 14));
    kind.p = random.below(11);
    Problem problem = sample::random_qp(kind, static_cast<std::uint64_t>(k));
    problem.h.array() += kind.limit * (2.0 * random.uniform() - 1.5);
    for (double& b : problem.b) b += kind.limit * random();
    solver.solve(problem, {.slack = false}, solution);
    VectorXd x;
    const bool feasible = solve_by_eiquadprog(problem, x);
    EXPECT_EQ(solution.status, feasible ? Status::optimal : Status::infeasible) << "problem " << k;
    infeasible += feasible ? 0 : 1;
  }
  EXPECT_GT(infeasible, 100);
  EXPECT_LT(infeasible, 400);
}

}  // namespace
}  // namespace coluber::qp::eiquadprog_test
