// The integrators allocate nothing after construction.

#include <gtest/gtest.h>

#include "coluber/math/ode.hpp"

#include "math/cvode_integrator.hpp"
#include "support/allocations.hpp"
#include "support/equations.hpp"

#ifdef COLUBER_COUNTS_ALLOCATIONS

namespace coluber::math {
namespace {

using Eigen::VectorXd;

TEST(Integrators, AllocateNothingAfterConstruction) {
  test::Top top;
  VectorXd y(6);
  y << 0.0, 0.0, 0.0, 0.8, -0.4, 3.0;
  Rk4 rk4(6);
  Dopri5 dopri5(6);
  const long before = allocations.load();
  ASSERT_GT(before, 0) << "the counter must count";
  int failed = 0;
  for (int k = 0; k < 100; ++k) {
    y.head<3>().setZero();
    failed += rk4.step(top, 0.01 * k, 0.01, y) ? 0 : 1;
    y.head<3>().setZero();
    failed += dopri5.advance(top, 0.01 * k, 0.01 * (k + 1), y) == Advance::ok ? 0 : 1;
  }
  EXPECT_EQ(allocations.load() - before, 0);
  EXPECT_EQ(failed, 0);
}

TEST(Integrators, CvodeAllocatesNothingAfterItsFirstStep) {
  if (!CvodeIntegrator::is_built()) GTEST_SKIP();
  for (const Structure structure : {Structure::general, Structure::second_order}) {
    test::Oscillator oscillator;
    CvodeIntegrator integrator(oscillator, 2, 1e-8, 1e-10, structure);
    VectorXd y = test::Oscillator::solution(0.0);
    integrator.restart(0.0, y);
    ASSERT_EQ(integrator.advance(1.0), Advance::ok);
    const long before = allocations.load();
    int failed = 0;
    for (int round = 0; round < 3; ++round) {
      while (integrator.t() < 1.0) failed += integrator.advance(1.0) == Advance::ok ? 0 : 1;
      integrator.interpolate(1.0, y);
      integrator.restart(0.0, y);
    }
    EXPECT_EQ(allocations.load() - before, 0);
    EXPECT_EQ(failed, 0);
  }
}

}  // namespace
}  // namespace coluber::math

#endif
