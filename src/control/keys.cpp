#include "coluber/planar/keys.hpp"

#include <utility>

#include <fmt/format.h>

#include "coluber/chain/path_start.hpp"
#include "coluber/chain/robot.hpp"
#include "coluber/control/servo.hpp"
#include "coluber/keys/check.hpp"
#include "coluber/world/keys.hpp"

#include "keys/limits.hpp"

namespace coluber::control {

namespace {

using keys::Check;

constexpr double inf = std::numeric_limits<double>::infinity();

void check_servo(ServoKeys& options, Check& check) {
  const std::optional<int> angles = check.joint_angles();
  const auto* robot = check.find_options<chain::Robot>();
  if (!angles || robot == nullptr) return;
  for (const auto& [key, gains] :
       {std::pair{"controller.kp", &options.kp}, std::pair{"controller.kd", &options.kd}}) {
    const keys::Node* node = check.given(key);
    if (node == nullptr || !node->is_array()) continue;
    if (gains->values().size() == static_cast<std::size_t>(*angles)) continue;
    check.fault(
        key,
        fmt::format("has {} gains, the robot needs {} ({} a joint, {} links)",
                    gains->values().size(), *angles,
                    static_cast<std::size_t>(*angles) + 1 > robot->link.size() ? "two" : "one",
                    robot->link.size()),
        "write one number for all joints, or a list from link 1 on");
  }
}

/// Nothing is measured.
void check_prescribed(PrescribedKeys& /*options*/, Check& check) {
  const auto refuse_rates = [&](const char* key) {
    check.fault(key, "joints follow the gait from the start on, and so do their rates",
                "leave it out, or write  name = \"pd\"  in [controller]");
  };
  if (check.find("start.link_rate") != nullptr) refuse_rates("start.link_rate");
  const bool laid = check.find_options<chain::TrainStart>() != nullptr && !check.model().empty();
  if (laid && check.is_changed("start.speed")) refuse_rates("start.speed");
  for (const char* word :
       {"position", "heading_deg", "velocity", "heading_rate_deg", "wheel_rate_deg"}) {
    const std::string key = fmt::format("controller.noise.{}", word);
    if (!check.is_changed(key)) continue;
    check.fault(key, "goes with a controller that measures, and \"prescribed\" does not",
                "leave it out, or write  name = \"pd\"  in [controller]");
  }
}

struct LinearisationKeys {};

/// What the controller's model and the proof of its stability ask of the robot, Transeth 6.3.
void check_linearisation(LinearisationKeys& /*options*/, Check& check) {
  const std::string name = '"' + check.controller() + '"';
  const std::string instead = ", or take  name = \"pd\"  in [controller]";
  auto& servo = *check.find_options<ServoKeys>();
  if (check.given("controller.servo") != nullptr && servo.servo == ServoTime::in_step) {
    check.fault("controller.servo",
                name + " computes its torques from the start of a step, never from its end",
                "leave it out" + instead);
  }
  servo.servo = ServoTime::held;
  if (check.model().empty()) return;
  const auto* planar = check.find_options<planar::Keys>();
  if (planar == nullptr) {
    check.fault("controller.name",
                fmt::format("{} is for planar models with friction points, this robot is \"{}\"",
                            name, check.model()),
                fmt::format("write  model = \"{}\"  in [robot]",
                            check.models_with<planar::MinimalKeys>().front()) +
                    instead);
    return;
  }
  if (planar->friction_points != 2) {
    check.fault("controller.name",
                name +
                    " needs two friction points a link, this robot has one: nothing would "
                    "resist the turning of a link",
                "write  friction_points = 2  in [robot]" + instead);
  }
  const auto& links = check.find_options<chain::Robot>()->link;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].half_core > 0.0) continue;
    check.fault("controller.name",
                fmt::format("{} needs two friction points that lie apart, those of link {} are "
                            "one: its half_core is 0",
                            name, i + 1),
                "give the links a half_core" + instead);
    break;
  }
  if (!(planar->viscous_friction.minCoeff() > 0.0)) {
    check.fault("controller.name",
                fmt::format("{} needs viscous friction along and across the links, here [{}, {}]: "
                            "without it the robot's own motion is not bounded",
                            name, planar->viscous_friction.x(), planar->viscous_friction.y()),
                "write  viscous_friction = [0.1, 0.2]  in [world]" + instead);
  }
  const auto* world = check.find_options<world::Obstacles>();
  const bool told = check.find_options<planar::MinimalKeys>() != nullptr;  // by the model itself
  if (!told && !world->obstacle.empty()) {
    check.fault("controller.name",
                fmt::format("{} knows of no obstacles, here are {}", name, world->obstacle.size()),
                "leave them out" + instead);
  }
}

