#include "coluber/math/ode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "coluber/math/group.hpp"

#include "math/roots.hpp"
#include "support/equations.hpp"

namespace coluber::math {
namespace ode_test {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::Bell;
using test::Oscillator;
using test::Top;

/// y' = y² from 1: y = 1/(1 - t), and false where t >= wall.
class Blowup final : public Ode {
 public:
  explicit Blowup(double w = std::numeric_limits<double>::infinity()) : wall(w) {}
  bool compute_rate(double t, const Eigen::Ref<const VectorXd>& y,
                    Eigen::Ref<VectorXd> ydot) override {
    ++calls;
    if (calls == throws_at) throw std::runtime_error("no more");
    ydot = y.cwiseProduct(y);
    return t < wall && ydot.allFinite();
  }
  double wall;
  int calls = 0;
  int throws_at = -1;
};

/// A step of a fixed size: with this tolerance none is rejected.
Dopri5 without_control(Eigen::Index size) { return Dopri5(size, {.rtol = 1e6, .atol = 1e6}); }

/// Takes steps of size 1/n from 0 to 1 and returns y there.
template <class Step>
VectorXd march(int n, VectorXd y, Step&& step) {
  for (int k = 0; k < n; ++k) step(static_cast<double>(k) / n, 1.0 / n, y);
  return y;
}

VectorXd by_rk4(Ode& ode, int n, const VectorXd& y) {
  Rk4 method(y.size());
  return march(n, y,
               [&](double t, double h, VectorXd& x) { EXPECT_TRUE(method.step(ode, t, h, x)); });
}

VectorXd by_dopri5(Ode& ode, int n, const VectorXd& y) {
  Dopri5 method = without_control(y.size());
  VectorXd end = march(n, y, [&](double t, double h, VectorXd& x) {
    method.next_step() = h;
    EXPECT_EQ(method.advance(ode, t, t + h, x), Advance::ok);
  });
  EXPECT_EQ(method.steps(), n);
  EXPECT_EQ(method.evaluations(), 7 * n);
  return end;
}

double order(double coarse, double fine) { return std::log2(coarse / fine); }

/// Order of `solve(ode, n, y)` from n to 2 n steps, of a system and of an equation with t in it.
template <class Solve>
void expect_order(Solve&& solve, int n, double p) {
  Oscillator oscillator;
  const VectorXd start = Oscillator::solution(0.0);
  const VectorXd end = Oscillator::solution(1.0);
  EXPECT_NEAR(order((solve(oscillator, n, start) - end).norm(),
                    (solve(oscillator, 2 * n, start) - end).norm()),
              p, 0.15);
  Bell bell;
  const VectorXd one = VectorXd::Ones(1);
  EXPECT_NEAR(order(std::abs(solve(bell, n, one)(0) - Bell::solution(1.0)),
                    std::abs(solve(bell, 2 * n, one)(0) - Bell::solution(1.0))),
              p, 0.3);
}

TEST(Rk4, IsOfOrderFour) { expect_order(by_rk4, 32, 4.0); }

TEST(Dopri5, IsOfOrderFive) { expect_order(by_dopri5, 16, 5.0); }

TEST(Rk4, IntegratesACubicExactly) {
  class Cubic final : public Ode {
    bool compute_rate(double t, const Eigen::Ref<const VectorXd>& /*y*/,
                      Eigen::Ref<VectorXd> ydot) override {
      ydot(0) = 4.0 * t * t * t;
      return true;
    }
  } cubic;
  VectorXd y = VectorXd::Zero(1);
  Rk4 method(1);
  ASSERT_TRUE(method.step(cubic, 0.0, 2.0, y));
  EXPECT_DOUBLE_EQ(y(0), 16.0) << "Simpson's rule";
}

TEST(Dopri5, MeetsTheEndExactlyAndKeepsTheTolerance) {
  Oscillator oscillator;
  double last = std::numeric_limits<double>::infinity();
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    Dopri5 method(2, {.rtol = rtol, .atol = rtol});
    VectorXd y = Oscillator::solution(0.0);
    ASSERT_EQ(method.advance(oscillator, 0.0, 10.0, y), Advance::ok);
    const double error = (y - Oscillator::solution(10.0)).norm();
    // errors of all steps add up over ten seconds, and are kept below the tolerance in the mean
    EXPECT_LE(error, 20.0 * rtol) << rtol;
    EXPECT_LT(error, last) << rtol;
    EXPECT_LE(method.rejected(), 2 + method.steps() / 10) << rtol;
    EXPECT_LE(method.evaluations(), 2 + 6 * (method.steps() + method.rejected())) << "FSAL";
    last = error;
  }
}

TEST(Dopri5, TakesAboutAsManyStepsAsTheOrderSays) {
  Oscillator oscillator;
  const auto steps = [&](double rtol) {
    Dopri5 method(2, {.rtol = rtol, .atol = rtol});
    VectorXd y = Oscillator::solution(0.0);
    EXPECT_EQ(method.advance(oscillator, 0.0, 100.0, y), Advance::ok);
    return static_cast<double>(method.steps());
  };
  EXPECT_NEAR(steps(1e-10) / steps(1e-5), 10.0, 1.0) << "h goes with the fifth root";
}

TEST(Dopri5, FollowsAChangeOfScale) {
  // exp(-t²) to t = 5 spans eleven decades
  Bell bell;
  Dopri5 method(1, {.rtol = 1e-9, .atol = 1e-20});
  VectorXd y = VectorXd::Ones(1);
  ASSERT_EQ(method.advance(bell, 0.0, 5.0, y), Advance::ok);
  EXPECT_NEAR(y(0) / Bell::solution(5.0), 1.0, 1e-7);
}

TEST(Dopri5, FindsItsFirstStep) {
  Oscillator oscillator;
  Dopri5 method(2);
  VectorXd y = Oscillator::solution(0.0);
  ASSERT_EQ(method.advance(oscillator, 0.0, 1.0, y), Advance::ok);
  EXPECT_EQ(method.rejected(), 0);
  EXPECT_LE(method.steps(), 30);
  // from rest there is no scale to start from
  VectorXd zero = VectorXd::Zero(2);
  Dopri5 still(2);
  ASSERT_EQ(still.advance(oscillator, 0.0, 1.0, zero), Advance::ok);
  EXPECT_EQ(zero, VectorXd::Zero(2));
  EXPECT_LE(still.steps(), 12);
}

TEST(Dopri5, AShortCallDoesNotShortenTheStepsBehindIt) {
  Oscillator oscillator;
  Dopri5 method(2);
  VectorXd y = Oscillator::solution(0.0);
  ASSERT_EQ(method.advance(oscillator, 0.0, 1.0, y), Advance::ok);
  const double before = method.next_step();
  ASSERT_EQ(method.advance(oscillator, 1.0, 1.0 + 1e-9, y), Advance::ok);
  EXPECT_EQ(method.next_step(), before);
  ASSERT_EQ(method.advance(oscillator, 2.0, 2.0, y), Advance::ok);
  EXPECT_EQ(method.next_step(), before) << "over no time nothing happens";
}

TEST(Dopri5, ContinuesBitIdenticallyFromYAndItsStepSize) {
  Oscillator oscillator;
  Dopri5 whole(2);
  VectorXd y = Oscillator::solution(0.0);
  for (int k = 0; k < 20; ++k) {
    ASSERT_EQ(whole.advance(oscillator, 0.3 * k, 0.3 * (k + 1), y), Advance::ok);
  }
  Dopri5 first(2);
  VectorXd x = Oscillator::solution(0.0);
  for (int k = 0; k < 7; ++k) {
    ASSERT_EQ(first.advance(oscillator, 0.3 * k, 0.3 * (k + 1), x), Advance::ok);
  }
  Dopri5 second(2);
  second.next_step() = first.next_step();
  for (int k = 7; k < 20; ++k) {
    ASSERT_EQ(second.advance(oscillator, 0.3 * k, 0.3 * (k + 1), x), Advance::ok);
  }
  EXPECT_EQ(x, y);
  EXPECT_EQ(second.next_step(), whole.next_step());
  EXPECT_EQ(first.steps() + second.steps(), whole.steps());
}

TEST(Dopri5, LeavesAllAsItWasWhereTheSolutionEnds) {
  Blowup blowup;  // 1/(1 - t)
  Dopri5 method(1);
  VectorXd y = VectorXd::Ones(1);
  method.next_step() = 0.01;
  const Advance advance = method.advance(blowup, 0.0, 2.0, y);
  EXPECT_TRUE(advance == Advance::error_test || advance == Advance::non_finite);
  EXPECT_EQ(y(0), 1.0);
  EXPECT_EQ(method.next_step(), 0.01);
  // before its end it is fine
  ASSERT_EQ(method.advance(blowup, 0.0, 0.99, y), Advance::ok);
  EXPECT_NEAR(y(0), 100.0, 1e-4);
}

TEST(Dopri5, ShortensAStepThatIsNotFinite) {
  Blowup wall(0.7);
  Dopri5 method(1);
  method.next_step() = 0.5;
  VectorXd y = VectorXd::Ones(1);
  ASSERT_EQ(method.advance(wall, 0.0, 0.699, y), Advance::ok);
  EXPECT_NEAR(y(0), 1.0 / 0.301, 1e-6);
  EXPECT_EQ(method.advance(wall, 0.699, 0.8, y), Advance::non_finite);
  EXPECT_NEAR(y(0), 1.0 / 0.301, 1e-6);
  EXPECT_EQ(method.advance(wall, 0.7, 0.8, y), Advance::non_finite) << "at the start already";
}

TEST(Dopri5, EvaluatesNothingBeyondTheEnd) {
  class Watch final : public Ode {
   public:
    bool compute_rate(double t, const Eigen::Ref<const VectorXd>& y,
                      Eigen::Ref<VectorXd> ydot) override {
      latest = std::max(latest, t);
      ydot = -1e-3 * y;
      return true;
    }
    double latest = 0.0;
  } watch;
  Dopri5 method(1);
  VectorXd y = VectorXd::Ones(1);
  ASSERT_EQ(method.advance(watch, 0.0, 0.1, y), Advance::ok);  // the first step would be of seconds
  EXPECT_EQ(watch.latest, 0.1);
}

TEST(Dopri5, RefusesAStartThatIsNotFinite) {
  Oscillator oscillator;
  Dopri5 method(2);
  VectorXd y = VectorXd::Constant(2, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(method.advance(oscillator, 0.0, 1.0, y), Advance::non_finite);
}

TEST(Dopri5, StopsAtItsNumberOfSteps) {
  test::Stiff stiff(-1e6);  // three million steps for a second
  Dopri5 method(1, {.max_steps = 500});
  VectorXd y = VectorXd::Ones(1);
  EXPECT_EQ(method.advance(stiff, 0.0, 1.0, y), Advance::too_many_steps);
  EXPECT_EQ(method.steps() + method.rejected(), 500);
  EXPECT_EQ(y(0), 1.0);
}

TEST(Dopri5, LetsExceptionsThroughAndChangesNothing) {
  Blowup blowup;
  blowup.throws_at = 20;
  Dopri5 method(1);
  method.next_step() = 0.01;
  VectorXd y = VectorXd::Ones(1);
  EXPECT_THROW(static_cast<void>(method.advance(blowup, 0.0, 0.9, y)), std::runtime_error);
  EXPECT_EQ(y(0), 1.0);
  EXPECT_EQ(method.next_step(), 0.01);
}

TEST(Rk4, LeavesYWhereAStageHasNoRate) {
  Rk4 method(1);
  for (const double wall : {0.0, 0.05, 0.1}) {  // at the start, the middle, the end
    Blowup blowup(wall);
    VectorXd y = VectorXd::Ones(1);
    EXPECT_FALSE(method.step(blowup, 0.0, 0.1, y));
    EXPECT_EQ(y(0), 1.0);
  }
  Blowup blowup;
  VectorXd y = VectorXd::Constant(1, 1e150);
  EXPECT_FALSE(method.step(blowup, 0.0, 1.0, y)) << "overflow";
  EXPECT_EQ(y(0), 1e150);
}

TEST(Rk4, TakesPartOfALongerVector) {
  Oscillator oscillator;
  Rk4 method(2);
  VectorXd long_one = VectorXd::Constant(5, 7.0);
  VectorXd y = Oscillator::solution(0.0);
  long_one.segment<2>(1) = y;
  ASSERT_TRUE(method.step(oscillator, 0.0, 0.1, y));
  ASSERT_TRUE(method.step(oscillator, 0.0, 0.1, long_one.segment(1, 2)));
  EXPECT_EQ(long_one.segment(1, 2), y);
  EXPECT_EQ(long_one(0) + long_one(3) + long_one(4), 21.0);
}

/// Attitude of a top after a second by n steps, each in a chart of its own.
template <class Solve>
double attitude_error(int n, Solve&& step) {
  const Vector3d Omega(0.8, -0.4, 3.0);
  Top top;
  Matrix3d R = Matrix3d::Identity();
  VectorXd y(6);
  y.tail<3>() = Omega;
  for (int k = 0; k < n; ++k) {
    y.head<3>().setZero();
    step(top, 1.0 / n, y);
    R = (R * exp(Vector3d{y.head<3>()})).eval();
  }
  EXPECT_LE((R * R.transpose() - Matrix3d::Identity()).norm(), 1e-13) << "stays on the group";
  return (R - Top::solution(Omega, 1.0)).norm();
}

TEST(RotationInAChart, KeepsTheOrderOfRungeKutta) {
  Rk4 rk4(6);
  const auto four = [&](Ode& ode, double h, VectorXd& y) { ASSERT_TRUE(rk4.step(ode, 0.0, h, y)); };
  EXPECT_NEAR(order(attitude_error(32, four), attitude_error(64, four)), 4.0, 0.15);
  Dopri5 dopri5 = without_control(6);
  const auto five = [&](Ode& ode, double h, VectorXd& y) {
    dopri5.next_step() = h;
    ASSERT_EQ(dopri5.advance(ode, 0.0, h, y), Advance::ok);
  };
  EXPECT_NEAR(order(attitude_error(16, five), attitude_error(32, five)), 5.0, 0.25);
}

TEST(RotationInAChart, IsExactForASteadyTurnHoweverLongTheStep) {
  // about a principal axis sigma = Omega t: a polynomial
  Top top;
  VectorXd y = VectorXd::Zero(6);
  y(5) = 3.0;
  Rk4 rk4(6);
  ASSERT_TRUE(rk4.step(top, 0.0, 1.0, y));
  EXPECT_LE((y.head<3>() - Vector3d(0, 0, 3)).norm(), 1e-15);
}

TEST(Ode, TakesForwardDifferencesForAJacobian) {
  Top top;
  VectorXd y(6);
  y << 0.3, -0.2, 0.0, 0.8, -0.4, 3.0;
  VectorXd ydot(6);
  ASSERT_TRUE(top.compute_rate(0.0, y, ydot));
  MatrixXd J(6, 6);
  ASSERT_TRUE(top.compute_jacobian(0.0, y, ydot, J));
  for (int j = 0; j < 6; ++j) {
    const double h = 1e-5;
    VectorXd plus(6);
    VectorXd minus(6);
    VectorXd x = y;
    x(j) += h;
    top.compute_rate(0.0, x, plus);
    x(j) -= 2.0 * h;
    top.compute_rate(0.0, x, minus);
    // increments of 1e-9 to 1e-8: a rounding error over the smaller
    EXPECT_LE((J.col(j) - (plus - minus) / (2.0 * h)).norm(), 2e-6) << j;
  }
  Blowup wall(0.0);
  VectorXd one = VectorXd::Ones(1);
  MatrixXd slope(1, 1);
  EXPECT_FALSE(wall.compute_jacobian(1.0, one, one, slope));
}

TEST(FifthRoot, IsAccurateOverAllDoubles) {
  EXPECT_EQ(fifth_root(0.0), 0.0);
  EXPECT_EQ(fifth_root(1.0), 1.0);
  EXPECT_DOUBLE_EQ(fifth_root(32.0), 2.0);
  for (double x = 1e-300; x < 1e300; x *= 3.7) {
    EXPECT_NEAR(fifth_root(x) / std::pow(x, 0.2), 1.0, 1e-14) << x;
  }
}

}  // namespace ode_test
}  // namespace coluber::math
