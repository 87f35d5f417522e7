#include "math/cvode_integrator.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "coluber/core/error.hpp"

#include "support/equations.hpp"

namespace coluber::math {
namespace cvode_integrator_test {

using Eigen::VectorXd;
using test::Oscillator;
using test::Stiff;

/// To `t_end`; y there.
VectorXd integrate(CvodeIntegrator& integrator, double t_end, Eigen::Index size) {
  while (integrator.t() < t_end) {
    const Advance advance = integrator.advance(t_end);
    EXPECT_EQ(advance, Advance::ok);
    if (advance != Advance::ok) break;
  }
  VectorXd y(size);
  integrator.interpolate(t_end, y);
  return y;
}

TEST(Cvode, SaysWhereItIsNotBuilt) {
  Oscillator oscillator;
  if (CvodeIntegrator::is_built()) {
    EXPECT_NO_THROW(CvodeIntegrator(oscillator, 2, 1e-6, 1e-9));
  } else {
    EXPECT_THROW(CvodeIntegrator(oscillator, 2, 1e-6, 1e-9), Error);
  }
}

TEST(Cvode, IntegratesAStiffEquationInFewSteps) {
  if (!CvodeIntegrator::is_built()) GTEST_SKIP();
  Stiff stiff(-1e6);
  CvodeIntegrator integrator(stiff, 1, 1e-8, 1e-10);
  integrator.restart(0.0, VectorXd::Constant(1, 2.0));  // off the slow solution
  const VectorXd y = integrate(integrator, 10.0, 1);
  EXPECT_NEAR(y(0), std::cos(10.0), 1e-7);
  EXPECT_LE(integrator.steps(), 1000) << "an explicit method takes three million";
}

TEST(Cvode, SolvesACoupledStiffSystem) {
  if (!CvodeIntegrator::is_built()) GTEST_SKIP();
  // Robertson's reaction: the sum of the concentrations is kept; values at t = 40 of SUNDIALS'
  // own example
  class Robertson final : public Ode {
    bool compute_rate(double /*t*/, const Eigen::Ref<const VectorXd>& y,
                      Eigen::Ref<VectorXd> ydot) override {
      ydot(0) = -0.04 * y(0) + 1e4 * y(1) * y(2);
      ydot(2) = 3e7 * y(1) * y(1);
      ydot(1) = -ydot(0) - ydot(2);
      return ydot.allFinite();
    }
  } robertson;
  CvodeIntegrator integrator(robertson, 3, 1e-8, 1e-14);
  integrator.restart(0.0, Eigen::Vector3d(1, 0, 0));
  const VectorXd y = integrate(integrator, 40.0, 3);
  EXPECT_NEAR(y(0), 7.1583e-01, 1e-4);
  EXPECT_NEAR(y(1), 9.1850e-06, 1e-9);
  EXPECT_NEAR(y(2), 2.8416e-01, 1e-4);
  EXPECT_NEAR(y.sum(), 1.0, 1e-12);
}

TEST(Cvode, HasTheSameSolutionWithHalfOfNewtonsMatrix) {
  if (!CvodeIntegrator::is_built()) GTEST_SKIP();
  Oscillator oscillator;
  for (const Structure structure : {Structure::general, Structure::second_order}) {
    CvodeIntegrator integrator(oscillator, 2, 1e-9, 1e-12, structure);
    integrator.restart(0.0, Oscillator::solution(0.0));
    const VectorXd y = integrate(integrator, 3.0, 2);
    // errors of some hundred steps
    EXPECT_LE((y - Oscillator::solution(3.0)).norm(), 3e-7);
    EXPECT_GT(integrator.evaluations(), integrator.steps());
  }
}

TEST(Cvode, StartsAfreshBitIdentically) {
  if (!CvodeIntegrator::is_built()) GTEST_SKIP();
  Stiff stiff(-100.0);
  CvodeIntegrator integrator(stiff, 1, 1e-8, 1e-10);
  const VectorXd start = VectorXd::Ones(1);
  integrator.restart(0.0, start);
  VectorXd y(1);
  integrator.interpolate(0.0, y);
  EXPECT_EQ(y, start);
  const VectorXd once = integrate(integrator, 1.0, 1);
  integrator.restart(0.0, start);
  EXPECT_EQ(integrate(integrator, 1.0, 1), once);
  EXPECT_EQ(integrator.restarts(), 2);
}

TEST(Cvode, SaysWhatFailed) {
  if (!CvodeIntegrator::is_built()) GTEST_SKIP();
  class Wall final : public Ode {
   public:
    bool compute_rate(double t, const Eigen::Ref<const VectorXd>& y,
                      Eigen::Ref<VectorXd> ydot) override {
      if (throws && t > 0.4) throw std::runtime_error("no more");
      ydot = -y;
      return t < 0.5;
    }
    bool throws = false;
  } wall;
  CvodeIntegrator integrator(wall, 1, 1e-6, 1e-9);
  integrator.restart(0.0, VectorXd::Ones(1));
  Advance advance = Advance::ok;
  for (int k = 0; k < 10000 && advance == Advance::ok; ++k) advance = integrator.advance(1.0);
  EXPECT_EQ(advance, Advance::non_finite);
  EXPECT_LT(integrator.t(), 0.5);
  wall.throws = true;
  integrator.restart(0.0, VectorXd::Ones(1));
  EXPECT_THROW(
      for (int k = 0; k < 10000; ++k) {
        if (integrator.advance(1.0) != Advance::ok) break;
      },
      std::runtime_error);
}

}  // namespace cvode_integrator_test
}  // namespace coluber::math
