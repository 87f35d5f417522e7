#include "coluber/chain/path_start.hpp"

#include <fmt/format.h>

#include "coluber/keys/check.hpp"
#include "coluber/path/keys.hpp"

namespace coluber::chain {

namespace {

using keys::Check;

void check_path_start(PathStart& options, Check& check) {
  const auto* path = check.find_options<path::PathKeys>();
  const bool has_path = path != nullptr && path->shape.has_value();
  if (!has_path && options.on_path.value_or(false)) {
    check.fault("start.on_path", "there is no [path] to start on", "add  [path], or leave it out");
  }
  if (!options.on_path) options.on_path = has_path;
  if (!*options.on_path) {
    if (check.is_changed("start.offset")) {
      check.fault("start.offset", "is counted from a path, and the robot does not start on one",
                  has_path ? "write  on_path = true" : "leave it out, or add  [path]");
    }
    return;
  }
  for (const char* word : {"shape", "link", "position", "heading_deg"}) {
    const std::string key = fmt::format("start.{}", word);
    if (check.find(key) == nullptr) continue;
    check.fault(key, "the robot starts on its path, straight",
                "leave it out, or write  on_path = false");
  }
}

}  // namespace

const keys::Section& path_start_keys() {
  static const keys::Section section =
      keys::Table<PathStart>("start")
          .row(
              {.name = "on_path",
               .default_note = "true with a [path]",
               .doc = "the middle of link 1's shaft is at the start of the path, the body straight "
                      "behind it",
               .example = "true"},
              &PathStart::on_path)
          .row({.name = "offset",
                .unit = "m",
                .min = -1e6,
                .max = 1e6,
                .doc = "how far to the left of the path it starts",
                .example = "0.0"},
               &PathStart::offset)
          .row(
              {.name = "speed",
               .unit = "m/s",
               .min = -1e3,
               .max = 1e3,
               .doc =
                   "of all links forward along start.heading_deg, or the path, with wheels rolling",
               .example = "0.0"},
              &PathStart::speed)
          .check(check_path_start);
  return section;
}

}  // namespace coluber::chain
