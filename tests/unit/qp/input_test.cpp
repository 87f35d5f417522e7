// What the solver refuses, with both numbers.

#include <functional>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coluber/core/error.hpp"
#include "coluber/qp/qp.hpp"

#include "sample/random_qp.hpp"

namespace coluber::qp::input_test {
namespace {

using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// What is said about a problem of 4 unknowns, 3 equalities and 2 inequalities after the change.
std::string refusal(const std::function<void(Problem&, Options&)>& change) {
  Problem problem = sample::random_qp({.n = 4, .m = 3, .p = 2}, 1);
  Options options;
  change(problem, options);
  Solution solution;
  try {
    Solver().solve(problem, options, solution);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(QpInput, SizesThatDoNotFitAreNamedWithBothNumbers) {
  const auto b = refusal([](Problem& p, Options&) { p.b.resize(2); });
  EXPECT_THAT(b, HasSubstr("b has 2 entries, A has 3 rows"));
  const auto A = refusal([](Problem& p, Options&) { p.A.setZero(3, 5); });
  EXPECT_THAT(A, HasSubstr("A has 5 columns, limit has 4 entries"));
  const auto G = refusal([](Problem& p, Options&) { p.G.setZero(2, 3); });
  EXPECT_THAT(G, HasSubstr("G has 3 columns, limit has 4 entries"));
  const auto h = refusal([](Problem& p, Options&) { p.h.resize(7); });
  EXPECT_THAT(h, HasSubstr("h has 7 entries, G has 2 rows"));
  const auto weight = refusal([](Problem& p, Options&) { p.weight.setOnes(3); });
  EXPECT_THAT(weight, HasSubstr("weight has 3 entries, limit has 4"));
  const auto slack = refusal([](Problem& p, Options&) { p.slack_weight.setOnes(1); });
  EXPECT_THAT(slack, HasSubstr("slack_weight has 1 entries, b has 3"));
  const auto large = refusal([](Problem& p, Options&) {
    p.G.setZero(20000, 4);
    p.h.setZero(20000);
  });
  EXPECT_THAT(large, HasSubstr("20000"));
}

TEST(QpInput, NumbersThatCannotBeUsedAreNamedWithTheirPlace) {
  const auto A = refusal([](Problem& p, Options&) { p.A(2, 1) = nan; });
  EXPECT_THAT(A, HasSubstr("A(2, 1) is nan"));
  const auto G = refusal([](Problem& p, Options&) { p.G(1, 3) = -infinity; });
  EXPECT_THAT(G, HasSubstr("G(1, 3) is -inf"));
  const auto b = refusal([](Problem& p, Options&) { p.b(0) = infinity; });
  EXPECT_THAT(b, HasSubstr("b(0) is inf"));
  const auto h = refusal([](Problem& p, Options&) { p.h(1) = nan; });
  EXPECT_THAT(h, HasSubstr("h(1) is nan"));
  const auto below = refusal([](Problem& p, Options&) { p.h(1) = -infinity; });
  EXPECT_THAT(below, HasSubstr("h(1) is -inf"));
  const auto limit = refusal([](Problem& p, Options&) { p.limit(3) = 0.0; });
  EXPECT_THAT(limit, HasSubstr("limit(3) is 0, expected a number > 0"));
  const auto limit_nan = refusal([](Problem& p, Options&) { p.limit(3) = nan; });
  EXPECT_THAT(limit_nan, HasSubstr("limit(3) is nan"));
  const auto weight = refusal([](Problem& p, Options&) { p.weight(0) = infinity; });
  EXPECT_THAT(weight, HasSubstr("weight(0) is inf, expected a finite number > 0"));
  const auto slack = refusal([](Problem& p, Options&) { p.slack_weight(2) = -1.0; });
  EXPECT_THAT(slack, HasSubstr("slack_weight(2) is -1"));
}

TEST(QpInput, OptionsHaveToBePositive) {
  EXPECT_THAT(refusal([](Problem&, Options& o) { o.tolerance = 0.0; }),
              HasSubstr("tolerance is 0"));
  EXPECT_THAT(refusal([](Problem&, Options& o) { o.rank_threshold = nan; }),
              HasSubstr("rank_threshold is nan"));
  EXPECT_THAT(refusal([](Problem&, Options& o) { o.hard_from = -1.0; }),
              HasSubstr("hard_from is -1"));
  EXPECT_THAT(refusal([](Problem&, Options& o) { o.max_iterations = 0; }),
              HasSubstr("max_iterations is 0"));
}

TEST(QpInput, NumbersOutsideTheRangeOfDoublesFailAndGiveNoAnswer) {
  if (!available()) GTEST_SKIP() << "built without DAQP";
  Solver solver;
  Solution solution;
  for (const double size : {1e-320, 1e-200, 1e200, 1e308}) {
    Problem problem = sample::random_qp({.n = 4, .m = 3, .p = 2}, 1);
    problem.A.row(1) *= size;
    solver.solve(problem, {}, solution);
    EXPECT_EQ(solution.status, Status::failed) << size;
    EXPECT_EQ(solution.x.norm(), 0.0);
  }
}

TEST(QpInput, ABuildWithoutASolverSaysWhatToInstall) {
  const std::string said = refusal([](Problem&, Options&) {});
  EXPECT_EQ(said.empty(), available()) << said;
  if (!available()) {
    EXPECT_THAT(said, HasSubstr("script/bootstrap"));
  }
}

}  // namespace
}  // namespace coluber::qp::input_test
