#include "coluber/chain/path_start.hpp"

#include <fmt/format.h>

#include "coluber/keys/check.hpp"
#include "coluber/path/keys.hpp"

#include "path_words.hpp"

namespace coluber::chain {

namespace {

using keys::Check;

/// Keys that say how far along or beside a path, of a robot that does not start on one.
void refuse_off_path(const char* key, const char* what, bool has_path, Check& check) {
  if (!check.is_changed(key)) return;
  check.fault(key, fmt::format("is {} a path, and the robot does not start on one", what),
              has_path ? "write  on_path = true" : "leave it out, or add  [path]");
}

void check_path_start(PathStart& options, Check& check) {
  const auto* path = check.find_options<path::PathKeys>();
  const bool has_path = path != nullptr && path->shape.has_value();
  // of an unknown model every model's keys are read
  const bool laid = check.find_options<TrainStart>() != nullptr && !check.model().empty();
  if (!has_path && options.on_path.value_or(false)) {
    check.fault("start.on_path", "there is no [path] to start on", "add  [path], or leave it out");
  }
  const bool on_wheels = check.find_options<WheelStart>() != nullptr && !check.model().empty();
  if (has_path && on_wheels && path->leads == path::Leads::last) {
    check.fault("path.leads", "a robot on wheels drives with link 1 ahead", "leave it out");
  }
  if (!options.on_path) options.on_path = has_path && !laid;
  if (!*options.on_path) {
    refuse_off_path("start.offset", "counted from", has_path, check);
    refuse_off_path("start.s", "counted along", has_path, check);
    if (laid && check.is_changed("start.speed")) {
      check.fault("start.speed", "is along a path, and the robot does not start on one",
                  has_path ? "write  on_path = true, or give start.velocity"
                           : "give start.velocity, or add  [path]");
    }
    return;
  }
  for (const char* word : {"shape", "link", "position", "heading_deg"}) {
    const std::string key = fmt::format("start.{}", word);
    if (check.find(key) == nullptr) continue;
    check.fault(key, on_path_words(check), "leave it out, or write  on_path = false");
  }
}

}  // namespace

const keys::Section& path_start_keys() {
  static const keys::Section section =
      keys::Table<PathStart>("start")
          .row({.name = "on_path",
                .default_note = "true with a [path]; false for planar",
                .doc =
                    "the robot starts on its path. On wheels: the middle of link 1's shaft at s = "
                    "0, the body straight behind it. Planar: every joint and both ends on the "
                    "path, the rear end at start.s, path.leads in front",
                .example = "true"},
               &PathStart::on_path)
          .row({.name = "speed",
                .unit = "m/s",
                .min = -1e3,
                .max = 1e3,
                .doc = "on wheels: of all links with link 1 ahead, against start.heading_deg or "
                       "along the path, wheels rolling; planar: of the rear end along the path, "
                       "the joints following it",
                .example = "0.0"},
               &PathStart::speed)
          .check(check_path_start);
  return section;
}

const keys::Section& wheel_start_keys() {
  static const keys::Section section =
      keys::Table<WheelStart>("start").row({.name = "offset",
                                            .unit = "m",
                                            .min = -1e6,
                                            .max = 1e6,
                                            .doc = "how far to the left of the path it starts",
                                            .example = "0.0"},
                                           &WheelStart::offset);
  return section;
}

const keys::Section& train_start_keys() {
  static const keys::Section section = keys::Table<TrainStart>("start").row(
      {.name = "s",
       .unit = "m",
       .min = -1e6,
       .max = 1e6,
       .doc = "arc length of the path at the robot's rear end, with on_path",
       .example = "0.0"},
      &TrainStart::s);
  return section;
}

}  // namespace coluber::chain
