// Solves random instants of the force map and writes their problems and answers, for another solver
// to judge (tests/oracles/instants_test.py).
//   random_instants COUNT [SEED] [FILE]
// FILE: little-endian doubles; for each instant unknowns, rows of A, rows of G, u_max, status (0
// optimal, 1 slack, 2 infeasible, 3 failed, 4 singular), KKT residual, condition of A_f, difference
// of the warm answer (relative to u_max, -1: none), seconds of the cold call, reachable (0, 1);
// then A (row by row), b, G, h, u, z and the slack weights used.

#include "sample/random_instants.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "coluber/control/force_mapping.hpp"

namespace {

using namespace coluber;

void add(std::vector<double>& out, const Eigen::MatrixXd& matrix) {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) out.push_back(matrix(i, j));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto count = static_cast<std::uint64_t>(argc > 1 ? std::atoll(argv[1]) : 500);
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  std::ofstream file;
  if (argc > 3) file.open(argv[3], std::ios::binary);
  std::vector<int> statuses(5, 0);
  double slowest = 0.0;
  double kkt = 0.0;
  int reachable = 0;
  for (std::uint64_t number = 0; number < count; ++number) {
    const sample::RandomInstant one = sample::random_instant(seed, number);
    control::ForceMapping mapping(one.robot.links, {.u_max = one.u_max});
    mapping.solve(one.instant, one.contacts, one.wish, one.ground);  // memory is there from here on
    const auto begin = std::chrono::steady_clock::now();
    const control::MapResult cold = mapping.solve(one.instant, one.contacts, one.wish, one.ground);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double condition = mapping.condition().A_f;
    control::Wish before = one.wish;
    before.centre *= 0.9;
    mapping.solve(one.instant, one.contacts, before, one.ground);
    const control::MapResult& warm =
        mapping.solve(one.instant, one.contacts, one.wish, one.ground, true);
    double difference = -1.0;
    if (cold.u.allFinite() && warm.u.allFinite()) {
      difference = (warm.u - cold.u).cwiseAbs().maxCoeff() / one.u_max;
    }
    ++statuses[static_cast<std::size_t>(cold.status)];
    slowest = std::max(slowest, seconds);
    if (std::isfinite(cold.kkt)) kkt = std::max(kkt, cold.kkt);
    reachable += one.reachable ? 1 : 0;
    if (!file.is_open()) continue;
    const bool regular = cold.status != control::MapStatus::singular;
    const qp::Problem none;
    const qp::Problem& problem = regular ? mapping.problem() : none;
    std::vector<double> out{static_cast<double>(problem.limit.size()),
                            static_cast<double>(problem.b.size()),
                            static_cast<double>(problem.h.size()),
                            one.u_max,
                            static_cast<double>(cold.status),
                            cold.kkt,
                            condition,
                            difference,
                            seconds,
                            one.reachable ? 1.0 : 0.0,
                            static_cast<double>(warm.status)};
    add(out, problem.A);
    add(out, problem.b);
    add(out, problem.G);
    add(out, problem.h);
    add(out, regular ? cold.u : Eigen::VectorXd());
    add(out, regular ? cold.z : Eigen::VectorXd());
    add(out, regular ? cold.slack_weight : Eigen::VectorXd());
    file.write(reinterpret_cast<const char*>(out.data()),
               static_cast<std::streamsize>(out.size() * sizeof(double)));
  }
  std::printf(
      "%llu instants of seed %llu: %d optimal, %d slack, %d infeasible, %d failed, %d singular; %d "
      "reachable\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(seed), statuses[0],
      statuses[1], statuses[2], statuses[3], statuses[4], reachable);
  std::printf("largest KKT residual %.3g, slowest call %.3g ms\n", kkt, 1e3 * slowest);
  return 0;
}