keys::Key noise(const char* name, const char* unit, const char* doc) {
  return {.name = name, .unit = unit, .min = 0, .max = 1e6, .doc = doc, .example = "0.1"};
}

}  // namespace

const keys::Section& servo_keys() {
  static const keys::Section section =
      keys::Table<ServoKeys>("controller")
          .row({.name = "kp",
                .unit = "N m/rad",
                .min = 0,
                .max = 1e9,
                .each = "joint",
                .doc = "proportional gain; in 1/s² for input_output_linearisation (K_P, Transeth "
                       "Table 7.2)",
                .example = "800.0"},
               &ServoKeys::kp)
          .row({.name = "kd",
                .unit = "N m s/rad",
                .min = 0,
                .max = 1e9,
                .each = "joint",
                .doc = "derivative gain; in 1/s for input_output_linearisation (K_D, Transeth "
                       "Table 7.2)",
                .example = "2.0"},
               &ServoKeys::kd)
          .row({.name = "servo",
                .choices = {{"implicit", "part of the step, stable at any dt"},
                            {"explicit",
                             "torque from the start of the step, as in the thesis; limits dt"}},
                .doc = "when within a step the servo looks at the joint; smooth friction makes no "
                       "difference of it: there the controller is at work all the time",
                .example = "\"implicit\""},
               &ServoKeys::servo)
          .row({.name = "torque_limit",
                .unit = "N m",
                .min = 0,
                .max = inf,
                .above_min = true,
                .infinity_allowed = true,
                .doc = "largest torque of a joint motor, either way; inf: no limit",
                .example = "10.0"},
               &ServoKeys::torque_limit)
          .row({.name = "start_time",
                .unit = "s",
                .min = 0,
                .max = keys::limits::duration,
                .doc = "motors are off before; the gait's clock runs from t = 0 all the same",
                .example = "0.0"},
               &ServoKeys::start_time)
          .check(check_servo);
  return section;
}

const keys::Section& noise_keys() {
  static const keys::Section section =
      keys::Table<NoiseKeys>("controller.noise")
          .row(noise("joint_deg", "deg",
                     "measurement noise of every joint angle: uniform within plus and minus this, "
                     "new in every step, from seed; Transeth (7.11)"),
               &NoiseKeys::joint_deg)
          .row(noise("joint_rate_deg", "deg/s", "of every joint rate, Transeth (7.14)"),
               &NoiseKeys::joint_rate_deg);
  return section;
}

const keys::Section& base_noise_keys() {
  static const keys::Section section =
      keys::Table<BaseNoiseKeys>("controller.noise")
          .row(noise("position", "m",
                     "measurement noise of where link 1 is: uniform within plus and minus this, "
                     "new in every step, from seed; Transeth (7.9)"),
               &BaseNoiseKeys::position)
          .row(noise("heading_deg", "deg", "of the angle of link 1, Transeth (7.10)"),
               &BaseNoiseKeys::heading_deg)
          .row(noise("velocity", "m/s", "of the velocity of link 1, Transeth (7.12)"),
               &BaseNoiseKeys::velocity)
          .row(noise("heading_rate_deg", "deg/s", "of the rate of link 1's angle, Transeth (7.13)"),
               &BaseNoiseKeys::heading_rate_deg);
  return section;
}

const keys::Section& prescribed_keys() {
  static const keys::Section section = keys::Table<PrescribedKeys>("").check(check_prescribed);
  return section;
}

const keys::Section& linearisation_keys() {
  static const keys::Section section =
      keys::Table<LinearisationKeys>("").check(check_linearisation);
  return section;
}

}  // namespace coluber::control
