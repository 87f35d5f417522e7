// Torques of random instants of the force map, by eiquadprog as well.

#include <algorithm>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "coluber/control/force_mapping.hpp"

#include "oracles/eiquadprog/solve.hpp"
#include "sample/random_instants.hpp"

namespace coluber::control::instants_test {

/// The same problem with independent rows of A alone.
qp::Problem compressed(const qp::Problem& problem) {
  Eigen::MatrixXd rows = problem.A;
  rows.rowwise().normalize();
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows.transpose());
  qr.setThreshold(1e-9);
  qp::Problem independent = problem;
  independent.A.resize(qr.rank(), problem.A.cols());
  independent.b.resize(qr.rank());
  for (Eigen::Index k = 0; k < qr.rank(); ++k) {
    const Eigen::Index row = qr.colsPermutation().indices()(k);
    independent.A.row(k) = problem.A.row(row);
    independent.b(k) = problem.b(row);
  }
  return independent;
}

TEST(Eiquadprog, GivesTheSameTorquesAtRandomInstants) {
  double worst = 0.0;
  int compared = 0;
  int bounded = 0;  // some torque at its limit, or some contact not pressed
  for (std::uint64_t number = 0; compared < 500 && number < 2000; ++number) {
    const sample::RandomInstant one = sample::random_instant(3, number);
    ForceMapping mapping(one.robot.links, {.u_max = one.u_max});
    const MapResult& result = mapping.solve(one.instant, one.contacts, one.wish, one.ground);
    Eigen::VectorXd u;
    if (result.status != MapStatus::optimal) continue;
    ASSERT_TRUE(qp::solve_by_eiquadprog(compressed(mapping.problem()), u)) << number;
    worst = std::max(worst, (u - result.u).cwiseAbs().maxCoeff() / one.u_max);
    ++compared;
    const bool loose = result.f_C.cwiseAbs().minCoeff() < 1e-9;
    bounded += loose || !result.active.empty() ? 1 : 0;
  }
  EXPECT_LE(worst, 1e-7);
  EXPECT_EQ(compared, 500);
  EXPECT_GT(bounded, 50);
}

}  // namespace coluber::control::instants_test
