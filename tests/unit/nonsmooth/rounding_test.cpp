// What rounding alone makes of a residual: a bound that holds, that is not a blank cheque, and that
// ends an iteration which can do no better.

#include <algorithm>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/nonsmooth/problem_file.hpp"
#include "coluber/nonsmooth/residual.hpp"
#include "coluber/nonsmooth/solver.hpp"

#include "sample/snake.hpp"

namespace coluber::nonsmooth {
namespace rounding_test {

const std::filesystem::path kData = std::filesystem::path(COLUBER_SOURCE_DIR) / "tests/data";

// 59 links that turn at 20 rad/s, tips at 180 m/s against the middle link: w.u cancels to 1e-12 of
// the scale. Asked for 1e-12, the solver once spent 6000 sweeps and gave up.
TEST(Rounding, AToleranceBelowItIsMetToRoundingWithoutTheFallback) {
  const SavedProblem<3> saved = load_problem<3>(kData / "below_rounding/fast_59_links.json");
  SolverData<3> data;
  ResidualData<3> scratch;
  for (const Law law : {Law::anchored, Law::rigid}) {
    Solution<3> solution = saved.previous;
    const NewtonOptions options{.law = law, .tolerance = 1e-13};
    const SolveInfo info = solve_newton(saved.problem, saved.previous, solution, data, options);
    EXPECT_EQ(info.status, Status::ok);
    EXPECT_FALSE(info.fallback);
    EXPECT_GT(info.residual, options.tolerance) << "the problem is to lie below rounding";
    const Residual residual = compute_residual(saved.problem, solution, scratch, law);
    const Rounding rounding = compute_rounding(saved.problem, solution, scratch);
    EXPECT_LE(info.residual, rounding.law);
    EXPECT_LE(residual.law, rounding.law);
    EXPECT_LE(residual.momentum, rounding.momentum);
    EXPECT_LE(residual.law, 1e-11) << "accepted where sweeps no longer help, not before";
  }
}

// Tightened until nothing but rounding is left, every saved problem's residual lies within the
// bound, and the bound within a few hundred times of the largest.
TEST(Rounding, BoundsTheResidualOfEverySavedProblemSolvedAsFarAsItGoes) {
  SolverData<3> data;
  ResidualData<3> scratch;
  int problems = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kData / "problems")) {
    SCOPED_TRACE(entry.path().filename().string());
    const SavedProblem<3> saved = load_problem<3>(entry.path());
    Solution<3> solution = saved.previous;
    ASSERT_EQ(
        solve_newton(saved.problem, saved.previous, solution, data, {.tolerance = 1e-17}).status,
        Status::ok);
    const Residual residual = compute_residual(saved.problem, solution, scratch);
    const Rounding rounding = compute_rounding(saved.problem, solution, scratch);
    EXPECT_LE(residual.law, rounding.law);
    EXPECT_LE(residual.momentum, rounding.momentum);
    EXPECT_LE(rounding.law, 1e-11);
    EXPECT_LE(rounding.momentum, 1e-9);
    ++problems;
  }
  EXPECT_GT(problems, 20);
}

// Straight chains that turn as one about their middle, free of forces: the exact answer is known,
// and what the check says of it is rounding alone. Tips move in proportion to the length, sums are
// as many as links: the bound grows at least with the square of both.
TEST(Rounding, GrowsWithTheChainAsTheErrorsOfItsSumsDo) {
  double before = 0.0;
  for (const int n : {25, 50, 100, 200, 400}) {
    planar::Model model = sample::aiko(n);
    model.mu_T.setZero();
    planar::State state =
        planar::make_state(model, Eigen::VectorXd::Zero(n - 1), 0, {0.0, 0.0}, 0.3);
    planar::Data data(model);
    planar::make_problem(model, state, JointCommand(n - 1), {}, data);
    const double omega = 7.3;
    Solution<3>& solution = data.solution;
    solution.root << omega, 0.1, -0.2;
    std::fill(solution.rate.begin(), solution.rate.end(), 0.0);
    update_twists(data.problem, solution);
    for (std::size_t i = 0; i < data.problem.nodes.size(); ++i) {
      data.problem.nodes[i].p = data.problem.nodes[i].M * solution.twist[i];
    }
    const Residual residual = compute_residual(data.problem, solution, data.residual);
    const Rounding rounding = compute_rounding(data.problem, solution, data.residual);
    EXPECT_LE(residual.momentum, rounding.momentum);
    if (before > 0.0) {
      EXPECT_GE(rounding.momentum, 4.0 * before) << n;
      EXPECT_LE(rounding.momentum, 32.0 * before) << n;
    }
    before = rounding.momentum;
  }
}

TEST(Residual, OfTheRigidLawNeedsNoProximalTerms) {
  const SavedProblem<3> saved = load_problem<3>(kData / "problems/course_350.json");
  SolverData<3> data;
  ResidualData<3> scratch;
  Solution<3> solution = saved.previous;
  ASSERT_EQ(solve_newton(saved.problem, saved.previous, solution, data, {.law = Law::rigid}).status,
            Status::ok);
  solution.proximal.clear();
  const Residual residual = compute_residual(saved.problem, solution, scratch, Law::rigid);
  EXPECT_EQ(residual.law, residual.rigid_law) << "without terms it is the set-valued law";
  EXPECT_EQ(residual.gap, 0.0);
  EXPECT_LE(residual.law, 2e-8);
}

}  // namespace rounding_test
}  // namespace coluber::nonsmooth
