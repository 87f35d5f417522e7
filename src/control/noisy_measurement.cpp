#include "coluber/control/noisy_measurement.hpp"

#include <algorithm>
#include <utility>

namespace coluber::control {

NoisyMeasurement::NoisyMeasurement(std::unique_ptr<Controller> controller,
                                   const NoiseOptions& options)
    : Wrapped(std::move(controller)), options_(options), random_(options.seed) {}

void NoisyMeasurement::update(const ControlInput& input, JointCommand& command) {
  // All numbers of a step are drawn, in the order of the equations, whatever their widths: runs
  // that differ in the widths alone get the same numbers.
  const auto noise = [this](double width) { return width * random_.uniform(-1.0, 1.0); };
  const auto noise_2 = [&](double width) {
    const double x = noise(width);
    return Eigen::Vector2d{x, noise(width)};
  };
  const Eigen::Index joints = input.phi.size();
  phi_.resize(joints);
  phidot_.resize(joints);
  BaseState base = input.base != nullptr ? *input.base : BaseState{};
  base.r += noise_2(options_.position);   // (7.9)
  base.theta += noise(options_.heading);  // (7.10)
  for (Eigen::Index j = 0; j < joints; ++j)
    phi_(j) = input.phi(j) + noise(options_.joint);  // (7.11)
  base.v += noise_2(options_.velocity);              // (7.12)
  base.thetadot += noise(options_.heading_rate);     // (7.13)
  for (Eigen::Index j = 0; j < joints; ++j) {        // (7.14)
    phidot_(j) = input.phidot(j) + noise(options_.joint_rate);
  }

  if (input.shaft_rate != nullptr) {
    shaft_rate_ = *input.shaft_rate;
    for (double& rate : shaft_rate_) rate += noise(options_.wheel_rate);
  }

  inner().update({.t = input.t,
                  .dt = input.dt,
                  .phi = phi_,
                  .phidot = phidot_,
                  .phi_d_A = input.phi_d_A,
                  .phidot_d_A = input.phidot_d_A,
                  .phi_d_E = input.phi_d_E,
                  .phidot_d_E = input.phidot_d_E,
                  .phidd_d_A = input.phidd_d_A,
                  .base = input.base != nullptr ? &base : nullptr,
                  .system = input.system,
                  .phi_d_M = input.phi_d_M,
                  .shaft_rate = input.shaft_rate != nullptr ? &shaft_rate_ : nullptr},
                 command);
  // What gains inside the step make of phi_E + noise and phidot_E + noise.
  for (Eigen::Index j = 0; j < joints; ++j) {
    command.tau(j) -=
        command.k_P(j) * (phi_(j) - input.phi(j)) + command.k_D(j) * (phidot_(j) - input.phidot(j));
  }
  for (Eigen::Index i = 0; i < command.shafts.tau.size() && input.shaft_rate != nullptr; ++i) {
    command.shafts.tau(i) -= command.shafts.k(i) * (shaft_rate_(i) - (*input.shaft_rate)(i));
  }
}

void NoisyMeasurement::save_state(ByteWriter& bytes) const {
  bytes.section("noise", 1);
  bytes(random_.state());
  Wrapped::save_state(bytes);
}

void NoisyMeasurement::restore_state(ByteReader& bytes) {
  bytes.section("noise", 1);
  Random::State state{};
  bytes(state);
  if (std::ranges::all_of(state, [](std::uint64_t word) { return word == 0; })) {
    bytes.refuse("a state of the random numbers that is none");
  }
  Wrapped::restore_state(bytes);
  random_ = Random(state);
}

}  // namespace coluber::control
