#include "coluber/control/force_map_keys.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "coluber/chain/robot.hpp"
#include "coluber/keys/check.hpp"
#include "coluber/path/keys.hpp"

namespace coluber::control {

namespace {

using keys::Check;

constexpr double kMostPlaces = 1e5;

/// From the end of a link to its centre of gravity.
double ahead_of(const chain::Link& link) { return 0.5 * link.length - link.cg_offset; }
double behind_of(const chain::Link& link) { return 0.5 * link.length + link.cg_offset; }

void check_contacts(const ForceMapKeys& options, const chain::Robot& robot, Check& check) {
  const std::size_t n = robot.link.size();
  for (std::size_t k = 0; k < options.contact.size(); ++k) {
    const ContactKeys& contact = options.contact[k];
    const std::string entry = fmt::format("force_map.contact.{}", k + 1);
    if (!check.is_sound(entry) || !check.is_sound(entry + ".link")) continue;
    const auto link = static_cast<std::size_t>(contact.link);
    if (contact.link < 1 || link > n) {
      check.fault(entry + ".link", fmt::format("there is no link {}, the robot has {}", link, n),
                  "links are counted from 1");
      continue;
    }
    for (std::size_t other = 0; other < k; ++other) {
      if (options.contact[other].link != contact.link) continue;
      check.fault(entry + ".link",
                  fmt::format("link {} has a contact already, number {}", link, other + 1),
                  "the map has one contact per link: leave one of them out");
    }
    if (!check.is_sound(entry + ".at")) continue;
    const chain::Link& on = robot.link[link - 1];
    if (contact.at >= -behind_of(on) && contact.at <= ahead_of(on)) continue;
    check.fault(entry + ".at",
                fmt::format("{} m from the centre of gravity is not on link {}, which reaches from "
                            "{:.6g} to {:.6g} m",
                            contact.at, link, -behind_of(on), ahead_of(on)),
                "at counts from the centre of gravity towards the next link");
  }
}

/// False: what was given names no set of links.
bool check_links(const char* key, const keys::WordOrNumbers& links, std::size_t n, Check& check) {
  if (!check.is_sound(key)) return false;
  if (!links.word.empty()) return true;
  std::vector<double> seen;
  for (const double link : links.numbers) {
    const bool there = link == std::floor(link) && link >= 1.0 && link <= static_cast<double>(n);
    if (!there) {
      check.fault(key, fmt::format("there is no link {}, the robot has {}", link, n),
                  "links are counted from 1");
      return false;
    }
    if (std::ranges::find(seen, link) != seen.end()) {
      check.fault(key, fmt::format("link {} is named twice", link), "leave one of them out");
      return false;
    }
    seen.push_back(link);
  }
  return true;
}

void check_wish(const ForceMapKeys& options, std::size_t n, Check& check) {
  const WishKeys& wish = options.wish;
  if (check.is_sound("force_map.wish.position") && wish.position.word.empty() &&
      wish.position.numbers.size() != 2) {
    check.fault("force_map.wish.position",
                fmt::format("has {} numbers, a place has two", wish.position.numbers.size()),
                "for example  position = [1.0, 0.0], or \"current\"");
  }
  if (!check_links("force_map.wish.links", wish.links, n, check)) return;
  const path::PathKeys* path = check.find_options<path::PathKeys>();
  const bool last = path != nullptr && path->leads == path::Leads::last;
  const std::size_t count =
      make_controlled(wish, make_contacts(options), static_cast<int>(n), last).size();
  const std::vector<double>& angle = wish.angle.numbers;
  for (const auto& [key, list] :
       {std::pair{"force_map.wish.angle", &angle}, std::pair{"force_map.wish.rate", &wish.rate},
        std::pair{"force_map.wish.angular_acceleration", &wish.angular_acceleration}}) {
    if (list->empty() || list->size() == count || !check.is_sound(key)) continue;
    check.fault(key, fmt::format("has {} numbers for {} controlled links", list->size(), count),
                "one per link of force_map.wish.links, in its order");
  }
}

void check_weights(const ForceMapKeys& options, std::size_t n, Check& check) {
  const std::vector<double>& torque = options.weight_torque.values();
  if (check.is_sound("force_map.weight_torque") && torque.size() > 1 && torque.size() != n - 1) {
    check.fault("force_map.weight_torque",
                fmt::format("has {} numbers, the robot has {} joints", torque.size(), n - 1),
                "write one number for all joints, or one per joint");
  }
}

void check_force_map(ForceMapKeys& options, Check& check) {
  const std::size_t slack = options.weight_slack.values().size();
  if (check.is_sound("force_map.weight_slack") && slack > 2) {
    check.fault("force_map.weight_slack",
                fmt::format("has {} numbers, there are two weights", slack),
                "write one number, or two: of the centre and of the angles");
  }
  const auto* robot = check.find_options<chain::Robot>();
  if (robot == nullptr || !robot->known) return;
  check_contacts(options, *robot, check);
  if (!check.is_sound("force_map.contact")) return;
  const auto n = static_cast<int>(robot->link.size());
  const bool on_robot = std::ranges::all_of(options.contact, [&](const ContactKeys& contact) {
    return contact.link >= 1 && contact.link <= n;
  });
  if (on_robot) check_wish(options, robot->link.size(), check);
  check_weights(options, robot->link.size(), check);
}

void check_quality(QualityKeys& options, Check& check) {
  if (check.find("quality") == nullptr) return;
  const auto* robot = check.find_options<chain::Robot>();
  if (robot != nullptr && robot->known) {
    check_links("quality.links", options.links, robot->link.size(), check);
  }
  if (!check.is_sound("quality.from") || !check.is_sound("quality.to")) return;
  if (!(options.places() >= 1.0)) {
    check.fault("quality.to",
                fmt::format("expected more than from = {}, got {}", options.from, options.to),
                "the rear end goes from one to the other along the path");
    return;
  }
  if (!check.is_sound("quality.step") || !(options.places() > kMostPlaces)) return;
  check.fault(
      "quality.step",
      fmt::format("{:.6g} places, the limit is {:.6g}", options.places(), kMostPlaces),
      fmt::format("take at least  step = {:.3g}", (options.to - options.from) / kMostPlaces));
}

keys::Table<ContactKeys> contact_entry() {
  return keys::Table<ContactKeys>("")
      .row({.name = "link",
            .min = 1,
            .max = 1e6,
            .doc = "link that touches an obstacle, counted from 1; one contact per link",
            .example = "3",
            .required = true},
           &ContactKeys::link)
      .row({.name = "at",
            .unit = "m",
            .min = -1e4,
            .max = 1e4,
            .doc = "where on the link: ahead of its centre of gravity, towards the next link",
            .example = "0.0"},
           &ContactKeys::at)
      .row({.name = "side",
            .choices = {{"left", "of the link's axis, which points to the next link"},
                        {"right", "of the link's axis"}},
            .doc = "where the obstacle is",
            .example = "\"left\"",
            .required = true},
           &ContactKeys::side)
      .row({.name = "friction",
            .min = 0,
            .max = 1000,
            .doc = "friction coefficient between obstacle and link",
            .example = "0.3"},
           &ContactKeys::friction);
}

keys::Key gain(const char* name, const char* unit, const char* doc) {
  return {.name = name, .unit = unit, .min = 0, .max = 1e9, .doc = doc, .example = "1.0"};
}

void add_wish_rows(keys::Table<ForceMapKeys>& table) {
  table
      .row({.name = "wish.position",
            .unit = "m",
            .min = -1e6,
            .max = 1e6,
            .choices = {{"current", "where it is"}},
            .doc = "where the centre that force_map.kinematics means is to be, Holden (48), (49)",
            .example = "[1.0, 0.0]"},
           [](auto& keys) -> auto& { return keys.wish.position; })
      .row({.name = "wish.velocity",
            .unit = "m/s",
            .min = -1e4,
            .max = 1e4,
            .doc = "its velocity there",
            .example = "[0.0, 0.0]"},
           [](auto& keys) -> auto& { return keys.wish.velocity; })
      .row({.name = "wish.acceleration",
            .unit = "m/s²",
            .min = -kMostWished,
            .max = kMostWished,
            .doc = "its acceleration there",
            .example = "[0.5, 0.0]"},
           [](auto& keys) -> auto& { return keys.wish.acceleration; })
      .row({.name = "wish.links",
            .min = 1,
            .max = 1e6,
            .choices = {{"contacts",
                         "the rearmost, those in contact, and their neighbours towards the leading "
                         "end"},
                        {"all", "every link"}},
            .doc = "links whose angles are controlled, counted from 1; leave joints to spare",
            .example = "[1, 3, 4]"},
           [](auto& keys) -> auto& { return keys.wish.links; })
      .row({.name = "wish.angle",
            .unit = "rad",
            .min = -1e6,
            .max = 1e6,
            .choices = {{"current", "as they are"}},
            .doc = "their angles, in the order of wish.links, Holden (47)",
            .example = "[0.8, 0.4, -0.3]"},
           [](auto& keys) -> auto& { return keys.wish.angle; })
      .row({.name = "wish.rate",
            .unit = "rad/s",
            .default_note = "0",
            .min = -1e6,
            .max = 1e6,
            .doc = "their rates",
            .example = "[0.0, 0.0, 0.0]"},
           [](auto& keys) -> auto& { return keys.wish.rate; })
      .row({.name = "wish.angular_acceleration",
            .unit = "rad/s²",
            .default_note = "0",
            .min = -kMostWished,
            .max = kMostWished,
            .doc = "their angular accelerations",
            .example = "[0.0, 0.0, 0.0]"},
           [](auto& keys) -> auto& { return keys.wish.angular_acceleration; })
      .row(gain("wish.kp", "1/s²", "gain of the centre's position, Holden (48), (49)"),
           [](auto& keys) -> auto& { return keys.wish.kp; })
      .row(gain("wish.kd", "1/s", "gain of its velocity"),
           [](auto& keys) -> auto& { return keys.wish.kd; })
      .row(gain("wish.kp_angle", "1/s²", "gain of the angles, Holden (47)"),
           [](auto& keys) -> auto& { return keys.wish.kp_angle; })
      .row(gain("wish.kd_angle", "1/s", "gain of their rates"),
           [](auto& keys) -> auto& { return keys.wish.kd_angle; });
}

}  // namespace

double QualityKeys::places() const { return std::ceil((to - 1e-9 - from) / step); }

std::vector<planar::LinkContact> make_contacts(const ForceMapKeys& keys) {
  std::vector<planar::LinkContact> contacts;
  for (const ContactKeys& contact : keys.contact) {
    contacts.push_back(
        {contact.link - 1, contact.at, contact.side == Side::left ? -1 : 1, contact.friction});
  }
  return contacts;
}

ForceMappingOptions make_options(const ForceMapKeys& keys, double u_max) {
  ForceMappingOptions options;
  options.kinematics = keys.kinematics;
  options.form = keys.contact_acceleration;
  options.u_max = u_max;
  const std::vector<double>& torque = keys.weight_torque.values();
  options.weight_torque =
      Eigen::Map<const Eigen::VectorXd>(torque.data(), static_cast<Eigen::Index>(torque.size()));
  options.weight_slack << keys.weight_slack.values().front(), keys.weight_slack.values().back();
  return options;
}

std::vector<int> make_controlled(const WishKeys& keys,
                                 std::span<const planar::LinkContact> contacts, int n,
                                 bool last_leads) {
  if (keys.links.word == "contacts") return links_at_contacts(contacts, n, last_leads);
  std::vector<int> links;
  if (keys.links.word == "all") {
    for (int i = 0; i < n; ++i) links.push_back(i);
  }
  for (const double link : keys.links.numbers) links.push_back(static_cast<int>(link) - 1);
  return links;
}

WishLaw make_law(const WishKeys& keys, std::vector<int> links) {
  const auto vector = [](const std::vector<double>& list) -> Eigen::VectorXd {
    return Eigen::Map<const Eigen::VectorXd>(list.data(), static_cast<Eigen::Index>(list.size()));
  };
  WishLaw law;
  if (keys.position.word.empty()) {
    law.position.emplace(keys.position.numbers[0], keys.position.numbers[1]);
  }
  law.velocity = keys.velocity;
  law.acceleration = keys.acceleration;
  law.links = std::move(links);
  law.angle = vector(keys.angle.numbers);
  law.rate = vector(keys.rate);
  law.angular_acceleration = vector(keys.angular_acceleration);
  law.kp = keys.kp;
  law.kd = keys.kd;
  law.kp_angle = keys.kp_angle;
  law.kd_angle = keys.kd_angle;
  return law;
}

const keys::Section& force_map_keys() {
  static const keys::Section section = [] {
    auto table =
        keys::Table<ForceMapKeys>("force_map")
            .row({.name = "kinematics",
                  .choices = {{"centre_of_mass", "of the robot"},
                              {"mean",
                               "of the links' centres of gravity, as Holden prints it: "
                               "breaks Newton's law where masses differ"}},
                  .doc = "whose acceleration is mapped and wished for",
                  .example = "\"centre_of_mass\""},
                 &ForceMapKeys::kinematics)
            .row({.name = "contact_acceleration",
                  .choices = {{"point",
                               "an obstacle that stays where it is while the link slides "
                               "along it"},
                              {"skate", "as Holden prints it: a skate at the centre of gravity"}},
                  .doc = "what a contact does to its link's acceleration",
                  .example = "\"point\""},
                 &ForceMapKeys::contact_acceleration)
            .row({.name = "project",
                  .doc = "first change the velocities so that links do not leave or enter their "
                         "obstacles, as little as possible by kinetic energy",
                  .example = "true"},
                 &ForceMapKeys::project)
            .row({.name = "weight_torque",
                  .min = 0,
                  .max = 1e12,
                  .above_min = true,
                  .each = "joint",
                  .doc = "weight of the squared torques, Q_u of Holden (53)",
                  .example = "1.0"},
                 &ForceMapKeys::weight_torque)
            .row({.name = "weight_slack",
                  .min = 0,
                  .max = 1e18,
                  .above_min = true,
                  .each = "part of the wish: centre, angles",
                  .doc = "weight of squared misses of the wish, Q_z of Holden (53): of the centre "
                         "(1/N²) and of the angles (s⁴/rad²); from 1e9 on the wish is first taken "
                         "as a demand",
                  .example = "1e12"},
                 &ForceMapKeys::weight_slack);
    add_wish_rows(table);
    return table
        .list({.name = "contact",
               .noun = "a contact",
               .example = "link = 3, side = \"left\", friction = 0.3",
               .hint = "write  [[force_map.contact]]  once per contact, then link and side"},
              &ForceMapKeys::contact, contact_entry())
        .check(check_force_map);
  }();
  return section;
}

const keys::Section& quality_keys() {
  static const keys::Section section =
      keys::Table<QualityKeys>("quality")
          .row({.name = "speed",
                .unit = "m/s",
                .min = 0,
                .max = 1e3,
                .above_min = true,
                .doc = "of the rear end along [path]",
                .example = "0.1"},
               &QualityKeys::speed)
          .row({.name = "acceleration",
                .unit = "m/s²",
                .min = -1e4,
                .max = 1e4,
                .doc = "of the rear end along the path",
                .example = "0.0"},
               &QualityKeys::acceleration)
          .row({.name = "from",
                .unit = "m",
                .min = -1e6,
                .max = 1e6,
                .doc = "first place of the rear end, by arc length",
                .example = "0.5"},
               &QualityKeys::from)
          .row({.name = "to",
                .unit = "m",
                .min = -1e6,
                .max = 1e6,
                .doc = "places are before this one",
                .example = "1.265"},
               &QualityKeys::to)
          .row({.name = "step",
                .unit = "m",
                .min = 0,
                .max = 1e6,
                .above_min = true,
                .doc = "from place to place; at most 100000 places",
                .example = "0.01"},
               &QualityKeys::step)
          .row({.name = "reach",
                .unit = "m",
                .min = 0,
                .max = 1e3,
                .doc = "an obstacle counts if its centre is within link radius + its radius + this "
                       "of the path",
                .example = "0.01"},
               &QualityKeys::reach)
          .row({.name = "links",
                .min = 1,
                .max = 1e6,
                .choices = {{"wish", "those of force_map.wish.links"},
                            {"contacts",
                             "the rearmost, those in contact, and their neighbours towards the "
                             "leading end"},
                            {"all", "every link"}},
                .doc = "links whose motion is demanded, counted from 1",
                .example = "\"contacts\""},
               &QualityKeys::links)
          .check(check_quality);
  return section;
}

}  // namespace coluber::control
