#include "coluber/spatial/keys.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/keys/check.hpp"

#include "nonsmooth/thesis_factor.hpp"

namespace coluber::spatial {

namespace {

using keys::Check;

void check_axial(const Keys& options, const chain::Robot& robot, Check& check) {
  const keys::Node* link = check.find("robot.link");
  if (link == nullptr) return;
  const auto look = [&](const keys::Node& node, std::size_t i, const std::string& path) {
    if (!node.is_table() || i >= options.link.size() || i >= robot.link.size()) return;
    for (const auto& [word, value] : node.fields) {
      if (!value.valid) return;
    }
    const double inertia = robot.link[i].inertia;
    const double axial = options.link[i].inertia_axial;
    if (axial <= 2.0 * inertia) return;
    if (const keys::Node* at = node.find("inertia_axial")) {
      check.fault_at(
          *at, path + ".inertia_axial",
          fmt::format("expected at most twice the inertia, {}, got {}", 2.0 * inertia, axial),
          "no body has more: a flat disc has twice the inertia about its axis");
    } else if (const keys::Node* given = node.find("inertia");
               given != nullptr && !check.robot().empty()) {
      // the other one is the catalogue's, and no value of the user's
      check.fault_at(
          *given, path + ".inertia",
          fmt::format("{} is too little beside the inertia_axial of \"{}\", {}: no body "
                      "has more than twice its inertia about its axis",
                      inertia, check.robot(), axial),
          fmt::format("give the links their own, at most  inertia_axial = {}", 2.0 * inertia));
    }
  };
  if (link->is_array()) {
    for (std::size_t i = 0; i < link->items.size(); ++i) {
      look(link->items[i], i, fmt::format("robot.link.{}", i + 1));
    }
  } else {
    look(*link, 0, "robot.link");
  }
}

/// Equal loads are those of a robot that lies flat on the floor, and stays there.
void check_flat(const Keys& options, const chain::Robot& robot, Check& check) {
  const auto refuse = [&](const std::string& why, const std::string& remedy) {
    check.fault("solver.load_sharing", "\"equal\" holds for a robot that lies flat; " + why,
                remedy + ", or  load_sharing = \"least_squares\"");
  };
  if (options.joint == Joint::cardan) {
    return refuse("with cardan joints it can lift its links", "write  joint = \"yaw\"  in [robot]");
  }
  if (!robot.known || robot.link.empty()) return;
  const double radius = robot.link.front().radius;
  for (std::size_t i = 1; i < robot.link.size(); ++i) {
    if (robot.link[i].radius == radius) continue;
    return refuse(
        fmt::format("links 1 and {} have radius {} and {}", i + 1, radius, robot.link[i].radius),
        "give all links one radius");
  }
  for (const auto& [key, angle] :
       {std::pair("pitch_deg", options.pitch_deg), std::pair("roll_deg", options.roll_deg)}) {
    if (angle == 0.0) continue;
    return refuse(fmt::format("it starts with {} = {}", key, angle),
                  fmt::format("leave out start.{}", key));
  }
  if (options.z && std::abs(*options.z - radius) > 1e-9) {
    refuse(fmt::format("it starts with z = {}, on the floor it has {}", *options.z, radius),
           "leave out start.z");
  }
}

void check_spatial(Keys& options, Check& check) {
  const auto* robot = check.find_options<chain::Robot>();
  if (options.link.size() != robot->link.size() && !options.link.empty()) {
    const LinkKeys first = options.link.front();
    options.link.resize(robot->link.size(), first);
  }
  if (check.model().empty()) return;  // every model's keys are read
  check_axial(options, *robot, check);
  if (options.load_sharing == LoadSharing::equal) check_flat(options, *robot, check);
  const keys::Node* shape = check.given("start.shape");
  if (options.joint == Joint::yaw || shape == nullptr || !shape->is_array()) return;
  for (const keys::Node& item : shape->items) {
    if (std::abs(item.as_double()) < 90.0) continue;
    check.fault_at(item, "start.shape",
                   fmt::format("a cardan joint at {} deg, its limit is below 90", item.as_double()),
                   "the thesis' joint angles are defined within ±90 deg (Transeth 4.5)");
  }
}

keys::Table<LinkKeys> link_table() {
  return keys::Table<LinkKeys>("")
      .row({.name = "inertia_axial",
            .unit = "kg m²",
            .min = 0,
            .max = 1e9,
            .above_min = true,
            .doc = "moment of inertia of a link about its own axis, at most twice the other",
            .example = "9.4e-4",
            .from_catalogue = true},
           &LinkKeys::inertia_axial)
      .row({.name = "shape",
            .choices = {{"capsule", "cylinder with round ends"},
                        {"spheres", "its two end spheres alone"}},
            .doc = "what of a link meets obstacles; the floor meets the end spheres either way",
            .example = "\"capsule\""},
           &LinkKeys::shape);
}

keys::Key angle(const char* name, const char* doc) {
  return {.name = name, .unit = "deg", .min = -3600, .max = 3600, .doc = doc, .example = "0.0"};
}

}  // namespace

const keys::Section& spatial_keys() {
  static const keys::Section section =
      keys::Table<Keys>("")
          .list({.name = "robot.link", .form = keys::Form::one_for_all}, &Keys::link, link_table())
          .row({.name = "robot.joint",
                .choices = {{"yaw", "one vertical axis"}, {"cardan", "two axes, yaw and pitch"}},
                .doc = "kind of joint",
                .example = "\"cardan\""},
               &Keys::joint)
          .row({.name = "start.z",
                .unit = "m",
                .default_note = "the lowest point of the robot on the ground",
                .min = -1e6,
                .max = 1e6,
                .doc = "height of that link's centre of gravity",
                .example = "0.0525"},
               &Keys::z)
          .row(angle("start.pitch_deg",
                     "pitch of the whole robot: positive lifts the last link above link 1"),
               &Keys::pitch_deg)
          .row(angle("start.roll_deg",
                     "roll of the whole robot about the direction from link 1 to the last link"),
               &Keys::roll_deg)
          .row({.name = "world.rolling_friction",
                .min = 0,
                .max = 1000,
                .doc = "rolling friction coefficient mu_V: a point resists rolling by up to mu_V "
                       "times the radius times its load, Transeth Table 7.2",
                .example = "0.02"},
               &Keys::rolling_friction)
          .row({.name = "solver.load_sharing",
                .choices =
                    {{"least_squares",
                      "the load each point carries; where that is not unique, the most even "
                      "sharing"},
                     {"equal",
                      "what balances its link's weight about the centre of gravity, half of it "
                      "without cg_offset, at each point, whatever it carries; for a "
                      "robot with yaw joints that lies flat"}},
                .doc = "what limits the friction of a point of the floor",
                .example = "\"least_squares\""},
               &Keys::load_sharing)
          .row(nonsmooth::thesis_factor("solver.thesis.r_N", "the floor's normal contact", "0.1"),
               &Keys::r_N)
          .row(nonsmooth::thesis_factor("solver.thesis.r_V", "rolling friction", "0.05"),
               &Keys::r_V)
          .check(check_spatial);
  return section;
}

}  // namespace coluber::spatial
