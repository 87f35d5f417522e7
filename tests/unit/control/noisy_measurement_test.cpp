#include "coluber/control/noisy_measurement.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "coluber/control/pd.hpp"
#include "coluber/core/error.hpp"

#include "support/one_joint.hpp"

namespace coluber::control {
namespace noisy_measurement_test {

constexpr double dt = 1e-3;

/// What a controller was given, as offsets from the truth.
struct Seen {
  BaseState base;
  double phi, phidot;
};

/// Writes down what it is given; a plain servo for the rest.
class Witness final : public Controller {
 public:
  explicit Witness(std::vector<Seen>& seen) : seen_(seen) {}
  void update(const ControlInput& input, JointCommand& command) override {
    seen_.push_back(
        {input.base != nullptr ? *input.base : BaseState{}, input.phi(0), input.phidot(0)});
    command.tau(0) = 1.0;
  }
  [[nodiscard]] bool model_based() const override { return true; }

 private:
  std::vector<Seen>& seen_;
};

struct Fixture {
  test::OneJoint system{dt};
  Eigen::VectorXd phi = Eigen::VectorXd::Constant(1, 0.3);
  Eigen::VectorXd phidot = Eigen::VectorXd::Constant(1, -0.2);
  Eigen::VectorXd reference = Eigen::VectorXd::Constant(1, 0.5);
  BaseState base{{1.0, 2.0}, 0.7, {3.0, 4.0}, 0.9};
  JointCommand command{1};

  void update(Controller& controller, int step = 0) {
    controller.update({step * dt, dt, phi, phidot, reference, reference, reference, reference,
                       reference, &base, system},
                      command);
  }
};

std::vector<Seen> watch(const NoiseOptions& options, int steps) {
  Fixture f;
  std::vector<Seen> seen;
  NoisyMeasurement noisy(std::make_unique<Witness>(seen), options);
  for (int k = 0; k < steps; ++k) f.update(noisy, k);
  return seen;
}

TEST(NoisyMeasurement, EveryValueIsUniformWithinItsWidthAboutTheTruth) {
  const NoiseOptions widths{.position = 0.1,
                            .heading = 0.2,
                            .joint = 0.3,
                            .velocity = 0.4,
                            .heading_rate = 0.5,
                            .joint_rate = 0.6,
                            .seed = 7};
  const int steps = 20000;
  const std::vector<Seen> seen = watch(widths, steps);
  const auto check = [&](const char* what, double width, double truth, auto&& value) {
    double mean = 0.0;
    double square = 0.0;
    double largest = 0.0;
    for (const Seen& each : seen) {
      const double off = (value(each) - truth) / width;
      mean += off / steps;
      square += off * off / steps;
      largest = std::max(largest, std::abs(off));
    }
    // five deviations of the mean, sqrt(1/3/steps), and of the mean square, sqrt(4/45/steps)
    EXPECT_NEAR(mean, 0.0, 5 * std::sqrt(1.0 / 3.0 / steps)) << what;
    EXPECT_NEAR(square, 1.0 / 3.0, 5 * std::sqrt(4.0 / 45.0 / steps)) << what;
    EXPECT_LE(largest, 1.0 + 1e-12) << what;
    EXPECT_GE(largest, 0.999) << what;
  };
  check("x", 0.1, 1.0, [](const Seen& s) { return s.base.r.x(); });
  check("y", 0.1, 2.0, [](const Seen& s) { return s.base.r.y(); });
  check("theta", 0.2, 0.7, [](const Seen& s) { return s.base.theta; });
  check("phi", 0.3, 0.3, [](const Seen& s) { return s.phi; });
  check("v_x", 0.4, 3.0, [](const Seen& s) { return s.base.v.x(); });
  check("v_y", 0.4, 4.0, [](const Seen& s) { return s.base.v.y(); });
  check("thetadot", 0.5, 0.9, [](const Seen& s) { return s.base.thetadot; });
  check("phidot", 0.6, -0.2, [](const Seen& s) { return s.phidot; });
}

TEST(NoisyMeasurement, TheSeedDecidesAndWidthsOnlyScale) {
  const auto narrow = watch({.joint = 0.1, .seed = 3}, 50);
  const auto wide = watch({.position = 5.0, .joint = 0.2, .joint_rate = 9.0, .seed = 3}, 50);
  const auto other = watch({.joint = 0.1, .seed = 4}, 50);
  int equal = 0;
  for (std::size_t k = 0; k < narrow.size(); ++k) {
    EXPECT_NEAR(2.0 * (narrow[k].phi - 0.3), wide[k].phi - 0.3, 1e-15) << k;
    equal += narrow[k].phi == other[k].phi ? 1 : 0;
  }
  EXPECT_EQ(equal, 0) << "another seed gives other numbers";
}

TEST(NoisyMeasurement, AServoInsideTheStepMeasuresItsEndWithTheSameNoise) {
  // tau + k_P (phi_d - phi_E) + k_D (phidot_d - phidot_E) with phi_E, phidot_E off by the noise
  const NoiseOptions options{.joint = 0.01, .joint_rate = 0.5, .seed = 11};
  Fixture f;
  NoisyMeasurement noisy(std::make_unique<Pd>(PdOptions{.kp = 800, .kd = 2}), options);
  const Seen seen = watch(options, 1).front();
  f.update(noisy);
  EXPECT_EQ(f.command.k_P(0), 800.0);
  EXPECT_EQ(f.command.phi_d(0), 0.5) << "the reference is not disturbed";
  EXPECT_DOUBLE_EQ(f.command.tau(0), -800.0 * (seen.phi - 0.3) - 2.0 * (seen.phidot + 0.2));
  // an explicit servo measures the start of the step
  NoisyMeasurement held(
      std::make_unique<Pd>(PdOptions{.kp = 800, .kd = 2, .implicit_servo = false}), options);
  f.update(held);
  EXPECT_DOUBLE_EQ(f.command.tau(0), 800.0 * (0.5 - seen.phi) + 2.0 * (0.5 - seen.phidot));
}

TEST(NoisyMeasurement, GoesOnWithTheSameNumbersAfterARestore) {
  Fixture f;
  std::vector<Seen> seen;
  NoisyMeasurement first(std::make_unique<Witness>(seen), {.joint = 0.1, .seed = 5});
  for (int k = 0; k < 10; ++k) f.update(first, k);
  ByteWriter bytes;
  first.save_state(bytes);
  f.update(first, 10);
  std::vector<Seen> again;
  NoisyMeasurement second(std::make_unique<Witness>(again), {.joint = 0.1, .seed = 99});
  ByteReader reader(bytes.bytes(), "state");
  second.restore_state(reader);
  f.update(second, 10);
  EXPECT_EQ(again.front().phi, seen.back().phi);

  ByteWriter zeros;
  zeros.section("noise", 1);
  zeros(Random::State{});
  ByteReader none(zeros.bytes(), "state");
  EXPECT_THROW(second.restore_state(none), FileError) << "all zeros is no state";
}

TEST(NoisyMeasurement, PassesOnWhatItsControllerIs) {
  std::vector<Seen> seen;
  EXPECT_TRUE(NoisyMeasurement(std::make_unique<Witness>(seen), {}).model_based());
  NoisyMeasurement servo(std::make_unique<Pd>(PdOptions{}), {});
  EXPECT_FALSE(servo.model_based());
  EXPECT_FALSE(servo.continuous()) << "a measurement is held for a step";
  EXPECT_THROW(NoisyMeasurement(nullptr, {}), Error);
}

}  // namespace noisy_measurement_test
}  // namespace coluber::control
