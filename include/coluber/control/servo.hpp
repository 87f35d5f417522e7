#pragma once

#include <cstdint>
#include <limits>

#include "coluber/control/gains.hpp"
#include "coluber/core/export.hpp"
#include "coluber/keys/section.hpp"

namespace coluber::control {

/// When within a step a servo looks at its joint.
enum class ServoTime : std::uint8_t {
  in_step,  ///< "implicit": part of the step
  held,     ///< "explicit": torques of its start
};

/// `[controller]` of controllers with gains at the joints.
struct ServoKeys {
  Gains kp = 800.0;  ///< one, or one per joint angle
  Gains kd = 2.0;
  ServoTime servo = ServoTime::in_step;
  double torque_limit = std::numeric_limits<double>::infinity();
  double start_time = 0.0;
};

/// `[controller.noise]`: measurements of the joints are off by up to this much.
struct NoiseKeys {
  double joint_deg = 0.0;       ///< deg
  double joint_rate_deg = 0.0;  ///< deg/s
};

/// `[controller.noise]` of models that tell how their first link lies and moves.
struct BaseNoiseKeys {
  double position = 0.0;          ///< m
  double heading_deg = 0.0;       ///< deg
  double velocity = 0.0;          ///< m/s
  double heading_rate_deg = 0.0;  ///< deg/s
};

/// Of a scenario whose joints follow their references exactly.
struct PrescribedKeys {};

/// The keys of ServoKeys.
COLUBER_EXPORT const keys::Section& servo_keys();
/// The keys of NoiseKeys.
COLUBER_EXPORT const keys::Section& noise_keys();
/// The keys of BaseNoiseKeys.
COLUBER_EXPORT const keys::Section& base_noise_keys();
/// No keys: what prescribed joints ask of the scenario.
COLUBER_EXPORT const keys::Section& prescribed_keys();
/// No keys: what the linearising controller asks of the robot and its world.
COLUBER_EXPORT const keys::Section& linearisation_keys();

}  // namespace coluber::control

namespace coluber::keys {

// Gains are one number, or a list with one per joint angle.
/// @cond
template <>
struct Binding<control::Gains> {
  static KeyType type(const Key& /*key*/) { return KeyType::number_or_numbers; }
  static control::Gains read(const Node& node, const Key&, const ReadContext&) {
    if (!node.is_array()) return node.as_double();
    std::vector<double> each;
    for (const Node& item : node.items) each.push_back(item.as_double());
    return control::Gains(std::move(each));
  }
  static Node write(const control::Gains& value, const Key& /*key*/) {
    return value.is_uniform() ? make_node(value(0)) : make_node(value.values());
  }
};
/// @endcond

}  // namespace coluber::keys
