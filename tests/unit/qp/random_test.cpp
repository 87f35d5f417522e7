// Laws on random quadratic programs: conditions of optimality, recomputed; the same answer in other
// units, from other starting points, with rows repeated.

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/qp/qp.hpp"

#include "sample/random_qp.hpp"

namespace coluber::qp::random_test {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

class QpRandom : public testing::Test {
 protected:
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "built without DAQP";
  }
  Solver solver;
  Solution solution;
};

/// Of any size up to n = 60; the known x keeps away from limits and inequalities by at least a
/// thousandth, so that no problem is decided by rounding.
sample::RandomQp any_kind(sample::Normal& random) {
  sample::RandomQp kind;
  kind.n = 1 + random.below(60);
  kind.m = random.below(kind.n);
  kind.p = random.below(11);
  kind.limit = std::pow(10.0, -1.0 + 2.5 * random.uniform());
  kind.tightness = 0.3 + 0.699 * random.uniform();
  return kind;
}

TEST_F(QpRandom, FeasibleProblemsAreOptimalAndMeetTheConditionsOfOptimality) {
  sample::Normal random(1);
  double worst = 0.0;
  int limited = 0;
  int pressed = 0;
  for (int k = 0; k < 2000; ++k) {
    sample::RandomQp kind = any_kind(random);
    Problem problem = sample::random_qp(kind, static_cast<std::uint64_t>(k));
    problem.h.array() += 1e-3 * kind.limit;
    for (double& weight : problem.weight) weight = std::pow(10.0, random.uniform() - 0.5);
    solver.solve(problem, {}, solution);
    ASSERT_EQ(solution.status, Status::optimal) << "problem " << k;
    EXPECT_EQ(solution.rank, kind.m);
    EXPECT_TRUE(solution.solvable);
    worst = std::max(worst, kkt_residual(problem, solution));
    limited += solution.lambda_limit.isZero(0.0) ? 0 : 1;
    pressed += solution.lambda_G.isZero(0.0) ? 0 : 1;
    EXPECT_TRUE((solution.x.array().abs() <= problem.limit.array()).all());
  }
  EXPECT_LE(worst, 1e-9);
  EXPECT_GT(limited, 200) << "limits were meant to be active";
  EXPECT_GT(pressed, 200) << "inequalities were meant to be active";
}

TEST_F(QpRandom, ProblemsThatNeedSlackSayHowMuch) {
  sample::Normal random(2);
  int slack = 0;
  int infeasible = 0;
  for (int k = 0; k < 1000; ++k) {
    sample::RandomQp kind = any_kind(random);
    kind.m = 1 + random.below(kind.n + 3);  // more equalities than unknowns, too
    Problem problem = sample::random_qp(kind, static_cast<std::uint64_t>(k));
    for (double& b : problem.b) b += 5.0 * kind.limit * random();
    problem.h.array() += random.below(2) == 0 ? 0.0 : -6.0 * kind.limit;
    solver.solve(problem, {}, solution);
    EXPECT_NE(solution.status, Status::failed) << "problem " << k;
    slack += solution.status == Status::slack ? 1 : 0;
    infeasible += solution.status == Status::infeasible ? 1 : 0;
    if (solution.status == Status::infeasible) continue;
    EXPECT_LE(kkt_residual(problem, solution), 1e-9) << "problem " << k;
    // no slack where none is allowed: the same verdict by the other way
    Solution hard;
    solver.solve(problem, {.slack = false}, hard);
    EXPECT_EQ(hard.status,
              solution.status == Status::optimal ? Status::optimal : Status::infeasible);
    EXPECT_EQ(hard.solvable, solution.solvable);
  }
  EXPECT_GT(slack, 300);
  EXPECT_GT(infeasible, 50);
}

TEST_F(QpRandom, RepeatedAndSummedRowsChangeNothing) {
  sample::Normal random(3);
  for (int k = 0; k < 300; ++k) {
    sample::RandomQp kind = any_kind(random);
    kind.n += 3;
    kind.m = 2 + random.below(kind.n - 2);
    kind.dependent = 1 + random.below(std::min(kind.m - 1, 4));
    Problem problem = sample::random_qp(kind, static_cast<std::uint64_t>(k));
    problem.h.array() += 1e-3 * kind.limit;
    solver.solve(problem, {}, solution);
    ASSERT_EQ(solution.status, Status::optimal) << "problem " << k;
    EXPECT_EQ(solution.rank, kind.m - kind.dependent);
    const VectorXd x = solution.x;
    const Index rows = kind.m - kind.dependent;
    problem.A.conservativeResize(rows, kind.n);
    problem.b.conservativeResize(rows);
    problem.slack_weight.conservativeResize(rows);
    solver.solve(problem, {}, solution);
    ASSERT_EQ(solution.status, Status::optimal) << "problem " << k;
    EXPECT_LE((solution.x - x).cwiseAbs().maxCoeff(), 1e-8 * kind.limit) << "problem " << k;
  }
}

