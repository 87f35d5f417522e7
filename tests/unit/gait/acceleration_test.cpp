#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/gait/harmonic.hpp"
#include "coluber/gait/held.hpp"
#include "coluber/gait/table.hpp"

// Second derivatives of the references, and where they jump.

namespace coluber::gait {
namespace acceleration_test {

constexpr double degree = 0.017453292519943295;
constexpr double infinity = std::numeric_limits<double>::infinity();

HarmonicOptions undulation(bool soft_start) {
  return {.amplitude = 40.0 * degree,
          .omega = 80.0 * degree,
          .phase = -50.0 * degree,
          .offset = 2.0 * degree,
          .soft_start = soft_start};
}

/// Largest difference between the gait's acceleration and differences of its rates.
double apart(const Gait& gait, int joints, double t) {
  const double h = 1e-5;
  Eigen::VectorXd phi(joints);
  Eigen::VectorXd before(joints);
  Eigen::VectorXd after(joints);
  Eigen::VectorXd acceleration(joints);
  gait.evaluate(t - h, phi, before);
  gait.evaluate(t + h, phi, after);
  gait.evaluate_acceleration(t, acceleration);
  return (acceleration - (after - before) / (2.0 * h)).cwiseAbs().maxCoeff();
}

TEST(GaitAcceleration, IsTheDerivativeOfTheRateForEveryGait) {
  const Harmonic wave(10, undulation(false));
  const TwoAxes axes(10, undulation(false), {.amplitude = 0.2, .omega = 3.0, .phase = 0.4});
  Eigen::MatrixXd angles(5, 2);
  angles << 0.0, 0.3, 0.5, -0.2, 0.1, 0.9, -0.6, 0.0, 0.2, 0.1;
  const Table table({0.0, 0.4, 1.1, 1.5, 2.3}, angles);
  const Held held(Eigen::VectorXd::Constant(3, 0.7));
  for (const double t : {0.05, 0.37, 1.02, 1.71, 2.2}) {
    // truncation h²/6 times the fourth derivative (at most 40), rounding 1e-16/h
    EXPECT_LE(apart(wave, 10, t), 1e-9) << t;
    EXPECT_LE(apart(axes, 20, t), 1e-9) << t;
    EXPECT_LE(apart(table, 2, t), 1e-9) << t;
    EXPECT_EQ(apart(held, 3, t), 0.0) << t;
  }
}

/// A gait of a user who knows of no accelerations.
class Cubic final : public Gait {
 public:
  void evaluate(double t, Eigen::Ref<Eigen::VectorXd> phi_d,
                Eigen::Ref<Eigen::VectorXd> phidot_d) const override {
    phi_d(0) = t * t * t;
    phidot_d(0) = 3.0 * t * t;
  }
  [[nodiscard]] double max_rate() const override { return 3.0; }
};

TEST(GaitAcceleration, OfAGaitThatGivesNoneComesFromItsRates) {
  Eigen::VectorXd acceleration(1);
  Cubic().evaluate_acceleration(0.5, acceleration);
  EXPECT_NEAR(acceleration(0), 3.0, 1e-11) << "6 t; central differences are exact for a parabola";
  EXPECT_EQ(Cubic().next_break(0.0), infinity);
}

TEST(GaitBreaks, AreTheReleasesOfASoftStartEachHeldBeforeAndRunningAfter) {
  const Harmonic gait(10, undulation(true));
  Eigen::VectorXd phi(10);
  Eigen::VectorXd rate(10);
  Eigen::VectorXd acceleration(10);
  double t = -1.0;
  int breaks = 0;
  for (t = gait.next_break(t); t < infinity; t = gait.next_break(t)) {
    gait.evaluate(std::nextafter(t, -infinity) - 1e-12, phi, rate);
    const auto held_before = (rate.array() == 0.0).count();
    gait.evaluate(t, phi, rate);
    gait.evaluate_acceleration(t, acceleration);
    const auto held_after = (rate.array() == 0.0).count();
    EXPECT_LT(held_after, held_before) << t;
    for (int j = 0; j < 10; ++j) {
      if (rate(j) != 0.0) continue;
      EXPECT_EQ(acceleration(j), 0.0) << "joint " << j + 1 << " held at " << t;
    }
    EXPECT_GT(acceleration.norm(), 0.0) << t;
    breaks += static_cast<int>(held_before - held_after);
  }
  EXPECT_EQ(breaks, 10) << "every joint is released once";
  EXPECT_EQ(Harmonic(10, undulation(false)).next_break(0.0), infinity);
}

TEST(GaitBreaks, OfATableAreItsEnds) {
  const Table table({0.5, 1.0}, Eigen::MatrixXd::Zero(2, 1));
  EXPECT_EQ(table.next_break(0.0), 0.5);
  EXPECT_EQ(table.next_break(0.5), 1.0);
  EXPECT_EQ(table.next_break(1.0), infinity);
}

}  // namespace acceleration_test
}  // namespace coluber::gait
