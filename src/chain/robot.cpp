#include "coluber/chain/robot.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "coluber/chain/wheel_keys.hpp"
#include "coluber/drive/build.hpp"
#include "coluber/keys/check.hpp"

#include "keys/limits.hpp"

namespace coluber::chain {

namespace {

using keys::Check;
using keys::Node;

std::string complete_hint(const Check& check) {
  const std::string robot = check.catalogue_robot();
  if (robot.empty()) return "give them";
  return fmt::format("give them, or start from a catalogue robot:  name = \"{}\"", robot);
}

/// Keys of a link that only a catalogue robot has a default for.
std::vector<std::string> needed_words(const Check& check) {
  std::vector<std::string> words;
  for (const keys::Key* key : check.keys_below("robot.link")) {
    if (key->from_catalogue) words.emplace_back(keys::last_word(key->name));
  }
  return words;
}

void check_link(const Node& node, const Link& link, const std::string& path, bool complete,
                const std::vector<std::string>& needed, Check& check) {
  if (!node.is_table()) return;  // reported
  std::string missing;
  bool valid = true;
  for (const auto& [word, value] : node.fields) valid = valid && value.valid;
  for (const std::string& word : needed) {
    if (complete && node.find(word) == nullptr) missing += (missing.empty() ? "" : ", ") + word;
  }
  if (!missing.empty()) {
    check.fault_at(node, path, "the link is not fully described, missing: " + missing,
                   complete_hint(check));
  } else if (valid && std::abs(link.cg_offset) > 0.5 * link.length) {
    const Node* offset = node.find("cg_offset");
    check.fault_at(offset != nullptr ? *offset : node, path + ".cg_offset",
                   fmt::format("expected a number from {} to {} (half the link's length), got {}",
                               -0.5 * link.length, 0.5 * link.length, link.cg_offset),
                   "the centre of gravity lies between the link's joints");
  }
}

/// What a robot outside the catalogue leaves open.
void check_complete(const Node* links, const Node* link, bool listed,
                    const std::vector<std::string>& needed, Check& check) {
  std::string missing;
  const auto miss = [&missing](const std::string& key) {
    missing += (missing.empty() ? "" : ", ") + key;
  };
  if (links == nullptr && !listed) miss("robot.links");
  for (const std::string& word : needed) {
    if (!listed && (link == nullptr || (link->is_table() && link->find(word) == nullptr))) {
      miss("robot.link." + word);
    }
  }
  if (missing.empty()) return;
  check.fault("robot", "the robot is not fully described, missing: " + missing,
              complete_hint(check));
}

/// Shapes that no robot has: a slip of a decimal point, or cm for m.
void warn_of_shape(const Robot& robot, const Node* given, Check& check) {
  double whole = 0.0;
  for (const Link& link : robot.link) whole += link.length;
  const bool listed = given != nullptr && given->is_array();
  for (std::size_t i = 0; i < robot.link.size(); ++i) {
    const Link& link = robot.link[i];
    const std::string path = listed ? fmt::format("robot.link.{}", i + 1) : "robot.link";
    if (link.half_core > 0.5 * link.length * (1.0 + 1e-9)) {
      const std::string key = path + ".half_core";
      check.warn(key, fmt::format("{} = {} m: the capsule's core, {} m, is longer than the link, "
                                  "{} m from joint to joint",
                                  key, link.half_core, 2.0 * link.half_core, link.length));
      return;
    }
    const double gyration = std::sqrt(link.inertia / link.mass);
    if (gyration > std::max(link.length, 2.0 * link.radius) || gyration < 0.01 * link.length) {
      const std::string key = path + ".inertia";
      check.warn(key,
                 fmt::format("{} = {} kg m²: a radius of gyration of {:.3g} m, in a link of {} "
                             "m; a rod has 0.29 of its length",
                             key, link.inertia, gyration, link.length));
      return;
    }
    if (link.radius > whole) {
      const std::string key = path + ".radius";
      check.warn(key, fmt::format("{} = {} m: the link is wider than the robot is long, {} m", key,
                                  link.radius, whole));
      return;
    }
  }
}

/// A robot without joints, which a gait and a controller of joints can do nothing to.
void warn_of_one_link(Check& check) {
  const bool wheels = check.find_options<WheelKeys>() != nullptr;
  if (!wheels && (check.given("gait") != nullptr || check.given("controller") != nullptr)) {
    check.warn("robot.links",
               "robot.links = 1: no joints, so [gait] and [controller] have no effect");
  }
  if (wheels && check.given("gait") != nullptr) {
    check.warn("robot.links", "robot.links = 1: no joints, so [gait] has no effect");
  }
}

void check_robot(Robot& robot, Check& check) {
  const Node* links = check.find("robot.links");
  const Node* link = check.find("robot.link");
  const bool known = !check.robot().empty();
  const bool robot_is_wrong = check.find("robot") != nullptr && !check.find("robot")->is_table();
  const bool spelled_out = !known && check.is_sound("robot.name") && !robot_is_wrong;

  // how many
  const bool refused = link != nullptr && link->is_array() && !link->valid;
  const bool listed = link != nullptr && link->is_array() && !refused;
  std::size_t count = robot.links ? static_cast<std::size_t>(*robot.links) : 1;
  if (listed && spelled_out && links == nullptr) {
    count = link->items.size();
    if (count == 0) {
      check.fault("robot.link", "a list of 0, a robot has at least one link",
                  "write  [[robot.link]]  once per link");
    } else if (count > static_cast<std::size_t>(keys::limits::links)) {
      check.fault("robot.link",
                  fmt::format("a list of {}, at most {} links", count, keys::limits::links),
                  "use fewer links");
      count = 1;
    }
  }
  const bool count_is_known = (links != nullptr && links->valid) || (links == nullptr && known);
  if (listed && count_is_known && link->items.size() != count) {
    check.fault(
        "robot.link",
        fmt::format(
            "{} entries, the robot has {} links{}", link->items.size(), count,
            links == nullptr ? fmt::format(" (\"{}\" of the catalogue)", check.robot()) : ""),
        link->items.empty()
            ? "write  [[robot.link]]  once per link"
            : fmt::format("write  [[robot.link]]  once per link, or set  robot.links = {}",
                          link->items.size()));
  }
  robot.known = count_is_known || (listed && spelled_out && links == nullptr && count > 0);
  if (refused || (listed && link->items.size() != count)) robot.known = false;

  const std::vector<std::string> needed = needed_words(check);
  if (spelled_out) check_complete(links, link, listed || refused, needed, check);
  if (listed) {
    for (std::size_t i = 0; i < link->items.size() && i < robot.link.size(); ++i) {
      check_link(link->items[i], robot.link[i], fmt::format("robot.link.{}", i + 1), spelled_out,
                 needed, check);
    }
    robot.link.resize(count);
  } else {
    if (link != nullptr) check_link(*link, robot.link.front(), "robot.link", false, needed, check);
    robot.link = std::vector<Link>(count, robot.link.front());
  }
  robot.links = static_cast<int>(count);
  if (robot.known) warn_of_shape(robot, link, check);
  if (robot.known && count == 1 && !refused) warn_of_one_link(check);
}

void check_start(Start& start, Check& check) {
  const Robot* robot = check.find_options<Robot>();
  const std::size_t links = robot != nullptr ? robot->link.size() : 0;
  if (robot != nullptr && robot->known && static_cast<std::size_t>(start.link) > links) {
    check.fault("start.link",
                fmt::format("expected an integer from 1 to {} (the number of links), got {}", links,
                            start.link),
                fmt::format("the last link is  link = {}", links));
  }
  const Node* gait = check.find("gait");
  const bool has_gait = gait != nullptr && gait->is_table();
  if (!start.shape) {
    start.shape = keys::WordOrNumbers{has_gait ? "gait" : "straight", {}};
    return;
  }
  if (start.as_gait() && !has_gait) {
    check.fault("start.shape", "\"gait\" needs a [gait], and there is none",
                "add  [gait], or write  shape = \"straight\"");
  }
  const std::optional<int> angles = check.joint_angles();
  if (!start.shape->word.empty() || !angles) return;
  const bool two = static_cast<std::size_t>(*angles) + 1 > links;
  if (start.shape->numbers.size() == static_cast<std::size_t>(*angles)) return;
  check.fault("start.shape",
              fmt::format("has {} angles, the robot needs {} ({} a joint, {} links)",
                          start.shape->numbers.size(), *angles, two ? "two" : "one", links),
              two ? "a list has yaw and pitch in degrees for each joint, from link 1 on"
                  : "a list has one angle in degrees for each joint, from link 1 on");
}

keys::Table<Link> link_table() {
  return keys::Table<Link>("")
      .row({.name = "mass",
            .unit = "kg",
            .min = 0,
            .max = 1e6,
            .above_min = true,
            .doc = "mass of a link",
            .example = "0.682",
            .from_catalogue = true},
           &Link::mass)
      .row({.name = "inertia",
            .unit = "kg m²",
            .min = 0,
            .max = 1e9,
            .above_min = true,
            .doc = "moment of inertia of a link about the vertical axis through its centre of "
                   "gravity",
            .example = "1.32e-3",
            .from_catalogue = true},
           &Link::inertia)
      .row({.name = "length",
            .unit = "m",
            .min = 0,
            .max = 1e4,
            .above_min = true,
            .doc = "length of a link from joint to joint",
            .example = "0.122",
            .from_catalogue = true},
           &Link::length)
      .row({.name = "half_core",
            .unit = "m",
            .min = 0,
            .max = 1e4,
            .doc = "half the length of the straight core of the link's capsule",
            .example = "0.0393",
            .from_catalogue = true},
           &Link::half_core)
      .row({.name = "radius",
            .unit = "m",
            .min = 0,
            .max = 1e4,
            .above_min = true,
            .doc = "radius of the link's capsule",
            .example = "0.0525",
            .from_catalogue = true},
           &Link::radius)
      .row({.name = "cg_offset",
            .unit = "m",
            .min = -1e4,
            .max = 1e4,
            .doc = "centre of gravity ahead of the link's middle, towards the next link; within "
                   "half the length",
            .example = "0.0"},
           &Link::cg_offset);
}

}  // namespace

const keys::Section& robot_keys() {
  static const keys::Section section =
      keys::Table<Robot>("robot")
          .row({.name = "links",
                .default_note = "the catalogue robot's, or the number of [[robot.link]]",
                .min = 1,
                .max = keys::limits::links,
                .doc = "number of links",
                .example = "11"},
               &Robot::links)
          .list({.name = "link",
                 .form = keys::Form::one_for_all,
                 .noun = "a link",
                 .hint = "write  link = { mass = 0.682, … }  for all links, or  [[robot.link]]  "
                         "once per link"},
                &Robot::link, link_table())
          .check(check_robot);
  return section;
}

const keys::Section& start_keys() {
  static const keys::Section section =
      keys::Table<Start>("start")
          .row({.name = "shape",
                .unit = "deg",
                .default_note = "\"gait\" with a [gait], else \"straight\"",
                .min = -180,
                .max = 180,
                .choices = {{"straight", "all joint angles zero"},
                            {"gait", "the gait's joint angles at t = 0"}},
                .doc = "joint angles at the start; a list has one angle per joint, two (yaw, "
                       "pitch) per cardan joint",
                .example = "\"gait\""},
               &Start::shape)
          .row({.name = "link",
                .min = 1,
                .max = keys::limits::links,
                .doc = "number of the link whose centre of gravity is placed at start.position",
                .example = "11"},
               &Start::link)
          .row({.name = "position",
                .unit = "m",
                .min = -1e6,
                .max = 1e6,
                .doc = "where that link's centre of gravity is",
                .example = "[0.0, 0.0]"},
               &Start::position)
          .row({.name = "heading_deg",
                .unit = "deg",
                .min = -3600,
                .max = 3600,
                .doc = "direction from link 1 to the last link: of the wave's mean line for a "
                       "harmonic gait with at least half a wave on the robot, else the mean of the "
                       "link angles; 180 puts link 1, which leads, at the +x end",
                .example = "180.0"},
               &Start::heading_deg)
          .check(check_start);
  return section;
}

}  // namespace coluber::chain
