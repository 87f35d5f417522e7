#include "coluber/trailer/keys.hpp"

#include <string>

#include <fmt/format.h>

#include "coluber/chain/path_start.hpp"
#include "coluber/chain/robot.hpp"
#include "coluber/chain/wheel_keys.hpp"
#include "coluber/keys/check.hpp"

namespace coluber::trailer {

namespace {

using keys::Check;

/// The model has no motors, no masses and no ground: keys of these would be ignored.
void check_n_trailer(Keys& /*options*/, Check& check) {
  if (check.model().empty()) return;
  if (check.controller() != "n_trailer" && check.is_sound("controller.name")) {
    check.fault("controller.name",
                fmt::format("the model \"{}\" is steered at its head, \"{}\" does not do that",
                            check.model(), check.controller()),
                "write  name = \"n_trailer\"  in [controller], or  model = \"wheeled\"");
  }
  for (const char* word : {"kp", "kd", "servo", "torque_limit", "reference", "reference_rate",
                           "update", "noise.joint_deg", "noise.joint_rate_deg"}) {
    const std::string key = fmt::format("controller.{}", word);
    if (!check.is_changed(key)) continue;
    check.fault(key, fmt::format("the model \"{}\" has no motors in its joints", check.model()),
                "leave it out, or write  model = \"wheeled\"  in [robot]");
  }
  if (check.is_changed("start.speed")) {
    check.fault("start.speed", "the model has no inertia: its speed is controller.speed",
                "leave it out");
  }
  const auto* start = check.find_options<chain::PathStart>();
  if (check.given("start.on_path") != nullptr && !start->on_path.value_or(true)) {
    check.fault("start.on_path", "the train starts on its path", "leave it out");
  }
  const auto* robot = check.find_options<chain::Robot>();
  const auto* wheels = check.find_options<chain::WheelKeys>();
  if (robot == nullptr || !robot->known) return;
  for (std::size_t i = 1; i < robot->link.size(); ++i) {
    if (robot->link[i].length == robot->link[0].length &&
        wheels->link[i].axle_offset == wheels->link[0].axle_offset) {
      continue;
    }
    check.fault("robot.link",
                fmt::format("Murugendran (18)-(27) has equal modules, link {} is another than link "
                            "1: length {:.6g} m, axle_offset {:.6g} m",
                            i + 1, robot->link[i].length, wheels->link[i].axle_offset),
                "give all links one length and axle_offset, or write  model = \"wheeled\"");
    return;
  }
}

}  // namespace

const keys::Section& n_trailer_keys() {
  static const keys::Section section = keys::Table<Keys>("").check(check_n_trailer);
  return section;
}

}  // namespace coluber::trailer
