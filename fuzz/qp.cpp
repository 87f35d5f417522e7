// Quadratic programs of any numbers: the solver gives an answer that meets its own conditions of
// optimality, says that there is none, or throws Error. Never a crash, never a wrong answer.
//
// The input is a list of numbers: sizes, options, then entries, most of them small. A second
// problem with another right-hand side starts warm.

#include "coluber/qp/qp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <fuzzer/FuzzedDataProvider.h>

#include "coluber/core/error.hpp"

namespace {

using namespace coluber;

constexpr std::array odd{0.0,
                         -0.0,
                         1.0,
                         -1.0,
                         1e-320,
                         1e-200,
                         1e-12,
                         1e-6,
                         1e6,
                         1e12,
                         1e30,
                         -1e30,
                         1e160,
                         1e308,
                         std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()};

/// How wild the numbers of one input are; 0: small ones only, so that most problems are sound.
double number(FuzzedDataProvider& input, int wild) {
  const int kind = input.ConsumeIntegral<std::uint8_t>();
  if (kind < 4 * wild) return input.PickValueInArray(odd);
  if (kind < 6 * wild) {
    double value = 0.0;
    const std::vector<std::uint8_t> bytes = input.ConsumeBytes<std::uint8_t>(sizeof(value));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::uint8_t*>(&value));
    return value;
  }
  if (kind < 60) return std::ldexp(input.ConsumeIntegral<std::int8_t>(), kind / 2 - 20);
  return (kind - 158) / 16.0;
}

[[noreturn]] void fail(const char* what, const qp::Solution& solution) {
  fmt::print(stderr, "{}: status {}, kkt {}, iterations {}\n", what,
             static_cast<int>(solution.status), solution.kkt, solution.iterations);
  std::abort();
}

void try_it(qp::Solver& solver, const qp::Problem& problem, const qp::Options& options,
            qp::Solution& solution, bool warm) {
  try {
    solver.solve(problem, options, solution, warm);
  } catch (const Error&) {  // any other exception is a fault of ours
    return;
  }
  if (solution.x.size() != problem.limit.size() || solution.z.size() != problem.b.size() ||
      solution.lambda_G.size() != problem.h.size()) {
    fail("sizes", solution);
  }
  if (!solution.x.allFinite() || !solution.z.allFinite()) fail("not finite", solution);
  if (solution.status == qp::Status::optimal || solution.status == qp::Status::slack) {
    if (!(qp::kkt_residual(problem, solution) <= 1e-9)) fail("wrong answer", solution);
    if ((solution.x.array().abs() > problem.limit.array()).any()) fail("over limit", solution);
  } else if (!solution.x.isZero(0.0)) {
    fail("an answer that is none", solution);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const int n = input.ConsumeIntegralInRange(0, 12);
  const int m = input.ConsumeIntegralInRange(0, 12);
  const int p = input.ConsumeIntegralInRange(0, 12);
  const int wild = input.ConsumeIntegralInRange(0, 5);
  qp::Options options;
  options.slack = !input.ConsumeBool();
  if (input.ConsumeBool()) options.hard_from = number(input, wild);
  options.max_iterations = 1000;
  qp::Problem problem;
  problem.A.resize(m, n);
  problem.b.resize(m);
  problem.G.resize(p, n);
  problem.h.resize(p);
  problem.limit.setConstant(n, 4.0);
  problem.weight.setOnes(n);
  problem.slack_weight.setConstant(m, 1e12);
  if (wild > 3) {  // sizes that do not fit
    if (input.ConsumeBool()) problem.b.setZero(input.ConsumeIntegralInRange(0, 12));
    if (input.ConsumeBool()) problem.G.setZero(p, input.ConsumeIntegralInRange(0, 12));
    if (input.ConsumeBool()) problem.weight.setOnes(input.ConsumeIntegralInRange(0, 12));
  }
  if (wild > 0) {
    if (input.ConsumeBool()) {
      for (double& value : problem.limit) value = std::abs(number(input, wild));
    }
    if (input.ConsumeBool()) {
      for (double& value : problem.weight) value = std::abs(number(input, wild));
    }
    if (input.ConsumeBool()) {
      for (double& value : problem.slack_weight) value = std::abs(number(input, wild));
    }
  }
  for (double& value : problem.b) value = number(input, wild);
  for (double& value : problem.h) value = number(input, wild);
  for (double& value : problem.A.reshaped()) value = number(input, wild);
  for (double& value : problem.G.reshaped()) value = number(input, wild);

  static qp::Solver solver;  // of other sizes before
  qp::Solution solution;
  try_it(solver, problem, options, solution, true);
  try_it(solver, problem, options, solution, false);
  for (double& value : problem.b) value += number(input, wild);
  try_it(solver, problem, options, solution, true);
  return 0;
}
