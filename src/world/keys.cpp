#include "coluber/world/keys.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "coluber/keys/check.hpp"

#include "keys/limits.hpp"
#include "world/obstacle_table.hpp"

namespace coluber::world {

namespace {

using keys::Check;
namespace limits = keys::limits;

/// Gravity as a key; a ground needs more than 0 of it.
keys::Key gravity_row() {
  return {.name = "gravity",
          .unit = "m/s²",
          .min = 0,
          .max = 1000,
          .doc = "gravity; more than 0 for a robot that lies on the ground",
          .example = "9.81"};
}

void check_ground(GroundKeys& ground, Check& check) {
  if (ground.gravity == 0.0 && check.given("world.gravity") != nullptr) {
    check.fault("world.gravity", "expected a number > 0, at most 1000, got 0",
                "a robot on the ground needs its weight, for example  gravity = 9.81");
  }
  if (ground.tilt_deg < 90.0) return;
  check.fault("world.tilt_deg", fmt::format("expected less than 90, got {}", ground.tilt_deg),
              "a wall carries no robot");
}

/// Adds the obstacles of the table, which the run does not need any more afterwards.
void read_table(Obstacles& world, Check& check) {
  const keys::Node* path = check.given("world.obstacle_table");
  if (path == nullptr || path->text.empty()) return;
  const std::filesystem::path file = std::exchange(world.obstacle_table, {});
  const std::size_t first = world.obstacle.size();
  ObstacleTable table =
      load_obstacle_table(file, limits::obstacles - std::min(first, limits::obstacles));
  for (std::size_t i = 0; i < table.obstacles.size(); ++i) {
    world.obstacle.push_back(table.obstacles[i]);
    check.located(fmt::format("world.obstacle.{}", first + i + 1),
                  {file.string(), table.lines[i], 1});
  }
  // A file that is not there is the key's fault; what is in it stands in a file of its own.
  if (!table.faults.empty() && table.faults.front().where.line == 0) {
    std::error_code failure;
    const bool there = std::filesystem::exists(file, failure);
    check.fault("world.obstacle_table",
                fmt::format("{}: {}", table.faults.front().message, file.string()),
                there ? table.faults.front().hint : check.path_hint(*path));
    return;
  }
  if (table.faults.empty() && table.obstacles.empty()) {
    check.warn(
        "world.obstacle_table",
        fmt::format("world.obstacle_table: {} has a header and no obstacles", file.string()));
  }
  for (Diagnostic& fault : table.faults) check.fault_in_file(std::move(fault));
}

void check_obstacles(Obstacles& world, Check& check) {
  if (world.obstacle.size() > limits::obstacles) {
    check.fault(
        "world.obstacle",
        fmt::format("{} obstacles, the limit is {}", world.obstacle.size(), limits::obstacles),
        "leave out those the robot never reaches");
  }
  read_table(world, check);
}

keys::Table<ObstacleKeys> obstacle_entry() {
  return keys::Table<ObstacleKeys>("")
      .row({.name = "x",
            .unit = "m",
            .min = -1e6,
            .max = 1e6,
            .doc = "centre of a round obstacle",
            .example = "0.5",
            .required = true},
           &ObstacleKeys::x)
      .row({.name = "y",
            .unit = "m",
            .min = -1e6,
            .max = 1e6,
            .doc = "centre of a round obstacle",
            .example = "0.1",
            .required = true},
           &ObstacleKeys::y)
      .row({.name = "radius",
            .unit = "m",
            .min = 0,
            .max = 1e4,
            .above_min = true,
            .doc = "radius of a round obstacle",
            .example = "0.02",
            .required = true},
           &ObstacleKeys::radius)
      .row({.name = "friction",
            .min = 0,
            .max = 1000,
            .doc = "friction coefficient between obstacle and link; tested up to 1.2",
            .example = "0.3"},
           &ObstacleKeys::friction);
}

}  // namespace

const keys::Section& ground_keys() {
  static const keys::Section section =
      keys::Table<GroundKeys>("world")
          .row(gravity_row(), &GroundKeys::gravity)
          .row({.name = "tilt_deg",
                .unit = "deg",
                .min = 0,
                .doc = "slope of the ground, less than 90; x and y lie in it, z is its normal",
                .example = "10.0"},
               &GroundKeys::tilt_deg)
          .row({.name = "tilt_direction_deg",
                .unit = "deg",
                .min = -3600,
                .max = 3600,
                .doc = "direction that is downhill, from +x, in the slope",
                .example = "0.0"},
               &GroundKeys::tilt_direction_deg)
          .row({.name = "friction",
                .min = 0,
                .max = 1000,
                .doc = "friction coefficients of the ground, along and across the link; tested up "
                       "to 1.2",
                .example = "[0.2, 0.2]"},
               &GroundKeys::friction)
          .check(check_ground);
  return section;
}

const keys::Section& gravity_keys() {
  static const keys::Section section =
      keys::Table<GravityKeys>("world").row(gravity_row(), &GravityKeys::gravity);
  return section;
}

const keys::Section& obstacle_keys() {
  static const keys::Section section =
      keys::Table<Obstacles>("world")
          .list({.name = "obstacle",
                 .noun = "an obstacle",
                 .example = "x = 0.5, y = 0.1, radius = 0.02, in m",
                 .hint = "write  [[world.obstacle]]  once per obstacle, then x, y and radius"},
                &Obstacles::obstacle, obstacle_entry())
          .row({.name = "obstacle_table",
                .default_note = "none",
                .doc =
                    "CSV of more obstacles, for thousands of them: x,y,radius or "
                    "x,y,radius,friction; they follow the [[world.obstacle]]; \"\" leaves out that "
                    "of an included file",
                .example = "\"pegs.csv\""},
               &Obstacles::obstacle_table)
          .check(check_obstacles);
  return section;
}

}  // namespace coluber::world
