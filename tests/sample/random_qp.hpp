#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "coluber/qp/qp.hpp"

namespace coluber::sample {

/// What a random QP is like.
struct RandomQp {
  int n = 19;  ///< unknowns
  int m = 13;  ///< rows of A
  int p = 5;   ///< rows of G
  double limit = 4.5;
  double slack_weight = 1e12;
  int dependent = 0;       ///< the last so many rows of A are sums of others
  double tightness = 1.0;  ///< how near to limits and inequalities the known x lies; >= 1: on some
};

/// Standard normal numbers, the same from every standard library.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : random_(seed) {}
  double operator()() {  // Box and Muller
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  /// A whole number from 0 to n - 1.
  int below(int n) { return static_cast<int>(uniform() * n); }

 private:
  std::mt19937_64 random_;
};

/// A dense QP whose equalities, inequalities and limits hold at a known x, some of them just so.
inline qp::Problem random_qp(const RandomQp& kind, std::uint64_t seed) {
  Normal normal(seed);
  qp::Problem problem;
  const auto fill = [&](auto& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) values.data()[i] = normal();
  };
  problem.A.resize(kind.m, kind.n);
  problem.G.resize(kind.p, kind.n);
  fill(problem.A);
  fill(problem.G);
  for (int j = kind.m - kind.dependent; j < kind.m; ++j) {
    const int others = kind.m - kind.dependent;
    problem.A.row(j) = normal() * problem.A.row(normal.below(others)) +
                       normal() * problem.A.row(normal.below(others));
  }
  Eigen::VectorXd x(kind.n);
  for (int i = 0; i < kind.n; ++i) {
    x(i) = kind.limit * std::clamp(kind.tightness * (2.0 * normal.uniform() - 1.0), -1.0, 1.0);
  }
  problem.b = problem.A * x;
  problem.h = problem.G * x;
  for (int j = 0; j < kind.p; ++j) {
    problem.h(j) += kind.limit * std::max(0.0, normal() * (1.5 - kind.tightness));
  }
  problem.limit.setConstant(kind.n, kind.limit);
  problem.weight.setOnes(kind.n);
  problem.slack_weight.setConstant(kind.m, kind.slack_weight);
  return problem;
}

}  // namespace coluber::sample
