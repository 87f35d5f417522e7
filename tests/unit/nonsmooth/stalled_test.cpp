// The worst of the random steps that the rigid law leaves unsolved (tests/tools/stress, mu above
// 0.63): 29 links on two points each, a slender ellipse, two rough pegs, motors at their limit.

#include <gtest/gtest.h>

#include "coluber/nonsmooth/problem_file.hpp"
#include "coluber/nonsmooth/residual.hpp"
#include "coluber/nonsmooth/solver.hpp"

namespace coluber::nonsmooth {
namespace {

TEST(UnsolvedProblems, StallInTheGapAloneAndALooserToleranceGetsRoundIt) {
  const auto saved =
      load_problem<3>(std::string(COLUBER_SOURCE_DIR) + "/tests/data/unsolved/stalls_slender.json");
  SolverData<3> data;
  ResidualData<3> scratch;
  Solution<3> solution = saved.previous;
  const SolveInfo info = solve_newton(saved.problem, saved.previous, solution, data,
                                      {.law = Law::rigid, .tolerance = 1e-12});
  EXPECT_EQ(info.status, Status::not_converged);
  EXPECT_EQ(info.fallback_passes, 60);
  const Residual stalled = compute_residual(saved.problem, solution, scratch, Law::rigid);
  EXPECT_LE(stalled.law, 1e-11);
  EXPECT_LE(stalled.momentum, 1e-12);
  EXPECT_GT(stalled.gap, 1e-8);
  EXPECT_LE(stalled.gap, 1e-6);

  Solution<3> looser = saved.previous;
  EXPECT_EQ(solve_newton(saved.problem, saved.previous, looser, data, {.law = Law::rigid}).status,
            Status::ok);
  const Residual solved = compute_residual(saved.problem, looser, scratch, Law::rigid);
  EXPECT_LE(solved.law, 1e-10);
  EXPECT_LE(solved.gap, 1e-8);
}

}  // namespace
}  // namespace coluber::nonsmooth
