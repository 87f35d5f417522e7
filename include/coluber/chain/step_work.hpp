#pragma once

namespace coluber::chain {

/// Work over one step, or over many (J): kinetic energy T_E = T_A + sum of the works.
struct StepWork {
  double servo = 0.0;
  double friction = 0.0;  ///< of the ground, sliding and rolling
  double contact = 0.0;   ///< obstacles, and normal impulses of the ground
  double gravity = 0.0;
  double scheme = 0.0;  ///< what the discretisation leaves over; first order in dt
  /// Of `servo`, what joints put in while they drove: braking does not lower it. Joint by joint and
  /// step by step; no work beside the others.
  double positive = 0.0;

  /// Adds the works of another step.
  StepWork& operator+=(const StepWork& other) {
    servo += other.servo;
    friction += other.friction;
    contact += other.contact;
    gravity += other.gravity;
    scheme += other.scheme;
    positive += other.positive;
    return *this;
  }

  /// To or from a checkpoint.
  template <typename Bytes, typename Self>
  static void exchange(Bytes& bytes, Self& self) {
    auto& [servo, friction, contact, gravity, scheme, positive] = self;
    bytes(servo, friction, contact, gravity, scheme, positive);
  }
};

}  // namespace coluber::chain