TEST_F(QpRandom, UnitsOfRowsAndUnknownsDoNotMatter) {
  sample::Normal random(4);
  const auto unit = [&] { return std::pow(10.0, random.below(9) - 4); };
  for (int k = 0; k < 300; ++k) {
    sample::RandomQp kind = any_kind(random);
    kind.m = std::max(kind.m, 1);
    Problem problem = sample::random_qp(kind, static_cast<std::uint64_t>(k));
    problem.h.array() += 1e-3 * kind.limit;
    const bool needs_slack = k % 3 == 0;
    if (needs_slack) {
      for (double& b : problem.b) b += 5.0 * kind.limit * random();
    }
    solver.solve(problem, {}, solution);
    const Solution plain = solution;
    // x' = x/u, and a row times s: its weight over s²
    Problem other = problem;
    VectorXd units(kind.n);
    for (double& u : units) u = unit();
    other.A = problem.A * units.asDiagonal();
    other.G = problem.G * units.asDiagonal();
    other.limit = problem.limit.cwiseQuotient(units);
    other.weight = problem.weight.cwiseProduct(units.cwiseAbs2());
    VectorXd factors(kind.m);
    for (Index j = 0; j < kind.m; ++j) {
      factors(j) = unit();
      other.A.row(j) *= factors(j);
      other.b(j) *= factors(j);
      other.slack_weight(j) /= factors(j) * factors(j);
    }
    for (Index j = 0; j < kind.p; ++j) {
      const double factor = unit();
      other.G.row(j) *= factor;
      other.h(j) *= factor;
    }
    // which rows are tried as equalities is a matter of the number given
    solver.solve(other, {.hard_from = 1e3}, solution);
    ASSERT_EQ(solution.status, plain.status) << "problem " << k;
    const double u_max = kind.limit;
    EXPECT_LE((solution.x.cwiseProduct(units) - plain.x).cwiseAbs().maxCoeff(), 1e-8 * u_max)
        << "problem " << k;
    if (plain.status == Status::slack) {
      EXPECT_LE((solution.z.cwiseQuotient(factors) - plain.z).norm(), 1e-8 * plain.z.norm());
    }
  }
}

TEST_F(QpRandom, AWarmStartGivesTheAnswerOfAColdOne) {
  sample::Normal random(5);
  int fewer = 0;
  int all = 0;
  for (int k = 0; k < 60; ++k) {
    sample::RandomQp kind = any_kind(random);
    kind.n += 5;
    Problem problem = sample::random_qp(kind, static_cast<std::uint64_t>(k));
    problem.h.array() += 1e-3 * kind.limit;
    const VectorXd b = problem.b;
    Solver warm;
    Solution warm_solution;
    Solution cold;
    for (int step = 0; step < 20; ++step) {  // b wanders, now and then out of reach
      const double far = step % 7 == 6 ? 5.0 : 0.05;
      for (Index j = 0; j < kind.m; ++j) problem.b(j) = b(j) + far * kind.limit * random();
      warm.solve(problem, {}, warm_solution, true);
      Solver().solve(problem, {}, cold);
      ASSERT_EQ(warm_solution.status, cold.status) << "problem " << k << ", step " << step;
      EXPECT_LE((warm_solution.x - cold.x).cwiseAbs().maxCoeff(), 1e-9 * kind.limit)
          << "problem " << k << ", step " << step;
      fewer += warm_solution.iterations < cold.iterations ? 1 : 0;
      all += cold.iterations > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(fewer, all / 3) << "a warm start was meant to save iterations";
}

TEST_F(QpRandom, TheSameProblemGivesTheSameBits) {
  const Problem problem = sample::random_qp({}, 7);
  solver.solve(sample::random_qp({.n = 30}, 8), {}, solution);
  solver.solve(problem, {}, solution);
  Solution again;
  Solver().solve(problem, {}, again);
  EXPECT_EQ(solution.x, again.x);
  EXPECT_EQ(solution.lambda_A, again.lambda_A);
  Solver moved = std::move(solver);
  moved.solve(problem, {}, again);
  EXPECT_EQ(solution.x, again.x);
  solver.solve(problem, {}, again);  // one that was moved from can be used
  EXPECT_EQ(solution.x, again.x);
}

TEST_F(QpRandom, TheResidualSeesEveryWayToBeWrong) {
  sample::RandomQp kind;
  kind.tightness = 0.9;
  const Problem problem = sample::random_qp(kind, 12);
  solver.solve(problem, {}, solution);
  ASSERT_EQ(solution.status, Status::optimal);
  ASSERT_LE(kkt_residual(problem, solution), 1e-9);
  const auto off = [&](auto change) {
    Solution wrong = solution;
    change(wrong);
    return kkt_residual(problem, wrong);
  };
  EXPECT_GT(off([](Solution& s) { s.x(3) += 1e-6; }), 1e-8);
  EXPECT_GT(off([](Solution& s) { s.z(3) += 1e-6; }), 1e-8);
  EXPECT_GT(off([](Solution& s) { s.lambda_A(3) += 1e-5; }), 1e-8);
  EXPECT_GT(off([](Solution& s) { s.lambda_G(3) += 1e-5; }), 1e-8);
  EXPECT_GT(off([](Solution& s) { s.lambda_G(3) -= 1e-5; }), 1e-8);
  EXPECT_GT(off([](Solution& s) { s.lambda_limit(3) += 1e-5; }), 1e-8);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(off([](Solution& s) { s.x(3) = nan; }), infinity);
  EXPECT_EQ(off([](Solution& s) { s.lambda_G(0) = nan; }), infinity);
  EXPECT_EQ(off([](Solution& s) { s.x.resize(2); }), infinity);
}

}  // namespace
}  // namespace coluber::qp::random_test
