#include "coluber/chain/wheel_keys.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/keys/check.hpp"

namespace coluber::chain {

namespace {

using keys::Check;

/// An axle lies between the joints of its link.
void check_axle(const keys::Node* node, const AxleKeys& axle, const Link& link,
                const std::string& path, Check& check) {
  if (std::abs(axle.axle_offset) < 0.5 * link.length) return;
  const keys::Node* given = node != nullptr ? node->find("axle_offset") : nullptr;
  const std::string text =
      fmt::format("expected a number between {:.6g} and {:.6g} (half the link's length), got {}",
                  -0.5 * link.length, 0.5 * link.length, axle.axle_offset);
  const char* hint = "the axle lies between the link's joints";
  if (given != nullptr) {
    check.fault_at(*given, path + ".axle_offset", text, hint);
  } else {
    check.fault("robot.link", text, hint);
  }
}

/// Wheels larger than the robot, or farther apart than it is long.
void warn_of_size(const AxleKeys& axle, double whole, const std::string& path, Check& check) {
  const auto look = [&](const char* name, double size, const char* what) {
    if (!(size > whole)) return;
    const std::string key = fmt::format("{}.{}", path, name);
    check.warn(
        key, fmt::format("{} = {} m: {} than the robot is long, {:.4g} m", key, size, what, whole));
  };
  look("wheel_radius", axle.wheel_radius, "the wheels are larger");
  look("half_track", axle.half_track, "the wheels are farther apart");
}

void check_wheels(WheelKeys& options, Check& check) {
  const auto* robot = check.find_options<Robot>();
  if (options.link.empty()) options.link.resize(1);
  if (options.link.size() != robot->link.size()) {
    const AxleKeys first = options.link.front();
    options.link.resize(robot->link.size(), first);
  }
  if (check.model().empty() || !robot->known) return;
  const keys::Node* link = check.find("robot.link");
  if (link != nullptr && !link->valid) return;
  const bool listed = link != nullptr && link->is_array();
  double whole = 0.0;
  for (const Link& each : robot->link) whole += each.length;
  for (std::size_t i = 0; i < (listed ? options.link.size() : 1); ++i) {
    const std::string path = listed ? fmt::format("robot.link.{}", i + 1) : "robot.link";
    check_axle(listed ? &link->items[i] : link, options.link[i], robot->link[i], path, check);
    warn_of_size(options.link[i], whole, path, check);
  }
}

keys::Table<AxleKeys> axle_table() {
  return keys::Table<AxleKeys>("")
      .row({.name = "wheel_radius",
            .unit = "m",
            .min = 0,
            .max = 1e4,
            .above_min = true,
            .doc = "radius of a link's wheels",
            .example = "0.065",
            .from_catalogue = true},
           &AxleKeys::wheel_radius)
      .row({.name = "wheel_inertia",
            .unit = "kg m²",
            .min = 0,
            .max = 1e9,
            .above_min = true,
            .doc = "moment of inertia of both wheels of a link and their shaft, about it",
            .example = "0.002",
            .from_catalogue = true},
           &AxleKeys::wheel_inertia)
      .row({.name = "axle_offset",
            .unit = "m",
            .min = -1e4,
            .max = 1e4,
            .doc = "shaft ahead of the link's middle, towards the next link: positive is behind "
                   "the middle as the robot drives; within half the length",
            .example = "0.018"},
           &AxleKeys::axle_offset)
      .row({.name = "half_track",
            .unit = "m",
            .min = 0,
            .max = 1e4,
            .doc = "half the distance between a link's two wheels",
            .example = "0.041",
            .from_catalogue = true},
           &AxleKeys::half_track);
}

}  // namespace

const keys::Section& wheel_keys() {
  static const keys::Section section =
      keys::Table<WheelKeys>("")
          .list({.name = "robot.link", .form = keys::Form::one_for_all}, &WheelKeys::link,
                axle_table())
          .check(check_wheels);
  return section;
}

}  // namespace coluber::chain
