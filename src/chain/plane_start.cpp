#include "coluber/chain/plane_start.hpp"

#include <fmt/format.h>

#include "coluber/chain/path_start.hpp"
#include "coluber/chain/robot.hpp"
#include "coluber/keys/check.hpp"

#include "path_words.hpp"

namespace coluber::chain {

namespace {

using keys::Check;

void refuse_beside(const char* key, std::initializer_list<const char*> others, const char* why,
                   Check& check) {
  if (check.find(key) == nullptr) return;
  for (const char* other : others) {
    if (check.find(other) == nullptr) continue;
    check.fault(other, why, fmt::format("leave it out, or leave {} out", key));
  }
}

void check_plane_start(PlaneStart& options, Check& check) {
  const auto* robot = check.find_options<Robot>();
  if (robot == nullptr || !robot->known) return;
  for (const auto& [key, values] : {std::pair{"start.link_angle", &options.link_angle},
                                    std::pair{"start.link_rate", &options.link_rate}}) {
    if (values->empty() || values->size() == robot->link.size()) continue;
    check.fault(
        key,
        fmt::format("has {} numbers, the robot has {} links", values->size(), robot->link.size()),
        "a list has one number per link, from link 1 on");
  }
  refuse_beside("start.link_angle", {"start.shape", "start.heading_deg"},
                "the angles of all links are given by start.link_angle", check);
  if (options.place != Place::link && check.find("start.link") != nullptr) {
    check.fault("start.link", "start.place does not place a link, but the whole robot",
                "leave it out, or write  place = \"link\"");
  }
  const auto* path = check.find_options<PathStart>();
  if (path == nullptr) return;
  refuse_beside("start.velocity", {"start.speed"}, "start.velocity says how the robot moves",
                check);
  if (!path->on_path.value_or(false)) return;
  for (const char* key : {"start.link_angle", "start.link_rate", "start.velocity", "start.place"}) {
    if (check.find(key) == nullptr) continue;
    check.fault(key, on_path_words(check), "leave it out, or write  on_path = false");
  }
}

}  // namespace

const keys::Section& plane_start_keys() {
  static const keys::Section section =
      keys::Table<PlaneStart>("start")
          .row({.name = "link_angle",
                .unit = "rad",
                .default_note = "by shape and heading_deg",
                .min = -1e6,
                .max = 1e6,
                .each = "link",
                .doc = "angle of each link, as recorded: of its axis, which points to the next "
                       "link; instead of shape and heading_deg",
                .example = "[0.0, 0.1]"},
               &PlaneStart::link_angle)
          .row({.name = "link_rate",
                .unit = "rad/s",
                .default_note = "0",
                .min = -1e6,
                .max = 1e6,
                .each = "link",
                .doc = "rate of each link's angle",
                .example = "[0.0, 0.1]"},
               &PlaneStart::link_rate)
          .row({.name = "velocity",
                .unit = "m/s",
                .default_note = "[0, 0]",
                .min = -1e4,
                .max = 1e4,
                .doc = "velocity of what start.place names; wheels roll along with their links",
                .example = "[0.1, 0.0]"},
               &PlaneStart::velocity)
          .row({.name = "place",
                .choices = {{"link", "the centre of gravity of start.link"},
                            {"centre_of_mass", "of the whole robot"},
                            {"mean", "mean of the links' centres of gravity"}},
                .doc = "what start.position places and start.velocity moves",
                .example = "\"mean\""},
               &PlaneStart::place)
          .check(check_plane_start);
  return section;
}

}  // namespace coluber::chain
