#include "coluber/control/force_loop_keys.hpp"

#include <limits>
#include <string>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/control/force_map_keys.hpp"
#include "coluber/control/path_keys.hpp"
#include "coluber/control/servo.hpp"
#include "coluber/keys/check.hpp"
#include "coluber/path/keys.hpp"
#include "coluber/qp/qp.hpp"
#include "coluber/world/keys.hpp"

namespace coluber::control {

namespace {

using keys::Check;

/// The train on [path] says what is wished for, the simulation what touches.
void warn_of_idle_wish(Check& check) {
  std::string idle;
  for (const char* word : {"wish.position", "wish.velocity", "wish.acceleration", "wish.angle",
                           "wish.rate", "wish.angular_acceleration", "project"}) {
    const std::string key = fmt::format("force_map.{}", word);
    if (check.is_changed(key)) idle += (idle.empty() ? "" : ", ") + key;
  }
  if (check.find("force_map.contact") != nullptr) {
    idle += idle.empty() ? "force_map.contact" : ", force_map.contact";
  }
  if (idle.empty()) return;
  check.warn(idle.substr(0, idle.find(',')),
             idle +
                 ": no effect on the closed loop, whose wish is the robot on [path] and whose "
                 "contacts are the obstacles within controller.reach");
}

void check_robot(const std::string& name, Check& check) {
  const auto* ground = check.find_options<world::GroundKeys>();
  if (ground != nullptr && ground->tilt_deg != 0.0 && check.is_sound("world.tilt_deg")) {
    check.fault("world.tilt_deg", name + " is for level ground", "leave it out");
  }
  const auto* robot = check.find_options<chain::Robot>();
  if (robot != nullptr && robot->known && robot->link.size() < 2) {
    check.fault("robot.links", name + " needs at least two links", "add links");
  }
}

void check_force_loop(ForceLoopKeys& options, Check& check) {
  if (check.model().empty()) return;
  const std::string name = '"' + check.controller() + '"';
  if (check.find("gait") != nullptr) {
    check.fault("gait", name + " makes the references itself",
                "leave [gait] out, or write  name = \"pd\"  in [controller]");
  }
  const auto* servo = check.find_options<ServoKeys>();
  if (servo != nullptr && servo->servo == ServoTime::held && check.is_sound("controller.servo")) {
    check.fault("controller.servo",
                "the servos that stand in for the map are part of the step, never of its start",
                "leave it out, or write  servo = \"implicit\"");
  }
  const auto* path = check.find_options<path::PathKeys>();
  if (path != nullptr && !path->shape && check.find("path") == nullptr) {
    check.fault("controller.name", name + " follows a path, and there is no [path]",
                "add  [path]  with  shape = \"serpenoid\"");
  }
  const auto* speed = check.find_options<SpeedKeys>();
  if (speed != nullptr && !(speed->speed > 0.0) && check.is_sound("controller.speed")) {
    check.fault("controller.speed",
                fmt::format("expected a number > 0 with {}, got {}", name, speed->speed),
                "path.leads says which end goes first, path.heading_deg which way");
  }
  if (options.map && !qp::available()) {
    check.fault("controller.name", name + " needs the QP solver DAQP, which this build lacks",
                "run script/bootstrap, which gets it, and build again, or write  map = false");
  }
  check_robot(name, check);
  warn_of_idle_wish(check);
}

}  // namespace

const keys::Section& force_loop_keys() {
  static const keys::Section section =
      keys::Table<ForceLoopKeys>("controller")
          .row({.name = "lead",
                .unit = "m",
                .min = 0,
                .max = std::numeric_limits<double>::infinity(),
                .above_min = true,
                .infinity_allowed = true,
                .doc = "how far along the path the wish runs ahead of the robot at most; inf: it "
                       "never waits",
                .example = "0.05"},
               &ForceLoopKeys::lead)
          .row({.name = "reach",
                .unit = "m",
                .min = 0,
                .max = 10,
                .above_min = true,
                .doc = "obstacles nearer than this to a link count as contacts",
                .example = "0.002"},
               &ForceLoopKeys::reach)
          .row({.name = "map",
                .doc = "torques come from the force map; false: joint servos alone follow the "
                       "wish, for comparison",
                .example = "true"},
               &ForceLoopKeys::map)
          .row({.name = "assumed_friction",
                .default_note = "the world's",
                .min = 0,
                .max = 1000,
                .doc = "friction coefficients that the map reckons with: of the obstacles, and of "
                       "the ground",
                .example = "[0.3, 0.3]"},
               &ForceLoopKeys::assumed_friction)
          .check(check_force_loop);
  return section;
}

}  // namespace coluber::control
