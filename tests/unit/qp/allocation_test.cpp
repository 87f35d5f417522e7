// Nothing allocates while sizes stay the same.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/qp/qp.hpp"

#include "sample/random_qp.hpp"
#include "support/allocations.hpp"

#ifdef COLUBER_COUNTS_ALLOCATIONS

namespace coluber::qp::allocation_test {
namespace {

TEST(QpSolver, AllocatesNothingWhileSizesStayTheSame) {
  if (!available()) GTEST_SKIP() << "built without DAQP";
  for (const int n : {1, 19, 60}) {
    const sample::RandomQp kind{.n = n, .m = 2 * n / 3, .p = 5, .tightness = 0.9};
    std::vector<Problem> problems;
    for (std::uint64_t k = 0; k < 30; ++k) {
      Problem problem = sample::random_qp(kind, k);
      if (k % 5 == 1) problem.b *= 30.0;         // needs slack
      if (k % 5 == 2) problem.h.array() -= 1e4;  // infeasible
      if (k % 5 == 3) problem.slack_weight.head(kind.m / 2).setConstant(10.0);
      if (k % 5 == 4 && kind.m > 1) problem.A.row(1).setZero();
      problems.push_back(problem);
    }
    Solver solver;
    Solution solution;
    solver.solve(problems.front(), {}, solution);
    const long before = allocations.load();
    ASSERT_GT(before, 0) << "the counter must count";
    int seen[4] = {};
    for (const bool warm : {false, true}) {
      for (const Problem& problem : problems) {
        solver.solve(problem, {}, solution, warm);
        ++seen[static_cast<int>(solution.status)];
        solver.solve(problem, {.slack = false}, solution, warm);
      }
    }
    EXPECT_EQ(allocations.load() - before, 0);
    if (n > 1) {
      EXPECT_GT(seen[static_cast<int>(Status::slack)], 0);
    }
    EXPECT_GT(seen[static_cast<int>(Status::optimal)], 0);
    EXPECT_GT(seen[static_cast<int>(Status::infeasible)], 0);
  }
}

}  // namespace
}  // namespace coluber::qp::allocation_test

#endif
