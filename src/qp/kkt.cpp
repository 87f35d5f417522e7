#include <algorithm>
#include <cmath>
#include <limits>

#include "coluber/qp/qp.hpp"

#include "check.hpp"

namespace coluber::qp {

// The numbers of the problem as it was posed: nothing here comes from the solver's scaled copy.
double kkt_residual(const Problem& problem, const Solution& solution) {
  using Eigen::Index;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Index n = problem.limit.size();
  const Index m = problem.b.size();
  const Index p = problem.h.size();
  const bool sized = solution.x.size() == n && solution.lambda_limit.size() == n &&
                     solution.z.size() == m && solution.lambda_A.size() == m &&
                     solution.slack_weight.size() == m && solution.lambda_G.size() == p;
  if (!sized) return infinity;

  double largest = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double limit = std::sqrt(problem.weight(i)) * problem.limit(i);
    if (std::isfinite(limit)) largest = std::max(largest, limit);
  }
  double farthest = 0.0;
  for (Index j = 0; j < m; ++j) {
    const double norm = weighted_norm(problem.A, j, problem.weight);
    farthest = std::max(farthest, reach(problem.b(j), norm, problem.slack_weight(j)));
  }
  for (Index j = 0; j < p; ++j) {
    const double norm = weighted_norm(problem.G, j, problem.weight);
    if (norm > 0.0) farthest = std::max(farthest, -problem.h(j) / norm);
  }
  const double sigma = scale_of(largest, farthest);

  // what residuals are relative to
  double length = 1.0;
  double multiplier = 1.0;
  bool in_use = false;
  for (Index j = 0; j < m; ++j) {
    const double norm = weighted_norm(problem.A, j, problem.weight);
    if (norm == 0.0) continue;
    in_use = in_use || std::abs(solution.z(j)) > 1e-9 * norm * sigma;
    length = std::max(length, std::abs(problem.b(j)) / norm / sigma);
    multiplier = std::max(multiplier, std::abs(solution.lambda_A(j)) / sigma * norm / sigma / 2.0);
  }
  if (in_use) {
    for (Index j = 0; j < p; ++j) {
      const double norm = weighted_norm(problem.G, j, problem.weight);
      multiplier =
          std::max(multiplier, std::abs(solution.lambda_G(j)) / sigma * norm / sigma / 2.0);
    }
    for (Index i = 0; i < n; ++i) {
      const double share = sigma * std::sqrt(problem.weight(i));
      multiplier = std::max(multiplier, std::abs(solution.lambda_limit(i)) / share / 2.0);
    }
  } else {
    length = 1.0;
    multiplier = 1.0;
  }

  double worst = 0.0;
  bool finite = true;  // std::max would lose a NaN
  const auto add = [&](double residual) {
    finite = finite && std::isfinite(residual);
    worst = std::max(worst, std::abs(residual));
  };
  const auto row_times_x = [&](const Eigen::MatrixXd& rows, Index j) {
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) sum += rows(j, i) * solution.x(i);
    return sum;
  };
  for (Index j = 0; j < m; ++j) {
    const double norm = weighted_norm(problem.A, j, problem.weight);
    const double z = solution.z(j);
    const double b = problem.b(j);
    if (norm == 0.0) {
      add(b == 0.0 ? z : (z - b) / b);
    } else {
      add((row_times_x(problem.A, j) + z - b) / norm / sigma / length);
    }
    const double root = std::sqrt(solution.slack_weight(j));
    if (std::isfinite(root)) {
      const double scale = norm == 0.0 ? std::max(1.0, root * std::abs(b) / sigma) : multiplier;
      add((root * z + solution.lambda_A(j) / root / 2.0) / sigma / scale);
    } else if (norm > 0.0) {
      add(z / norm / sigma / length);
    }
  }
  for (Index i = 0; i < n; ++i) {
    const double root = std::sqrt(problem.weight(i));
    double sum = solution.lambda_limit(i);
    for (Index j = 0; j < m; ++j) sum += problem.A(j, i) * solution.lambda_A(j);
    for (Index j = 0; j < p; ++j) sum += problem.G(j, i) * solution.lambda_G(j);
    add((root * solution.x(i) + sum / root / 2.0) / sigma / multiplier);
    const double v = root * solution.x(i) / sigma / length;
    const double limit = root * problem.limit(i) / sigma / length;
    const double lambda = solution.lambda_limit(i) / root / sigma / multiplier / 2.0;
    add(std::min(std::max(lambda, 0.0), limit - v));
    add(std::min(std::max(-lambda, 0.0), limit + v));
  }
  for (Index j = 0; j < p; ++j) {
    const double norm = weighted_norm(problem.G, j, problem.weight);
    const double room = problem.h(j) - row_times_x(problem.G, j);
    if (norm == 0.0) {  // 0 <= h; its multiplier does nothing
      add(std::min(room, 0.0));
      continue;
    }
    const double lambda = solution.lambda_G(j) / sigma * norm / sigma / multiplier / 2.0;
    add(std::min(lambda, room / norm / sigma / length));
  }
  return finite ? worst : infinity;
}

}  // namespace coluber::qp
